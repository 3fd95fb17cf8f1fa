// What the figure of moving weights says: numbers, lamps, verdict, and what is heard.

import { threeDigits, tickText } from "../kit/scale.mjs";
import { meanAction } from "./run.mjs";

/** A number as it is read, or a sign that it is not there yet. */
export const short = (value) => (Number.isFinite(value) ? threeDigits(value) : "…");

const LONGEST = 2.7; // RK4 is stable while step times Lipschitz bound is below 2.78

export const NAMES = {
  frozen: "frozen",
  ou: "noisy",
  spread: "oscillating, phases spread",
  common: "oscillating, one phase",
};

const LENGTH = {
  frozen: ["holds", "length 0: they do not move"],
  ou: ["fails", "the noise never stops; the path of its law has finite length"],
  spread: ["fails", "each head oscillates for ever"],
  common: ["fails", "each head oscillates for ever"],
};

/** The level around which the head mean of the diagonal, or off it, comes to rest; or null. */
export function restOf({ layout, H, entry }) {
  const diagonal = entry === "11";
  if (layout === "ou") return diagonal ? 1 : 0;
  if (layout !== "spread" || H < 2) return null;
  if (H === 2 && entry === "12") return null; // the wave of frequency 2 is left
  return diagonal ? 2 : 0;
}

/** Whether the head mean of the targets does not depend on t. */
const meanRests = ({ layout, H }) => layout === "frozen" || layout === "ou" || (layout === "spread" && H >= 3);

/** The four lamps: [state, detail]. */
export function lampsOf(state) {
  const { layout, rule, H } = state;
  const metric = rule === "gradient" || H === 1;
  const still = meanRests(state);
  const both = layout === "frozen" && metric;
  const which = H === 1 ? "one head: both rules are one" : rule === "gradient" ? "" : "softmax weighs the heads otherwise";
  const wave = { ou: "it is *I*", frozen: "the weights are their own target", spread: H >= 3 ? "the phases cancel: it is 2*I*" : `${H === 1 ? "one head: nothing to cancel" : "two heads: sin 2*t* is left"}`, common: "all turn together" };
  return [
    LENGTH[layout],
    [metric ? "holds" : "fails", which],
    [still ? "holds" : "fails", wave[layout]],
    both
      ? ["holds", "by the theorem on integrable weights"]
      : ["fails", "outside the hypotheses: the run decides, no theorem"],
  ];
}

export const LAMPS = [
  "the path of the weights has finite length",
  "one head, or the gradient rule",
  "the head mean of the targets stands still",
  "the tokens must come to rest",
];

/** What to make of the whole run, from its last quarter and the one before it. */
export function verdictOf(solved) {
  const { run } = solved;
  if (run.failed) return ["Too fast to follow", "The weights are too large for the step.", "stop"];
  if (run.filled < run.times.length) return ["Running", "The verdict waits for the end of the run.", "ink"];
  const [third, last] = [meanAction(solved, 0.5, 0.75), meanAction(solved, 0.75, 1)];
  const pair = `Mean of *G*^2 in the last two quarters: ${short(third)}, ${short(last)}.`;
  if (solved.heat > LONGEST)
    return ["Read with care", "The weights were at times too large for the step.", "stop"];
  if (last < 1e-12) return ["At rest", pair, "ink"];
  if (last < 0.3 * third) return ["It dies out", pair, "ink"];
  return [last > 0.01 ? "It does not die out" : "Nearly silent", pair, "ink"];
}

/** Pattern: when, what, the number the page is about. */
export function sentence({ t, state, action, late }) {
  const heard = (v) => (v > 0 && v < 1e-3 ? tickText(Number(v.toPrecision(2))).replace(/·?10\^\{(.*)\}/u, " times 10 to the $1") : String(Number(v.toPrecision(2))));
  const heads = state.H === 1 ? "1 head" : `${state.H} heads`;
  const end = Number.isFinite(late) ? ` Mean over the second half ${heard(late)}.` : "";
  return `Layer-time ${t.toFixed(1)}. ${state.n} tokens under ${heads}, ${NAMES[state.layout]}. G squared ${heard(action)}.${end}`;
}

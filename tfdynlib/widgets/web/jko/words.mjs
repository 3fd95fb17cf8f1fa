// What the figure says of a step: numbers, verdict, lamps, the sentence that is heard.

import { number } from "../kit/dom.mjs";
import { small } from "../bench/words.mjs";

export const CUT = "beyond the cut locus";
/** A number with six decimals at most; smaller ones as a power of ten. */
export const decimal = (value) =>
  Math.abs(value) >= 1e-5 ? number(Number(value.toFixed(6)), 6) : small(value, 2);

/** To be heard: two digits, or "below 0.001". */
const spoken = (value) => (value >= 1e-3 ? number(value, 2) : "below 0.001");
const RISE = 1e-12; // an energy that rises by less has stood still

const six = (value) => (Math.abs(value) < 1e4 ? value.toFixed(6) : number(value, 6));

/** Energy, what is left over, the longest way after step k; a start has only the first. */
export function readoutsOf(run, k) {
  const one = run.steps[k - 1];
  return [
    run.steep ? "–" : six(run.energies[k]),
    one ? decimal(one.decrease) : "–",
    one ? `${number(one.longest, 4)}` : "–",
  ];
}

const steps = (count) => (count === 1 ? "one step" : `${count} steps`);

/** How the last step went. */
export function verdictOf(run, k) {
  const { state, steps: done, energies, euler } = run;
  if (run.steep)
    return ["Too steep to search", "Scores beyond 100: lower *β* or the entries of *D*.", "stop"];
  if (k === 0)
    return [`From here, ${steps(run.count)} of *τ* = ${number(state.tau, 3)}`, `The energy is ${six(energies[0])}. Each step asks what energy and way together cost, and goes where that is least.`];
  const one = done[k - 1];
  if (one.status === "not converged")
    return ["The search did not end", "What is shown is the best that was found; it is not worse than to stay.", "stop"];
  if (one.status === CUT)
    return [`Step ${k} goes beyond the cut locus`, `Its longest way is ${number(one.longest, 4)} > *π*: no longer the distance, so this is not a step of the theorem.`, "stop"];
  const freed = one.before - one.after;
  const books = `It sets free ${small(freed, 3)} and pays ${small(one.price, 3)} for the way.`;
  const jump = Number.isFinite(euler.energies[k]) ? ` Euler is at ${six(euler.energies[k])}.` : "";
  if (one.lift > RISE && energies[k] > energies[k - 1])
    return [`The weights lift the energy by ${small(one.lift, 3)}`, books + jump];
  return [`Step ${k} goes down, and affords it`, books + jump];
}

/** Whether the energy inequality holds for every step there is; its least slack. */
function slackOf({ steps: done }) {
  const slack = done.map(({ before, after, price }) => before - after - price);
  return Math.min(...slack);
}

export const LAMPS = [
  "energy and price ≤ the energy before, each step",
  "every way is the distance (at most *π*)",
  "the weights do not change",
  "Euler goes down as well",
];

/** State and words of every lamp. */
export function lampsOf(run) {
  const done = run.steps;
  if (done.length === 0) return LAMPS.map(() => ["unasked", ""]);
  const slack = slackOf(run);
  const longest = Math.max(...done.map((one) => one.longest));
  const frozen = run.state.moving === "still";
  const jumps = Array.from(run.euler.energies);
  const { befores } = run.euler;
  const climb = jumps.findIndex((value, k) => value - befores[k] > RISE);
  const known = Number.isFinite(jumps.at(-1));
  return [
    [slack >= -RISE ? "holds" : "fails", `least left over ${slack < RISE ? "0 to rounding" : small(slack, 2)}`],
    longest <= Math.PI
      ? ["holds", `longest ${number(longest, 3)}`]
      : ["fails", `${CUT}: ${number(longest, 3)}`],
    frozen ? ["holds", "so the energy never rises"] : ["fails", "they may lift it between two steps"],
    !known ? ["unasked", "coming"]
      : climb > 0
        ? ["fails", `its step ${climb} climbs from ${number(befores[climb], 4)} to ${number(jumps[climb], 4)}`]
        : ["holds", `in all ${run.count} steps`],
  ];
}

/** What is heard of a moment. */
export function sentence(run, k) {
  const { state } = run;
  if (run.steep) return `Scores beyond 100: too steep to search.`;
  const start = `Step ${k} of ${run.count}, tau ${number(state.tau, 3)}. ${run.world.n} tokens, energy ${number(run.energies[k], 4)}.`;
  const one = run.steps[k - 1];
  const last = one ? ` Left over ${spoken(one.decrease)}, longest way ${number(one.longest, 3)}.` : "";
  const error = Number.isFinite(run.error[0]) ? ` Error against the flow ${spoken(run.error[0])}.` : "";
  return start + last + error;
}

// Moments of the view "exit" as numbers and as words.

import { number } from "../kit/dom.mjs";
import { onCircle } from "../twin/points.mjs";
import { polesDistance } from "../twin/exit.mjs";
import { FROM, slopes, THRESHOLD } from "./exit_run.mjs";

export const LAMPS = [
  "*M* = *VB* is symmetric, with a simple top *e*_1",
  "*e*_1 is an eigenvector of *V*, and not its top one",
  "*β* is large",
  "the cloud itself is lopsided",
];

/** What one moment shows. */
export function momentOf(now, t) {
  const at = t <= FROM ? 0 : Math.min(t, now.run.filled);
  const y = now.run.tokens(at);
  return { t: at, y, x: onCircle(y), distance: polesDistance(y, now.limit.pole, now.back) };
}

/** The exit that may be told: none from a start that is its own mirror image. */
export const exitOf = (now) => (now.own && !now.mirrored ? now.own.exit : null);

export const digits = (v) => v.toFixed(3);
/** An exit, or that there is none. */
export const shown = (exit) => (exit === null ? "–" : Number.isFinite(exit) ? digits(exit) : "none");
const steps = (now) => (now.mirrored ? [] : slopes(now.law.found).filter(Number.isFinite));

export function readoutsOf(now, m) {
  if (!now.limit.simple) return ["–", "–", "–"];
  const last = steps(now).at(-1);
  const exit = now.own ? shown(exitOf(now)) : "…";
  return [digits(m.distance), exit, last === undefined ? (now.law.found.length < 2 && !now.mirrored ? "…" : "–") : digits(last)];
}

function lawWords(now) {
  const found = steps(now);
  if (found.length === 0) return "";
  const list = found.map(digits).join(", ");
  const predicted = Number.isNaN(now.limit.slope) ? "" : ` The two clocks add up to ${number(now.limit.slope, 4)}.`;
  return `Slopes of the exit in ln *β*, 40 to 320: ${list}.${predicted}`;
}

export function verdictOf(now, m) {
  if (!now.limit.simple) return ["No poles to leave", "*VB* has no simple top eigenvector here, or is not symmetric."];
  if (!now.own) return ["On the way", `Integrated to layer-time ${number(now.run.filled, 4)}.`];
  if (now.mirrored)
    return ["No exit can be told", "The start is its own mirror image: only rounding decides when it leaves.", "stop"];
  const { exit, at, near } = now.own;
  const head = m.t < near ? "Gathering at the poles"
    : m.t < exit ? `Waiting, ${exit === Infinity ? "beyond the end" : `until ${digits(exit)}`}`
      : `Left the poles at ${digits(exit)}`;
  return [head, lawWords(now) || `Closest at ${number(at, 4)}: *W*_2 = ${digits(now.own.least)}.`];
}

export function lampsOf(now) {
  const { limit, back, n, state } = now;
  const sides = `${n - back} and ${back} tokens on the sides of *e*_1`;
  const away = limit.stays && limit.pull > 1e-9;
  return [
    limit.simple ? ["holds", `gap *γ* = ${number(limit.gap, 3)}`]
      : ["fails", limit.symmetric ? "the top eigenvalue is double" : "no limit to speak of"],
    !limit.simple ? ["unasked", ""]
      : away ? ["holds", `*V* leaves at the rate ${number(limit.pull, 3)}`]
        : ["fails", limit.stays ? "*V* agrees: it never leaves this way" : "the cluster drifts at once"],
    state.beta >= 20 ? ["holds", `ln *β* = ${Math.log(state.beta).toFixed(2)}`] : ["fails", "the widths are not small: the law is for large *β*"],
    now.mirrored ? ["fails", "a mirror image of itself: rounding decides"]
      : now.even ? ["fails", `${sides}: only the grid is lopsided, which delays the exit`]
        : ["holds", sides],
  ];
}

export function sentence(now, m) {
  if (!now.limit.simple) return `Layer-time ${number(m.t, 3)}. ${now.n} tokens; the weights have no poles.`;
  const exit = exitOf(now);
  const when = exit === null ? "" : exit === Infinity ? ` It stays until the end.` : ` It leaves the poles at ${digits(exit)}.`;
  const found = steps(now);
  const law = found.length > 0 ? ` Slope in ln beta ${digits(found.at(-1))}.` : "";
  return `Layer-time ${number(m.t, 3)}. Distance of ${now.n} tokens to the poles ${digits(m.distance)}, threshold ${THRESHOLD}.${when}${law}`;
}

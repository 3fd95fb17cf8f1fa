// Moments of the view "clusters" as numbers and as words.

import { number, spoken } from "../kit/dom.mjs";
import { onCircle } from "../twin/points.mjs";
import { closestPair, dwellTime } from "../twin/dwell.mjs";
import { clusterPlaces } from "../twin/mergers.mjs";
import { countAt, FIRST, letterOf, RADII } from "./run.mjs";

export const LAMPS = [
  `radii ${RADII.join(", ")} count alike`,
  "another tolerance counts alike",
  "*B* = *V* = *I*: the quadrature applies",
  "two clusters are left",
];

export const clock = (t) => (t < 10 ? t.toFixed(2) : t < 1000 ? t.toFixed(1) : number(t, t < 1e5 ? 5 : 4));

/** A power of ten with its factor. */
const power = (v, digits) => {
  const e = Math.floor(Math.log10(v) + 1e-12);
  return `${number(v / 10 ** e, digits)}·10^{${e}}`;
};

/** A length of layer-time, short. */
export function span(v) {
  if (v === Infinity) return "∞";
  if (v >= 1e6) return power(v, 3);
  if (v >= 1e4) return String(Math.round(v)).replace(/(\d{3})$/u, "\u202f$1");
  return number(v, 4);
}

/** A tolerance or an end: 1e-10, 1e7. */
export const brief = (v) => {
  const e = Math.floor(Math.log10(v) + 1e-12);
  return Math.abs(e) < 5 ? number(v, 3) : `${number(v / 10 ** e, 3)}e${e}`;
};

/** For ears: no powers. */
export const heard = spoken;

/** The start in a word or two. */
const startWord = ({ start, seed, gap }) =>
  start === "uniform" ? `seed ${seed}` : start === "gap" ? `gap ${number(gap, 5)}` : "grid start";

/** How a run was made, for the passport. */
export const runWords = ({ state, run }) => [
  startWord(state), "method dopri5", `tolerance ${brief(state.rtol)}`, `one within ${brief(run.radius)}`,
];

const many = (k) => `${k} ${k === 1 ? "cluster" : "clusters"}`;

/** What one moment shows. */
export function momentOf(now, t) {
  const { state, run, n } = now;
  const at = t <= FIRST ? 0 : Math.min(t, run.filled);
  const y = run.tokens(at);
  const mass = new Float64Array(n).fill(1 / n);
  const places = clusterPlaces(y, mass, state.radius);
  places.list.forEach((place) => { place.letter = ""; });
  if (now.tree)
    y.forEach((_, i) => { places.list[places.labels[i]].letter ||= letterOf(now.tree, i, at); });
  const pair = closestPair(places.list);
  const next = now.tree?.times.find((time) => time > at) ?? Infinity;
  const formula = now.plain && pair && pair.gap > state.radius;
  return {
    t: at, y, x: onCircle(y), places, pair,
    count: places.count,
    counts: RADII.map((radius) => countAt(run, at, radius)),
    other: now.other.filled >= at ? countAt(now.other, at, state.radius) : null,
    wait: now.waits.find(({ from, until }) => from <= at && at < until) ?? null,
    left: next - at,
    alone: formula ? dwellTime(pair.gap, state.beta, state.radius, pair.p, pair.q) : null,
    share: Math.exp(now.energy(at) - now.top),
  };
}

export function readoutsOf(now, m) {
  const left = !now.tree ? "…" : m.left === Infinity ? "–" : span(m.left);
  return [String(m.count), left, m.alone === null ? "–" : span(m.alone)];
}

const who = ({ first, second }) =>
  first.letter && second.letter ? [first.letter, second.letter].sort().join(" and ") : "The closest two";

function headOf({ wait, count }) {
  if (!wait) return count === 1 ? "One cluster" : `${many(count)}, not waiting`;
  if (wait.count !== count) return `${many(count)} now, ${wait.count} that part again`;
  return wait.to === Infinity ? `${many(count)}: still waiting at the end` : `${many(count)} wait ${span(wait.length)}`;
}

export function verdictOf(now, m) {
  if (!now.tree) return ["On the way", `Integrated to layer-time ${span(now.run.filled)}.`];
  if (now.run.failed) return ["The run stopped", `${now.run.steps} steps led to layer-time ${span(now.run.filled)}.`];
  const head = headOf(m);
  const tail = m.wait ? `From ${span(m.wait.from)} to ${m.wait.to === Infinity ? "beyond the end" : span(m.wait.to)}. ` : "";
  if (!m.pair || m.alone === null) return [head, tail];
  const measured = m.left === Infinity ? "it lasts beyond the end" : `it lasts ${span(m.left)} in this run`;
  return [head, `${tail}${who(m.pair)} are ${number(m.pair.gap, 4)} rad apart: alone they would wait ${span(m.alone)} more; ${measured}.`];
}

export function lampsOf(now, m) {
  const alike = m.counts.every((count) => count === m.counts[0]);
  const counts = m.counts.map((count, k) => `${RADII[k]}: ${count}`).join(", ");
  const rough = brief(now.other.rtol);
  const same = m.other === m.count;
  return [
    [alike ? "holds" : "fails", `${alike ? "" : "the number depends on the radius: "}${counts}`],
    m.other === null
      ? ["unasked", `the run at ${rough} is not there yet`]
      : [same ? "holds" : "fails", `${rough}: ${many(m.other)} here${same ? "" : `, not ${m.count}`}`],
    now.plain ? ["holds", ""] : ["fails", "no closed form for the gap"],
    m.count < 2 ? ["unasked", "nothing is left to meet"]
      : m.count === 2 ? ["holds", "alone and in this run are the same"]
        : ["fails", m.count === 3 ? "the third one pulls too" : `the other ${m.count - 2} pull too`],
  ];
}

export function sentence(now, m) {
  const alike = m.counts.every((count) => count === m.counts[0]);
  const radii = alike ? "" : ` Other radii count otherwise: ${m.counts.map((c, k) => `${c} at ${RADII[k]}`).join(", ")}.`;
  const next = !now.tree || m.left === Infinity ? "" : ` The next merger comes in ${heard(span(m.left))}.`;
  const alone = m.alone === null ? "" : ` The closest pair alone would take ${heard(span(m.alone))}.`;
  return `Layer-time ${heard(span(m.t))}. ${now.n} tokens in ${many(m.count)}.${radii}${next}${alone}`;
}


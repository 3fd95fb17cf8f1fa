// View "flow": readouts, verdict, lamps, and the sentence that is heard.

import { minus } from "../kit/dom.mjs";
import { lampState } from "../kit/lamps.mjs";
import { matvec } from "../twin/linalg.mjs";
import { direction, heard, metres, short } from "./words.mjs";

/** Which phase a moment is in: its number, or null where there are none. */
export function phaseAt(run, phases, t) {
  if (run.state.rule === "zero_temperature" && run.known) return 1;
  if (run.scale === null || run.curve !== "distance") return null;
  return t < phases.wait ? 1 : t < phases.obey ? 2 : 3;
}

const PHASES = { 1: "1 gather", 2: "2 wait", 3: "3 obey *V*" };

/** The three readouts: name, text, tone. */
export function readoutsOf(run, { value, phase, neighbours }) {
  const first = {
    distance: [run.exactLimit ? "*W*_2 to limit" : "*W*_2 at most", metres(value)],
    alignment: ["alignment", value.toFixed(4)],
    angle: ["angle", `${minus(value.toFixed(1))}°`],
  }[run.curve];
  const hears = neighbours === null ? (run.state.rule === "hardmax" ? "1" : "all") : short(neighbours);
  const few = run.facts.enough === false;
  return [first, ["phase", phase ? PHASES[phase] : "none"], ["*N*_{eff} heard", hears, few ? "stop" : ""]];
}

/** What is outside the theorem, as a phrase, or null. */
export function outside(run) {
  const { facts } = run;
  if (!facts.invertible) return "*B* is not invertible";
  if (!facts.symmetric) return "*M* = *VB* is not symmetric";
  if (!facts.gap) return "*M* has no gap";
  if (!facts.positive) return run.state.start === "pair" ? "two points have no density" : "the start density is not positive";
  if (run.state.rule === "hardmax") return "hardmax over finitely many tokens";
  if (facts.enough === false) return "*N* is too small for this *β*";
  return null;
}

/** On the circle: where opposite clusters rest, the angles with x^T B x = 0. */
function restOf(B) {
  if (B.length !== 4) return "";
  const [a, b, c] = [B[0], (B[1] + B[2]) / 2, B[3]];
  const inside = b * b - a * c;
  if (c === 0 || inside < 0) return "";
  const angles = [1, -1].map((sign) => (Math.atan((-b + sign * Math.sqrt(inside)) / c) * 180) / Math.PI);
  return ` A pair rests at ${angles.map((v) => `${short(v, 4)}°`).join(" or ")}.`;
}

/** What the top eigenvector of V promises to a lone cluster, and to a pair of them. */
export function promise(run) {
  const { top, head } = run;
  if (!top || !top.dominant) return "*V* has complex eigenvalues on top: nothing to settle on.";
  if (!top.simple) return "The top eigenvalue of *V* is not simple.";
  const Bv = matvec(head.B, top.vector);
  const score = Bv.reduce((sum, value, k) => sum + value * top.vector[k], 0);
  const where = direction(top.vector);
  const rest = score < -1e-12 ? restOf(head.B) : "";
  return score > 1e-12
    ? `Conjectured end: ±${where}, the top of *V*, where *x*^⊤*Bx* = ${short(score)}.`
    : `At ${where}, the top of *V*, *x*^⊤*Bx* = ${short(score)}: opposite clusters are pushed off it.${rest}`;
}

/** Title, detail and tone. */
export function verdictOf(run, { t, phase, least, exit, late }) {
  if (run.flow.failed) return ["The run stopped", "The field jumps faster than any step: hardmax ties.", "stop"];
  if (late) return ["Not there yet", `Integrated to layer-time ${short(run.times[run.flow.filled - 1])}.`, "ink"];
  const why = outside(run);
  if (why && !run.known) return [`Outside the theorem: ${why}`, promise(run), "stop"];
  const done = run.flow.filled === run.times.length;
  const left = t > exit;
  const out = done && Number.isFinite(exit) ? ` It ${left ? "left" : "leaves"} (*W*_2 > 0.2) at *t* = ${short(exit, 4)}.` : "";
  const best = least && run.curve === "distance" && done ? `Least distance ${metres(least.value)} at *t* = ${short(least.t)}.${out}` : promise(run);
  if (why) return [`Outside the theorem: ${why}`, run.curve === "distance" ? best : promise(run), "stop"];
  if (phase === 1) {
    const rate = run.limit.dim === 1 ? run.limit.rate / 2 : run.limit.rate;
    const tail = run.limit.dim === 1 ? "half of *γ*/|*B*|, as tokens near the equator are late" : run.limit.dim === 2 ? "*γ*/|*B*|, up to √*t*" : "*γ*/|*B*|";
    return ["Gathering", `At *β* = ∞ like *e*^{−${rate === 1 ? "" : short(rate, 2)}t} or faster: ${tail}.`, "theory"];
  }
  if (phase === 2) return [left ? "Leaving the limit" : "Waiting at the limit", best, "theory"];
  if (phase === 3) return ["Obeying *V*", promise(run), "ink"];
  return [run.curve === "distance" ? "At zero temperature" : "The end", run.curve === "distance" ? best : promise(run), "ink"];
}

export const LAMPS = [
  "*B* is invertible",
  "*M* = *VB* is symmetric",
  "gap *γ* > 0",
  "the start density is positive and Lipschitz",
  "enough tokens for this *β*",
  "constants of the bound",
];

function toRead({ state, heard: count, n, d, facts }) {
  if (state.rule === "zero_temperature") return "at *β* = ∞ tokens do not hear each other";
  if (state.rule === "hardmax") return "the best match is one token, not the best point";
  const many = `a token hears ${short(count)} of ${n} at the start`;
  return facts.enough ? many : `${many}: not *N* ≫ *β*^{${d === 2 ? "1/2" : "1"}}`;
}

/** The law of the start, in a few words. */
function densityOf({ state, start, d }) {
  if (state.start === "pair") return "two points";
  if (!start.weighed && state.band > 0) return "too few outside the band: all stay";
  if (start.weighed && state.band > 0) return "a band is left out";
  if (start.weighed) return `1 + ${short(state.density)} *x*_1, up to a factor`;
  const kind = { draw: `seed ${state.seed}`, fine: "weighted, dense at the equator", grid: state.skew && d === 2 ? "skewed" : "even" };
  return `${start.n} tokens, ${kind[state.start]}`;
}

/** State and detail of each lamp. */
export function lampsOf(run, bound, kind) {
  const { facts, limit } = run;
  const values = limit.values.map((v) => short(v)).join(", ");
  const poles = limit.dim === 1 ? "two poles" : limit.dim === 2 ? "a great circle" : "all of it";
  const density = densityOf(run);
  const constants = !bound
    ? ["unasked", "no bound here"]
    : [kind === "given" ? (bound.holds ? "holds" : "fails") : "unasked",
      `${kind}, not proved: *C* = ${short(bound.C)}, *C*_1 = ${short(bound.C1)}, *c* = ${short(bound.c)}`];
  return [
    [lampState(facts.invertible), `|*B*| = ${short(limit.norm)}`],
    [lampState(facts.symmetric), facts.symmetric ? `eigenvalues ${values}` : "no limit *Π* without it"],
    [lampState(facts.gap), facts.gap === null ? "" : facts.gap ? `*γ* = ${short(limit.gap)}, dominant: ${poles}` : "all directions are dominant"],
    [lampState(facts.positive), density],
    [lampState(facts.enough), toRead(run)],
    constants,
  ];
}

/** Pattern: when, phase, the number the page is about, where the mass is. */
export function sentence(run, { t, value, phase, phases, masses, late }) {
  if (late) return `Layer-time ${short(t)}: not there yet.`;
  const what = { distance: `Distance to the limit ${metres(value)}.`, alignment: `Alignment ${value.toFixed(3)}.`, angle: `Angle ${value.toFixed(1)} degrees.` }[run.curve];
  const names = { 1: "phase 1 of 3, gathering", 2: "phase 2 of 3, waiting", 3: "phase 3 of 3, obeying V" };
  const why = outside(run);
  const where = masses ? `${Math.round(100 * masses)} per cent of the mass on the side of the first pole.` : "";
  const beta = Number.isFinite(run.beta) ? `Log beta is ${short(Math.log(run.beta))}.` : "Beta is infinite.";
  return heard(
    `Layer-time ${short(t)}${phase ? `, ${names[phase]}` : ""}. ${what} ${where} ${beta}${why ? ` Outside the theorem: ${why}.` : ""}`.replace(/ {2,}/gu, " "),
  );
}

// A state of the figure -> its start, its run, what is measured along it.

import { log } from "../kit/scale.mjs";
import { logTimes } from "../kit/trajectory.mjs";
import { headOf } from "../twin/attention.mjs";
import { logInteraction } from "../twin/energy.mjs";
import { growTree, waits } from "../twin/mergers.mjs";
import { angles as anglesOf, onCircle, uniformCircle } from "../twin/points.mjs";
import { chains, coldRun } from "../twin/stairs.mjs";

export const FIRST = 0.01; // where logarithmic layer-time begins
export const RADII = [0.03, 0.1, 0.3];
export const TIGHT = 1e-11;
export const LOOSE = 1e-2;
const FRAMES = 420;

export const isPlain = ({ B, V }) =>
  [B, V].every((M) => M.flat().every((entry, k) => entry === (k % 3 === 0 ? 1 : 0)));

/** Angles of the start: a draw, a pair, or a grid that is skewed and turned. */
export function startAngles({ start, n, seed, gap, skew, turn }) {
  if (start === "uniform") return Float64Array.from(anglesOf(uniformCircle(n, seed)));
  if (start === "gap") return Float64Array.of(-gap / 2, gap / 2);
  return Float64Array.from({ length: n }, (_, k) => {
    const phi = ((k + 0.5) * 2 * Math.PI) / n;
    return phi + skew * Math.sin(phi - 1) + turn;
  });
}

/** Whether two lists hold the same: then a picture need not be drawn again. */
export const same = (a, b) => a.length === b.length && a.every((one, k) => one === b[k]);

/** A pair has two tokens; another number of tokens asks for another start. */
export function keepCount(card, other) {
  card.on(["start"], () => { if (card.get("start") === "gap") card.set({ n: 2 }); });
  card.on(["n"], () => {
    if (card.get("start") === "gap" && card.get("n") !== 2) card.set({ start: other });
  });
}

/** The norm of a 2 x 2 matrix: its largest singular value. */
function norm([a, b, c, d]) {
  const half = (a * a + b * b + c * c + d * d) / 2;
  return Math.sqrt(half + Math.sqrt(Math.max(0, half * half - (a * d - b * c) ** 2)));
}

/** Measured at the frames as the run comes to them: tokens, and one number each. */
export function sampled(run, times, measure) {
  const frames = [];
  const values = new Float64Array(times.length);
  return {
    times,
    values,
    frames,
    /** The last frame that is there at a time. */
    index(t) {
      let k = 0;
      while (k + 1 < frames.length && times[k + 1] <= t) k += 1;
      return k;
    },
    /** Go on for about `ms`; true while a frame that is filled is left. */
    advance(ms) {
      const until = performance.now() + ms;
      while (frames.length < times.length && times[frames.length] <= run.filled) {
        const t = times[frames.length];
        values[frames.length] = measure(t);
        frames.push(onCircle(run.tokens(t)));
        if (performance.now() > until) return true;
      }
      return false;
    },
  };
}

/** Everything that follows from a state of the view "clusters", once per change. */
export function prepare(state) {
  const head = headOf(state);
  const y0 = startAngles(state);
  const run = coldRun(y0, head, state.beta, state.t_end, state.rtol);
  const other = coldRun(y0, head, state.beta, state.t_end, state.rtol > 1e-6 ? TIGHT : LOOSE);
  const top = state.beta * norm(head.B) - Math.log(2 * state.beta); // log of the largest energy
  const energy = (t) => {
    const { y, mass } = run.rows(t);
    return logInteraction(onCircle(y), y.length, 2, head, state.beta, mass);
  };
  const samples = sampled(run, logTimes(FIRST, state.t_end, FRAMES), (t) => Math.exp(energy(t) - top));
  let growing = null;
  const now = {
    state, head, y0, n: y0.length, run, other, samples, energy, top,
    plain: isPlain(state),
    axis: log(FIRST, state.t_end),
    tree: null,
    waits: [],
    /** Work for about `ms`; true while something is left. */
    advance(ms) {
      const until = performance.now() + ms;
      run.advance(ms);
      if (samples.advance(until - performance.now())) return true;
      if (run.going) return true;
      growing ??= growTree(run, state.radius);
      while (!now.tree) {
        const { done, value } = growing.next();
        if (done) [now.tree, now.waits] = [named(value), waits(value, run.filled)];
        else if (performance.now() > until) return true;
      }
      if (other.going) other.advance(Math.max(1, until - performance.now()));
      return other.going;
    },
  };
  return now;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Letters for the nodes: a node is named after its largest part, and what joins last is
 * named first; so the last cluster is A, and B is what it met last.
 */
function named(tree) {
  const { nodes } = tree;
  let next = 0;
  const give = (k, letter) => { nodes[k].letter = letter; };
  const roots = nodes.flatMap((node, k) => (node.parent < 0 ? [k] : []));
  roots.sort((a, b) => nodes[b].tokens.length - nodes[a].tokens.length);
  for (const k of roots) give(k, LETTERS[next++] ?? "");
  for (let k = nodes.length - 1; k >= 0; k--) {
    const parts = [...nodes[k].children].sort((a, b) => nodes[b].tokens.length - nodes[a].tokens.length);
    parts.forEach((child, i) => give(child, i === 0 ? nodes[k].letter : LETTERS[next++] ?? ""));
  }
  return tree;
}

/** The letter of the node that holds token i at the time t. */
export function letterOf(tree, i, t) {
  const { nodes } = tree;
  let k = nodes.findIndex((node) => node.children.length === 0 && node.tokens.includes(i));
  while (nodes[k].parent >= 0 && nodes[nodes[k].parent].t <= t) k = nodes[k].parent;
  return nodes[k].letter;
}

/** Number of clusters at a radius in a run at a time that is filled. */
export const countAt = (run, t, radius) => chains(run.tokens(t), radius).count;

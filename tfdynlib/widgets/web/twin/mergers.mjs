// The tree of mergers of a run: which clusters became one, and when.
//
// Two tokens are joined at the moment after which they stay in one cluster (a chain of
// steps of at most the radius) until the end of the run. These moments are the heights of
// a tree: if i stays with j and j with k, then i stays with k.

import { chains, renumbered } from "./stairs.mjs";

const TURN = 2 * Math.PI;
const SHARP = 1e-9; // moments of mergers are found to this part of themselves

/** Labels at a time: the clusters of the tokens. */
const labelsAt = (run, t, radius) => chains(run.tokens(t), radius).labels;

/** The partition finer than both. */
function both(a, b) {
  const key = a.map((label, i) => label * b.length + b[i]);
  return renumbered(key);
}

/**
 * Mergers of a finished run at a radius, from the last to the first, step by step.
 *
 * Between the ends of two steps the moment is found by halving, so that the steps of the
 * run are all that is taken on trust: a cluster that opens and closes within one is not seen.
 *
 * Returns the clusters of the start and `{ t, whole, parts }`: at t, tokens of one label in
 * `whole` had the labels `parts` before.
 */
function* events(run, radius) {
  const out = [];
  const down = (from, early, to, late) => {
    const fine = both(late.labels, early);
    if (fine.count === late.count) return late;
    if (to - from <= SHARP * to) {
      out.push({ t: to, whole: late.labels, parts: fine.labels });
      return fine;
    }
    const middle = (from + to) / 2;
    const half = labelsAt(run, middle, radius);
    return down(from, early, middle, down(middle, half, to, late));
  };
  const { times } = run;
  const last = times.length - 1;
  let late = renumbered(labelsAt(run, times[last], radius));
  for (let k = last - 1; k >= 0; k--) {
    late = down(times[k], labelsAt(run, times[k], radius), times[k + 1], late);
    yield k;
  }
  return { leaves: late, mergers: out };
}

/**
 * The tree of a finished run.
 *
 * `nodes` holds the clusters of the start, then one node a merger in order of time:
 * `{ t, tokens, children, parent }`, t = 0 for a leaf and parent -1 for a root. `counts` is
 * the number of clusters after each merger; `order` lists the tokens round the circle so
 * that every node is an interval of it.
 */
export function mergerTree(run, radius) {
  const parts = growTree(run, radius);
  for (;;) {
    const { done, value } = parts.next();
    if (done) return value;
  }
}

/** The same in parts, one for each step of the run, for a page that must not stop. */
export function* growTree(run, radius) {
  const { leaves, mergers } = yield* events(run, radius);
  const members = (labels, label) => [...labels.keys()].filter((i) => labels[i] === label);
  const nodes = Array.from({ length: leaves.count }, (_, label) => (
    { t: 0, tokens: members(leaves.labels, label), children: [], parent: -1 }));
  const top = Int32Array.from(leaves.labels); // the node that holds a token so far
  for (const { t, whole, parts } of mergers.reverse()) {
    const pieces = new Map();
    whole.forEach((label, i) => {
      if (!pieces.has(label)) pieces.set(label, new Set());
      pieces.get(label).add(parts[i]);
    });
    for (const [label, set] of pieces) {
      if (set.size < 2) continue;
      const tokens = members(whole, label);
      const children = [...new Set(tokens.map((i) => top[i]))];
      for (const child of children) nodes[child].parent = nodes.length;
      for (const i of tokens) top[i] = nodes.length;
      nodes.push({ t, tokens, children, parent: -1 });
    }
  }
  return { nodes, leaves: leaves.count, radius, ...course(nodes, leaves.count), order: order(run, nodes) };
}

/** Times of mergers, and the number of clusters after each; the first is the start. */
function course(nodes, count) {
  const times = [0];
  const counts = [count];
  for (const { t, children } of nodes) {
    if (children.length === 0) continue;
    const left = counts.at(-1) - children.length + 1;
    if (t === times.at(-1)) counts[counts.length - 1] = left;
    else {
      times.push(t);
      counts.push(left);
    }
  }
  return { times, counts };
}

/**
 * Tokens in their order round the circle, which no flow of one head changes, cut where the
 * last clusters are furthest apart.
 */
function order(run, nodes) {
  const start = run.tokens(0);
  const at = (i) => start[i] - TURN * Math.floor(start[i] / TURN);
  const round = [...start.keys()].sort((i, j) => at(i) - at(j));
  const roots = nodes.filter((node) => node.parent < 0);
  const last = roots.length > 1 ? roots : roots[0].children.map((child) => nodes[child]);
  if (last.length < 2) return round;
  const when = roots.length > 1 ? Infinity : roots[0].t;
  const y = run.tokens(Math.min(when, run.filled));
  const places = last
    .map((node) => ({ node, a: y[node.tokens[0]] - TURN * Math.floor(y[node.tokens[0]] / TURN) }))
    .sort((p, q) => p.a - q.a);
  const gaps = places.map(({ a }, k) => a - places.at(k - 1).a + (k === 0 ? TURN : 0));
  const first = new Set(places[gaps.indexOf(Math.max(...gaps))].node.tokens);
  const cut = round.findIndex((i, k) => first.has(i) && !first.has(round.at(k - 1)));
  return [...round.slice(cut), ...round.slice(0, cut)];
}

/**
 * Waits: stretches between two mergers, at least 1 long and longer than `least` of the time before
 * them. The last one is open (`to` is Infinity) unless one cluster is left.
 */
export function waits({ times, counts }, end, least = 1) {
  const out = [];
  times.forEach((from, k) => {
    const to = times[k + 1] ?? Infinity;
    const until = Math.min(to, end);
    if (counts[k] > 1 && until > Math.max(from + 1, (1 + least) * from))
      out.push({ from, to, until, length: until - from, count: counts[k] });
  });
  return out;
}

/** Clusters at a radius as places on the circle: angle of the centre, mass, tokens. */
export function clusterPlaces(y, mass, radius) {
  const { labels, count } = chains(y, radius);
  const sums = Array.from({ length: count }, () => ({ c: 0, s: 0, mass: 0, size: 0 }));
  y.forEach((a, i) => {
    const one = sums[labels[i]];
    one.c += mass[i] * Math.cos(a);
    one.s += mass[i] * Math.sin(a);
    one.mass += mass[i];
    one.size += 1;
  });
  const list = sums.map(({ c, s, mass: m, size }) => ({ angle: Math.atan2(s, c), mass: m, size }));
  return { labels, count, list };
}

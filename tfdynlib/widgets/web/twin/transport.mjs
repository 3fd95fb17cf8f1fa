// Optimal matchings of two clouds of equal size on the circle.

const TURN = 2 * Math.PI;

/** Signed shortest turn from angle a to angle b, in [-pi, pi]. */
export const arc = (a, b) => b - a - TURN * Math.round((b - a) / TURN);

/**
 * Optimal matching for the squared arc length.
 *
 * On a circle the arrows of a convex cost never cross, so among sorted clouds only a
 * cyclic shift is free: n candidates of n terms, and the least is the exact optimum.
 *
 * @returns {{to: number[], w2: number, shift: number}} token i goes to token to[i]; `shift`
 *   counts places round the circle, in (-n/2, n/2]
 */
export function matchGeodesic(from, to) {
  const n = from.length;
  const a = order(from);
  const b = order(to);
  let best = { shift: 0, cost: Infinity };
  for (let shift = 0; shift < n; shift++) {
    let cost = 0;
    for (let i = 0; i < n; i++) cost += arc(from[a[i]], to[b[(i + shift) % n]]) ** 2;
    if (cost < best.cost - 1e-12) best = { shift, cost };
  }
  const match = new Array(n);
  a.forEach((token, i) => { match[token] = b[(i + best.shift) % n]; });
  const places = 2 * best.shift > n ? best.shift - n : best.shift;
  return { to: match, w2: Math.sqrt(best.cost / n), shift: places };
}

const wrapped = (angle) => angle - TURN * Math.floor(angle / TURN);

function order(angles) {
  return angles.map((_, i) => i).sort((i, j) => wrapped(angles[i]) - wrapped(angles[j]));
}

/** Optimal matching for the squared chord, which need not be a shift: a full assignment. */
export function matchChordal(from, to) {
  const n = from.length;
  const cost = from.map((a) => to.map((b) => 4 * Math.sin((a - b) / 2) ** 2));
  const match = assign(cost);
  const total = match.reduce((sum, j, i) => sum + cost[i][j], 0);
  return { to: match, w2: Math.sqrt(total / n) };
}

/**
 * The cheapest assignment of n rows to n columns.
 *
 * Kuhn's method with prices, one shortest augmenting path for each row: O(n^3).
 */
export function assign(cost) {
  const n = cost.length;
  const rowPrice = new Float64Array(n + 1);
  const colPrice = new Float64Array(n + 1);
  const owner = new Int32Array(n + 1).fill(-1);
  for (let row = 0; row < n; row++) {
    owner[n] = row;
    augment(cost, n, rowPrice, colPrice, owner);
  }
  const match = new Array(n);
  for (let j = 0; j < n; j++) match[owner[j]] = j;
  return match;
}

/** Grow the tree of tight edges from the free row at column n until a free column. */
function augment(cost, n, rowPrice, colPrice, owner) {
  const slack = new Float64Array(n + 1).fill(Infinity);
  const before = new Int32Array(n + 1).fill(n);
  const done = new Uint8Array(n + 1);
  let here = n;
  while (owner[here] >= 0) {
    done[here] = 1;
    const row = owner[here];
    let next = n;
    let least = Infinity;
    for (let j = 0; j < n; j++) {
      if (done[j]) continue;
      const gap = cost[row][j] - rowPrice[row] - colPrice[j];
      if (gap < slack[j]) { slack[j] = gap; before[j] = here; }
      if (slack[j] < least) { least = slack[j]; next = j; }
    }
    for (let j = 0; j <= n; j++) {
      if (done[j]) { rowPrice[owner[j]] += least; colPrice[j] -= least; } else slack[j] -= least;
    }
    here = next;
  }
  for (; here !== n; here = before[here]) owner[here] = owner[before[here]];
}

// Attention on the circle and the sphere, as tfdynlib.attention.
//
// Tokens x: Float64Array, row-major, n rows of d = 2 or 3. A head is { B, V }, both flat
// and row-major; the score of token x for token y is beta <B x, y>. Velocities are means
// over heads, projected on the tangent line or plane. Every exponential has the largest
// score subtracted first: an identity, so that beta may be 1e6.

// While 2 beta |B| stays below this, one shift for all rows keeps every term far from
// underflow (exp(-200)); a symmetric B then needs half the exponentials.
const ONE_SHIFT = 200;

/** A head as it is wanted here, from nested lists. */
export const headOf = ({ B, V }) => ({ B: B.flat(), V: V.flat() });

/** Heads from lists of nested lists: as many as there are both B and V. */
export const headsOf = ({ B, V }) =>
  B.slice(0, V.length).map((rows, h) => headOf({ B: rows, V: V[h] }));

/** Heads as plain numbers for the inner loops: 3 x 3, a missing third axis is zero. */
function widen(M, d) {
  if (d === 3) return M;
  return [M[0], M[1], 0, M[2], M[3], 0, 0, 0, 0];
}

/** Masses of the tokens, summing to one; uniform if none are given. */
function weightsOf(mass, n) {
  return mass ?? new Float64Array(n).fill(1 / n);
}

/** Columns of the tokens, padded to three, so that one loop serves both dimensions. */
function columns(x, n, d) {
  const out = [0, 1, 2].map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) for (let k = 0; k < d; k++) out[k][i] = x[i * d + k];
  return out;
}

/** Queries beta B x as three columns. */
function queries([x0, x1, x2], B, d, beta) {
  const M = widen(B, d);
  return [0, 3, 6].map((r) =>
    x0.map((_, i) => beta * (M[r] * x0[i] + M[r + 1] * x1[i] + M[r + 2] * x2[i])));
}

/** Length of the longest token, one on the sphere. */
const reachOf = ([x0, x1, x2]) => {
  let top = 0;
  for (let i = 0; i < x0.length; i++) top = Math.max(top, Math.hypot(x0[i], x1[i], x2[i]));
  return top;
};

/**
 * The moments one head takes of the cloud: for each token the shift c (a log), the mass
 * z = sum_j m_j e^{score - c} and the three columns of sum_j m_j e^{score - c} x_j.
 */
export function moments(x, n, d, B, beta, mass) {
  const cols = columns(x, n, d);
  const q = queries(cols, B, d, beta);
  const m = weightsOf(mass, n);
  const symmetric = B[1] === B[d] && (d === 2 || (B[2] === B[6] && B[5] === B[7]));
  const size = beta * Math.hypot(...B) * reachOf(cols) ** 2; // bounds every score
  return symmetric && 2 * size < ONE_SHIFT ? byPairs(cols, q, m, size) : byRows(cols, q, m);
}

function blank(n) {
  return { shift: new Float64Array(n), z: new Float64Array(n), s: [0, 1, 2].map(() => new Float64Array(n)) };
}

/** Each exponential serves both tokens of a pair; the shift is the bound of all scores. */
function byPairs([x0, x1, x2], [q0, q1, q2], m, shift) {
  const n = x0.length;
  const out = blank(n);
  const { z, s: [s0, s1, s2] } = out;
  out.shift.fill(shift);
  for (let i = 0; i < n; i++) {
    const a = q0[i], b = q1[i], c = q2[i], mi = m[i], u = x0[i], v = x1[i], w = x2[i];
    let e = mi * Math.exp(a * u + b * v + c * w - shift);
    let zi = e, t0 = e * u, t1 = e * v, t2 = e * w;
    for (let j = 0; j < i; j++) {
      e = Math.exp(a * x0[j] + b * x1[j] + c * x2[j] - shift);
      const to = e * m[j], back = e * mi;
      zi += to; t0 += to * x0[j]; t1 += to * x1[j]; t2 += to * x2[j];
      z[j] += back; s0[j] += back * u; s1[j] += back * v; s2[j] += back * w;
    }
    z[i] += zi; s0[i] += t0; s1[i] += t1; s2[i] += t2;
  }
  return out;
}

/** Row by row, each with its own largest score as shift: safe for every B and beta. */
function byRows([x0, x1, x2], [q0, q1, q2], m) {
  const n = x0.length;
  const out = blank(n);
  const score = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let top = -Infinity;
    for (let j = 0; j < n; j++) {
      score[j] = q0[i] * x0[j] + q1[i] * x1[j] + q2[i] * x2[j];
      if (score[j] > top && m[j] > 0) top = score[j];
    }
    let z = 0, t0 = 0, t1 = 0, t2 = 0;
    for (let j = 0; j < n; j++) {
      if (m[j] === 0) continue;
      const e = m[j] * Math.exp(score[j] - top);
      z += e; t0 += e * x0[j]; t1 += e * x1[j]; t2 += e * x2[j];
    }
    out.shift[i] = top; out.z[i] = z;
    out.s[0][i] = t0; out.s[1][i] = t1; out.s[2][i] = t2;
  }
  return out;
}

/** Weights a_ij of one head, n x n row-major; every row sums to one. */
export function attend(x, n, d, head, beta, mass) {
  const cols = columns(x, n, d);
  const [q0, q1, q2] = queries(cols, head.B, d, beta);
  const { shift, z } = byRows(cols, [q0, q1, q2], weightsOf(mass, n));
  const m = weightsOf(mass, n);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const score = q0[i] * cols[0][j] + q1[i] * cols[1][j] + q2[i] * cols[2][j];
      if (m[j] > 0) a[i * n + j] = (m[j] * Math.exp(score - shift[i])) / z[i];
    }
  }
  return a;
}

/** log sum_j m_j e^{beta <B x_i, x_j>} of one head at each token. */
export function logPartition(x, n, d, head, beta, mass) {
  const { shift, z } = moments(x, n, d, head.B, beta, mass);
  return z.map((value, i) => shift[i] + Math.log(value));
}

/**
 * Velocity of every token: the mean over heads of the projected pull V sum_j a_ij x_j.
 *
 * Rules: "softmax"; "unnormalised" (the pull is not divided by its sum of weights);
 * "gradient" (divided by the harmonic mean over heads, for symmetric B and V = B or -B);
 * "hardmax" (the mean of the tokens of largest score); "zero_temperature"
 * (V B x / |B x|). `mass` weighs tokens, `theta` weighs heads; in the space "euclidean"
 * nothing is projected and tokens may be anywhere.
 */
export function velocity(x, n, d, heads, options = {}, out = new Float64Array(n * d)) {
  const { beta = 1, rule = "softmax", mass, theta, space = "sphere" } = options;
  const share = theta ?? heads.map(() => 1 / heads.length);
  out.fill(0);
  const seen = heads.map((head) => SEE[rule](x, n, d, head, beta, mass));
  if (rule === "gradient") priceAll(seen, share);
  heads.forEach((head, h) => pull(out, seen[h], widen(head.V, d), share[h], n, d));
  return space === "sphere" ? project(out, x, n, d) : out;
}

/** What a head sees at each token, by rule: three columns, before V is applied. */
const SEE = {
  softmax: (x, n, d, head, beta, mass) => {
    const { z, s } = moments(x, n, d, head.B, beta, mass);
    return s.map((column) => column.map((value, i) => value / z[i]));
  },
  unnormalised: (x, n, d, head, beta, mass) => {
    const { shift, s } = moments(x, n, d, head.B, beta, mass);
    return s.map((column) => column.map((value, i) => value * Math.exp(shift[i])));
  },
  gradient: (x, n, d, head, beta, mass) => moments(x, n, d, head.B, beta, mass),
  hardmax: (x, n, d, head, beta, mass) => winners(x, n, d, head.B, mass),
  zero_temperature: (x, n, d, head) => {
    const q = queries(columns(x, n, d), head.B, d, 1);
    const size = q[0].map((_, i) => Math.hypot(q[0][i], q[1][i], q[2][i]));
    return q.map((column) => column.map((value, i) => (size[i] > 0 ? value / size[i] : 0)));
  },
};

/** Divide by the harmonic mean of the heads' sums: factors e^{c_h - c_k} / z_k, summed. */
function priceAll(seen, share) {
  const priced = seen.map(({ shift, s }) =>
    s.map((column) => column.map((value, i) =>
      value * seen.reduce((sum, other, k) =>
        sum + (share[k] * Math.exp(shift[i] - other.shift[i])) / other.z[i], 0))));
  priced.forEach((columnsOf, h) => { seen[h] = columnsOf; });
}

/** Mean of the tokens whose score is the largest, ties up to rounding shared by mass. */
function winners(x, n, d, B, mass) {
  const cols = columns(x, n, d);
  const q = queries(cols, B, d, 1);
  const m = weightsOf(mass, n);
  const out = [0, 1, 2].map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    const score = cols[0].map((_, j) => q[0][i] * cols[0][j] + q[1][i] * cols[1][j] + q[2][i] * cols[2][j]);
    const best = score.reduce((top, value, j) => (m[j] > 0 && value > top ? value : top), -Infinity);
    const within = best - TIE * Math.hypot(q[0][i], q[1][i], q[2][i]);
    let total = 0;
    for (let j = 0; j < n; j++) {
      if (score[j] < within) continue;
      total += m[j];
      for (let k = 0; k < 3; k++) out[k][i] += m[j] * cols[k][j];
    }
    for (let k = 0; k < 3; k++) out[k][i] /= total;
  }
  return out;
}

// Rounding of a score <p, y> with |y| = 1, in units of |p|: what counts as a tie.
const TIE = 1e-14;

function pull(out, [s0, s1, s2], V, share, n, d) {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < d; k++) {
      out[i * d + k] += share * (V[3 * k] * s0[i] + V[3 * k + 1] * s1[i] + V[3 * k + 2] * s2[i]);
    }
  }
}

/** Remove from each row of v, in place, its part along the same row of x. */
export function project(v, x, n, d) {
  for (let i = 0; i < n; i++) {
    let along = 0;
    for (let k = 0; k < d; k++) along += v[i * d + k] * x[i * d + k];
    for (let k = 0; k < d; k++) v[i * d + k] -= along * x[i * d + k];
  }
  return v;
}

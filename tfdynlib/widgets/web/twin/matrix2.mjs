// Linear algebra of real 2 x 2 matrices, flat in row order: [a, b, c, d].  All pure.

export const EYE = [1, 0, 0, 1];

export const mul = ([a, b, c, d], [e, f, g, h]) => [
  a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h,
];
export const apply = ([a, b, c, d], [x, y]) => [a * x + b * y, c * x + d * y];
export const transpose = ([a, b, c, d]) => [a, c, b, d];
export const add = (M, N) => M.map((v, k) => v + N[k]);
export const sub = (M, N) => M.map((v, k) => v - N[k]);
export const scaled = (s, M) => M.map((v) => s * v);
export const trace = (M) => M[0] + M[3];
export const det = ([a, b, c, d]) => a * d - b * c;
export const dot = (u, v) => u[0] * v[0] + u[1] * v[1];
export const outer = (u, v) => [u[0] * v[0], u[0] * v[1], u[1] * v[0], u[1] * v[1]];
/** The symmetric part. */
export const sym = ([a, b, c, d]) => [a, (b + c) / 2, (b + c) / 2, d];
/** F S F^T, symmetric to the last bit. */
export const congruence = (F, S) => sym(mul(mul(F, S), transpose(F)));
/** Rows [[a, b], [c, d]] and back. */
export const flat = (rows) => [...rows[0], ...rows[1]];
export const rows = ([a, b, c, d]) => [[a, b], [c, d]];
export const finite = (M) => M.every(Number.isFinite);

/** The inverse, or null where the determinant is 0. */
export function inverse(M) {
  const D = det(M);
  return D === 0 ? null : [M[3] / D, -M[1] / D, -M[2] / D, M[0] / D];
}

/** Solution x of M x = y, or null. */
export function solve(M, y) {
  const R = inverse(M);
  return R && apply(R, y);
}

/**
 * Eigenvalues of a symmetric matrix, the larger first, and the angle of the first
 * eigenvector, in (-pi/2, pi/2]; 0 for a multiple of the identity.
 */
export function eigSym([a, b, , d]) {
  const [middle, half] = [(a + d) / 2, (a - d) / 2];
  const root = Math.hypot(half, b);
  return { values: [middle + root, middle - root], angle: root === 0 ? 0 : Math.atan2(b, half) / 2 };
}

/** The symmetric matrix with these eigenvalues, the first along `angle`. */
export function ofEigen([first, second], angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const off = (first - second) * c * s;
  return [first * c * c + second * s * s, off, off, first * s * s + second * c * c];
}

/** Singular values of a matrix; the smaller from the determinant, so exact at rank 1. */
export function singular(M) {
  const large = Math.hypot(M[0] + M[3], M[1] - M[2]) / 2 + Math.hypot(M[0] - M[3], M[1] + M[2]) / 2;
  return large === 0 ? [0, 0] : [large, Math.abs(det(M)) / large];
}

/** Square root of a symmetric positive semidefinite matrix (Cayley and Hamilton). */
export function sqrt(S) {
  const root = Math.sqrt(Math.max(0, det(S)));
  const size = Math.sqrt(Math.max(0, trace(S) + 2 * root));
  return size === 0 ? [0, 0, 0, 0] : sym([S[0] + root, S[1], S[2], S[3] + root].map((v) => v / size));
}

/**
 * A factor L with L L^T = S, lower triangular; of rank 1 it has one column.  An
 * eigenvalue of at most `tol` times the other counts as 0 (as tfdynlib.gaussian has it).
 */
export function factor(S, tol = 2e-13) {
  const [a, b, , d] = S;
  const { values, angle } = eigSym(S);
  if (values[1] <= tol * values[0]) {
    const r = Math.sqrt(Math.max(0, values[0]));
    return [r * Math.cos(angle), 0, r * Math.sin(angle), 0];
  }
  const first = Math.sqrt(a);
  return [first, 0, b / first, Math.sqrt(d - (b * b) / a)];
}

/** sinh(s)/s and cosh(s) for s^2 = z of either sign. */
function hyperbolic(z) {
  const s = Math.sqrt(Math.abs(z));
  if (s < 1e-4) return [1 + z / 6, 1 + z / 2 + (z * z) / 24];
  return z > 0 ? [Math.sinh(s) / s, Math.cosh(s)] : [Math.sin(s) / s, Math.cos(s)];
}

/** Half the trace m, N = M - m I, and z with N^2 = z I. */
function split(M) {
  const m = trace(M) / 2;
  const N = [M[0] - m, M[1], M[2], M[3] - m];
  return { m, N, z: N[0] * N[0] + N[1] * N[2] };
}

/** Matrix exponential. */
export function exp(M) {
  const { m, N, z } = split(M);
  const [ratio, even] = hyperbolic(z);
  const size = Math.exp(m);
  return N.map((v, k) => size * (ratio * v + even * EYE[k]));
}

/** The principal logarithm, or null: an eigenvalue is 0, or negative and real. */
export function log(M) {
  const { m, N, z } = split(M);
  const D = m * m - z;
  if (!(D > 0) || (z >= 0 && m < 0)) return null;
  const s = Math.sqrt(Math.abs(z));
  const ratio = s < 1e-6 * Math.abs(m) ? 1 / m : z > 0 ? Math.atanh(s / m) / s : Math.atan2(s, m) / s;
  const even = Math.log(D) / 2;
  return N.map((v, k) => ratio * v + even * EYE[k]);
}

/** The symmetric P with A^T P + P A = Q (Q symmetric), or null if there is no single one. */
export function lyapunov([a, b, c, d], Q) {
  // Unknowns p, q, r of P = [p q; q r].
  const rows3 = [
    [2 * a, 2 * c, 0, Q[0]],
    [b, a + d, c, Q[1]],
    [0, 2 * b, 2 * d, Q[3]],
  ];
  const size = Math.max(...rows3.flatMap((row) => row.slice(0, 3).map(Math.abs)));
  for (let k = 0; k < 3; k += 1) {
    const best = [0, 1, 2].slice(k).reduce((i, j) => (Math.abs(rows3[j][k]) > Math.abs(rows3[i][k]) ? j : i), k);
    [rows3[k], rows3[best]] = [rows3[best], rows3[k]];
    if (Math.abs(rows3[k][k]) <= 1e-12 * size) return null;
    for (let i = 0; i < 3; i += 1) {
      if (i === k) continue;
      const f = rows3[i][k] / rows3[k][k];
      for (let j = k; j < 4; j += 1) rows3[i][j] -= f * rows3[k][j];
    }
  }
  const [p, q, r] = rows3.map((row, k) => row[3] / row[k]);
  return [p, q, q, r];
}

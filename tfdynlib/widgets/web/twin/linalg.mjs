// Small matrices, flat and row-major, d x d with d = 2 or 3.

/** The side d of a flat d x d matrix. */
export const side = (M) => Math.round(Math.sqrt(M.length));

/** Product of a matrix and a vector. */
export function matvec(M, v) {
  const d = v.length;
  return Array.from(v, (_, r) => v.reduce((sum, value, c) => sum + M[r * d + c] * value, 0));
}

/** Product of two square matrices. */
export function matmul(A, C) {
  const d = side(A);
  return entries(d, (r, c) => {
    let sum = 0;
    for (let k = 0; k < d; k++) sum += A[r * d + k] * C[k * d + c];
    return sum;
  });
}

export function transpose(M) {
  const d = side(M);
  return entries(d, (r, c) => M[c * d + r]);
}

export function symmetricPart(M) {
  const d = side(M);
  return entries(d, (r, c) => (M[r * d + c] + M[c * d + r]) / 2);
}

/** Whether M equals its transpose, up to `tol` times its largest entry. */
export function isSymmetric(M, tol = 0) {
  const d = side(M);
  const size = Math.max(...Array.from(M, Math.abs));
  return entries(d, (r, c) => Math.abs(M[r * d + c] - M[c * d + r])).every((gap) => gap <= tol * size);
}

/** Frobenius norm, an upper bound of the operator norm. */
export const frobenius = (M) => Math.hypot(...M);

export const identity = (d) => entries(d, (r, c) => (r === c ? 1 : 0));

function entries(d, entry) {
  return Array.from({ length: d * d }, (_, k) => entry(Math.floor(k / d), k % d));
}

/**
 * Eigenvalues of a real 2 x 2 or 3 x 3 matrix, largest real part first.
 *
 * 2 x 2: the quadratic, from the halved difference so that nothing cancels. 3 x 3: Jacobi
 * rotations when symmetric; else one real eigenvalue is split off by a reflection, which
 * leaves a 2 x 2 block. A repeated eigenvalue of a matrix that is not symmetric is known
 * only to the square root of rounding, whatever the method.
 *
 * @returns {{re: number, im: number}[]}
 */
export function eigenvalues(M) {
  const found = side(M) === 2 ? ofTwo(M) : isSymmetric(M) ? ofSymmetricThree(M) : ofThree(M);
  return found.sort((a, b) => b.re - a.re || b.im - a.im);
}

function ofTwo([a, b, c, d]) {
  const middle = (a + d) / 2;
  const half = (a - d) / 2;
  const inside = half * half + b * c;
  const root = Math.sqrt(Math.abs(inside));
  const [re, im] = inside >= 0 ? [root, 0] : [0, root];
  return [1, -1].map((sign) => ({ re: middle + sign * re, im: im && sign * im }));
}

/** Cyclic Jacobi rotations; a dozen sweeps are more than a 3 x 3 matrix ever needs. */
function ofSymmetricThree(M) {
  const A = Array.from(M);
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) rotate(A, p, q);
  }
  return [0, 4, 8].map((k) => ({ re: A[k], im: 0 }));
}

function rotate(A, p, q) {
  const off = A[3 * p + q];
  if (off === 0) return;
  const angle = Math.atan2(2 * off, A[4 * q] - A[4 * p]) / 2;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  for (let k = 0; k < 3; k++) {
    const [u, v] = [A[3 * k + p], A[3 * k + q]];
    [A[3 * k + p], A[3 * k + q]] = [c * u - s * v, s * u + c * v];
  }
  for (let k = 0; k < 3; k++) {
    const [u, v] = [A[3 * p + k], A[3 * q + k]];
    [A[3 * p + k], A[3 * q + k]] = [c * u - s * v, s * u + c * v];
  }
}

/** Reflect the eigenvector of the best isolated real eigenvalue onto the first axis. */
function ofThree(M) {
  const value = realRoot(M);
  const v = nullVector(M, value);
  const w = [v[0] + (v[0] >= 0 ? 1 : -1), v[1], v[2]];
  const scale = 2 / (w[0] ** 2 + w[1] ** 2 + w[2] ** 2);
  const mirror = entries(3, (r, c) => (r === c ? 1 : 0) - scale * w[r] * w[c]);
  const A = matmul(matmul(mirror, M), mirror);
  return [{ re: A[0], im: 0 }, ...ofTwo([A[4], A[5], A[7], A[8]])];
}

/** The real root of the characteristic polynomial where its slope is steepest. */
function realRoot(M) {
  const trace = M[0] + M[4] + M[8];
  const minors = minor(M, 0, 4, 1, 3) + minor(M, 0, 8, 2, 6) + minor(M, 4, 8, 5, 7);
  const det = M[0] * minor(M, 4, 8, 5, 7) - M[1] * minor(M, 3, 8, 5, 6) + M[2] * minor(M, 3, 7, 4, 6);
  const slope = (z) => Math.abs(3 * z * z - 2 * trace * z + minors);
  const roots = cubicRealRoots(trace, minors, det);
  return roots.reduce((best, z) => (slope(z) > slope(best) ? z : best));
}

const minor = (M, a, b, c, d) => M[a] * M[b] - M[c] * M[d];

/** Real roots of z^3 - trace z^2 + minors z - det, centred at a third of the trace. */
function cubicRealRoots(trace, minors, det) {
  const mid = trace / 3;
  const p = minors - trace * mid;
  const q = mid * (minors - 2 * mid * mid) - det;
  const inside = (q / 2) ** 2 + (p / 3) ** 3;
  if (inside > 0) {
    const u = Math.cbrt(-q / 2 - Math.sign(q || 1) * Math.sqrt(inside));
    return [mid + u - (u === 0 ? 0 : p / (3 * u))];
  }
  const r = Math.sqrt(Math.max(-p / 3, 0));
  if (r === 0) return [mid];
  const third = Math.acos(Math.min(1, Math.max(-1, -q / (2 * r ** 3)))) / 3;
  return [0, 1, 2].map((k) => mid + 2 * r * Math.cos(third - (2 * Math.PI * k) / 3));
}

/** Unit vector that M - value sends closest to zero: the longest product of two rows. */
function nullVector(M, value) {
  const rows = [0, 1, 2].map((r) => [0, 1, 2].map((c) => M[3 * r + c] - (r === c ? value : 0)));
  const products = [[0, 1], [0, 2], [1, 2]].map(([a, b]) => cross(rows[a], rows[b]));
  const v = products.reduce((best, w) => (Math.hypot(...w) > Math.hypot(...best) ? w : best));
  const size = Math.hypot(...v);
  if (size > 0) return v.map((entry) => entry / size);
  const row = rows.reduce((best, w) => (Math.hypot(...w) > Math.hypot(...best) ? w : best));
  const across = Math.abs(row[0]) > Math.abs(row[2]) ? [-row[1], row[0], 0] : [0, -row[2], row[1]];
  const length = Math.hypot(...across);
  return across.map((entry) => entry / length);
}

const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

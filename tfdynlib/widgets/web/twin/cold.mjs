// Low temperature, as tfdynlib.metastability: the limit of a head, the flow at zero
// temperature, distances to the limit, Bessel ratios, the bound of the theorem.
//
// Heads are { B, V }, flat and row-major; tokens are row-major, n rows of d = 2 or 3;
// distances are chordal.

import { eigenvalues, matmul, matvec, transpose } from "./linalg.mjs";
import { gauss } from "./geodesic.mjs";

const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const sideOf = (M) => (M.length === 4 ? 2 : 3);

/** Eigenvalues, falling, and unit eigenvectors of a symmetric matrix, by Jacobi rotations. */
export function eigenSymmetric(M) {
  const d = sideOf(M);
  const A = Array.from(M);
  const U = Array.from({ length: d * d }, (_, k) => (k % (d + 1) === 0 ? 1 : 0));
  for (let sweep = 0; sweep < 15; sweep += 1)
    for (let p = 0; p < d - 1; p += 1) for (let q = p + 1; q < d; q += 1) rotate(A, U, d, p, q);
  return Array.from({ length: d }, (_, k) => ({
    value: A[k * (d + 1)],
    vector: Array.from({ length: d }, (_, r) => U[r * d + k]),
  })).sort((a, b) => b.value - a.value);
}

function rotate(A, U, d, p, q) {
  const off = A[p * d + q];
  if (off === 0) return;
  const angle = Math.atan2(2 * off, A[q * d + q] - A[p * d + p]) / 2;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const turn = (X, i, j) => { [X[i], X[j]] = [c * X[i] - s * X[j], s * X[i] + c * X[j]]; };
  for (let k = 0; k < d; k += 1) turn(A, k * d + p, k * d + q);
  for (let k = 0; k < d; k += 1) turn(A, p * d + k, q * d + k);
  for (let k = 0; k < d; k += 1) turn(U, k * d + p, k * d + q);
}

/** A unit vector whose largest entry is positive. */
const upright = (v) => {
  const top = v.reduce((best, value) => (Math.abs(value) > Math.abs(best) + 1e-12 ? value : best), 0);
  return top < 0 ? v.map((value) => -value) : v;
};

/** Largest singular value. */
export const operatorNorm = (B) => Math.sqrt(Math.max(0, eigenSymmetric(matmul(transpose(B), B))[0].value));

/** Smallest singular value, from the determinant: exact where it is zero. */
function leastSingular(B) {
  const values = eigenSymmetric(matmul(transpose(B), B)).map(({ value }) => value);
  return Math.sqrt(Math.max(0, values[values.length - 1]));
}

const LEVEL = 1e-9; // of the largest: eigenvalues this near are one
const SAME = 1e-10; // of the entries of V and B: an M this near its transpose is symmetric

/**
 * What cold attention with this head tends to: M = V B, its eigenvalues, the dominant space
 * with an orthonormal basis, the gap below it (0 if there is nothing below).
 *
 * `symmetric` and `invertible` say whether the theorem's first assumption holds.
 */
export function limitOf({ B, V }) {
  const d = sideOf(B);
  const M = matmul(V, B);
  const T = transpose(M);
  const largest = (A) => Math.max(...A.map(Math.abs));
  const symmetric = M.every((value, k) => Math.abs(value - T[k]) <= SAME * largest(V) * largest(B));
  const half = M.map((value, k) => (value + T[k]) / 2);
  const pairs = eigenSymmetric(half);
  const values = pairs.map(({ value }) => value);
  const dim = values.filter((value) => values[0] - value <= LEVEL * largest(values)).length;
  const norm = operatorNorm(B);
  const gap = dim < d ? values[0] - values[dim] : 0;
  return {
    d, M, values, vectors: pairs.map(({ vector }) => vector), symmetric, gap, dim, norm,
    invertible: leastSingular(B) > 1e-9 * Math.max(norm, 1e-300),
    basis: pairs.slice(0, dim).map(({ vector }) => upright(vector)),
    rate: norm > 0 ? gap / norm : 0,
  };
}

/** The part of a token in the dominant space, as coordinates in its basis. */
const along = (x, i, { d, basis }) =>
  basis.map((e) => { let sum = 0; for (let k = 0; k < d; k += 1) sum += x[i * d + k] * e[k]; return sum; });

/** Π(x) = P_E x / |P_E x| of every token. */
export function project(x, limit) {
  const { d, basis } = limit;
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length / d; i += 1) {
    const c = along(x, i, limit);
    const size = Math.hypot(...c);
    for (let k = 0; k < d; k += 1) out[i * d + k] = size > 0 ? basis.reduce((sum, e, j) => sum + (c[j] / size) * e[k], 0) : NaN;
  }
  return out;
}

/** Mass of the tokens on the side of the first basis vector. */
export function massPlus(x, mass, limit) {
  let plus = 0;
  for (let i = 0; i < mass.length; i += 1) if (along(x, i, limit)[0] > 0) plus += mass[i];
  return plus;
}

/**
 * W_2 to the two poles ±e with masses `plus` and 1 - plus: the tokens with the largest
 * <x, e> go to +e, until its mass is spent; the one at the cut may be split.
 */
export function distanceToPoles(x, mass, e, plus) {
  const n = mass.length;
  const d = e.length;
  const height = new Float64Array(n);
  for (let i = 0; i < n; i += 1) for (let k = 0; k < d; k += 1) height[i] += x[i * d + k] * e[k];
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => height[b] - height[a]);
  let [left, cost] = [plus, 0];
  for (const i of order) {
    const up = Math.min(mass[i], Math.max(left, 0));
    left -= up;
    // |x - ±e|^2 = 2 (1 ∓ z), from the part across e where z is near ±1
    cost += up * gapSquared(x, i, e, 1) + (mass[i] - up) * gapSquared(x, i, e, -1);
  }
  return Math.sqrt(Math.max(cost, 0));
}

function gapSquared(x, i, e, sign) {
  let sum = 0;
  for (let k = 0; k < e.length; k += 1) sum += (x[i * e.length + k] - sign * e[k]) ** 2;
  return sum;
}

/** Root of the mean squared distance of each token to its own target. */
export function couplingCost(x, y, mass) {
  const d = x.length / mass.length;
  let cost = 0;
  for (let i = 0; i < mass.length; i += 1) {
    let square = 0;
    for (let k = i * d; k < (i + 1) * d; k += 1) square += (x[k] - y[k]) ** 2;
    cost += mass[i] * square;
  }
  return Math.sqrt(cost);
}

const NODES = 10;
const PANEL = 0.25; // of the inner time, in units of 1 / (largest spread of eigenvalues)

/**
 * Tokens of the zero-temperature flow at the times `t`, rising from 0.
 *
 * x(t) = e^{M τ} x_0 / |e^{M τ} x_0| where dτ = dt / |B x|: the inner time of each token is
 * found by Newton's rule on t(τ), the integral of |B x(τ)|.
 *
 * @returns {Generator<Float64Array>} tokens at t[0], t[1], …
 */
export function* zeroTemperature(x0, { B }, limit, t) {
  const { d, values, vectors } = limit;
  const n = x0.length / d;
  const top = values[0];
  const start = new Float64Array(n * d); // coordinates in the eigenbasis of M
  for (let i = 0; i < n; i += 1)
    for (let j = 0; j < d; j += 1) start[i * d + j] = dot(vectors[j], Array.from(x0.subarray(i * d, (i + 1) * d)));
  const BU = vectors.map((u) => matvec(B, u));
  const C = new Float64Array(d);
  const coordinates = (i, tau) => {
    let square = 0;
    for (let j = 0; j < d; j += 1) {
      C[j] = start[i * d + j] * Math.exp((values[j] - top) * tau);
      square += C[j] * C[j];
    }
    const size = Math.sqrt(square);
    for (let j = 0; j < d; j += 1) C[j] /= size;
    return C;
  };
  const speed = (i, tau) => {
    coordinates(i, tau);
    let square = 0;
    for (let k = 0; k < d; k += 1) {
      let sum = 0;
      for (let j = 0; j < d; j += 1) sum += C[j] * BU[j][k];
      square += sum * sum;
    }
    return Math.sqrt(square);
  };
  const rule = gauss(NODES);
  const panel = PANEL / Math.max(top - values[d - 1], 1e-3);
  const clock = (i, from, to) => {
    const parts = Math.max(1, Math.ceil((to - from) / panel));
    const h = (to - from) / parts;
    let sum = 0;
    for (let p = 0; p < parts; p += 1)
      for (let q = 0; q < NODES; q += 1) sum += h * rule.w[q] * speed(i, from + (p + rule.t[q]) * h);
    return sum;
  };
  const tau = new Float64Array(n);
  let before = 0;
  for (const moment of t) {
    const wait = moment - before;
    before = moment;
    const out = new Float64Array(n * d);
    for (let i = 0; i < n; i += 1) {
      if (wait > 0) tau[i] = later(i, tau[i], wait);
      coordinates(i, tau[i]);
      for (let k = 0; k < d; k += 1) for (let j = 0; j < d; j += 1) out[i * d + k] += C[j] * vectors[j][k];
    }
    yield out;
  }

  function later(i, from, wait) {
    let to = from;
    let passed = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      const by = (wait - passed) / speed(i, to);
      const next = Math.max(from, to + by);
      passed += next > to ? clock(i, to, next) : -clock(i, next, to);
      to = next;
      if (Math.abs(by) <= 1e-14 * Math.max(1, to)) break;
    }
    return to;
  }
}

/**
 * A_d(κ) = I_{d/2}(κ) / I_{d/2-1}(κ), the length of the attention mean of a uniform law.
 *
 * The recurrence r_ν = κ / (2 (ν + 1) + κ r_{ν+1}) is stable downwards; it begins where the
 * error of Amos's bound has been forgotten.
 */
export function besselRatio(d, kappa) {
  if (kappa === 0) return 0;
  const order = d / 2 - 1;
  const far = 20 + Math.ceil(7 * Math.sqrt(kappa));
  const nu = order + far;
  let r = kappa / (nu + 0.5 + Math.hypot(nu + 1.5, kappa));
  for (let j = far - 1; j >= 0; j -= 1) r = kappa / (2 * (order + j + 1) + kappa * r);
  return r;
}

/**
 * The attention mean of the density 1 + c <y, e> on the sphere of R^d, for a query at
 * `angle` from e: its part along the query and its part across, towards e.
 *
 * From the first two moments of e^{κ<x, y>}: A x, and (A/κ) I + (1 - dA/κ) x x^T.
 */
export function queryMean(d, kappa, c = 0, angle = 0) {
  const A = besselRatio(d, kappa);
  const small = kappa > 0 ? A / kappa : 1 / d;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const mass = 1 + c * A * cos;
  return { A, radial: (A + c * cos * (small + 1 - d * small)) / mass, tangential: (c * small * sin) / mass };
}

/** √(log(β + 1)/β), the scale of the Laplace principle. */
export const laplaceScale = (beta) => Math.sqrt(Math.log(beta + 1) / beta);

/** C (√(log(β + 1)/β) e^{C1 t} + e^{-c t}). */
export const concentrationBound = (beta, t, C = 1, C1 = 1, c = 0.5) =>
  C * (laplaceScale(beta) * Math.exp(C1 * t) + Math.exp(-c * t));

/** Where the bound is least, and its value there, for C = 1. */
export function boundMinimum(beta, C1 = 1, c = 0.5) {
  const t = Math.max(0, Math.log(c / C1 / laplaceScale(beta)) / (C1 + c));
  return { t, value: concentrationBound(beta, t, 1, C1, c) };
}

/** 1 / Σ_j a_ij², averaged over tokens: how many tokens a token really hears. */
export function effectiveNeighbours(x, n, d, B, beta, mass) {
  let mean = 0;
  const score = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const q = matvec(B, Array.from(x.subarray(i * d, (i + 1) * d)));
    let top = -Infinity;
    for (let j = 0; j < n; j += 1) {
      let s = 0;
      for (let k = 0; k < d; k += 1) s += q[k] * x[j * d + k];
      score[j] = beta * s;
      if (score[j] > top) top = score[j];
    }
    let [sum, squares] = [0, 0];
    for (let j = 0; j < n; j += 1) {
      const w = mass[j] * Math.exp(score[j] - top);
      sum += w;
      squares += w * w;
    }
    mean += (sum * sum) / squares / n;
  }
  return mean;
}

/** The part of a uniform cloud that a query at inverse temperature β hears, d = 2 or 3. */
export function effectiveFraction(d, beta) {
  if (d === 3) return Math.tanh(beta) / beta;
  // I_0(β)² / I_0(2β) by even nodes on the circle, which are exact here
  const N = 64 + 8 * Math.ceil(Math.sqrt(beta)) * 4;
  let [one, two] = [0, 0];
  for (let k = 0; k < N; k += 1) {
    const w = Math.exp(beta * (Math.cos((TURN * k) / N) - 1));
    one += w / N;
    two += (w * w) / N;
  }
  return (one * one) / two;
}

const TURN = 2 * Math.PI;

/** The real eigenvalue of largest value and its unit vector, or null; `simple` if alone. */
export function topDirection(V) {
  const d = sideOf(V);
  const all = eigenvalues(V);
  const real = all.filter(({ im }) => im === 0);
  if (real.length === 0) return null;
  const value = real[0].re;
  const size = Math.hypot(...V);
  const vector = nullVector(V, value, d);
  const dominant = all[0].im === 0;
  const simple = dominant && all.filter(({ re }) => value - re <= 1e-9 * Math.max(size, 1e-300)).length === 1;
  return { value, vector: upright(vector), simple, dominant };
}

/** Unit vector that V - value sends to zero. */
function nullVector(V, value, d) {
  const A = V.map((entry, k) => entry - (k % (d + 1) === 0 ? value : 0));
  return eigenSymmetric(matmul(transpose(A), A))[d - 1].vector;
}

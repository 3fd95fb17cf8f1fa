// Gaussians under an attention layer: the moment flow in factor form, up to its blow-up.
//
// A layer { A, B, V, b } (flat 2 x 2, b of length 2) moves N(m, S) by
//   m' = (A + V) m + V S B m + b,   S' = J S + S J^T,   J = A + V S B.
// With S = T U, trace U = 1 and U = N N^T, and a clock s with dt = ds / (1 + T |K|),
// K = V U B, the unknowns t, w = -log T, N and m have bounded rates: at a blow-up w goes
// to minus infinity evenly in s, and t stands still.  The rank of N is that of the start.

import { A as STAGES, ERROR } from "./adaptive.mjs";
import * as m2 from "./matrix2.mjs";

const TOL = 1e-12; // of one step, relative
const FAR = Math.log(1e20); // growth after the end of the run that is followed no further
const HUGE = Math.log(1e120); // where moments leave what can be shown
const HIGH = Math.log(1e11); // trace from which a blow-up is told from growth
const HORIZON = 80; // layer-time after which no blow-up is looked for
const REST = 1e-11; // relative rate at which the covariance has settled
const [T_, W_, N_, M_, SIZE] = [0, 1, 2, 6, 8];

/** Rates of the unknowns in the clock s, written into `out`. */
function rates({ A, B, V, b }, y, out) {
  const [n0, n1, n2, n3] = [y[N_], y[N_ + 1], y[N_ + 2], y[N_ + 3]];
  const [u0, u1, u3] = [n0 * n0 + n1 * n1, n0 * n2 + n1 * n3, n2 * n2 + n3 * n3];
  const r = Math.exp(Math.min(700, y[W_]));
  // K = V U B
  const [p0, p1, p2, p3] = [V[0] * u0 + V[1] * u1, V[0] * u1 + V[1] * u3, V[2] * u0 + V[3] * u1, V[2] * u1 + V[3] * u3];
  const k0 = p0 * B[0] + p1 * B[2];
  const k1 = p0 * B[1] + p1 * B[3];
  const k2 = p2 * B[0] + p3 * B[2];
  const k3 = p2 * B[1] + p3 * B[3];
  const size = Math.hypot(k0, k1, k2, k3);
  const [g, h] = [r / (r + size), 1 / (r + size)];
  const linear = A[0] * u0 + (A[1] + A[2]) * u1 + A[3] * u3; // tr(A U)
  const square = k0 * u0 + (k1 + k2) * u1 + k3 * u3; // tr(V U B U)
  const whole = g * linear + h * square;
  const [j0, j1, j2, j3] = [g * A[0] + h * k0, g * A[1] + h * k1, g * A[2] + h * k2, g * A[3] + h * k3];
  out[T_] = g;
  out[W_] = -2 * whole;
  out[N_] = j0 * n0 + j1 * n2 - whole * n0;
  out[N_ + 1] = j0 * n1 + j1 * n3 - whole * n1;
  out[N_ + 2] = j2 * n0 + j3 * n2 - whole * n2;
  out[N_ + 3] = j2 * n1 + j3 * n3 - whole * n3;
  const [a, c] = [y[M_], y[M_ + 1]];
  out[M_] = (j0 + g * V[0]) * a + (j1 + g * V[1]) * c + g * b[0];
  out[M_ + 1] = (j2 + g * V[2]) * a + (j3 + g * V[3]) * c + g * b[1];
  return { square, linear };
}

const ROOM = Array.from({ length: 7 }, () => new Float64Array(SIZE));

/** One step of order five from y; the error, in units of what is allowed, is returned. */
function step(layer, y, h, out) {
  rates(layer, y, ROOM[0]);
  for (let s = 0; s < STAGES.length; s += 1) {
    for (let k = 0; k < SIZE; k += 1) {
      let sum = 0;
      for (let j = 0; j <= s; j += 1) sum += STAGES[s][j] * ROOM[j][k];
      out[k] = y[k] + h * sum;
    }
    rates(layer, out, ROOM[s + 1]);
  }
  let worst = 0;
  for (let k = 0; k < SIZE; k += 1) {
    let sum = 0;
    for (let j = 0; j < 7; j += 1) sum += ERROR[j] * ROOM[j][k];
    const allowed = TOL * Math.max(1, Math.abs(y[k]), Math.abs(out[k]));
    const error = Math.abs(h * sum) / allowed;
    worst = Number.isFinite(error) ? Math.max(worst, error) : Infinity;
  }
  return worst;
}

function normalise(y) {
  const size = Math.hypot(y[N_], y[N_ + 1], y[N_ + 2], y[N_ + 3]);
  if (size > 0) for (let k = 0; k < 4; k += 1) y[N_ + k] /= size;
  return y;
}

/** Whether the covariance moves no more: S' = 0 up to the tolerance, or S is empty. */
function resting(y, slope) {
  const N = [...y.subarray(N_, M_)];
  const turned = m2.mul([...slope.subarray(N_, M_)], m2.transpose(N));
  const turning = Math.hypot(...m2.sym(turned)) * 2;
  return Math.hypot(turning, slope[W_]) < REST * slope[T_];
}

/**
 * The angle along which a blow-up runs off; null if both axes grow alike, or if they go
 * on turning while they grow, so that there is none.
 */
function directionOf(y, slope) {
  const N = [...y.subarray(N_, M_)];
  const { values, angle } = m2.eigSym(m2.congruence(N, m2.EYE));
  const gap = values[0] - values[1];
  if (gap < 1e-6) return null;
  const moved = m2.sym(m2.mul([...slope.subarray(N_, M_)], m2.transpose(N)));
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const turning = (2 * m2.dot([-s, c], m2.apply(moved, [c, s]))) / gap;
  return Math.abs(turning) > 1e-3 * Math.abs(slope[W_]) ? null : angle;
}

/** The moments that unknowns stand for. */
function momentsOf(y, empty) {
  const size = empty ? 0 : Math.exp(Math.min(700, -y[W_]));
  const root = Math.sqrt(size);
  const N = [y[N_], y[N_ + 1], y[N_ + 2], y[N_ + 3]];
  const values = m2.singular(N).map((v) => size * v * v);
  const factor = m2.scaled(root, N);
  return { mean: [y[M_], y[M_ + 1]], factor, cov: m2.congruence(factor, m2.EYE), values };
}

/**
 * The moments from `start` = { mean, cov } under a constant layer.
 *
 * @returns {{ at: function(number): {mean, factor, cov, values}, end: number,
 *   blowUp: number, status: "ended"|"settled"|"blow-up"|"grown", last, direction }}
 *   `blowUp` is infinite if there is none before the horizon; `end` the time that is
 *   filled; `direction` the angle along which it explodes, or null; `last` the last moments.
 */
export function flow(layer, start, { tEnd = 6, horizon = HORIZON } = {}) {
  const L = m2.factor(start.cov);
  const size = m2.dot(L, L) + m2.dot([L[2], L[3]], [L[2], L[3]]);
  const empty = size === 0;
  const y = new Float64Array(SIZE);
  y[W_] = empty ? 700 : -Math.log(size);
  for (let k = 0; k < 4; k += 1) y[N_ + k] = empty ? 0 : L[k] / Math.sqrt(size);
  y.set(start.mean, M_);
  const knots = [normalise(y)];
  const clock = [0];
  const slope = new Float64Array(SIZE);
  let [h, status, blowUp, direction] = [0.01, "ended", Infinity, null];
  let out = new Float64Array(SIZE);
  const goal = Math.max(tEnd, horizon);

  for (let count = 0; count < 20000; count += 1) {
    const here = knots.at(-1);
    const { square, linear } = rates(layer, here, slope);
    const high = -here[W_];
    if (high > HIGH && square > 0 && Math.abs(linear) < 1e-4 * square * Math.exp(high)) {
      const r = Math.exp(-high);
      blowUp = here[T_] + r / (2 * square); // r' = -2 tr(AU) r - 2 tr(VUBU)
      direction = directionOf(here, slope);
      status = "blow-up";
      break;
    }
    const grown = Math.max(high, Math.log(Math.hypot(here[M_], here[M_ + 1])));
    if (grown > (here[T_] > tEnd ? FAR : HUGE)) {
      status = "grown";
      break;
    }
    if (here[T_] >= goal) break;
    if (here[T_] > tEnd && resting(here, slope)) {
      status = "settled";
      break;
    }
    const error = step(layer, here, h, out);
    if (error <= 1) {
      knots.push(normalise(out));
      clock.push(clock.at(-1) + h);
      out = new Float64Array(SIZE);
    }
    const factor = error === 0 ? 5 : 0.9 * error ** -0.2;
    h *= Math.min(5, Math.max(0.2, Number.isFinite(factor) ? factor : 0.2));
  }
  const end = Math.min(blowUp, knots.at(-1)[T_]);

  /** The unknowns at t: one shorter step from the knot before, and a last correction. */
  function state(t) {
    let [low, high] = [0, knots.length - 1];
    if (t >= knots[high][T_]) return knots[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (knots[middle][T_] <= t) low = middle;
      else high = middle;
    }
    const from = knots[low];
    if (t <= from[T_]) return from;
    const whole = clock[high] - clock[low];
    let s = (whole * (t - from[T_])) / (knots[high][T_] - from[T_]);
    const made = new Float64Array(SIZE);
    for (let k = 0; k < 6; k += 1) {
      step(layer, from, s, made);
      rates(layer, made, slope);
      const miss = (t - made[T_]) / slope[T_];
      if (Math.abs(t - made[T_]) < 1e-15 * (1 + t)) break;
      s = Math.min(whole, Math.max(0, s + miss));
    }
    return normalise(made);
  }
  return {
    at: (t) => momentsOf(state(t), empty),
    last: momentsOf(knots.at(-1), empty),
    lastTime: knots.at(-1)[T_],
    steps: knots.length - 1,
    end, blowUp, status, direction,
  };
}

/** J = A + V S B. */
export const jacobian = ({ A, B, V }, cov) => m2.add(A, m2.mul(m2.mul(V, cov), B));

/** v if V = v I, else null. */
export function scalarOf(V) {
  return V[1] === 0 && V[2] === 0 && V[0] === V[3] ? V[0] : null;
}

/** Exponential of a small square matrix of any side (rows), scaling and squaring. */
export function expm(M) {
  const n = M.length;
  const product = (X, Y) => X.map((row) => Y[0].map((_, j) => row.reduce((sum, v, k) => sum + v * Y[k][j], 0)));
  const norm = Math.max(...M.map((row) => row.reduce((sum, v) => sum + Math.abs(v), 0)));
  const halvings = Math.max(0, Math.ceil(Math.log2(Math.max(norm, 1e-300) / 0.25)));
  const X = M.map((row) => row.map((v) => v / 2 ** halvings));
  const unit = M.map((_, i) => Array.from({ length: n }, (_v, j) => Number(i === j)));
  let sum = unit;
  for (let k = 14; k >= 1; k -= 1)
    sum = product(X, sum).map((row, i) => row.map((v, j) => v / k + unit[i][j]));
  for (let k = 0; k < halvings; k += 1) sum = product(sum, sum);
  return sum;
}

/**
 * The precision at t if V = v I and the start has full rank: P' = -A^T P - P A - v(B + B^T)
 * is linear.  Null else.  Past a blow-up it is not positive any more.
 */
export function precision({ A: [a, b, c, d], B, V }, cov, t) {
  const v = scalarOf(V);
  const P = m2.inverse(cov);
  if (v === null || P === null) return null;
  const Q = m2.scaled(-v, m2.add(B, m2.transpose(B)));
  const rows = [
    [-2 * a, -2 * c, 0, Q[0]],
    [-b, -(a + d), -c, Q[1]],
    [0, -2 * b, -2 * d, Q[3]],
    [0, 0, 0, 0],
  ];
  const E = expm(rows.map((row) => row.map((x) => x * t)));
  const [p, q, r] = [0, 1, 2].map((i) => E[i][0] * P[0] + E[i][1] * P[1] + E[i][2] * P[3] + E[i][3]);
  return [p, q, q, r];
}

/** expm1(z) / z. */
const ratio = (z) => (z === 0 ? 1 : Math.expm1(z) / z);

/** S(t) of the scalar flow S' = 2 a S + 2 vk S^2; infinite from its blow-up on. */
export function scalar(a, vk, S0, t) {
  if (S0 === 0) return 0;
  const below = 1 - 2 * vk * S0 * t * ratio(2 * a * t);
  return below > 0 ? (S0 * Math.exp(2 * a * t)) / below : Infinity;
}

/** Its blow-up time, infinite if there is none. */
export function scalarBlowUp(a, vk, S0) {
  if (!(vk * S0 > 0)) return Infinity;
  const z = a / (vk * S0);
  if (z <= -1) return Infinity;
  return a === 0 ? 1 / (2 * vk * S0) : Math.log1p(z) / (2 * a);
}

/**
 * The error covariance of a Kalman-Bucy filter: S' = A S + S A^T - S C S + q I with
 * C = -v (B + B^T), at evenly spaced times `h` apart, from the linear system of (X, Y),
 * S = X Y^{-1}.  Null unless V = v I.  It ends where Y is singular: at a blow-up.
 */
export function filter({ A: [a, b, c, d], B, V }, cov, q, h, count) {
  const v = scalarOf(V);
  if (v === null) return null;
  const C = m2.scaled(-v, m2.add(B, m2.transpose(B)));
  const rows = [
    [a, b, q, 0],
    [c, d, 0, q],
    [C[0], C[1], -a, -c],
    [C[2], C[3], -b, -d],
  ];
  const E = expm(rows.map((row) => row.map((x) => x * h)));
  const block = (i, j) => [E[i][j], E[i][j + 1], E[i + 1][j], E[i + 1][j + 1]];
  const found = [m2.sym(cov)];
  while (found.length < count) {
    const S = found.at(-1);
    const X = m2.add(m2.mul(block(0, 0), S), block(0, 2));
    const Y = m2.add(m2.mul(block(2, 0), S), block(2, 2));
    const R = m2.inverse(Y);
    const next = R && m2.sym(m2.mul(X, R));
    if (!next || !m2.finite(next) || m2.det(Y) <= 0) break;
    found.push(next);
  }
  return found;
}

/**
 * A common patch gone wrong: Euler steps of S' = J S + S J^T with eigenvalues below
 * `floor` lifted to it after each.  Rank is created out of nothing.
 */
export function clipped(layer, cov, h, count, floor) {
  const found = [m2.sym(cov)];
  while (found.length < count) {
    const S = found.at(-1);
    const JS = m2.mul(jacobian(layer, S), S);
    const { values, angle } = m2.eigSym(m2.add(S, m2.scaled(h, m2.add(JS, m2.transpose(JS)))));
    const next = m2.ofEigen(values.map((x) => Math.max(x, floor)), angle);
    if (!m2.finite(next) || Math.abs(m2.trace(next)) > 1e12) break;
    found.push(next);
  }
  return found;
}

/** Bures-Wasserstein distance of two Gaussians { mean, cov }. */
export function distance(g, h) {
  const root = m2.sqrt(g.cov);
  const cross = m2.trace(m2.sqrt(m2.congruence(root, h.cov)));
  const [a, c] = [g.mean[0] - h.mean[0], g.mean[1] - h.mean[1]];
  return Math.sqrt(Math.max(0, a * a + c * c + m2.trace(g.cov) + m2.trace(h.cov) - 2 * cross));
}

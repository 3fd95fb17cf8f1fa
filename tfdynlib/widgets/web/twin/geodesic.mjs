// Paths of least action of parts of one atom on the circle, as tfdynlib.geometry finds them.
//
// One head B = I: M parts of mass 1/M at the angles theta_i(t) cost
//   A = int (1/M) sum_i s_i theta_i'^2 dt,  s_i = (1/M) sum_j e^{beta (cos(theta_i - theta_j) - 1)},
// in units of e^beta. Each angle is an even turn plus p modes that vanish at both ends and
// whose derivatives are orthonormal (integrals of Legendre polynomials).
import { minimise } from "./minimise.mjs";

const FINE = 240; // Gauss nodes of the length
const SPREAD = 0.3; // of the first mode at the start
const STAGES = [[4, 1e-4], [8, 1e-4]]; // modes, and the gradient at which to stop
const GRADIENT = 1e-9;
const EVALUATIONS = 1000;

/** Legendre polynomials P_0 ... P_m at x. */
function legendre(m, x) {
  const P = new Float64Array(m + 1);
  P[0] = 1;
  if (m > 0) P[1] = x;
  for (let k = 1; k < m; k++) P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1);
  return P;
}

const known = new Map();

/** Gauss-Legendre nodes and weights of (0, 1), by Newton's rule. */
export function gauss(q) {
  if (known.has(q)) return known.get(q);
  const t = new Float64Array(q);
  const w = new Float64Array(q);
  for (let i = 0; i < q; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (q + 0.5));
    let slope = 1;
    for (let step = 0; step < 6; step++) {
      const P = legendre(q, x);
      slope = (q * (x * P[q] - P[q - 1])) / (x * x - 1);
      x -= P[q] / slope;
    }
    t[i] = (x + 1) / 2;
    w[i] = 1 / ((1 - x * x) * slope * slope);
  }
  known.set(q, { t, w });
  return known.get(q);
}

/** The modes 1 ... p and their derivatives at t. */
function basis(p, t) {
  const P = legendre(p + 1, 2 * t - 1);
  const value = new Float64Array(p);
  const rate = new Float64Array(p);
  for (let k = 1; k <= p; k++) {
    const root = Math.sqrt(2 * k + 1);
    value[k - 1] = (P[k + 1] - P[k - 1]) / (2 * root);
    rate[k - 1] = root * P[k];
  }
  return { value, rate };
}

/** Angles of all parts at t, and their speeds: modes[k * M + i] is mode k of part i. */
export function placesAt({ turn, M, modes }, t, at = null) {
  const p = modes.length / M;
  const { value, rate } = at ?? basis(p, t);
  const theta = new Float64Array(M).fill(t * turn);
  const omega = new Float64Array(M).fill(turn);
  for (let k = 0; k < p; k++)
    for (let i = 0; i < M; i++) {
      theta[i] += value[k] * modes[k * M + i];
      omega[i] += rate[k] * modes[k * M + i];
    }
  return { theta, omega };
}

/** The action of a path and its gradient in the modes, in units of e^beta. */
function action({ turn, M, beta }, modes, grid) {
  const gradient = new Float64Array(modes.length);
  let total = 0;
  grid.forEach(({ t, w, ...at }) => {
    const { theta, omega } = placesAt({ turn, M, modes }, t, at);
    const byAngle = new Float64Array(M);
    const bySpeed = new Float64Array(M);
    const unit = w / (M * M);
    for (let i = 0; i < M; i++) {
      total += unit * omega[i] ** 2;
      bySpeed[i] += 2 * unit * omega[i];
      for (let j = 0; j < i; j++) {
        const apart = theta[i] - theta[j];
        const e = unit * Math.exp(beta * (Math.cos(apart) - 1));
        const squares = omega[i] ** 2 + omega[j] ** 2;
        const force = -beta * Math.sin(apart) * e * squares;
        total += e * squares;
        byAngle[i] += force;
        byAngle[j] -= force;
        bySpeed[i] += 2 * e * omega[i];
        bySpeed[j] += 2 * e * omega[j];
      }
    }
    for (let k = 0; k < at.value.length; k++)
      for (let i = 0; i < M; i++)
        gradient[k * M + i] += at.value[k] * byAngle[i] + at.rate[k] * bySpeed[i];
  });
  return { value: total, gradient };
}

/** Gauss nodes with the modes at them. */
function gridOf(p, q) {
  const { t, w } = gauss(q);
  return Array.from(t, (time, i) => ({ t: time, w: w[i], ...basis(p, time) }));
}

/** The length int (sum_i s_i omega_i^2 / M)^{1/2} dt, in units of e^{beta/2}. */
export function lengthOf(path) {
  const { M, beta, modes } = path;
  let sum = 0;
  for (const { t, w, ...at } of gridOf(modes.length / M, FINE)) {
    const { theta, omega } = placesAt(path, t, at);
    let rate = 0;
    for (let i = 0; i < M; i++)
      for (let j = 0; j < M; j++)
        rate += (Math.exp(beta * (Math.cos(theta[i] - theta[j]) - 1)) * omega[i] ** 2) / (M * M);
    sum += w * Math.sqrt(rate);
  }
  return sum;
}

/** The best path near one with these modes: a generator. */
function* refined(problem, modes, accuracy) {
  const p = modes.length / problem.M;
  const grid = gridOf(p, 2 * p + 4);
  const scale = Math.sqrt(1 / problem.M);
  const unit = action(problem, modes, grid).value || 1;
  const objective = (z) => {
    const { value, gradient } = action(problem, z.map((v) => v / scale), grid);
    return { value: value / unit, gradient: gradient.map((g) => g / scale / unit) };
  };
  const found = yield* minimise(objective, modes.map((v) => v * scale), { tol: accuracy, most: EVALUATIONS });
  return {
    ...problem,
    modes: found.x.map((z) => z / scale),
    action: found.value * unit,
    gradient: found.gradient.reduce((top, g) => Math.max(top, Math.abs(g)), 0),
  };
}

const padded = (modes, size) => {
  const out = new Float64Array(size);
  out.set(modes);
  return out;
};

/**
 * A generator of the path of least action of M parts over the angle `turn`, with p modes.
 *
 * It yields undefined now and then and a rough path after every stage, and returns the
 * path: { turn, M, beta, modes, action, gradient, length, gap } in units of e^{beta/2} for
 * the length, `gap` the root of the action minus the length.
 */
export function* leastPath(turn, M, beta, p, from = null) {
  const problem = { turn, M, beta };
  const reach = M > 1 ? SPREAD * Math.min(1, turn) : 0;
  let modes = new Float64Array(STAGES[0][0] * M);
  for (let i = 0; i < M; i++) modes[i] = reach * (M > 1 ? (2 * i) / (M - 1) - 1 : 0);
  if (from) modes = from;
  for (const [count, accuracy] of from || M === 1 ? [] : STAGES) {
    if (count > p) break;
    const path = yield* refined(problem, padded(modes, count * M), accuracy);
    modes = path.modes;
    yield path;
  }
  const path = M === 1
    ? { ...problem, modes, action: turn * turn, gradient: 0 }
    : yield* refined(problem, padded(modes, p * M), GRADIENT);
  const length = M === 1 ? turn : lengthOf(path);
  return { ...path, length, gap: Math.sqrt(path.action) - length };
}

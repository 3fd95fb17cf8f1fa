// Steering one Gaussian of the plane to another: can it be, with what weights, at what cost.
//
// A Gaussian is { mean: [x, y], cov: flat 2 x 2 }.  A layer { A, B, V, b } moves a token x of
// N(m, S) by A x + V (m + S B x) + b, so m' = (A + V + V S B) m + b and S' = J S + S J^T with
// J = A + V S B.  Formulas as in tfdynlib.control; paths are known in closed form, and
// `integrated` forgets that and follows the weights.

import { adaptive } from "./adaptive.mjs";
import {
  add, apply, congruence, det, dot, eigSym, EYE, exp, inverse, mul, ofEigen, outer, scaled, sub, sym, trace,
} from "./matrix2.mjs";

export const METHODS = ["feedforward", "attention", "geodesic"];
const ZERO = [0, 0, 0, 0];
const TURN = [0, -1, 1, 0]; // by a right angle
const THIN = 2e-13; // an eigenvalue below this part of the other counts as 0
const STRAIGHT = 1e-14; // lines at a smaller angle are one
const RIGHT = 1e-9; // cosine below which lines are at a right angle
const VALUE = 1; // attention writes with V = I

const along = (s, u, v) => u.map((x, k) => x + s * (v[k] - x));

/** Rank of a covariance. */
export function rankOf(cov) {
  const [large, small] = eigSym(cov).values;
  return large <= 0 ? 0 : small <= THIN * large ? 1 : 2;
}

/** A column u with u u^T = S for a covariance of rank at most 1. */
function column(S) {
  const { values, angle } = eigSym(S);
  const r = Math.sqrt(Math.max(0, values[0]));
  return [r * Math.cos(angle), r * Math.sin(angle)];
}

/** The symmetric positive map G with G S0 G = S1: the geometric mean of S0^-1 and S1. */
export function mapBetween(S0, S1) {
  const P = inverse(S0);
  const [p, q] = [Math.sqrt(det(P)), Math.sqrt(det(S1))];
  const sum = add(scaled(1 / p, P), scaled(1 / q, S1));
  return sym(scaled(Math.sqrt((p * q) / det(sum)), sum));
}

/** A function of a symmetric matrix, eigenvalue by eigenvalue. */
function ofSymmetric(S, f) {
  const { values, angle } = eigSym(S);
  return ofEigen(values.map(f), angle);
}

/** Integral of e^{As} from 0 to t, for A symmetric, or w times the turn by a right angle. */
function grown(A, t) {
  if (A[1] === A[2]) return ofSymmetric(A, (a) => (a === 0 ? t : Math.expm1(a * t) / a));
  const w = A[2];
  return add(scaled(Math.sin(w * t) / w, EYE), scaled((2 * Math.sin((w * t) / 2) ** 2) / w, TURN));
}

/** The bias that keeps the mean on its straight line, for J = A + V S B and the value V. */
function straight(start, target, T) {
  const pace = [0, 1].map((k) => (target.mean[k] - start.mean[k]) / T);
  const at = (t) => along(t / T, start.mean, target.mean);
  return {
    mean: at,
    pace: () => pace,
    bias(t, J, V) {
      const pull = apply(add(J, V), at(t));
      return pace.map((v, k) => v - pull[k]);
    },
  };
}

/** One piece of a path without attention, A(t) and cov(t) given, the mean straight. */
function piece(T, line, A, cov) {
  return {
    from: 0, to: T, cov, mean: line.mean, pace: line.pace, jacobian: A,
    layer: (t) => ({ A: A(t), B: ZERO, V: ZERO, b: line.bias(t, A(t), ZERO) }),
  };
}

/** A piece with constant A, and the constant b that brings the mean to `end`. */
function constant(from, to, A, { mean: m, cov }, end) {
  const carried = apply(exp(scaled(to - from, A)), m);
  const b = apply(inverse(grown(A, to - from)), [0, 1].map((k) => end[k] - carried[k]));
  const mean = (t) => {
    const [own, added] = [apply(exp(scaled(t - from, A)), m), apply(grown(A, t - from), b)];
    return [own[0] + added[0], own[1] + added[1]];
  };
  const pace = (t) => {
    const pulled = apply(A, mean(t));
    return [pulled[0] + b[0], pulled[1] + b[1]];
  };
  return {
    from, to, mean, pace, jacobian: () => A,
    cov: (t) => congruence(exp(scaled(t - from, A)), cov),
    layer: () => ({ A, B: ZERO, V: ZERO, b }),
  };
}

/** Constant A = log(G)/T and constant b. */
function oneStage(start, target, T) {
  const A = scaled(1 / T, ofSymmetric(mapBetween(start.cov, target.cov), Math.log));
  return [constant(0, T, A, start, target.mean)];
}

/**
 * Columns of a line that becomes a line, with an acute angle between them.  At a right
 * angle both ways are equally long: there it is the one to the left.
 */
function columns(start, target) {
  const [u, v] = [column(start.cov), column(target.cov)];
  const [along, aside] = [dot(u, v), u[0] * v[1] - u[1] * v[0]];
  const way = Math.abs(along) <= RIGHT * Math.hypot(...u) * Math.hypot(...v) ? aside : along;
  return way < 0 ? [u, v.map((x) => -x)] : [u, v];
}

/** Part of the covariances in the squared distance: a square where both have one rank. */
function spread(start, target) {
  const [S0, S1] = [start.cov, target.cov];
  const ranks = [rankOf(S0), rankOf(S1)];
  if (ranks[0] === 2 && ranks[1] === 2) return trace(congruence(sub(mapBetween(S0, S1), EYE), S0));
  if (ranks[0] === 1 && ranks[1] === 1) {
    const [u, v] = columns(start, target);
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2;
  }
  return trace(S0) + trace(S1) - 2 * Math.sqrt(Math.max(0, trace(mul(S0, S1))));
}

/** Squared Wasserstein distance (Bures). */
export function distance2(start, target) {
  const way = [0, 1].map((k) => target.mean[k] - start.mean[k]);
  return dot(way, way) + spread(start, target);
}

/** A line to a line: stretch it, then turn it; half of the way of the mean goes with each. */
function twoStages(start, target, T) {
  const [u, v] = columns(start, target);
  const length = Math.hypot(...u);
  const stretch = scaled(Math.log(Math.hypot(...v) / length) / length ** 2, outer(u, u));
  const angle = Math.atan2(u[0] * v[1] - u[1] * v[0], dot(u, v));
  if (Math.abs(angle) <= STRAIGHT) return [constant(0, T, scaled(1 / T, stretch), start, target.mean)];
  const middle = {
    mean: along(0.5, start.mean, target.mean),
    cov: congruence(exp(stretch), start.cov),
  };
  return [
    constant(0, T / 2, scaled(2 / T, stretch), start, middle.mean),
    constant(T / 2, T, scaled((2 * angle) / T, TURN), middle, target.mean),
  ];
}

/** A point stays one: only its place moves. */
const onePoint = (start, target, T) =>
  [piece(T, straight(start, target, T), () => ZERO, () => ZERO)];

/** Straight ways of all tokens, at constant pace. */
function geodesic(start, target, T, rank) {
  const line = straight(start, target, T);
  if (rank === 1) {
    const [u, v] = columns(start, target);
    const way = [v[0] - u[0], v[1] - u[1]];
    const at = (t) => along(t / T, u, v);
    const A = (t) => scaled(1 / (T * dot(at(t), at(t))), outer(way, at(t)));
    return [piece(T, line, A, (t) => outer(at(t), at(t)))];
  }
  const G = mapBetween(start.cov, target.cov);
  const way = sub(G, EYE);
  const map = (t) => add(EYE, scaled(t / T, way));
  const A = (t) => sym(scaled(1 / T, mul(way, inverse(map(t)))));
  return [piece(T, line, A, (t) => congruence(map(t), start.cov))];
}

/** Attention alone: the precision goes straight, the bias carries the mean. */
function attention(start, target, T) {
  const line = straight(start, target, T);
  const [P0, P1] = [inverse(start.cov), inverse(target.cov)];
  const B = scaled(1 / (2 * VALUE * T), sub(P0, P1));
  const V = scaled(VALUE, EYE);
  const cov = (t) => sym(inverse(along(t / T, P0, P1)));
  const J = (t) => mul(V, mul(cov(t), B));
  return [{
    from: 0, to: T, cov, mean: line.mean, pace: line.pace, jacobian: J,
    layer: (t) => ({ A: ZERO, B, V, b: line.bias(t, J(t), V) }),
  }];
}

/**
 * The path from `start` to `target` in time T: { pieces, T, method }, or { refused } with
 * "rank" (no weights do it) or "attention" (these do not).
 */
export function steer(start, target, T, method) {
  const rank = rankOf(start.cov);
  if (rank !== rankOf(target.cov)) return { T, method, refused: "rank" };
  if (rank < 2 && method === "attention") return { T, method, refused: "attention" };
  if (rank === 0) return { T, method, pieces: onePoint(start, target, T) };
  const made = { attention, geodesic, feedforward: rank === 1 ? twoStages : oneStage };
  return { T, method, pieces: made[method](start, target, T, rank) };
}

/** The piece of a path at time t; where two meet, the later one. */
const pieceAt = ({ pieces }, t) => pieces.find(({ to }) => t < to) ?? pieces.at(-1);

/** The weights at time t. */
export const weightsAt = (path, t) => pieceAt(path, t).layer(t);

/** Mean and covariance of a path at time t, in closed form. */
export function momentsAt(path, t) {
  const one = pieceAt(path, t);
  return { mean: one.mean(t), cov: one.cov(t) };
}

/** E |u|^2 of the tokens' velocity u at time t. */
export function powerAt(path, t) {
  const one = pieceAt(path, t);
  const pace = one.pace(t);
  return dot(pace, pace) + Math.max(0, trace(congruence(one.jacobian(t), one.cov(t))));
}

const square = (M) => M.reduce((sum, v) => sum + v * v, 0);

/** |A|^2 + |B|^2 + |V|^2 + |b|^2 at time t. */
export function sizeAt(path, t) {
  const { A, B, V, b } = pieceAt(path, t).layer(t);
  return square(A) + square(B) + square(V) + square(b);
}

/** Nodes in (0, 1) and weights of the rule of Gauss and Legendre. */
function gauss(n) {
  return Array.from({ length: n }, (_, k) => {
    let x = Math.cos((Math.PI * (k + 0.75)) / (n + 0.5));
    let slope = 1;
    for (let turn = 0; turn < 8; turn += 1) {
      let [p, before] = [x, 1];
      for (let j = 2; j <= n; j += 1) [p, before] = [((2 * j - 1) * x * p - (j - 1) * before) / j, p];
      slope = (n * (x * p - before)) / (x * x - 1);
      x -= p / slope;
    }
    return { x: (1 + x) / 2, w: 1 / ((1 - x * x) * slope * slope) };
  });
}

export const ORDER = 20; // of the rule: ten points
const RULE = gauss(ORDER / 2);
// Panels halve towards both ends: a path that leaves or nears a thin ellipse is steep there.
const HALVINGS = Array.from({ length: 16 }, (_, k) => 2 ** (k - 16));
const EDGES = [0, ...HALVINGS, ...HALVINGS.map((s) => 1 - s).reverse().slice(1), 1];

/** Integral of f over the pieces of a path. */
function integral({ pieces }, f) {
  let sum = 0;
  for (const { from, to } of pieces)
    for (let k = 1; k < EDGES.length; k += 1) {
      const [left, length] = [from + (to - from) * EDGES[k - 1], (to - from) * (EDGES[k] - EDGES[k - 1])];
      for (const { x, w } of RULE) sum += length * w * f(left + length * x);
    }
  return sum;
}

/** Integral of |A|^2 + |B|^2 + |V|^2 + |b|^2. */
export const weightCost = (path) => integral(path, (t) => sizeAt(path, t));

/** Integral of E |u|^2. */
export const kineticCost = (path) => integral(path, (t) => powerAt(path, t));

/** Velocity of (m1, m2, S11, S12, S22, clock) under the weights of one piece. */
function motion(one) {
  return ([m1, m2, s11, s12, s22, clock]) => {
    const { A, B, V, b } = one.layer(clock);
    const S = [s11, s12, s12, s22];
    const J = add(A, mul(V, mul(S, B)));
    const way = apply(add(J, V), [m1, m2]);
    const half = mul(J, S);
    return Float64Array.of(way[0] + b[0], way[1] + b[1], 2 * half[0], half[1] + half[2], 2 * half[3], 1);
  };
}

const TOLERANCE = 1e-12; // of a step of the integration back

/**
 * The weights of a path followed from `start`: nothing but the moment equations.
 * Gives at(t) → { mean, cov } and the number of steps.
 */
export function integrated(path, start) {
  const { cov: [a, b, , d], mean } = start;
  let y = Float64Array.of(...mean, a, b, d, 0);
  const runs = path.pieces.map((one) => {
    y[5] = one.from;
    const run = adaptive(motion(one), y, one.to - one.from, TOLERANCE).finish();
    y = Float64Array.from(run.at(one.to - one.from));
    return { ...one, run };
  });
  return {
    steps: runs.reduce((sum, { run }) => sum + run.steps, 0),
    at(t) {
      const { from, run } = runs.find(({ to }) => t < to) ?? runs.at(-1);
      const [m1, m2, s11, s12, s22] = run.at(t - from);
      return { mean: [m1, m2], cov: [s11, s12, s12, s22] };
    },
  };
}

/** Largest difference of an entry of mean or covariance. */
export const gap = (g, h) =>
  Math.max(...[...g.mean, ...g.cov].map((v, k) => Math.abs(v - [...h.mean, ...h.cov][k])));

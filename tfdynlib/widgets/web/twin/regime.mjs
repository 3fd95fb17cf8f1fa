// The fate of a covariance and the theorem that says so, as tfdynlib.gaussian.regime.
//
// The theorems are asked in the package's order, with its tolerances; where none applies
// the fate is undecided.  A layer is { A, B, V, b }, all flat.

import { flow, scalarBlowUp } from "./gaussian.mjs";
import { eigenvalues } from "./linalg.mjs";
import * as m2 from "./matrix2.mjs";

const BORDER = 1e-12;
const ROUNDING = 1e-13;
const HORIZON = 1e4;
const PATIENCE = 300;
const ZERO = [0, 0, 0, 0];

const norm = (M) => Math.hypot(...M);
const norm2 = (M) => m2.singular(M)[0];
const largest = (M) => Math.max(...M.map(Math.abs));
const some = (M) => M.some((v) => v !== 0);
/** Eigenvalues of the symmetric part, the smaller first. */
const ends = (M) => m2.eigSym(m2.sym(M)).values.toReversed();
const turned = (Q, M) => m2.mul(m2.mul(m2.transpose(Q), M), Q);
const rotation = (angle) => [Math.cos(angle), -Math.sin(angle), Math.sin(angle), Math.cos(angle)];

/** v if V = v I up to rounding, else null. */
export function valueNumber(V) {
  const v = m2.trace(V) / 2;
  return largest(m2.sub(V, m2.scaled(v, m2.EYE))) <= ROUNDING * largest(V) ? v : null;
}

/** The layer, the covariance, its factor and rank, and the spectrum of A. */
function caseOf(layer, cov) {
  const L = m2.factor(cov);
  const rank = !some(L) ? 0 : L[1] === 0 && L[3] === 0 ? 1 : 2;
  const scale = norm2(layer.A);
  const real = eigenvalues(layer.A)
    .map(({ re }) => (Math.abs(re) <= BORDER * scale ? 0 : re))
    .sort((a, b) => a - b);
  return { layer, cov, L, rank, real, scale, low: real[0], top: real[1] };
}

/** Eigenvalues of L^T S L on the columns there are, the largest last. */
function inner(L, rank, S) {
  const M = turned(L, S);
  return rank === 2 ? ends(M) : [M[0]];
}

/** A unit vector v with M v = value v. */
function eigenvector(M, value) {
  const [a, b] = [[M[0] - value, M[1]], [M[2], M[3] - value]];
  const row = Math.hypot(...a) > Math.hypot(...b) ? a : b;
  const size = Math.hypot(...row);
  return size === 0 ? [1, 0] : [-row[1] / size, row[0] / size];
}

/** How much of L, relatively, is not in the directions that A contracts (or keeps). */
function outside({ layer, L, scale }, strictly) {
  const cut = (strictly ? 1 : -1) * BORDER * scale;
  const values = eigenvalues(layer.A);
  const kept = values.filter(({ re }) => re >= cut);
  if (kept.length === 2) return 1;
  if (kept.length === 0) return 0;
  const z = eigenvector(m2.transpose(layer.A), kept[0].re);
  return Math.hypot(z[0] * L[0] + z[1] * L[2], z[0] * L[1] + z[1] * L[3]) / norm(L);
}

const found = (kind, theorem, margins, more = {}) => ({
  kind, theorem, margins, rate: null, limit: null, bounds: null, bound: null, ...more,
});

function atRest({ layer, cov }) {
  const pull = m2.mul(m2.mul(layer.V, cov), layer.B);
  const half = m2.mul(m2.add(layer.A, pull), cov);
  const size = (norm(m2.mul(layer.A, cov)) + norm(pull)) * Math.max(1, norm(cov));
  const residual = norm(m2.add(half, m2.transpose(half)));
  return residual > 1e-14 * size ? null : found("rests", "it is at rest", {}, { limit: cov });
}

function attentionOff(one) {
  const { A, B, V } = one.layer;
  const skew = B.every((v, k) => v === -m2.transpose(B)[k]);
  if (some(V) && some(B) && !(valueNumber(V) !== null && skew)) return null;
  const theorem = "attention is off";
  if (one.top < 0)
    return found("decays", theorem, { "slowest contraction": -one.top }, { rate: -2 * one.top, limit: ZERO });
  const part = one.top > 0 ? outside(one, true) : 0;
  if (part > 1e-10) return found("grows", theorem, { "largest growth": one.top, "part of the cloud": part });
  return ends(A)[1] <= BORDER * one.scale ? found("bounded", theorem, {}) : null;
}

/** Scalar modes [{ a, c, s }] and their basis, or null if the matrices do not commute. */
function modesOf({ layer, cov }) {
  const parts = [layer.A, layer.V, layer.B, cov].filter(some);
  if (parts.some((M) => Math.abs(M[1] - M[2]) > ROUNDING * norm(M))) return null;
  const mix = parts.reduce((sum, M, k) => m2.add(sum, m2.scaled([1, 0.618, 0.3247, 0.2207][k] / norm(M), M)), ZERO);
  const Q = rotation(m2.eigSym(mix).angle);
  if (parts.some((M) => Math.max(Math.abs(turned(Q, M)[1]), Math.abs(turned(Q, M)[2])) > ROUNDING * norm(M) * 2)) return null;
  const [a, v, k, s] = [layer.A, layer.V, layer.B, cov].map((M) => turned(Q, M));
  const top = Math.max(Math.abs(s[0]), Math.abs(s[3]));
  const each = [0, 3].map((e) => ({ a: a[e], c: v[e] * k[e], s: s[e] > ROUNDING * 2 * top ? s[e] : 0 }));
  return { each, Q };
}

function commuting(one) {
  const modes = modesOf(one);
  if (!modes) return null;
  const theorem = "commuting, mode by mode";
  const each = modes.each.map((m) => ({
    ...m, lives: m.s > 0, pull: m.a + m.c * m.s, size: Math.abs(m.a) + Math.abs(m.c * m.s), time: scalarBlowUp(m.a, m.c, m.s),
  }));
  const live = each.filter(({ lives }) => lives);
  const first = live.reduce((best, m) => (m.time < best.time ? m : best), live[0]);
  if (first.time < Infinity) {
    if (first.pull <= 1e-13 * first.size) return null; // on the threshold
    return found("blow-up", theorem, { c: first.c, "a + c S": first.pull }, { blowUp: first.time });
  }
  const growing = live.filter(({ a, c }) => c === 0 && a > 0);
  if (growing.length > 0)
    return found("grows", theorem, {}, { rate: 2 * Math.max(...growing.map(({ a }) => a)) });
  const idle = (m) => (Math.abs(m.pull) <= 1e-13 * m.size && m.c > 0) || m.size === 0;
  const settles = (m) => m.c < 0 && m.a > 0;
  const limitOf = (m) => (!m.lives ? 0 : settles(m) ? -m.a / m.c : idle(m) ? m.s : 0);
  const moving = live.filter((m) => !idle(m));
  const margins = {};
  const [yes, no] = [live.filter(settles), live.filter((m) => !settles(m))];
  if (yes.length > 0) {
    margins["least a of those that settle"] = Math.min(...yes.map(({ a }) => a));
    margins["least -c of those that settle"] = Math.min(...yes.map(({ c }) => -c));
  }
  if (no.length > 0) margins["least -(a + c S) of the others"] = Math.min(...no.map(({ pull }) => -pull));
  const limits = each.map(limitOf);
  const limit = m2.congruence(modes.Q, [limits[0], 0, 0, limits[1]]);
  const rate = moving.length > 0 ? 2 * Math.min(...moving.map(({ a }) => Math.abs(a))) : 0;
  return found(limits.some((v) => v !== 0) ? "settles" : "decays", theorem, margins, { rate, limit });
}

const PRECISION = "*V* = *v*I, linear precision";

function precision(one) {
  const v = valueNumber(one.layer.V);
  if (v === null) return null;
  const S = m2.scaled(v, m2.add(one.layer.B, m2.transpose(one.layer.B)));
  const [low, high] = ends(S);
  const edge = BORDER * Math.max(Math.abs(low), Math.abs(high));
  if (!some(one.layer.A)) return straight(one, S);
  if (high < -edge) return negative(one, S, -high);
  if (low >= -edge) return positive(one, S, low);
  return indefinite(one, S);
}

/** A = 0: the precision moves along a straight line. */
function straight(one, S) {
  const values = inner(one.L, one.rank, S);
  const top = values.at(-1);
  const size = Math.max(Math.abs(values[0]), Math.abs(top));
  if (top > BORDER * size)
    return found("blow-up", PRECISION, { "largest eigenvalue of L^T v(B + B^T) L": top }, { blowUp: 1 / top });
  const still = values.map((x) => Math.abs(x) <= BORDER * size);
  let limit = ZERO;
  if (still.every(Boolean)) limit = one.cov;
  else if (still.some(Boolean)) {
    const angle = m2.eigSym(m2.sym(turned(one.L, S))).angle; // of the larger, the one that stays
    const k = m2.apply(one.L, [Math.cos(angle), Math.sin(angle)]);
    limit = m2.outer(k, k);
  }
  const margins = { "- largest eigenvalue of L^T v(B + B^T) L": -top };
  return found(still.some(Boolean) ? "settles" : "decays", PRECISION, margins, { rate: 0, limit });
}

/** -S positive definite: the precision is fed; the limit lives where A expands. */
function negative(one, S, margin) {
  const { A } = one.layer;
  const margins = { "least eigenvalue of -v(B + B^T)": margin };
  const rate = 2 * Math.min(...one.real.map(Math.abs));
  const count = one.real.filter((x) => x > 0).length;
  if (count === 0) return found("decays", PRECISION, margins, { rate, limit: ZERO });
  if (one.rank < 2) return found("bounded", PRECISION, margins);
  let limit;
  if (count === 2) limit = m2.inverse(m2.lyapunov(A, m2.scaled(-1, S)));
  else {
    const w = eigenvector(A, one.top);
    limit = m2.scaled((2 * one.top) / -m2.dot(w, m2.apply(S, w)), m2.outer(w, w));
  }
  margins["distance of A's spectrum from the axis"] = Math.min(...one.real.map(Math.abs));
  return found("settles", PRECISION, margins, { rate, limit });
}

/** Largest eigenvalue of L^T G L with A^T G + G A = -S. */
const reachOf = (A, S, L, rank) => inner(L, rank, m2.lyapunov(A, m2.scaled(-1, S))).at(-1);

/** S positive semidefinite: the way to the wall only shrinks. */
function positive(one, S, low) {
  if (one.top < 0) {
    const reach = reachOf(one.layer.A, S, one.L, one.rank);
    if (Math.abs(reach - 1) <= 1e-10) return null;
    const margins = { "slowest contraction of A": -one.top, reach: Math.abs(1 - reach) };
    return reach < 1
      ? found("decays", PRECISION, margins, { rate: -2 * one.top, limit: ZERO })
      : found("blow-up", PRECISION, margins, { certain: true });
  }
  const part = outside(one, false);
  if (low > BORDER * largest(S) && part > 1e-10)
    return found("blow-up", PRECISION, { "least eigenvalue of v(B + B^T)": low, "part not contracted": part }, { certain: true });
  return null;
}

/** S of both signs: follow the flow until one of two certificates holds. */
function indefinite(one, S) {
  const { A } = one.layer;
  const { values, angle } = m2.eigSym(S);
  const up = m2.ofEigen(values.map((x) => Math.max(x, 0)), angle);
  const end = PATIENCE / one.scale;
  const run = one.follow(end);
  let [now, piece] = [0, 1 / one.scale];
  while (now < end) {
    const L = now === 0 ? one.L : run.at(now).factor;
    if (one.top < 0) {
      const reach = reachOf(A, up, L, one.rank);
      if (reach < 1 - 1e-10)
        return found("decays", PRECISION, { "slowest contraction of A": -one.top, "1 - reach": 1 - reach }, { rate: -2 * one.top, limit: ZERO });
    }
    if (one.low > 0 && one.rank === 2) {
      const inside = trapped(one, S, L);
      if (inside) return inside;
    }
    now += piece;
    if (run.blowUp <= now) return found("blow-up", PRECISION, { time: run.blowUp }, { blowUp: run.blowUp });
    piece *= 1.5;
  }
  return null;
}

/** The precision is so near its rest that it must come to it. */
function trapped(one, S, L) {
  const { A } = one.layer;
  const rest = m2.lyapunov(A, m2.scaled(-1, S));
  const low = ends(rest)[0];
  const back = m2.inverse(L);
  if (low <= BORDER * largest(rest) || !back) return null;
  const sizes = ends(m2.lyapunov(A, m2.EYE));
  const P = m2.mul(m2.transpose(back), back);
  const gap = (norm2(m2.sub(P, rest)) * sizes[1]) / sizes[0];
  if (gap >= low) return null;
  return found("settles", PRECISION, { "least growth of A": one.low, room: low - gap }, { rate: 2 * one.low, limit: m2.inverse(rest) });
}

/** A layer whose values have one sign, in coordinates where they are positive. */
function signsOf({ layer, L, rank }) {
  const { A, B, V } = layer;
  let [values, T] = [null, null];
  if (V[1] === V[2]) {
    const { values: found_, angle } = m2.eigSym(V);
    [values, T] = [found_, rotation(angle)];
  } else {
    const both = eigenvalues(V);
    if (both[0].im !== 0) return null;
    values = both.map(({ re }) => re);
    const [p, q] = values.map((v) => eigenvector(V, v));
    T = [p[0], q[0], p[1], q[1]];
  }
  const sign = Math.max(...values) < 0 ? -1 : 1;
  values = values.map((v) => sign * v);
  const sizes = m2.singular(T);
  if (Math.min(...values) <= BORDER * largest(values) || !(sizes[0] <= 1e8 * sizes[1])) return null;
  const back = m2.inverse(T);
  const root = values.map(Math.sqrt);
  const seen = m2.mul(m2.mul(back, A), T).map((v, k) => (v * root[k % 2]) / root[k >> 1]);
  const part = m2.mul(back, L);
  const beta = ends(turned(T, m2.scaled(sign, B)));
  const [small, large] = [Math.min(...values) ** 2, Math.max(...values) ** 2];
  return {
    y0: (part[0] ** 2 + part[1] ** 2) / values[0] + (part[2] ** 2 + part[3] ** 2) / values[1],
    alpha: ends(seen), beta,
    down: beta[0] > 0 ? (beta[0] * small) / rank : beta[0] * large,
    up: beta[1] > 0 ? beta[1] * large : (beta[1] * small) / rank,
  };
}

/** Values of one sign and scores of one sign: a logistic inequality for a trace. */
function signs(one) {
  const s = signsOf(one);
  if (!s || s.beta[0] * s.beta[1] <= 0) return null;
  const theorem = "trace of *V*^{−1}*Σ*";
  if (s.beta[0] > 0) {
    const growth = s.alpha[0] + s.down * s.y0;
    if (growth <= 1e-12 * (Math.abs(s.alpha[0]) + s.down * s.y0)) return null;
    const bounds = [scalarBlowUp(s.alpha[1], s.up, s.y0), scalarBlowUp(s.alpha[0], s.down, s.y0)];
    return found("blow-up", theorem, { "least eigenvalue of B + B^T": 2 * s.beta[0], "growth at the start": growth }, { bounds, certain: true });
  }
  const margins = { "least eigenvalue of -(B + B^T)": -2 * s.beta[1] };
  if (s.alpha[1] <= BORDER * Math.max(Math.abs(s.alpha[0]), Math.abs(s.alpha[1])))
    return found("decays", theorem, margins, { rate: 2 * Math.max(-one.top, 0), limit: ZERO });
  return found("bounded", theorem, margins, { bound: Math.max(s.y0, s.alpha[1] / -s.up) });
}

/** A contracts, and the covariance is too small for attention to matter. */
function small({ layer, cov, top }) {
  if (top >= 0) return null;
  const X = m2.lyapunov(layer.A, m2.scaled(-1, m2.EYE));
  const y = m2.trace(m2.mul(X, cov));
  const wall = ends(X)[0] / (2 * norm2(m2.mul(X, layer.V)) * norm2(layer.B));
  if (y >= wall) return null;
  return found("decays", "*A* contracts a small cloud", { "slowest contraction of A": -top, "1 - y over its wall": 1 - y / wall }, { rate: -2 * top, limit: ZERO });
}

const THEOREMS = [atRest, attentionOff, commuting, precision, signs, small];

/**
 * The fate of `cov` under a layer: `kind` and `theorem` (null: undecided), `margins` of
 * the theorem's hypotheses and `margin`, the least; `rate`, `limit` (null if not known),
 * `bounds` of the blow-up, `bound` of tr V^{-1} S, and `blowUp`.  `run`, if given, is
 * gaussian.flow from `cov`; a certain blow-up beyond it is followed further.
 */
export function fateOf(layer, cov, run = null) {
  const start = { mean: [0, 0], cov };
  const long = (end) => (run && (run.status !== "ended" || run.lastTime >= end) ? run : flow({ ...layer, b: [0, 0] }, start, { tEnd: 1, horizon: end }));
  const one = { ...caseOf(layer, cov), follow: long };
  for (const theorem of THEOREMS) {
    const fate = theorem(one);
    if (!fate) continue;
    if (fate.certain) {
      fate.blowUp = long(HORIZON).blowUp;
      if (!Number.isFinite(fate.blowUp)) continue;
    }
    const least = Math.min(...Object.values(fate.margins));
    return { blowUp: Infinity, exact: fate.limit !== null, margin: Number.isFinite(least) ? least : null, ...fate };
  }
  return { ...found("undecided", null, {}), blowUp: null, exact: false, margin: null };
}

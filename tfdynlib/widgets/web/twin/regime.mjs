// What decides the fate of a covariance: theorems, their margins, and what a run shows.

import { scalarBlowUp, scalarOf } from "./gaussian.mjs";
import { eigenvalues } from "./linalg.mjs";
import * as m2 from "./matrix2.mjs";

const TINY = 1e-12;

/** Smallest and largest eigenvalue of the symmetric part. */
function ends(M) {
  const { values } = m2.eigSym(m2.sym(M));
  return [values[1], values[0]];
}

const symmetric = (M) => Math.abs(M[1] - M[2]) <= TINY * Math.max(...M.map(Math.abs));
const diagonal = (M) => M[1] === 0 && M[2] === 0;
const zero = (M) => M.every((v) => v === 0);

/** Real parts of the eigenvalues of A, the smallest first. */
const growth = (A) => eigenvalues(A).map(({ re }) => re).reverse();

/**
 * V = v I: the precision is linear, P' = -A^T P - P A + C with C = -v (B + B^T).
 * Decided for every start of full rank, and along a line.
 */
function scalarValue(layer, run) {
  const v = scalarOf(layer.V);
  if (v === null) return null;
  const theorem = "*V* = *v*I, linear precision";
  const C = m2.scaled(-v, m2.add(layer.B, m2.transpose(layer.B)));
  const [low, high] = ends(C);
  const [slow, fast] = growth(layer.A);
  if (run.status === "blow-up") return { kind: "blow-up", theorem, margin: -low };
  if (low > TINY && slow > TINY) {
    const P = m2.lyapunov(layer.A, C);
    const limit = P && m2.inverse(P);
    return { kind: "settles", theorem, margin: Math.min(low, slow), limit, exact: true, rate: 2 * slow };
  }
  if (fast < -TINY) return { kind: "decays", theorem, margin: -fast, limit: [0, 0, 0, 0], exact: true, rate: -2 * fast };
  if (low > TINY && zero(layer.A)) return { kind: "decays", theorem, margin: low, limit: [0, 0, 0, 0], exact: true, rate: 0 };
  if (low > TINY) return { kind: "bounded", theorem, margin: low };
  if (low >= -TINY && high <= TINY && zero(layer.A)) return { kind: "constant", theorem, margin: 0 };
  return null;
}

/** V definite and symmetric, B definite and symmetric: the trace of V^{-1} S. */
function trace(layer, cov, run) {
  if (!symmetric(layer.V) || !symmetric(layer.B)) return null;
  const sign = m2.trace(layer.V) < 0 ? -1 : 1; // (V, B) and (-V, -B) move S alike
  const [V, B] = [m2.scaled(sign, layer.V), m2.scaled(sign, layer.B)];
  const [vLow, vHigh] = ends(V);
  const [bLow, bHigh] = ends(B);
  if (vLow <= TINY) return null;
  const y0 = m2.trace(m2.mul(m2.inverse(V), cov));
  if (bLow > TINY && zero(layer.A) && y0 > 0)
    return {
      kind: "blow-up", theorem: "trace of *V*^{−1}*Σ*", margin: bLow,
      bounds: [1 / (2 * bHigh * vHigh ** 2 * y0), 2 / (2 * bLow * vLow ** 2 * y0)],
    };
  if (bHigh < -TINY && run.status !== "blow-up") {
    const root = m2.sqrt(V);
    const top = ends(m2.mul(m2.mul(m2.inverse(root), layer.A), root))[1];
    return {
      kind: "bounded", theorem: "trace of *V*^{−1}*Σ*", margin: -bHigh,
      bound: Math.max(y0, (2 * top) / (-bHigh * vLow ** 2)),
    };
  }
  return null;
}

/** Everything diagonal: each axis is a scalar flow of its own. */
function modes(layer, cov, run) {
  if (![layer.A, layer.B, layer.V, cov].every(diagonal)) return null;
  const theorem = "diagonal, modes decouple";
  const each = [0, 3].map((e) => ({ a: layer.A[e], vk: layer.V[e] * layer.B[e], S: cov[e] }));
  const times = each.map(({ a, vk, S }) => scalarBlowUp(a, vk, S));
  if (Math.min(...times) < Infinity) return { kind: "blow-up", theorem, margin: Math.max(...each.map(({ vk }) => vk)) };
  if (run.status === "blow-up") return null;
  const ends_ = each.map(({ a, vk, S }) => (S === 0 ? 0 : a > 0 && vk < 0 ? -a / vk : a < 0 || vk < 0 ? 0 : NaN));
  if (!ends_.every(Number.isFinite)) return null;
  const kind = ends_.every((v, k) => v > 0 || each[k].S === 0) ? "settles" : ends_.every((v) => v === 0) ? "decays" : "bounded";
  const margin = Math.min(...each.map(({ a, vk }) => Math.max(Math.abs(a), Math.abs(vk))));
  return { kind, theorem, margin, limit: [ends_[0], 0, 0, ends_[1]], exact: true };
}

/**
 * The fate of `cov` under a layer, after its `run` (gaussian.flow): `kind` is what
 * happens, `theorem` who says so (null: undecided, the run alone), `margin` how far its
 * strict conditions are from failing; `limit` the covariance in the end, `exact` if it
 * is the theorem's and not the run's.
 */
export function fateOf(layer, cov, run) {
  const found = zero(cov)
    ? { kind: "constant", theorem: "a point stays a point", margin: Infinity, limit: [0, 0, 0, 0], exact: true }
    : (scalarValue(layer, run) ?? modes(layer, cov, run) ?? trace(layer, cov, run));
  const seen = { "blow-up": "blow-up", settled: "settles", grown: "grows", ended: "undecided" }[run.status];
  const fate = found ?? { kind: seen, theorem: null, margin: null };
  if (!fate.limit && run.status === "settled") fate.limit = run.last.cov;
  return { limit: null, exact: false, rate: null, bounds: null, bound: null, ...fate };
}

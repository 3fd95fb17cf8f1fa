// One minimising movement of descent heads, as tfdynlib.jko.step.
//
// Token i goes to y_i = exp_{x_i}(u_i); the step makes
//   F(u) = 1 / (2 tau) sum_i m_i b_i |u_i|^2 + E(y)
// small, with equal masses m_i = 1/n. Heads { B } are symmetric and descend, V = -B; their
// weights b are frozen at x, or those at y ("implicit").
import { moments, velocity } from "./attention.mjs";
import { largest, minimise } from "./minimise.mjs";
import { retract } from "./flow.mjs";

const TOL = 1e-12; // of the scaled gradient; tfdynlib stops at 1e-10
const LOST = 1e-5; // a gradient above this, when nothing helps any more
export const CUT = "beyond the cut locus";

/** What each head sees, its s_h at each token, the pushes sum_h share B_h M_h, the energy. */
function look(y, n, d, heads, beta) {
  const share = 1 / heads.length;
  const push = new Float64Array(n * d);
  const all = heads.map((head) => moments(y, n, d, head.B, beta));
  const s = heads.map((head, h) => {
    const seen = all[h];
    const z = seen.z.map((value, i) => value * Math.exp(seen.shift[i]));
    for (let i = 0; i < n; i++) {
      const scale = share * Math.exp(seen.shift[i]);
      for (let r = 0; r < d; r++)
        for (let c = 0; c < d; c++) push[i * d + r] += scale * head.B[c * d + r] * seen.s[c][i];
    }
    return z;
  });
  let energy = 0;
  for (const z of s) for (let i = 0; i < n; i++) energy += (share * z[i]) / (2 * beta * n);
  return { seen: all, s, push, energy };
}

/** The effective weights: harmonic means of the s_h over heads. */
const weightOf = (s) =>
  s[0].map((_, i) => s.length / s.reduce((sum, z) => sum + 1 / z[i], 0));

/** The effective weights of the tokens x. */
export const effectiveWeight = (x, n, d, heads, beta) => weightOf(look(x, n, d, heads, beta).s);

/** The energy, the mean over heads. */
export const energyOf = (x, n, d, heads, beta) => look(x, n, d, heads, beta).energy;

/** Adds to `out` the gradient of sum_i c_i b_i(y) at fixed c: felt and feeling. */
function addWeightGradient(out, y, n, d, heads, beta, c, b, { s, seen }) {
  heads.forEach((head, h) => {
    const pull = c.map((value, i) => (value * b[i] ** 2) / (heads.length * s[h][i] ** 2));
    const total = pull.reduce((sum, value) => sum + value, 0);
    if (total === 0) return;
    const felt = seen[h];
    const back = moments(y, n, d, head.B, beta, pull.map((value) => value / total));
    for (let i = 0; i < n; i++) {
      const one = pull[i] * Math.exp(felt.shift[i]);
      const two = (total / n) * Math.exp(back.shift[i]);
      for (let r = 0; r < d; r++)
        for (let k = 0; k < d; k++)
          out[i * d + r] += beta * head.B[k * d + r] * (one * felt.s[k][i] + two * back.s[k][i]);
    }
  });
}

/** Length of row i. */
function rowLength(u, i, d) {
  let square = 0;
  for (let k = i * d; k < (i + 1) * d; k++) square += u[k] * u[k];
  return Math.sqrt(square);
}

/** d - 1 orthonormal tangent vectors at each token: columns of a reflection. */
function frames(x, n, d) {
  const out = new Float64Array(n * d * (d - 1));
  for (let i = 0; i < n; i++) {
    const mirror = x.slice(i * d, (i + 1) * d);
    mirror[0] += mirror[0] < 0 ? -1 : 1;
    const half = mirror.reduce((sum, value) => sum + value * value, 0) / 2;
    for (let r = 0; r < d; r++)
      for (let e = 1; e < d; e++)
        out[(i * d + r) * (d - 1) + e - 1] = (r === e ? 1 : 0) - (mirror[r] * mirror[e]) / half;
  }
  return out;
}

/** sin r / r, and (cos r - sin r / r) / r^2, without a division by a small r. */
const sinc = (r) => (r < 1e-4 ? 1 - (r * r) / 6 : Math.sin(r) / r);
const bend = (r) =>
  r < 1e-2 ? -1 / 3 + r ** 2 / 30 - r ** 4 / 840 : (Math.cos(r) - sinc(r)) / r ** 2;

/** Where the tangent vectors u lead, all on the sphere. */
export function exponential(x, u, n, d, share = 1) {
  const y = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const r = share * rowLength(u, i, d);
    for (let k = 0; k < d; k++)
      y[i * d + k] = Math.cos(r) * x[i * d + k] + sinc(r) * share * u[i * d + k];
  }
  return retract(y, n, d);
}

/** The function F of one step, in scaled coordinates of tangent frames. */
export function proximal(x, n, d, heads, beta, tau, weight) {
  const b0 = effectiveWeight(x, n, d, heads, beta);
  const frame = frames(x, n, d);
  const scale = b0.map((value) => Math.sqrt(value / (n * tau)));
  const e = d - 1;

  function tangent(w) {
    const u = new Float64Array(n * d);
    for (let i = 0; i < n; i++)
      for (let r = 0; r < d; r++)
        for (let k = 0; k < e; k++) u[i * d + r] += (frame[(i * d + r) * e + k] * w[i * e + k]) / scale[i];
    return u;
  }

  function pullBack(g, power) {
    const w = new Float64Array(n * e);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < e; k++) {
        for (let r = 0; r < d; r++) w[i * e + k] += frame[(i * d + r) * e + k] * g[i * d + r];
        w[i * e + k] *= scale[i] ** power;
      }
    return w;
  }

  /** Value and gradient of F at w, with its two terms. */
  function at(w) {
    const u = tangent(w);
    const r = new Float64Array(n);
    const y = new Float64Array(n * d);
    for (let i = 0; i < n; i++) {
      r[i] = rowLength(u, i, d);
      const [cos, sin] = [Math.cos(r[i]), sinc(r[i])];
      for (let k = 0; k < d; k++) y[i * d + k] = cos * x[i * d + k] + sin * u[i * d + k];
    }
    const sums = look(y, n, d, heads, beta);
    const { push, energy } = sums;
    const b = weight === "frozen" ? b0 : weightOf(sums.s);
    const outward = push.map((value) => value / n);
    if (weight !== "frozen")
      addWeightGradient(outward, y, n, d, heads, beta, r.map((value) => value ** 2 / (2 * tau * n)), b, sums);
    let price = 0;
    const gradient = new Float64Array(n * d);
    for (let i = 0; i < n; i++) {
      price += (b[i] * r[i] ** 2) / (2 * tau * n);
      let [inward, ahead] = [0, 0];
      for (let k = 0; k < d; k++) {
        inward += outward[i * d + k] * x[i * d + k];
        ahead += outward[i * d + k] * u[i * d + k];
      }
      const turn = bend(r[i]) * ahead - sinc(r[i]) * inward;
      for (let k = 0; k < d; k++)
        gradient[i * d + k] =
          ((b[i] / (n * tau)) + turn) * u[i * d + k] +
          sinc(r[i]) * (outward[i * d + k] - inward * x[i * d + k]);
    }
    return { value: price + energy, gradient: pullBack(gradient, -1), price, energy };
  }

  /** The explicit step, at most of length one; or none if that climbs. */
  function firstGuess(before) {
    const v = velocity(x, n, d, heads, { beta, rule: "gradient" });
    for (let i = 0; i < n; i++) {
      const length = tau * rowLength(v, i, d);
      for (let k = 0; k < d; k++) v[i * d + k] *= tau / Math.max(length, 1);
    }
    const w = pullBack(v, 1);
    return at(w).value < before ? w : new Float64Array(n * e);
  }

  return { at, tangent, firstGuess, size: n * e };
}

/**
 * A generator of one step; it yields now and then and returns the tokens `x` after it, the
 * ways `u`, `decrease` (energy set free minus price, zero or more), `price`, the `longest`
 * way, the `status` and the number of `evaluations`.
 */
export function* step(x0, n, d, heads, beta, tau, weight = "frozen", tol = TOL) {
  const x = retract(Float64Array.from(x0), n, d);
  const aim = proximal(x, n, d, heads, beta, tau, weight);
  const zero = new Float64Array(aim.size);
  const before = aim.at(zero).value;
  yield;
  const found = yield* minimise(aim.at, aim.firstGuess(before), { tol });
  const stays = found.value > before; // rounding alone: x itself is as good
  const u = aim.tangent(stays ? zero : found.x);
  let longest = 0;
  for (let i = 0; i < n; i++) longest = Math.max(longest, rowLength(u, i, d));
  return {
    x: exponential(x, u, n, d),
    u,
    decrease: stays ? 0 : before - found.value,
    price: stays ? 0 : found.price,
    longest,
    status: largest(found.gradient) > LOST ? "not converged" : longest > Math.PI ? CUT : "done",
    evaluations: found.evaluations + 2,
  };
}

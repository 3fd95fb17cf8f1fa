// Many descent heads at once on the sphere S^2: B = D, V = -D, beta = 1, equal masses.
//
// D is one Float64Array, head after head, each symmetric, 3 x 3, row-major.  The sums are
// not shifted: scores are at most |D|, and the figures keep that below 100.

import { project } from "./attention.mjs";

/** For head h at each token: s = mean of e^{<Dx, y>}, and D times the mean of y e^{<Dx, y>}. */
function see(x, n, D, h, s, g) {
  const [a, b, c, d, e, f] = [0, 1, 2, 4, 5, 8].map((k) => D[9 * h + k]);
  s.fill(0);
  g.fill(0);
  for (let i = 0; i < n; i += 1) {
    const [u, v, w] = [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
    const [p, q, r] = [a * u + b * v + c * w, b * u + d * v + e * w, c * u + e * v + f * w];
    const own = Math.exp(p * u + q * v + r * w);
    let [z, k, l, m] = [own, own * u, own * v, own * w];
    for (let j = 0; j < i; j += 1) {
      const o = 3 * j;
      const t = Math.exp(p * x[o] + q * x[o + 1] + r * x[o + 2]);
      z += t;
      k += t * x[o];
      l += t * x[o + 1];
      m += t * x[o + 2];
      s[j] += t;
      g[o] += t * u;
      g[o + 1] += t * v;
      g[o + 2] += t * w;
    }
    s[i] += z;
    g[3 * i] += k;
    g[3 * i + 1] += l;
    g[3 * i + 2] += m;
  }
  for (let i = 0; i < n; i += 1) {
    const [k, l, m] = [g[3 * i] / n, g[3 * i + 1] / n, g[3 * i + 2] / n];
    s[i] /= n;
    g[3 * i] = a * k + b * l + c * m;
    g[3 * i + 1] = b * k + d * l + e * m;
    g[3 * i + 2] = c * k + e * l + f * m;
  }
}

/** Means over heads at each token: of s, of 1 / s, of the slopes g, and of g / s. */
function means(x, n, D) {
  const H = D.length / 9;
  const [s, g] = [new Float64Array(n), new Float64Array(3 * n)];
  const out = { s: new Float64Array(n), rest: new Float64Array(n), g: new Float64Array(3 * n), pull: new Float64Array(3 * n) };
  for (let h = 0; h < H; h += 1) {
    see(x, n, D, h, s, g);
    for (let i = 0; i < n; i += 1) {
      out.s[i] += s[i] / H;
      out.rest[i] += 1 / (H * s[i]);
      for (let k = 3 * i; k < 3 * i + 3; k += 1) {
        out.g[k] += g[k] / H;
        out.pull[k] += g[k] / (H * s[i]);
      }
    }
  }
  return out;
}

function velocityFrom({ rest, g, pull }, x, n, rule, out) {
  for (let k = 0; k < 3 * n; k += 1)
    out[k] = rule === "gradient" ? -g[k] * rest[Math.floor(k / 3)] : -pull[k];
  return project(out, x, n, 3);
}

/** Velocity of every token, rule "softmax" or "gradient", as tfdynlib.attention.velocity. */
export const headsVelocity = (x, n, D, rule, out = new Float64Array(3 * n)) =>
  velocityFrom(means(x, n, D), x, n, rule, out);

/**
 * Interaction energy, and what it costs to move the tokens: the mean of b |v|^2, where b is
 * the harmonic mean over heads of s.  For the gradient rule that is the squared slope.
 */
export function headsEnergy(x, n, D, rule) {
  const seen = means(x, n, D);
  const v = velocityFrom(seen, x, n, rule, new Float64Array(3 * n));
  let [energy, action] = [0, 0];
  for (let i = 0; i < n; i += 1) {
    energy += seen.s[i] / (2 * n);
    action += (v[3 * i] ** 2 + v[3 * i + 1] ** 2 + v[3 * i + 2] ** 2) / (n * seen.rest[i]);
  }
  return { energy, action };
}

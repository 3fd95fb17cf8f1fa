// Sums over tokens on the circle: all pairs, and by Fourier series.
//
// For a query of length r and direction psi, in units of e^r:
//   z(psi) = mean_j e^{r (cos(psi - theta_j) - 1)} = sum_k e^{-r} I_k(r) c_k e^{i k psi},
// c_k = mean_j e^{-i k theta_j}; the first moments have cos dmu and sin dmu for dmu.

/** Coefficients c_k, k = 0 ... K, of the empirical measure: { re, im }. */
export function coefficients(theta, K) {
  const re = new Float64Array(K + 1);
  const im = new Float64Array(K + 1);
  const n = theta.length;
  for (let j = 0; j < n; j++) {
    const c = Math.cos(theta[j]);
    const s = Math.sin(theta[j]);
    let u = 1;
    let v = 0;
    for (let k = 0; k <= K; k++) {
      re[k] += u;
      im[k] -= v;
      const next = u * c - v * s;
      v = u * s + v * c;
      u = next;
    }
  }
  for (let k = 0; k <= K; k++) {
    re[k] /= n;
    im[k] /= n;
  }
  return { re, im };
}

/**
 * The real series of z and of both first moments: rows a_k, b_k of
 * sum_k a_k cos(k psi) + b_k sin(k psi), k = 0 ... K, the weights of the kernel included.
 */
export function seriesOf({ re, im }, waves) {
  const K = waves.length - 1;
  const rows = [0, 1, 2].map(() => ({ a: new Float64Array(K + 1), b: new Float64Array(K + 1) }));
  for (let k = 0; k <= K; k++) {
    const before = k === 0 ? [re[1], -im[1]] : [re[k - 1], im[k - 1]];
    const after = [re[k + 1], im[k + 1]];
    const weight = (k === 0 ? 1 : 2) * waves[k];
    const c = [
      [re[k], im[k]],
      [(before[0] + after[0]) / 2, (before[1] + after[1]) / 2],
      [(before[1] - after[1]) / 2, -(before[0] - after[0]) / 2],
    ];
    c.forEach(([x, y], row) => {
      rows[row].a[k] = weight * x;
      rows[row].b[k] = -weight * y;
    });
  }
  return rows;
}

/** The first K waves of a series at the directions psi. */
export function valuesOf({ a, b }, psi, K) {
  return Float64Array.from(psi, (angle) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    let [u, v, sum] = [1, 0, 0];
    for (let k = 0; k <= K; k++) {
      sum += a[k] * u + b[k] * v;
      [u, v] = [u * c - v * s, u * s + v * c];
    }
    return sum;
  });
}

/** z and both first moments at the directions psi by K waves: three arrays. */
export function fourierSums(theta, psi, waves) {
  const K = waves.length - 1;
  const [z, x, y] = seriesOf(coefficients(theta, K + 1), waves);
  const n = psi.length;
  const out = [0, 1, 2].map(() => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    const c = Math.cos(psi[i]);
    const s = Math.sin(psi[i]);
    let u = 1, v = 0, p = 0, q = 0, w = 0;
    for (let k = 0; k <= K; k++) {
      p += z.a[k] * u + z.b[k] * v;
      q += x.a[k] * u + x.b[k] * v;
      w += y.a[k] * u + y.b[k] * v;
      const next = u * c - v * s;
      v = u * s + v * c;
      u = next;
    }
    out[0][i] = p;
    out[1][i] = q;
    out[2][i] = w;
  }
  return out;
}

/** The same three sums over all pairs, in units of e^r. */
export function directSums(theta, psi, r, from = 0, to = psi.length) {
  const n = theta.length;
  const c = theta.map(Math.cos);
  const s = theta.map(Math.sin);
  const out = [0, 1, 2].map(() => new Float64Array(to - from));
  for (let i = from; i < to; i++) {
    const a = r * Math.cos(psi[i]);
    const b = r * Math.sin(psi[i]);
    let p = 0, q = 0, w = 0;
    for (let j = 0; j < n; j++) {
      const e = Math.exp(a * c[j] + b * s[j] - r);
      p += e;
      q += e * c[j];
      w += e * s[j];
    }
    out[0][i - from] = p / n;
    out[1][i - from] = q / n;
    out[2][i - from] = w / n;
  }
  return out;
}

/**
 * For every number of waves 0 ... K, over the directions psi: the largest errors of z and
 * of the mean, against `exact`, the three sums; and the least z.
 */
export function errorsOf(series, psi, exact) {
  const [z, x, y] = series;
  const K = z.a.length - 1;
  const sum = new Float64Array(K + 1);
  const mean = new Float64Array(K + 1);
  const least = new Float64Array(K + 1).fill(Infinity);
  for (let i = 0; i < psi.length; i++) {
    const [c, s] = [Math.cos(psi[i]), Math.sin(psi[i])];
    const [p0, q0, w0] = exact.map((column) => column[i]);
    let u = 1, v = 0, p = 0, q = 0, w = 0;
    for (let k = 0; k <= K; k++) {
      p += z.a[k] * u + z.b[k] * v;
      q += x.a[k] * u + x.b[k] * v;
      w += y.a[k] * u + y.b[k] * v;
      sum[k] = Math.max(sum[k], Math.abs(p - p0));
      mean[k] = Math.max(mean[k], Math.hypot(q / p - q0 / p0, w / p - w0 / p0));
      least[k] = Math.min(least[k], p);
      [u, v] = [u * c - v * s, u * s + v * c];
    }
  }
  return { sum, mean, least };
}

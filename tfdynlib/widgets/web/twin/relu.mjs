// A bell on a line under x' = max(x, 0): everything in closed form.
//
// From N(m, 1): X_t = X_0 e^t where X_0 > 0, X_0 else.  The map is monotone, and so is the
// linear one to X_0 e^t: distances are those of the two maps.

/** The normal distribution function, to rounding. */
export function Phi(x) {
  const z = Math.abs(x) / Math.SQRT2;
  let tail; // erfc(z) / 2
  if (z < 2.2) {
    let [term, sum] = [z, z];
    for (let k = 1; k < 80; k += 1) {
      term *= (-z * z) / k;
      sum += term / (2 * k + 1);
    }
    tail = 0.5 - sum / Math.sqrt(Math.PI);
  } else {
    let part = 0;
    for (let k = 60; k >= 1; k -= 1) part = k / 2 / (z + part);
    tail = Math.exp(-z * z) / (z + part) / (2 * Math.sqrt(Math.PI));
  }
  return x > 0 ? 1 - tail : tail;
}

export const phi = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** Root of E[(y^-)^2] for y ~ N(m, 1): the gap of the two fields at the start. */
export const gap = (m) => Math.sqrt(Math.max(0, (m * m + 1) * Phi(-m) - m * phi(m)));

/** Density of X_t. */
export const density = (m, t) => (x) => (x > 0 ? phi(x * Math.exp(-t) - m) * Math.exp(-t) : phi(x - m));

/** What can be said of X_t. */
export function numbers(m, t) {
  const [up, down, f, e] = [Phi(m), Phi(-m), phi(m), Math.exp(t)];
  const mean = e * (m * up + f) - (f - m * down);
  const second = e * e * ((m * m + 1) * up + m * f) + ((m * m + 1) * down - m * f);
  const cubic = m * m * m + 3 * m;
  const third = e ** 3 * (cubic * up + (m * m + 2) * f) - (-cubic * down + (m * m + 2) * f);
  const variance = second - mean * mean;
  const deviation = Math.sqrt(variance);
  const skewness = (third - 3 * mean * variance - mean ** 3) / deviation ** 3;
  return {
    mean, variance, skewness: t === 0 ? 0 : skewness,
    distance: Math.expm1(t) * gap(m), // to the Gaussian of the linear field
    bound: t * e * gap(m),
    matched: t === 0 ? 0 : Math.sqrt(Math.max(0, 2 * deviation * (deviation - (e * up + down)))),
  };
}

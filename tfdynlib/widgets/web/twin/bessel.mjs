// Modified Bessel functions of whole order, as scipy.special.ive.

/**
 * e^{-r} I_k(r) for k = 0 ... K: the Fourier coefficients of e^{r (cos t - 1)}.
 *
 * Ratios I_{k+1} / I_k by the recurrence rho_k = r / (2 (k + 1) + r rho_{k+1}), which is
 * stable downwards; the whole is scaled so that I_0 + 2 sum I_k = e^r, its value at t = 0.
 */
export function scaledBessel(r, K) {
  const far = K + 20 + Math.ceil(12 * Math.sqrt(r + K));
  const ratio = new Float64Array(far + 1);
  let rho = 0;
  for (let k = far; k >= 1; k--) {
    rho = r / (2 * k + r * rho);
    ratio[k] = rho;
  }
  const out = new Float64Array(K + 1);
  let term = 1;
  let whole = 1;
  out[0] = 1;
  for (let k = 1; k <= far; k++) {
    term *= ratio[k];
    whole += 2 * term;
    if (k <= K) out[k] = term;
  }
  return out.map((value) => value / whole);
}

/**
 * Chernoff's bound of sum_{|k| > K} e^{-r} I_k(r): 2 exp(√(r² + K²) − r − K asinh(K / r)).
 *
 * e^{-r} I_k(r) is the law of the difference of two Poisson variables of mean r / 2.
 */
export const circleTail = (r, K) =>
  2 * Math.exp((K * K) / (Math.hypot(r, K) + r) - K * Math.asinh(K / r));

/** The smallest K whose bound is at most tol. */
export function leastWaves(r, tol) {
  let K = 1;
  while (circleTail(r, K) > tol) K += 1;
  return K;
}

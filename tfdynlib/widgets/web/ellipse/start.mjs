// The start of a cloud as the state has it: typed into cells, or dragged.

import { covOf } from "../kit/ellipses.mjs";

/** A covariance as typed: mirrored where one of two mirror cells was changed, not negative. */
export function proper(cov, before) {
  const off = cov[0][1] === cov[1][0] ? cov[0][1] : cov[0][1] === before[0][1] ? cov[1][0] : cov[0][1];
  const [a, d] = [Math.max(0, cov[0][0]), Math.max(0, cov[1][1])];
  const most = Math.sqrt(a * d);
  const b = Math.min(most, Math.max(-most, off));
  return [[a, b], [b, d]];
}

/** The values of the state an ellipse stands for: four decimals, all of them for a line. */
export function valuesOf(ellipse) {
  const [a, b, , d] = covOf(ellipse);
  const short = [a, b, d].map((v) => Number(v.toFixed(4)) + 0);
  const thick = short[0] * short[2] - short[1] ** 2 > 1e-9;
  const [p, q, r] = ellipse.short > 0 && thick ? short : [a, b, d];
  return { mean: ellipse.mean, cov: [[p, q], [q, r]] };
}

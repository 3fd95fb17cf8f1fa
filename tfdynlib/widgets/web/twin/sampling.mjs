// How far a sample of the uniform law of the circle is from that law.

/** Modified Bessel function I_0: its power series, in which all terms are positive. */
export function besselI0(z) {
  const quarter = (z * z) / 4;
  let term = 1;
  let sum = 1;
  for (let k = 1; term > 1e-17 * sum; k++) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

/** Angles of tokens, row-major, in order from -pi to pi. */
export function sortedAngles(x) {
  const angles = new Float64Array(x.length / 2);
  for (let i = 0; i < angles.length; i++) angles[i] = Math.atan2(x[2 * i + 1], x[2 * i]);
  return angles.sort();
}

/**
 * Where equal atoms go when they spread over the circle at least cost.
 *
 * Each gets an arc of length 2 pi / n, in the order of the angles; one turn of all arcs is
 * free, and the best one makes the mean walk zero. What is left is the variance of the
 * walks to the middles of the arcs, plus the variance of a uniform arc.
 *
 * @param sorted angles in order, within one turn; the first `n` are taken
 * @returns {{w2: number, turn: number}} geodesic W_2, and the middle of the first arc
 */
export function spreadOut(sorted, n = sorted.length) {
  const arc = (2 * Math.PI) / n;
  let turn = 0;
  for (let i = 0; i < n; i++) turn += (sorted[i] - i * arc) / n;
  let square = 0;
  for (let i = 0; i < n; i++) square += (sorted[i] - i * arc - turn) ** 2;
  return { w2: Math.sqrt(square / n + (arc * arc) / 12), turn };
}

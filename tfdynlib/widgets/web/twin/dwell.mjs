// How long two clusters wait: the quadrature of the gap, B = V = I on the circle.
//
// With masses p and q the gap closes at phi' = -sin(phi) (a_p + a_q), where
// a_p = q / (p e^{beta (1 - cos phi)} + q) is what the cluster of mass p attends to the
// other. In w = log tan(phi / 2): dt = -dw / (a_p + a_q), a smooth integrand, where
// 1 - cos phi = 1 + tanh w.

const STEP = [0.001, 0.005]; // between these, 0.05 / beta: the exponent changes by little

/** Time in which the gap closes from `gap` to `end`; Infinity from antipodal points. */
export function dwellTime(gap, beta, end, p = 0.5, q = 0.5) {
  if (!(gap > end)) return 0;
  if (gap >= Math.PI) return Infinity;
  const place = (phi) => Math.log(Math.tan(phi / 2));
  const slowness = (w) => {
    const e = Math.exp(beta * (1 + Math.tanh(w)));
    return 1 / (q / (p * e + q) + p / (q * e + p));
  };
  const [from, to] = [place(end), place(gap)];
  const step = Math.min(STEP[1], Math.max(STEP[0], 0.05 / beta));
  const count = 2 * Math.max(1, Math.ceil((to - from) / step));
  const h = (to - from) / count;
  let sum = slowness(from) + slowness(to);
  for (let k = 1; k < count; k++) sum += (k % 2 === 1 ? 4 : 2) * slowness(from + k * h);
  return (sum * h) / 3;
}

/** The closest neighbours among clusters on the circle: `{ gap, p, q, first, second }`. */
export function closestPair(list) {
  const round = [...list].sort((a, b) => a.angle - b.angle);
  const pairs = round.map((one, k) => {
    const next = round[(k + 1) % round.length];
    const turn = next.angle - one.angle;
    const gap = turn < 0 ? turn + 2 * Math.PI : turn;
    return { gap: Math.min(gap, 2 * Math.PI - gap), p: one.mass, q: next.mass, first: one, second: next };
  });
  if (pairs.length < 2) return null;
  return pairs.reduce((best, pair) => (pair.gap < best.gap ? pair : best));
}

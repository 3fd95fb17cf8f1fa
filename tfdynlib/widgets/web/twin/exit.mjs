// Leaving the limit: the poles of M = V B, the distance to them, the moment of exit.

const TINY = 1e-9;

/**
 * What the zero-temperature limit of one head on the circle is, if it has one.
 *
 * `symmetric`: M = V B is; `gap`: between its eigenvalues; `pole`: the angle of the top
 * eigenvector e_1; `stays`: e_1 is an eigenvector of V, with value v_1; `pull` = v_2 - v_1;
 * `slope`: the coefficient of ln beta in the time of exit, |B e_1| / (2 gap) + 1 / (2 pull),
 * or NaN where the mechanism does not speak.
 */
export function limitOf({ B, V }) {
  const M = [
    V[0] * B[0] + V[1] * B[2], V[0] * B[1] + V[1] * B[3],
    V[2] * B[0] + V[3] * B[2], V[2] * B[1] + V[3] * B[3],
  ];
  const size = Math.hypot(...M) || 1;
  const symmetric = Math.abs(M[1] - M[2]) <= TINY * size;
  const off = (M[1] + M[2]) / 2;
  const gap = Math.hypot(M[0] - M[3], 2 * off);
  const pole = Math.atan2(2 * off, M[0] - M[3]) / 2;
  const [c, s] = [Math.cos(pole), Math.sin(pole)];
  const v = V[0] * c * c + (V[1] + V[2]) * c * s + V[3] * s * s;
  const away = (V[2] * c + V[3] * s) * c - (V[0] * c + V[1] * s) * s;
  const stays = Math.abs(away) <= TINY * (Math.hypot(...V) || 1);
  const pull = V[0] + V[3] - 2 * v;
  const length = Math.hypot(B[0] * c + B[1] * s, B[2] * c + B[3] * s);
  const simple = symmetric && gap > TINY * size;
  const slope = simple && stays && pull > TINY ? length / (2 * gap) + 1 / (2 * pull) : NaN;
  return { M, symmetric, simple, gap, pole, stays, pull, length, slope };
}

/** How many angles lie on the side of the pole opposite to `pole`: conserved in the limit. */
export function behind(y, pole) {
  let count = 0;
  for (const a of y) if (Math.cos(a - pole) < 0) count += 1;
  return count;
}

/**
 * Chordal W_2 of equal atoms to the two poles, `back` of them to the far one: those
 * with the least <x, e_1>, since the cost is linear in it.
 */
export function polesDistance(y, pole, back) {
  const along = Float64Array.from(y, (a) => Math.cos(a - pole)).sort();
  let sum = 0;
  along.forEach((c, k) => { sum += 2 - 2 * (k < back ? -c : c); });
  return Math.sqrt(Math.max(0, sum) / y.length);
}

/**
 * First upward crossing of the threshold, linear between the times: `{ exit, near, at, least }`.
 *
 * `near` is when the distance first was below the threshold, `at` when it was least before
 * the exit; `exit` is Infinity if it never was below, or never came up again.
 */
export function exitTime(t, distance, count, threshold = 0.2) {
  let [near, best, exit] = [Infinity, 0, Infinity];
  for (let k = 0; k < count; k++) {
    if (near === Infinity && distance[k] < threshold) near = t[k];
    if (distance[k] < distance[best]) best = k;
    if (k === 0 || distance[k - 1] >= threshold || distance[k] < threshold) continue;
    exit = t[k - 1] + ((threshold - distance[k - 1]) / (distance[k] - distance[k - 1])) * (t[k] - t[k - 1]);
    break;
  }
  return { exit, near, at: t[best], least: distance[best] };
}

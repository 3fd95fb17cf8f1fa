// Uniform tokens on the circle and on the sphere, as tfdynlib.sphere.uniform draws them.
import { generator } from "./random.mjs";

/** n uniform tokens on S^1: angles 2 pi u, rows (cos, sin). */
export function uniformCircle(n, seed) {
  const rng = generator(seed);
  return onCircle(Array.from({ length: n }, () => 2 * Math.PI * rng.random()));
}

/** The tokens at the given angles, row-major. */
export function onCircle(angles) {
  const x = new Float64Array(2 * angles.length);
  angles.forEach((angle, i) => {
    x[2 * i] = Math.cos(angle);
    x[2 * i + 1] = Math.sin(angle);
  });
  return x;
}

/** Angles in (-pi, pi] of tokens on the circle. */
export function angles(x) {
  return Array.from({ length: x.length / 2 }, (_, i) => Math.atan2(x[2 * i + 1], x[2 * i]));
}

/** n uniform tokens on S^2: height 2u - 1 is uniform (Archimedes), longitude 2 pi u'. */
export function uniformSphere(n, seed) {
  const rng = generator(seed);
  const x = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const z = 2 * rng.random() - 1;
    const longitude = 2 * Math.PI * rng.random();
    const r = Math.sqrt(1 - z * z);
    x[3 * i] = r * Math.cos(longitude);
    x[3 * i + 1] = r * Math.sin(longitude);
    x[3 * i + 2] = z;
  }
  return x;
}

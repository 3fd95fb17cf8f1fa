// Steps and runs on the sphere, as tfdynlib.flow with method "rk4" and "euler".
//
// A field is `(t, x, out) => out`, tangent at unit rows x. Every stage is evaluated on the
// sphere: the retraction of the stage point. The step ends with the retraction.

/** Divide every row by its length, in place. */
export function retract(x, n, d) {
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let k = 0; k < d; k++) square += x[i * d + k] * x[i * d + k];
    const size = Math.sqrt(square);
    for (let k = 0; k < d; k++) x[i * d + k] /= size;
  }
  return x;
}

/** x + h v, into `out`. */
function along(x, h, v, out) {
  for (let k = 0; k < x.length; k++) out[k] = x[k] + h * v[k];
  return out;
}

/** One Euler step: R(x + h f(t, x)). With `sphere` false the step is not retracted. */
export function eulerStep(field, t, x, h, n, d, sphere = true) {
  const next = along(x, h, field(t, x, new Float64Array(x.length)), new Float64Array(x.length));
  return sphere ? retract(next, n, d) : next;
}

/** One classical fourth-order step, all four stages on the sphere. */
export function rk4Step(field, t, x, h, n, d) {
  const at = (s, v) => retract(along(x, s, v, new Float64Array(x.length)), n, d);
  const f = (s, y) => field(t + s, y, new Float64Array(x.length));
  const k1 = f(0, x);
  const k2 = f(h / 2, at(h / 2, k1));
  const k3 = f(h / 2, at(h / 2, k2));
  const k4 = f(h, at(h, k3));
  const next = new Float64Array(x.length);
  for (let k = 0; k < x.length; k++) {
    next[k] = x[k] + (h / 6) * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  return retract(next, n, d);
}

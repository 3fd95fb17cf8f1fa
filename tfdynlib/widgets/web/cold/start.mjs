// Where the tokens start, and their masses.

import { gauss } from "../twin/geodesic.mjs";
import { onCircle, uniformCircle, uniformSphere } from "../twin/points.mjs";

const TURN = 2 * Math.PI;
const TURNED = 0.1; // of a regular grid on the circle, so that no token sits on an axis

/** Equal spaces on the circle, turned; with a skew, drawn to one side of it. */
function circleGrid(n, skew) {
  const phi = Array.from({ length: n }, (_, k) => ((k + 0.5) * TURN) / n);
  return onCircle(phi.map((a) => a + (skew === 0 ? TURNED : skew * Math.sin(a - 1))));
}

/** h Gauss-Legendre heights along the first axis times h longitudes. */
function sphereGrid(n) {
  const h = Math.max(2, Math.round(Math.sqrt(n)));
  const { t, w } = gauss(h);
  const x = new Float64Array(3 * h * h);
  const mass = new Float64Array(h * h);
  for (let i = 0; i < h; i += 1)
    for (let j = 0; j < h; j += 1) {
      const [z, a] = [2 * t[i] - 1, (TURN * (j + 0.5)) / h];
      const r = Math.sqrt(1 - z * z);
      x.set([z, r * Math.cos(a), r * Math.sin(a)], 3 * (i * h + j));
      mass[i * h + j] = w[i] / h;
    }
  return { x, mass };
}

/**
 * Weighted nodes, dense at the equator and at the poles of the first axis, where cold
 * tokens may be late: heights z(v) of Gauss nodes v, with z' a multiple of v^4 (1 - v^2).
 */
function fine(n, d) {
  const longitudes = d === 2 ? 2 : Math.max(2, Math.round(Math.sqrt(n / 2)));
  const h = d === 2 ? Math.max(2, Math.round(n / 2)) : 2 * longitudes;
  const { t, w } = gauss(h);
  const [x, mass] = [new Float64Array(d * h * longitudes), new Float64Array(h * longitudes)];
  for (let i = 0; i < h; i += 1) {
    const v = 2 * t[i] - 1;
    const z = v ** 5 * (3.5 - 2.5 * v * v);
    for (let j = 0; j < longitudes; j += 1) {
      const k = i * longitudes + j;
      const a = (TURN * j) / longitudes;
      const theta = (Math.PI / 2) * (1 + z);
      const r = Math.sqrt(1 - z * z);
      x.set(d === 2 ? [Math.cos(theta), Math.sin(theta) * (j === 0 ? 1 : -1)] : [z, r * Math.cos(a), r * Math.sin(a)], d * k);
      mass[k] = w[i] * v ** 4 * (1 - v * v);
    }
  }
  return { x, mass };
}

function points({ start, n, seed, skew, angle }, d) {
  if (start === "pair") {
    const row = [Math.cos(angle), Math.sin(angle), 0].slice(0, d);
    return { x: Float64Array.from([...row, ...row.map((v) => -v)]) };
  }
  if (start === "fine") return fine(n, d);
  if (start === "draw") return { x: d === 2 ? uniformCircle(n, seed) : uniformSphere(n, seed) };
  return d === 2 ? { x: circleGrid(n, skew) } : sphereGrid(n);
}

/**
 * Tokens and masses of a state: without the band, `weighed` by 1 + c <x, e_1>.  A pair
 * has equal masses, and where fewer than two would be left all stay as they are.
 */
export function startOf(state, d) {
  const made = points(state, d);
  if (state.start === "pair") return { ...made, mass: Float64Array.of(0.5, 0.5), n: 2, weighed: false };
  const kept = [];
  for (let i = 0; i < made.x.length / d; i += 1)
    if (Math.abs(made.x[i * d]) >= state.band && 1 + state.density * made.x[i * d] > 0) kept.push(i);
  if (kept.length < 2) return startOf({ ...state, band: 0, density: 0 }, d);
  const x = Float64Array.from(kept.flatMap((i) => Array.from(made.x.subarray(i * d, (i + 1) * d))));
  const weight = kept.map((i) => (made.mass?.[i] ?? 1) * (1 + state.density * made.x[i * d]));
  const total = weight.reduce((sum, w) => sum + w, 0);
  const mass = Float64Array.from(weight, (w) => w / total);
  return { x, mass, n: kept.length, weighed: state.band > 0 || state.density !== 0 };
}

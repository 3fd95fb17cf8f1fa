// A Gaussian cloud under an attention layer, seen in several ways.

import { isMatrix, isSymmetric, isVector } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { cloudView } from "./ellipse/cloud.mjs";
import { flowView } from "./ellipse/flow.mjs";
import { mapView } from "./ellipse/map.mjs";
import { reluView } from "./ellipse/relu.mjs";
import { tiltView } from "./ellipse/tilt.mjs";

const VIEWS = { flow: flowView, tilt: tiltView, map: mapView, cloud: cloudView, relu: reluView };

const isPoint = (most) => (v) => isVector(v, 2, most);
const isSquare = (rows) => isMatrix(rows, 2);

/** Symmetric, without negative eigenvalues up to rounding. */
function isCovariance(rows) {
  if (!isSymmetric(rows, 2)) return false;
  const [[a, b], [, d]] = rows;
  const least = (a + d) / 2 - Math.hypot((a - d) / 2, b);
  return least >= -2e-13 * (Math.abs(a) + Math.abs(d));
}

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  A: { check: isSquare },
  B: { check: isSquare },
  V: { check: isSquare },
  b: { check: isPoint(100) },
  mean: { check: isPoint(10) },
  cov: { check: isCovariance },
  t_end: { min: 0.1, max: 40 },
  curve: { choices: ["eigenvalues", "precision"] },
  beside: { choices: ["nothing", "twin", "filter", "clipped"] },
  noise: { min: 0, max: 2 },
  query: { check: isPoint(10) },
  shown: { choices: ["law", "sample"] },
  n: { min: 10, max: 10000, int: true },
  seed: { min: 0, max: 9999, int: true },
  a: { min: -2, max: 2 },
  vk: { min: -2, max: 2 },
  s0: { min: 0.1, max: 2 },
  m: { min: -1, max: 4 },
  t: { min: 0, max: 60 },
};

export default views({ name: "ellipse", state: STATE, views: VIEWS });

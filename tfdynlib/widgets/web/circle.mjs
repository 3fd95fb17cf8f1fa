// Tokens on the circle, seen in seven ways.  weights -> flow -> trajectory -> figure.

import { isHeads, isMatrix, isVector } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { cloudsView } from "./circle/clouds.mjs";
import { densityView } from "./circle/density.mjs";
import { layersView } from "./circle/layers.mjs";
import { raysView } from "./circle/rays.mjs";
import { sampleView } from "./circle/sample.mjs";
import { splitView } from "./circle/split.mjs";
import { tokensView } from "./circle/tokens.mjs";

const VIEWS = {
  tokens: tokensView, rays: raysView, clouds: cloudsView, layers: layersView, sample: sampleView,
  density: densityView, split: splitView,
};

const isCloud = (list) =>
  Array.isArray(list) && list.length >= 1 && list.length <= 256 && isVector(list, list.length);
const areHeads = (list) => isHeads(list, (rows) => isMatrix(rows, 2));

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  n: { min: 2, max: 256, int: true },
  beta: { min: 0.01, max: 100 },
  B: { check: areHeads },
  V: { check: areHeads },
  start: { choices: ["uniform", "gap", "angles"] },
  seed: { min: 0, max: 2 ** 31 - 1, int: true },
  gap: { min: 0, max: Math.PI },
  angles: { check: isCloud },
  targets: { check: isCloud },
  turned: { min: -Math.PI, max: Math.PI },
  pair: { choices: ["best", "labels"] },
  shift: { min: -128, max: 128, int: true },
  query: { min: 0, max: 255, int: true },
  curve: { choices: ["perplexity", "weights", "score"] },
  time: { choices: ["linear", "log"] },
  t_end: { min: 0.1, max: 1e5 },
  layers: { min: 1, max: 96, int: true },
  normalise: { choices: [true, false] },
  shown: { choices: ["energy", "distance"] },
  noise: { min: 1e-6, max: 1 },
  planted: { min: 0, max: 12, int: true },
  parts: { min: 1, max: 8, int: true },
  t: { min: 0, max: 1e5 },
};

export default views({ name: "circle", state: STATE, views: VIEWS });

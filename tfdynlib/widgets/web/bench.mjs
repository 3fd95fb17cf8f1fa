// How fast and how exact: fast sums against all pairs, tolerances and steps against the truth.

import { poleView } from "./bench/pole.mjs";
import { raceView } from "./bench/race.mjs";
import { softmaxView } from "./bench/softmax.mjs";
import { toleranceView } from "./bench/tolerance.mjs";
import { views } from "./kit/views.mjs";

const VIEWS = { race: raceView, tolerance: toleranceView, pole: poleView, softmax: softmaxView };

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  n: { min: 2, max: 4096, int: true },
  beta: { min: 0.5, max: 256 },
  seed: { min: 0, max: 9999, int: true },
  arc: { min: 0.1, max: 6.2832 },
  sign: { choices: [1, -1] },
  K: { min: 0, max: 400, int: true },
  curve: { choices: ["sum", "mean"] },
  start: { choices: ["uniform", "grid"] },
  noise: { min: 1e-9, max: 1 },
  shows: { choices: ["clusters", "distance"] },
  dt: { min: 0.01, max: 0.05 },
  look: { min: -3.1416, max: 3.1416 },
  precision: { choices: ["single", "double"] },
  cold: { min: 0.1, max: 2000 },
  t_end: { min: 5, max: 3000 },
  t: { min: 0, max: 1e5 },
};

export default views({ name: "bench", state: STATE, views: VIEWS });

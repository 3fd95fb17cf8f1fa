// Clusters over log time, the exit from the poles, and the stored study of it.

import { isMatrix } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { clustersView } from "./stairs/clusters.mjs";
import { exitView } from "./stairs/exit.mjs";
import { studyView } from "./stairs/study.mjs";

const VIEWS = { clusters: clustersView, exit: exitView, study: studyView };

const isSquare = (rows) => isMatrix(rows, 2);

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  n: { min: 2, max: 256, int: true },
  beta: { min: 0.1, max: 1000 },
  B: { check: isSquare },
  V: { check: isSquare },
  start: { choices: ["uniform", "gap", "grid"] },
  seed: { min: 0, max: 2 ** 31 - 1, int: true },
  gap: { min: 0, max: Math.PI },
  skew: { min: -0.95, max: 0.95 },
  turn: { min: -Math.PI, max: Math.PI },
  radius: { min: 0.001, max: 1 },
  rtol: { min: 1e-13, max: 0.05 },
  t_end: { min: 1, max: 1e9 },
  t: { min: 0, max: 1e9 },
};

export default views({ name: "stairs", state: STATE, views: VIEWS });

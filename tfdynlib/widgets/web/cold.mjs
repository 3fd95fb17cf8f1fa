// Attention at low temperature: a flow, one query, and its cousin without a sphere.

import { isMatrix } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { consensusView } from "./cold/consensus.mjs";
import { flowView } from "./cold/flow.mjs";
import { queryView } from "./cold/query.mjs";

const VIEWS = { flow: flowView, query: queryView, consensus: consensusView };

const isSquare = (rows) => isMatrix(rows, 2) || isMatrix(rows, 3);

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  B: { check: isSquare },
  V: { check: isSquare },
  beta: { min: 0.1, max: 1e6 },
  rule: { choices: ["softmax", "zero_temperature", "hardmax"] },
  n: { min: 2, max: 1000, int: true },
  start: { choices: ["grid", "fine", "draw", "pair"] },
  seed: { min: 0, max: 9999, int: true },
  skew: { min: -0.9, max: 0.9 },
  density: { min: -1, max: 1 },
  band: { min: 0, max: 0.5 },
  angle: { min: 0, max: 3.1415 },
  t_end: { min: 1, max: 60 },
  time: { choices: ["linear", "log"] },
  scale: { choices: ["log", "linear"] },
  curve: { choices: ["distance", "alignment", "angle"] },
  sides: { choices: ["alike", "marked"] },
  bound: { choices: ["fitted", "given"] },
  C: { min: 0.01, max: 100 },
  C1: { min: 0.01, max: 10 },
  c: { min: 0.01, max: 10 },
  kappa: { min: 0.1, max: 1e5 },
  dim: { min: 2, max: 4096, int: true },
  objective: { choices: ["quadratic", "double_well"] },
  alpha: { min: 0.1, max: 1e4 },
  m0: { min: -2, max: 2 },
  spread: { min: 0.05, max: 4 },
  kernel: { min: 0, max: 3 },
  t: { min: 0, max: 1e6 },
  turn: { min: -180, max: 180 },
  tilt: { min: -90, max: 90 },
};

export default views({ name: "cold", state: STATE, views: VIEWS });

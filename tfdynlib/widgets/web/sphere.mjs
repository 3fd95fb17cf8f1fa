// Tokens on the sphere, alone or beside a twin cloud that is a little different.

import { isHeads, isMatrix } from "./kit/valid.mjs";
import { views } from "./kit/views.mjs";
import { tokensView } from "./sphere/tokens.mjs";
import { twinsView } from "./sphere/twins.mjs";

const VIEWS = { tokens: tokensView, twins: twinsView };

const areHeads = (list) => isHeads(list, (rows) => isMatrix(rows, 3));

const STATE = {
  view: { choices: Object.keys(VIEWS) },
  n: { min: 2, max: 512, int: true },
  beta: { min: 0.1, max: 50 },
  seed: { min: 0, max: 9999, int: true },
  start: { choices: ["uniform", "cap"] },
  rule: { choices: ["softmax", "unnormalised", "hardmax"] },
  B: { check: areHeads },
  V: { check: areHeads },
  change: { choices: ["prompt", "weights", "sign"] },
  size: { min: 1e-5, max: 1 },
  bits: { min: 2, max: 16, int: true },
  t_end: { min: 5, max: 200, int: true },
  t: { min: 0, max: 200 },
  turn: { min: -180, max: 180 },
  tilt: { min: -90, max: 90 },
};

export default views({ name: "sphere", state: STATE, views: VIEWS });

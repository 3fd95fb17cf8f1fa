// The lines of Python that give the numbers on the screen.

import { lines, literal } from "../kit/python.mjs";
import { mergeRadius } from "../twin/stairs.mjs";

const heads = ({ B, V, beta }) => `heads = weights.Heads(B=${literal(B)}, V=${literal(V)}, beta=${beta})`;

function start({ start: kind, n, seed, gap, skew, turn }) {
  if (kind === "uniform") return [`x0 = sphere.uniform(${n}, 2, np.random.default_rng(${seed}))`];
  const theta = kind === "gap"
    ? [`theta = np.array([-1, 1]) * ${gap} / 2`]
    : [`phi = (np.arange(${n}) + 0.5) * 2 * np.pi / ${n}`, `theta = phi + ${skew} * np.sin(phi - 1) + ${turn}`];
  return [...theta, "x0 = np.column_stack([np.cos(theta), np.sin(theta)])"];
}

const options = ({ rtol }) => `rtol=${rtol}, merge=${Number(mergeRadius(rtol).toPrecision(12))}`;

/** View "clusters": how many there are at the moment shown, the energy, the last mergers. */
export function clustersPython(state, { t }) {
  return lines(
    ["import numpy as np", "from tfdynlib import attention, energy, flow, metastability, sphere, weights", ""],
    heads(state),
    start(state),
    `t = np.union1d(np.geomspace(0.01, ${state.t_end}, 400), [0, ${t}])`,
    `run = flow.solve(attention.field(heads), x0, t, ${options(state)})`,
    `x = run.x[np.searchsorted(t, ${t})]`,
    `labels = metastability.clusters(x, radius=${state.radius})`,
    "print(labels.max() + 1)",
    "E = energy.interaction(x, heads)",
    `tree = metastability.merging_tree(run, ${state.radius})  # mergers: tree.t, to the step of t`,
  );
}

/** View "exit": the distance at the moment shown, and when it passes the threshold again. */
export function exitPython(state, { t, simple }) {
  const measure = [
    "limit, start = metastability.Limit.of(heads), measure.Measure(x[0])",
    "distance = [metastability.distance_to_limit(measure.Measure(y), limit, start) for y in x]",
    `print(distance[np.searchsorted(t, ${t})], metastability.exit_time(t, distance))`,
  ];
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, measure, metastability, sphere, weights", ""],
    heads(state),
    start(state),
    `t = np.union1d(np.arange(0, ${state.t_end} + 0.01, 0.05), [${t}])`,
    `x = flow.solve(attention.field(heads), x0, t, ${options(state)}).x`,
    simple ? measure : `print(x[np.searchsorted(t, ${t})])`,
  );
}

/** View "study": the stored distance at the moment shown, and the stored exit. */
export const studyPython = ({ beta, n, skew }, { t }) =>
  lines([
    "from tfdynlib import sweep",
    "",
    'study = sweep.published("exit").squeeze("seed")',
    `run = study.sel(beta=${beta}, n=${n}, skew=${skew})`,
    `print(float(run.distance.interp(t=${t})), float(run.exit))`,
  ]);

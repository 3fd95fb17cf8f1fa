// The lines of Python that give the numbers on the screen.

import { lines, literal } from "../kit/python.mjs";

/** `weights.Heads(…)`: one matrix without the outer brackets, several as a list. */
function heads({ B, V, beta }) {
  const stack = (list) => literal(list.length === 1 ? list[0] : list);
  return `heads = weights.Heads(B=${stack(B)}, V=${stack(V)}, beta=${beta})`;
}

const CIRCLE = (name) => `np.column_stack([np.cos(${name}), np.sin(${name})])`;

/** The line (or two) that makes the start x0. */
function start({ start: kind, n, seed, gap, angles }) {
  if (kind === "uniform") return [`x0 = sphere.uniform(${n}, 2, np.random.default_rng(${seed}))`];
  const list = kind === "gap" ? `np.array([-1, 1]) * ${gap} / 2` : `np.array(${literal(angles)})`;
  return [`theta = ${list}`, `x0 = ${CIRCLE("theta")}`];
}

/** View "tokens": the tokens at the moment shown; `steps` rk4 steps from the start. */
export function tokensPython(state, { t, steps, gap }) {
  const log = state.time === "log";
  const rooms = "attention, energy, flow, metastability, sphere, weights";
  const solve =
    t === 0
      ? ["x = x0"]
      : log
        ? [`trajectory = flow.solve(attention.field(heads), x0, [0, ${t}])`, "x = trajectory.x[-1]"]
        : [
            `t = np.linspace(0, ${t}, ${steps + 1})`,
            'x = flow.solve(attention.field(heads), x0, t, method="rk4").x[-1]',
          ];
  const third = gap ? "sphere.distance(x[0], x[1])" : "np.bincount(labels).max()";
  return lines(
    ["import numpy as np", `from tfdynlib import ${rooms}`, ""],
    heads(state),
    start(state),
    solve,
    "labels = metastability.clusters(x, radius=0.1)",
    `print(labels.max() + 1, ${third}, energy.interaction(x, heads))`,
  );
}

/** View "rays": weights of the chosen token, perplexity, projected pull. */
export function raysPython(state, query) {
  return lines(
    ["import numpy as np", "from tfdynlib import attention, sphere, weights", ""],
    heads(state),
    start(state),
    `a = attention.attend(x0, heads).mean(axis=0)[${query}]  # what token ${query} sees`,
    "perplexity = np.exp(-np.sum(a * np.log(a, out=np.zeros_like(a), where=a > 0)))",
    `pull = np.linalg.norm(attention.velocity(x0, heads)[${query}])`,
    `print(a[${query}], perplexity, pull)`,
  );
}

/** View "clouds": both distances. */
export function cloudsPython({ angles, targets, turned }) {
  return lines(
    ["import numpy as np", "from tfdynlib import measure", ""],
    `a = np.array(${literal(angles)})`,
    `b = np.array(${literal(targets)})${turned === 0 ? "" : ` + ${turned}`}`,
    `mu = measure.Measure(${CIRCLE("a")})`,
    `nu = measure.Measure(${CIRCLE("b")})`,
    'print(measure.wasserstein2(mu, nu, ground="geodesic"))',
    'print(measure.wasserstein2(mu, nu, ground="chordal"))',
  );
}

/** View "layers": L Euler steps beside the flow, the largest distance at the end. */
export function layersPython(state) {
  const { layers, t_end, normalise } = state;
  const distance = normalise ? "sphere.distance(end, exact)" : "np.linalg.norm(end - exact, axis=1)";
  return lines(
    ["import numpy as np", "from tfdynlib import attention, flow, sphere, weights", ""],
    heads(state),
    start(state),
    "field = attention.field(heads)",
    normalise ? [] : 'layer = attention.field(heads, space="euclidean")',
    `t = np.linspace(0, ${t_end}, ${layers + 1})`,
    `end = flow.solve(${normalise ? "field" : "layer"}, x0, t, method="euler").x[-1]`,
    `exact = flow.solve(field, x0, [0, ${t_end}], rtol=1e-12, atol=1e-14).x[-1]`,
    `error = ${distance}.max()`,
    normalise ? `print(error, ${layers} * error)` : "print(error, np.linalg.norm(end, axis=1).max())",
  );
}

/** View "sample": energy and W2 of one draw, then what the chart shows of all draws. */
export function samplePython({ n, beta, seed: first, shown }, seed, draws) {
  const all = `for seed in range(${first}, ${first + draws})]`;
  const ofAll = {
    energy: [`E = [energy.interaction(draw(seed), heads) ${all}`, "print(np.mean(E), np.std(E))"],
    distance: [`W = [distance(draw(seed)) ${all}`, "print(np.sqrt(np.mean(np.square(W))))"],
  };
  return lines(
    ["import numpy as np", "from tfdynlib import energy, sphere, weights", ""],
    `heads = weights.Heads(B=np.eye(2), V=np.eye(2), beta=${beta})`,
    `draw = lambda seed: sphere.uniform(${n}, 2, np.random.default_rng(seed))`,
    ["", "def distance(x):  # W2 to the uniform law, along the circle"],
    `    gap = np.sort(np.arctan2(x[:, 1], x[:, 0])) - 2 * np.pi * np.arange(${n}) / ${n}`,
    `    return np.sqrt(gap.var() + (np.pi / ${n}) ** 2 / 3)`,
    `x = draw(${seed})`,
    "print(energy.interaction(x, heads), distance(x))",
    ofAll[shown],
  );
}

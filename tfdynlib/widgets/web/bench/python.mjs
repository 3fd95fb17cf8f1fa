// The lines of Python that give the numbers on the screen.

import { CHECKED } from "./race_run.mjs";

const lines = (...parts) => parts.flat().join("\n");

/** View "race": the error that the chart shows, its bound and the certificate. */
export function racePython({ n, seed, arc, beta, sign, K, curve }) {
  const B = sign > 0 ? "np.eye(2)" : "-np.eye(2)";
  return lines(
    "import numpy as np",
    "from scipy.special import ive",
    "from tfdynlib import attention",
    "from tfdynlib.weights import Heads",
    "",
    `n, beta, K = ${n}, ${beta}, ${K}`,
    `theta = ${arc} * np.random.default_rng(${seed}).random(n)`,
    `psi = theta[:${CHECKED}]${sign > 0 ? "" : " + np.pi"}  # where the tokens look`,
    "x = np.column_stack([np.cos(theta), np.sin(theta)])",
    `heads = Heads(${B}, np.eye(2), beta)`,
    "k = np.arange(-K, K + 1)[:, None]",
    "wave = ive(k, beta) * np.exp(1j * k * psi)",
    "c = np.exp(-1j * k * theta).mean(axis=1)  # of the tokens",
    "z = (c @ wave).real",
    "tail = 2 * np.exp(np.hypot(beta, K) - beta - K * np.arcsinh(K / beta))",
    "rounding = 64 * np.finfo(float).eps",
    "known = z.min() > tail + rounding",
    "certificate = 2 * (tail + rounding) / z.min() if known else np.inf",
    ...ERRORS[curve],
    "print(error, tail, certificate)",
  );
}

// Nothing is said below rounding, nor of means over tokens that nobody hears.
const ERRORS = {
  sum: [
    `exact = np.exp(attention.log_partition(x, heads)[0, :${CHECKED}] - beta)`,
    "error = max(abs(z - exact).max(), rounding)",
  ],
  mean: [
    `mean = attention.attend(x, heads)[0, :${CHECKED}] @ np.exp(1j * theta)`,
    "d = np.exp(-1j * (k - 1) * theta).mean(axis=1)  # of their positions",
    "error = max(abs(d @ wave / z - mean).max(), 2 * rounding / z.min()) if known else np.inf",
  ],
};

/** View "tolerance": how many clusters each tolerance counts at the moment shown. */
export function tolerancePython({ start, n, seed, arc, noise, beta, t }) {
  const draw = `np.random.default_rng(${seed}).random(n)`;
  const theta = start === "grid" ? `2 * np.pi * np.arange(n) / n + ${noise} * ${draw}` : `${arc} * ${draw}`;
  return lines(
    "import numpy as np",
    "from tfdynlib import attention, flow, metastability",
    "from tfdynlib.weights import Heads",
    "",
    `n = ${n}`,
    `theta = ${theta}`,
    "x0 = np.column_stack([np.cos(theta), np.sin(theta)])",
    `field = attention.field(Heads(np.eye(2), np.eye(2), beta=${beta}))`,
    "for tol in (1e-3, 1e-6, 1e-9):",
    t > 0
      ? `    run = flow.solve(field, x0, [0, ${t}], rtol=tol, atol=tol)`
      : "    run = flow.solve(field, x0, [0, 1], rtol=tol, atol=tol)",
    `    labels = metastability.clusters(run.x[${t > 0 ? -1 : 0}], radius=0.1)`,
    "    print(tol, labels.max() + 1)",
  );
}

/** View "pole": what Euler's method has at the moment shown, with each step. */
export function polePython({ dt, parts, t }) {
  return lines(
    "import numpy as np",
    "from tfdynlib import flow, gaussian",
    "",
    "layer = gaussian.Layer([[0.0]], [[1.0]], [[1.0]])",
    "print(gaussian.blow_up_time(layer, [[1.0]]))",
    `for step in (${parts.map((part) => (part === 1 ? dt : `${dt} / ${part}`)).join(", ")}):`,
    `    k = int(${t} / step + 1e-6)  # steps taken`,
    "    times = step * np.arange(k + 2)",
    '    run = flow.solve(lambda t, s: 2 * s**2, np.ones((1, 1)), times, "euler", space="euclidean")',
    "    print(run.x[k, 0, 0])",
  );
}

/** View "softmax": the naive weights, then those of the package. */
export function softmaxPython({ look, cold, precision }) {
  return lines(
    "import numpy as np",
    "from tfdynlib import attention",
    "from tfdynlib.weights import Heads",
    "",
    `beta, real = ${cold}, np.float${precision === "single" ? 32 : 64}`,
    "theta = np.deg2rad([65, 90, 105])",
    "x = np.stack([np.cos(theta), np.sin(theta)], axis=1)",
    `p = np.array([[np.cos(${look}), np.sin(${look})]])`,
    "score = (x.astype(real) * p.astype(real)).sum(axis=1)",
    "best = score.argmax()  # the token that is heard most",
    'with np.errstate(over="ignore", invalid="ignore"):',
    "    e = np.exp(real(beta) * score)",
    "    print((e / e.sum())[best])",
    "print(attention.attend(x, Heads(np.eye(2), np.eye(2), beta), at=p)[0, 0, best])",
  );
}

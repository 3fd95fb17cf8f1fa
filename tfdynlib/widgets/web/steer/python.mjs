// The lines of Python that give the figure's numbers.

const law = (name, mean, cov) => {
  const matrix = cov.map((row) => `[${row.join(", ")}]`).join(", ");
  return `${name} = gaussian.Gaussian([${mean.join(", ")}], [${matrix}])`;
};

/** Weight cost, kinetic cost and the least; or why there is no way. */
export function python(run, t) {
  const { start_mean, start_cov, target_mean, target_cov, T, method } = run.state;
  const tried = `control.steer(start, target, ${T}, "${method}")`;
  const refusal = run.refused === "rank"
    ? ["print(control.reachable(start, target).reason)"]
    : ["try:", `    ${tried}`, "except ValueError as refusal:", "    print(refusal)"];
  const way = run.refused
    ? refusal
    : [
        `path = ${tried}`,
        "print(control.weight_cost(path), control.kinetic_cost(path, start))",
      ];
  return [
    "from tfdynlib import control, gaussian",
    "",
    law("start", start_mean, start_cov),
    law("target", target_mean, target_cov),
    ...way,
    ...(run.refused
      ? ["print(gaussian.distance(start, target))"]
      : [
          `print(gaussian.distance(start, target) ** 2 / ${T})`,
          `layer = path(${t})  # its A, B, V and b`,
          "print(bool(control.verify(path, start, target)))",
        ]),
    "",
  ].join("\n");
}

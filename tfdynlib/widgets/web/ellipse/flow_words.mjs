// View "flow": readouts, verdict, lamps, and the sentence that is heard.

import { lampState } from "../kit/lamps.mjs";
import * as m2 from "../twin/matrix2.mjs";
import { eigenvalues } from "../twin/linalg.mjs";
import { distance, scalarOf } from "../twin/gaussian.mjs";
import { digits, heard, pair, short } from "./words.mjs";

/** The three readouts: text and tone. */
export function readoutsOf(run, t) {
  const { values } = run.at(t);
  const left = run.blowUp - t;
  const never = run.fate.theorem ? "never" : "not seen";
  return [
    [short(values[0])],
    [short(values[1])],
    Number.isFinite(left) ? [digits(left, 4), "stop"] : [never],
  ];
}

const KINDS = {
  "blow-up": "Blows up",
  rests: "Covariance rests",
  settles: "Covariance settles",
  decays: "Covariance shrinks to nothing",
  bounded: "Covariance stays bounded",
  grows: "Covariance grows without bound",
  undecided: "Undecided",
};

function besideWords(run, t) {
  if (run.state.beside === "filter" && !run.beside) return "The filter is drawn for *V* = *v*I alone.";
  if (!run.beside) return "";
  const other = run.beside.at(Math.min(t, run.beside.last));
  if (run.state.beside === "twin") return `The twin’s mean: ${pair(other.mean)}.`;
  if (run.state.beside === "clipped") return `Clipped, *λ*_2 is ${short(m2.eigSym(other.cov).values[1])}.`;
  const apart = distance({ mean: [0, 0], cov: other.cov }, { mean: [0, 0], cov: run.at(t).cov });
  const { values } = m2.eigSym(other.cov);
  return `The filter has ${short(values[0])}, ${short(values[1])}; *W*_2 between them ${short(apart < 1e-6 ? 0 : apart)}.`;
}

/** The direction of a blow-up; no run gets near enough to its limit for more where V turns. */
const degrees = (run) => ((run.flow.direction * 180) / Math.PI).toFixed(scalarOf(run.layer.V) === null ? 0 : 2)
  .replace(/^-(0(\.0+)?)$/u, "$1").replace("-", "−");

/** Title, detail and tone. */
export function verdictOf(run, t) {
  const { kind, theorem, rate, bounds, exact } = run.fate;
  const beside = besideWords(run, t);
  if (Number.isFinite(run.blowUp)) {
    const angle = run.flow.direction === null ? "" : degrees(run);
    const where = angle && ` along ${angle}°`;
    const within = bounds ? ` The theorem: from ${digits(bounds[0], 4)} to ${digits(bounds[1], 5)}.` : "";
    return [
      `Blows up at *t*^∗ = ${digits(run.blowUp, 7)}`,
      beside || `An eigenvalue becomes infinite${where}; no flow past the wall.${within}`,
      "stop",
    ];
  }
  const speed = rate > 0 ? `, at rate ${digits(rate, 3)}` : rate === 0 ? ", like 1/*t*" : "";
  const rests = kind === "settles" && run.limit && !run.limit.mean ? " The mean runs away." : "";
  const found = exact
    ? kind === "settles" ? `Limit from the theorem, dashed${speed}.` : kind === "rests" ? "It solves *JΣ* + *ΣJ*^⊤ = 0." : `By the theorem${speed}.`
    : run.limit ? "Dashed: where the run comes to rest." : theorem ? "The theorem gives no limit." : "No theorem here decides; the run alone is shown.";
  return [KINDS[kind], beside || `${found}${rests}`, theorem ? "theory" : "ink"];
}

export const LAMPS = [
  "a theorem decides",
  "*V* = *v* I",
  "*V* and *B* have opposite signs",
  "*A* is expansive",
  "the start has full rank",
  "the mean comes to rest",
];

/** Whether -v (B + B^T) is positive definite; null if V is no multiple of I. */
function opposite({ B, V }) {
  const sum = m2.add(B, m2.transpose(B));
  const signs = (M) => m2.eigSym(m2.sym(M)).values.map(Math.sign);
  const [v, b] = [signs(V), signs(sum)];
  if (scalarOf(V) === null && m2.eigSym(m2.sym(V)).values[0] * m2.eigSym(m2.sym(V)).values[1] <= 0) return null;
  return v.every((s) => s !== 0 && s === v[0]) && b.every((s) => s === -v[0]);
}

/** State and detail of each lamp. */
export function lampsOf(run, t) {
  const { kind, theorem, margin } = run.fate;
  const { layer } = run;
  const v = scalarOf(layer.V);
  const slow = Math.min(...eigenvalues(layer.A).map(({ re }) => re));
  const by = Number.isFinite(margin) ? `, margin ${digits(margin, 3)}` : "";
  const rest = run.limit ? Boolean(run.limit.mean) : null;
  return [
    [lampState(Boolean(theorem)), theorem ? `${kind}: ${theorem}${by}` : "undecided: the run alone is shown"],
    [lampState(v !== null), v === null ? "the precision is not linear" : `*v* = ${digits(v, 3)}`],
    [lampState(opposite(layer)), "this alone keeps the covariance bounded"],
    [lampState(slow > 1e-12), slow > 1e-12 ? "needed for a limit of full rank" : "then no limit of full rank is promised"],
    [lampState(run.rank === 2), `rank ${run.rank}: it never changes in finite time`],
    [lampState(rest), `now at ${pair(run.at(t).mean)}${rest === null ? "" : rest ? "; drag the target" : "; *J* + *V* is not stable"}`],
  ];
}

/** Pattern: when, where, the number the page is about, verdict. */
export function sentence(run, t) {
  const { mean, values } = run.at(t);
  const [title] = verdictOf(run, t);
  const said = title.replace("*t*^∗ = ", "");
  const size = values.map((x) => short(Math.sqrt(x))).join(" and ");
  return heard(
    `Layer-time ${digits(t, 3)}. Mean ${mean.map((m) => short(m)).join(", ")}. Standard deviations ${size}. ${said}.`,
  );
}

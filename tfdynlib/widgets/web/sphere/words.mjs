// What the sphere figure says: numbers, levels, verdict, and the sentence that is heard.

import { minus } from "../kit/dom.mjs";
import { threeDigits, tickText } from "../kit/scale.mjs";

/** An energy from what a run stores: itself, or its log10 where the run is steep. */
export function energyText(value, steep) {
  if (!steep) return threeDigits(value);
  const power = Math.floor(value);
  return `${(10 ** (value - power)).toFixed(2)}·10^{${minus(power)}}`;
}

/** Levels E_max / k of k equal clusters: true for B = V = I and cold enough attention. */
export function levelsOf(found, beta, rule) {
  if (!found.identity || rule === "hardmax") return [];
  const top = Math.exp(beta) / (2 * beta);
  const one = { y: top, label: "1 cluster" };
  if (beta < 4) return [one];
  const names = ["2 equal clusters", "3", ""];
  return [one, ...names.map((label, k) => ({ y: top / (k + 2), label }))];
}

/** What to make of the moment: how many clusters, and how fast they still move. */
export function verdictOf({ dt, rule, found: known }, found, speed) {
  if (dt === null)
    return [
      "Too fast to follow",
      rule === "unnormalised"
        ? "Unnormalised attention moves like *e*^β: lower *β*, or choose softmax."
        : "Lower *β* or the entries of *B* and *V*.",
      "stop",
    ];
  if (speed === null) return ["", "", "ink"];
  const { n } = found;
  if (speed < 1e-9) {
    if (known.still) return ["At rest", "*V* = 0 passes nothing on.", "ink"];
    const alone = rule === "hardmax" && found.count > 1;
    const why = alone ? "Each token sees only its best match." : "No token moves any more.";
    return ["At rest", why, "ink"];
  }
  const pace = `The fastest token moves at ${tickText(Number(speed.toPrecision(2)))}.`;
  if (found.count === 1 && !found.wide) return ["One cluster, closing in", pace, "ink"];
  if (speed > 0.05) return ["On the move", pace, "ink"];
  if (found.wide || found.count > Math.max(2, n / 2)) return ["Spread out, and slow", pace, "ink"];
  return [`${found.count} clusters, waiting`, pace, "ink"];
}

/** Pattern: when, how many and where, the number the page is about. */
export function sentence({ t, n, found, energy, steep }) {
  const where =
    found.count === 1
      ? `in one ${found.wide ? "wide chain of neighbours" : "cluster"}`
      : `in ${found.count} clusters, the largest holds ${Math.max(...found.sizes)}`;
  const heard = energyText(energy, steep).replace(/·?10\^\{(.*)\}/u, " times 10 to the $1");
  return `Layer-time ${t.toFixed(1)}. ${n} tokens ${where}. Energy ${heard}.`;
}

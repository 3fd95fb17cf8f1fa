// Moments of the view "study" as words.

import { number } from "../kit/dom.mjs";
import { digits, shown } from "./exit_words.mjs";
import { THRESHOLD } from "./exit_run.mjs";
import { slopesOf } from "./study_run.mjs";

const ALIKE = 1e-4; // distances: five digits are stored
const LATE = 0.01; // exits with twice the tokens
const NEAR = 0.03; // a slope, as a part of its limit

export const LAMPS = [
  "this run is the stored one",
  "twice the tokens leave at the same time",
  `the cloud has been nearer than ${THRESHOLD}`,
  "the slope has come to its limit",
];

export function readoutsOf(now, m) {
  if (!now.limit.simple) return ["–", "–", "–"];
  return [digits(m.distance), m.stored === null ? "–" : digits(m.stored), now.own ? shown(now.own.exit) : "…"];
}

/** The verdict's second line: what the table says. */
function tableWords({ rows, row, limit }) {
  if (rows.length === 0) return "The table holds no run of this head and start.";
  if (!row) return "This *β* is between the rows of the table.";
  const slopes = slopesOf(rows).map(digits).join(", ");
  const law = Number.isNaN(limit.slope) ? "" : `, and ${number(limit.slope, 4)} in the limit`;
  const stored = row.exit === null ? "Stored: no exit" : `Stored: ${digits(row.exit)}`;
  return `${stored}. Slopes in ln *β*, row by row: ${slopes}${law}.`;
}

export function verdictOf(now, m) {
  if (!now.limit.simple) return ["No poles to leave", "*VB* has no simple top eigenvector here, or is not symmetric."];
  if (!now.own) return ["On the way", `Integrated to layer-time ${number(now.run.filled, 4)}.`];
  const { exit, near } = now.own;
  const head = near === Infinity ? `Never nearer than ${THRESHOLD}: no exit`
    : m.t < near ? "Gathering at the poles"
      : m.t < exit ? `Waiting, ${exit === Infinity ? "beyond the end" : `until ${digits(exit)}`}`
        : `Left the poles at ${digits(exit)}`;
  return [head, tableWords(now)];
}

export function lampsOf(now) {
  const { row, rows, gap, own, limit } = now;
  const last = slopesOf(rows).at(-1);
  const off = row?.exit && row?.twice ? Math.abs(row.exit - row.twice) : null;
  return [
    gap === null ? ["unasked", row ? "" : "it is not in the table"]
      : [gap < ALIKE ? "holds" : "fails", `*W*_2 differs by ${number(gap, 1)} at most`],
    off === null ? ["unasked", row ? "none of them leaves" : ""] : [off < LATE ? "holds" : "fails", `${number(off, 2)} apart`],
    !own || !limit.simple ? ["unasked", ""]
      : [own.near < Infinity ? "holds" : "fails", `least: ${digits(own.least)}${own.near < Infinity ? "" : ", so it has no exit"}`],
    last === undefined || Number.isNaN(limit.slope) ? ["unasked", ""]
      : [Math.abs(last / limit.slope - 1) < NEAR ? "holds" : "fails", `${digits(last)} between the last rows`],
  ];
}

export function sentence(now, m) {
  const { state, limit, own, n } = now;
  if (!limit.simple) return `Layer-time ${number(m.t, 3)}. ${n} tokens; the weights have no poles.`;
  const stored = m.stored === null ? "not stored" : `stored ${digits(m.stored)}`;
  const exit = !own ? "" : Number.isFinite(own.exit) ? ` It leaves the poles at ${digits(own.exit)}.` : " It has no exit.";
  return `Layer-time ${number(m.t, 3)}. Beta ${number(state.beta, 3)}. Distance of ${n} tokens to the poles ${digits(m.distance)}, ${stored}.${exit}`;
}

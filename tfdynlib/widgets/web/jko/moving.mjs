// Heads at a time: at rest, or chasing an oscillating target as tfdynlib.weights.oscillating.
//
// The target of the first paper's code for d = 3, one row an entry (i, j): it is
// base + size cos(w s + angle), and D' = T(t) - D has the closed form used here.

const LATE = -Math.PI / 2; // sin s = cos(s - pi/2)
const ENTRIES = [
  [0, 0, 2, 1.5, 1, 0],
  [1, 1, 2, 1.5, 1, LATE],
  [2, 2, 2, 1.5, 1, Math.PI / 4],
  [0, 1, 0, 1, 2, LATE],
  [0, 2, 0, 1, 1, LATE],
  [1, 2, 0, 1, 2, 0],
];

/** The periodic solution of D' = T - D at the time s. */
function response(s) {
  const out = new Float64Array(9);
  for (const [i, j, base, size, w, angle] of ENTRIES) {
    const turn = w * s + angle;
    out[3 * i + j] = out[3 * j + i] = base + (size * (Math.cos(turn) + w * Math.sin(turn))) / (1 + w * w);
  }
  return out;
}

const head = (D) => ({ B: D, V: D.map((value) => -value) });

/**
 * The descent heads of a state at the time t. Two equal ones are one; both oscillate in
 * phase.
 */
export function headsOf({ D1, D2, moving }) {
  const start = [D1, D2].map((rows) => Float64Array.from(rows.flat()));
  const alone = start[0].every((value, k) => value === start[1][k]);
  const all = alone ? start.slice(0, 1) : start;
  if (moving === "still") {
    const heads = all.map(head);
    return () => heads;
  }
  const first = response(0);
  return (t) => {
    const later = response(t);
    return all.map((D) => head(D.map((value, k) => Math.exp(-t) * (value - first[k]) + later[k])));
  };
}

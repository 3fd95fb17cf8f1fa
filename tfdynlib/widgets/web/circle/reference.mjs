// How far the page is from Python, measured on what the Python class ships.

import { doubles, largestDifference } from "../kit/passport.mjs";

/**
 * Velocity at the start and tokens at the checkpoints of the run.
 *
 * @returns the largest difference, or null while the buffer is not there yet
 */
export function checkpoints(reference, { run, x0, field }) {
  const frames = reference.frames;
  if (frames.at(-1) >= run.filled) return null;
  const v = field(0, x0, new Float64Array(x0.length));
  const tokens = doubles(reference.tokens);
  const differences = frames.map((k, i) =>
    largestDifference(run.at(k), tokens.subarray(i * x0.length, (i + 1) * x0.length)));
  return Math.max(largestDifference(v, doubles(reference.velocity)), ...differences);
}

/** The foot line: words, the measured deviation, the version. */
export function passportOf(card, { words, compare, python }) {
  const deviation = card.deviation(compare);
  const version = card.model.get("version");
  return card.passport({
    items: () => [...words(), deviation(), `tfdynlib ${version}`],
    python,
  });
}

/** Largest difference of a few numbers to those that Python has. */
export const numbers = (reference, values) => largestDifference(values, doubles(reference.numbers));

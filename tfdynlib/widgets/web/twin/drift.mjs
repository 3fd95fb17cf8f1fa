// Weights that change with layer-time, d = 3, as tfdynlib.weights: heads that chase an
// oscillating target, and noisy heads that return to the identity.

const TURN = 2 * Math.PI;
const SINE = -Math.PI / 2; // sin s = cos(s - pi/2)
// Entry by entry: size, frequency and angle of the target 2 I + size cos(w s + angle).
const SIZE = [1.5, 1, 1, 1, 1.5, 1, 1, 1, 1.5];
export const FREQUENCY = [1, 2, 1, 2, 1, 2, 1, 2, 1];
const ANGLE = [0, SINE, SINE, SINE, SINE, 0, SINE, 0, Math.PI / 4];

/** The periodic solution of D' = T - D at phase s, entry k. */
function response(s, k) {
  const [w, turn] = [FREQUENCY[k], FREQUENCY[k] * s + ANGLE[k]];
  return (k % 4 === 0 ? 2 : 0) + (SIZE[k] * (Math.cos(turn) + w * Math.sin(turn))) / (1 + w * w);
}

/** Phase of head h of H. */
export const phaseOf = (h, H, spread) => (spread ? (TURN * h) / H : 0);

/** `at(t)`: heads that oscillate from the start D0, spread or with a common phase. */
export function oscillating(D0, spread) {
  const H = D0.length / 9;
  const phase = Float64Array.from({ length: D0.length }, (_, i) => phaseOf(Math.floor(i / 9), H, spread));
  const transient = D0.map((v, i) => v - response(phase[i], i % 9));
  return {
    at(t) {
      const fade = Math.exp(-t);
      return transient.map((v, i) => fade * v + response(t + phase[i], i % 9));
    },
  };
}

/**
 * `at(t)`: a sample of dD = (I - D) dt + g dW at the times k dt with exact transitions, on
 * chords between; drawn as far as it is asked for.  `normal()` gives the stream of numbers.
 */
export function noisy(D0, dt, steps, g2, normal) {
  const drawn = [D0];
  const size = D0.length;
  const [keep, shake] = [Math.exp(-dt), Math.sqrt((g2 * -Math.expm1(-2 * dt)) / 2)];
  function draw() {
    const last = drawn.at(-1);
    const Z = Float64Array.from({ length: 2 * size }, normal); // the second half: W itself
    drawn.push(
      last.map((v, i) => {
        const k = i % 9;
        const turned = i - k + 3 * (k % 3) + Math.floor(k / 3);
        const mean = k % 4 === 0 ? 1 : 0;
        return mean + keep * (v - mean) + (shake * (Z[i] + Z[turned])) / 2;
      }),
    );
  }
  return {
    at(t) {
      const k = Math.min(steps - 1, Math.floor(t / dt + 1e-9));
      while (drawn.length < k + 2) draw();
      const share = t / dt - k;
      const [a, b] = [drawn[k], drawn[k + 1]];
      return a.map((v, i) => (1 - share) * v + share * b[i]);
    },
  };
}

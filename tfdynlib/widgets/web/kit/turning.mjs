// Turning a ball by drag and by arrow keys.

import { drag } from "./stage.mjs";

const PER_PIXEL = 0.008 * (180 / Math.PI); // degrees of turn
const KEYS = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };

/**
 * Drag on `canvas` sets the state keys `turn` and `tilt`, in degrees, and then calls
 * `onTurn`; returns what answers a key.
 */
export function turning(card, canvas, onTurn = () => {}) {
  const by = (dx, dy) => {
    const turn = ((card.get("turn") - dx * PER_PIXEL + 540) % 360) - 180;
    const tilt = Math.min(90, Math.max(-90, card.get("tilt") + dy * PER_PIXEL));
    card.set({ turn: Number(turn.toFixed(2)), tilt: Number(tilt.toFixed(2)) });
    onTurn();
  };
  drag(card, canvas, { start: () => true, move: (_p, _event, way) => by(way.x, way.y) });
  return (event) => {
    if (!KEYS[event.key]) return false;
    by(...KEYS[event.key]);
    return true;
  };
}

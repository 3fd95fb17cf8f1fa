// Turning the sphere, for every view of it.

import { drag } from "../kit/stage.mjs";

const PER_PIXEL = 0.008 * (180 / Math.PI); // degrees of turn

/** Turning by drag and by arrow keys; returns what answers a key. */
export function turning(card, canvas, onTurn) {
  const by = (dx, dy) => {
    const turn = ((card.get("turn") - dx * PER_PIXEL + 540) % 360) - 180;
    const tilt = Math.min(90, Math.max(-90, card.get("tilt") + dy * PER_PIXEL));
    card.set({ turn: Number(turn.toFixed(2)), tilt: Number(tilt.toFixed(2)) });
    onTurn();
  };
  drag(card, canvas, { start: () => true, move: (_p, _event, d) => by(d.x, d.y) });
  const keys = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
  return (event) => {
    if (!keys[event.key]) return false;
    by(...keys[event.key]);
    return true;
  };
}

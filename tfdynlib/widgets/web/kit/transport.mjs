// The row under the stage: play, step, reset, the scrubber and the clock.

import { h, icon, setRich, spoken } from "./dom.mjs";

const PARTS = 1000;
const MOVES = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4 };

const part = (share) => Math.min(1, Math.max(0, share));

function button(name, label, ...icons) {
  const props = { type: "button", class: `tfdyn-${name}`, "aria-label": label };
  return h("button", props, ...icons.map(icon));
}

/**
 * Buttons and scrubber without a mind of their own.  `on` has `toggle()`, `step(by)`,
 * `reset()` and `seek(share)`; `show({ share, buffer, words, clock })` sets what is seen.
 */
export function transport(card, { name, on }) {
  const play = button("play", "Play", "play", "pause");
  const step = button("tool", "One step forward", "step");
  const reset = button("tool", "Back to the start", "reset");
  const bar = h("input", {
    type: "range",
    class: "tfdyn-scrub",
    min: "0",
    max: String(PARTS),
    step: "any",
    "aria-label": name[0].toUpperCase() + name.slice(1),
  });
  const time = h("output", { class: "tfdyn-clock", "aria-live": "off" });
  const node = h(
    "div",
    { class: "tfdyn-player", role: "group", "aria-label": "Player" },
    h("div", { class: "tfdyn-buttons" }, play, step, reset),
    bar,
    time,
  );
  play.onclick = card.guard(on.toggle);
  step.onclick = card.guard(() => on.step(1));
  reset.onclick = card.guard(on.reset);
  bar.addEventListener("input", card.guard(() => on.seek(bar.value / PARTS)));
  const pressed = (event) => {
    if (!MOVES[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    on.step(MOVES[event.key]);
  };
  bar.addEventListener("keydown", card.guard(pressed));
  return {
    node,
    show({ share, buffer, words, clock }) {
      bar.value = String(part(share) * PARTS);
      bar.style.setProperty("--tfdyn-at", String(part(share)));
      bar.style.setProperty("--tfdyn-buffer", String(part(buffer)));
      bar.setAttribute("aria-valuetext", spoken(words));
      setRich(time, clock);
    },
    playing(yes) {
      node.classList.toggle("tfdyn-playing", yes);
      play.setAttribute("aria-label", yes ? "Pause" : "Play");
    },
  };
}

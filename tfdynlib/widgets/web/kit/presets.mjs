// Chips that set a whole state and play it.

import { h, rich } from "./dom.mjs";
import { same } from "./state.mjs";

/** Begin a preset on the card that shows it: its view may have made one of its own. */
function begin(el, { name, moment = 0 }) {
  const { card } = el.tfdyn;
  card.guard(() => {
    card.clock.begin(moment);
    const chip = el.querySelector(`[data-preset="${name}"]`);
    chip?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  })();
}

/**
 * Chips for the model's `presets`: [{ name, label, values, moment }].  The chip
 * whose values are all in place is pressed.
 */
export function presets(card) {
  const list = card.model.get("presets") ?? [];
  const chips = list.map((preset) => {
    const node = h(
      "button",
      { type: "button", class: "tfdyn-chip", "data-preset": preset.name, "aria-pressed": "false", title: preset.about || undefined },
      ...rich(preset.label),
    );
    node.onclick = card.guard(() => {
      card.note("");
      card.set({ ...preset.values, t: preset.moment ?? 0 });
      card.flush();
      queueMicrotask(() => begin(card.el, preset)); // after the card of another view
    });
    return { node, preset };
  });
  const held = ({ values }) =>
    Object.entries(values).every(([key, value]) => same(card.get(key), value));
  const show = () => {
    for (const { node, preset } of chips)
      node.setAttribute("aria-pressed", String(held(preset)));
  };
  card.on(card.keys, show);
  show();
  return h(
    "div",
    { class: "tfdyn-presets", role: "group", "aria-label": "Presets" },
    h("span", { class: "tfdyn-try", "aria-hidden": "true" }, "Try"),
    ...chips.map((chip) => chip.node),
  );
}

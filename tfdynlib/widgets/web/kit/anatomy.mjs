// The parts of a card, empty, in the order of reading.

import { h, rich } from "./dom.mjs";

/** Level of a title: one below the heading that the figure stands under, 3 without one. */
function levelUnder(el) {
  const above = [...document.querySelectorAll(":is(article, .jp-Notebook) :is(h1, h2, h3, h4, h5)")]
    .filter((one) => !one.closest(".tfdyn") && one.compareDocumentPosition(el) & 4)
    .at(-1);
  return above ? Number(above.tagName[1]) + 1 : 3;
}

/** `{ node, slots, note }`: the card, the places for its parts, the note under the lead. */
export function anatomy(el, title, lead) {
  const heading = h("h3", { class: "tfdyn-title", "aria-level": levelUnder(el) }, ...rich(title));
  const leadLine = h("p", { class: "tfdyn-lead" }, ...rich(lead));
  const note = h("p", { class: "tfdyn-note", role: "status", hidden: true });
  const section = (name) => h("div", { class: `tfdyn-section tfdyn-part-${name}` });
  const slots = {
    stage: h("div", { class: "tfdyn-stage" }),
    player: h("div", { class: "tfdyn-player-slot" }),
    side: h("div", { class: "tfdyn-side" }),
    presets: section("presets"),
    weights: section("weights"),
    controls: h("div", { class: "tfdyn-controls" }),
    lamps: section("lamps"),
    foot: h("div", { class: "tfdyn-foot" }),
  };
  slots.weights.append(slots.controls);
  const main = h("div", { class: "tfdyn-main" }, slots.stage, slots.player, slots.side);
  const node = h(
    "section",
    { class: "tfdyn-card", role: "group", "aria-label": heading.textContent },
    h("div", { class: "tfdyn-head" }, heading, leadLine, note),
    main,
    slots.presets,
    slots.weights,
    slots.lamps,
    slots.foot,
  );
  return { node, slots, note };
}

// Sliders with a number box, and choices.  A control sets; the figure listens.

import { h, newId, number, parseNumber, plain, rich, spoken } from "./dom.mjs";
import { linear, log } from "./scale.mjs";

const PARTS = 1000;

/** Round to what a slider can say: whole numbers, a step, or three digits. */
function rounder({ int, step }) {
  if (int) return Math.round;
  if (step) return (v) => Number((Math.round(v / step) * step).toPrecision(12));
  return (v) => Number(v.toPrecision(3));
}

/**
 * A slider bound to the state key `key`, with a box to type in.  Nonsense in the
 * box brings the old value back; a number out of range goes to the nearest end.
 */
export function slider(card, spec) {
  const { key, symbol = "", label: words, min, max, scale = "lin", format = number } = spec;
  const axis = scale === "log" ? log(min, max) : linear(min, max);
  const round = rounder(spec);
  const id = newId(key);
  const name = plain(`${symbol} ${words}`);
  const bar = h("input", {
    type: "range",
    id,
    class: "tfdyn-slide",
    min: "0",
    max: String(PARTS),
    step: "any",
  });
  const box = h("input", {
    type: "text",
    inputmode: spec.int && min >= 0 ? "numeric" : "decimal",
    class: "tfdyn-number",
    "aria-label": `${name}, value`,
    autocomplete: "off",
    spellcheck: "false",
  });
  const node = h(
    "div",
    { class: "tfdyn-row" },
    h(
      "label",
      { for: id, class: "tfdyn-label" },
      ...(symbol ? [h("span", { class: "tfdyn-symbol" }, ...rich(symbol)), " "] : []),
      h("span", { class: "tfdyn-words" }, ...rich(words)),
    ),
    box,
    bar,
  );

  function show() {
    const value = card.get(key);
    const share = Math.min(1, Math.max(0, axis.share(value)));
    bar.value = String(share * PARTS);
    bar.style.setProperty("--tfdyn-at", String(share));
    bar.setAttribute("aria-valuetext", spoken(`${format(value)}`));
    if (document.activeElement !== box) box.value = format(value);
  }
  function put(value) {
    const next = Math.min(max, Math.max(min, round(value)));
    if (next !== card.get(key)) card.set({ [key]: next });
    show();
  }
  const nudge = (by) => {
    const value = card.get(key);
    const unit = spec.int ? 1 : spec.step;
    if (scale === "log" || !unit) {
      const moved = round(axis.value(axis.share(value) + by / 50));
      return spec.int && moved === value ? value + Math.sign(by) : moved;
    }
    return value + by * unit;
  };
  const moves = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };
  bar.addEventListener("input", card.guard(() => put(axis.value(bar.value / PARTS))));
  bar.addEventListener("change", card.guard(card.speak));
  bar.addEventListener(
    "keydown",
    card.guard((event) => {
      if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      put(nudge(moves[event.key]));
      card.speak();
    }),
  );
  const commit = card.guard(() => {
    const typed = parseNumber(box.value);
    if (Number.isFinite(typed)) put(typed);
    box.value = format(card.get(key));
    card.speak();
  });
  box.addEventListener("change", commit);
  box.addEventListener("focus", () => box.select());
  box.addEventListener(
    "keydown",
    card.guard((event) => {
      if (event.key === "Escape") box.value = format(card.get(key));
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      event.preventDefault();
      put(nudge(event.key === "ArrowUp" ? 1 : -1));
      box.value = format(card.get(key));
    }),
  );
  card.on([key], show);
  show();
  return node;
}

/** A choice of one among a few words, for the state key `key`. */
export function choice(card, { key, label: words, options }) {
  const group = newId(key);
  const inputs = new Map();
  const node = h(
    "fieldset",
    { class: "tfdyn-choice" },
    h("legend", {}, ...rich(words)),
    h(
      "div",
      { class: "tfdyn-options" },
      ...options.map(([value, word]) => {
        const input = h("input", { type: "radio", name: group, value: String(value) });
        input.addEventListener(
          "change",
          card.guard(() => {
            card.set({ [key]: value });
            card.speak();
          }),
        );
        inputs.set(value, input);
        return h("label", { class: "tfdyn-option" }, input, h("span", {}, ...rich(word)));
      }),
    ),
  );
  const show = () => {
    for (const [value, input] of inputs) input.checked = value === card.get(key);
  };
  card.on([key], show);
  show();
  return node;
}

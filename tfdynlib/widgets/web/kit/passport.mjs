// The foot of a card: what was computed how, how far it is from Python, share, copy.

import { h, icon } from "./dom.mjs";
import { addressOf, same } from "./state.mjs";

/** Doubles from the base64 text in which Python sends them. */
export function doubles(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

/** Largest difference of two arrays; NaN when they cannot be compared. */
export function largestDifference(a, b) {
  if (a.length !== b.length) return NaN;
  let largest = 0;
  for (let i = 0; i < a.length; i += 1) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

/** A deviation in words: "4e-16", "0". */
export const deviationText = (value) =>
  value === 0 ? "0" : value.toExponential(0).replace("e-0", "e-");

/**
 * The reference Python computed for the present state, or null.  The model holds
 * one under `reference` and one in each preset; each names the state it is of.
 */
export function referenceOf(card) {
  const all = [
    card.model.get("reference"),
    ...(card.model.get("presets") ?? []).map((preset) => preset.reference),
  ];
  const fits = (reference) =>
    reference?.of &&
    Object.entries(reference.of).every(([key, value]) => same(card.get(key), value));
  return all.find(fits) ?? null;
}

async function toClipboard(text) {
  if (navigator.clipboard && globalThis.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = h("textarea", { class: "tfdyn-hidden", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A button that copies and says so for 1.6 s. */
function copyButton(card, { name, words, text }) {
  const label = h("span", {}, words);
  const node = h("button", { type: "button", class: `tfdyn-copy tfdyn-${name}` }, icon(name), label);
  const say = (word) => {
    label.textContent = word;
    card.speak(word === "Copied" ? `${words}: copied.` : "The browser did not let us copy.");
    setTimeout(() => {
      label.textContent = words;
    }, 1600);
  };
  node.onclick = card.guard(() => {
    const copied = text();
    node.dataset.copied = copied;
    toClipboard(copied).then(
      () => say("Copied"),
      () => say("Not allowed"),
    );
  });
  return node;
}

/** Foot line.  `items()` are its words; `python()` the lines to copy. */
export function passport(card, { items, python }) {
  const line = h("p", { class: "tfdyn-passport-line" });
  const buttons = h("div", { class: "tfdyn-passport-buttons" });
  if (card.onPage)
    buttons.append(
      copyButton(card, {
        name: "share",
        words: "Share",
        text() {
          const hash = addressOf(card.address, card.values());
          history.replaceState(history.state, "", hash);
          return location.href;
        },
      }),
    );
  buttons.append(copyButton(card, { name: "code", words: "Copy as Python", text: python }));
  const node = h("div", { class: "tfdyn-passport" }, line, buttons);
  return {
    node,
    update() {
      const words = items();
      const text = words.join(" · ");
      if (line.dataset.text === text) return;
      line.dataset.text = text;
      line.replaceChildren(
        ...words.flatMap((word, k) => [
          h("span", {}, k < words.length - 1 ? `${word}\u00a0·` : word),
          " ",
        ]),
      );
    },
  };
}

/**
 * Words on the measured deviation.  `compute(reference)` gives the largest difference
 * between the page and Python, or null while the page has not come that far.
 */
export function deviation(card, compute) {
  let measured = null;
  let source = null;
  return () => {
    const reference = referenceOf(card);
    if (!reference)
      return measured === null
        ? "deviation not measured"
        : `deviation ${deviationText(measured)} at the preset`;
    if (reference !== source) {
      const value = compute(reference);
      if (value === null) return "deviation …";
      measured = value;
      source = reference;
    }
    return `deviation ${deviationText(measured)}, page against Python`;
  };
}

// Controls that the views share.

import { h, newId, rich } from "../kit/dom.mjs";
import { fold } from "../kit/fold.mjs";
import { matrices } from "../kit/matrix.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { headsOf } from "../twin/attention.mjs";
import { signOf, startAngles } from "./model.mjs";

const round = (angle) => Number(angle.toFixed(4));

/** A control that is there only while `when()` is true. */
export function shownWhen(card, node, keys, when) {
  const show = () => { node.hidden = !when(); };
  card.on(keys, show);
  show();
  return node;
}

export const sliderWhen = (card, options, keys, when) => shownWhen(card, slider(card, options), keys, when);

/** V = B or V = -B in all heads at one press; neither is pressed when it is neither. */
export function signChoice(card) {
  const group = newId("sign");
  const turn = (sign) =>
    card.get("B").map((rows) => rows.map((row) => row.map((entry) => sign * entry + 0)));
  const option = (sign, word) => {
    const input = h("input", { type: "radio", name: group, value: String(sign) });
    input.addEventListener("change", card.guard(() => {
      card.set({ V: turn(sign) });
      card.speak();
    }));
    return { sign, input, node: h("label", { class: "tfdyn-option" }, input, h("span", {}, h("bdi", {}, ...rich(word)))) };
  };
  const options = [option(1, "*V* = *B*, pull"), option(-1, "*V* = −*B*, push")];
  const show = () => {
    const sign = signOf(headsOf(card.values()));
    for (const one of options) one.input.checked = one.sign === sign;
  };
  card.on(["B", "V"], show);
  show();
  return h(
    "fieldset",
    { class: "tfdyn-choice" },
    h("legend", {}, "sign of the values"),
    h("div", { class: "tfdyn-options" }, ...options.map((one) => one.node)),
  );
}

/** Where tokens start: the kind of start with what belongs to it. */
export function startControls(card, kinds) {
  return [
    startChoice(card, kinds),
    sliderWhen(
      card,
      { key: "seed", symbol: "seed", label: "of the uniform draw", min: 0, max: 99, int: true },
      ["start"],
      () => card.get("start") === "uniform",
    ),
    sliderWhen(
      card,
      { key: "gap", symbol: "*φ*", label: "gap of the pair", min: 0.05, max: 3.1, format: (v) => v.toFixed(2) },
      ["start"],
      () => card.get("start") === "gap",
    ),
  ];
}

/**
 * The kind of start. Choosing "as placed" keeps the tokens where they are. A pair and
 * placed tokens say how many there are; another number of tokens asks for a draw.
 */
function startChoice(card, kinds) {
  const node = choice(card, { key: "start", label: "start", options: kinds });
  let before = card.values();
  node.addEventListener("change", card.guard(() => {
    if (card.get("start") === "angles") card.set({ angles: startAngles(before).map(round) });
  }));
  const count = () => startAngles(card.values()).length;
  card.on(["start", "angles"], () => {
    if (card.get("start") !== "uniform") card.set({ n: count() });
  });
  card.on(["n"], () => {
    if (card.get("start") !== "uniform" && count() !== card.get("n")) card.set({ start: "uniform" });
  });
  card.on(["start", "n", "seed", "gap", "angles"], () => { before = card.values(); });
  return node;
}

/** Put token i of the start at an angle; the start becomes one "as placed". */
export function placeToken(card, i, angle) {
  const angles = startAngles(card.values()).map(round);
  angles[i] = round(Math.atan2(Math.sin(angle), Math.cos(angle)));
  card.set({ start: "angles", angles, n: angles.length });
}

/** What arrow keys do to the tokens of the start; `pick(i)` marks token i as the chosen one. */
export const startHand = (card, n, chosen, pick) => ({
  n,
  chosen: Math.max(chosen, 0),
  choose(i) {
    card.clock.seek(0);
    pick(chosen < 0 ? 0 : i);
  },
  turn(by) {
    const i = Math.max(chosen, 0);
    card.clock.seek(0);
    pick(i);
    placeToken(card, i, startAngles(card.values())[i] + by);
  },
});

/** The column beside the sliders: sign, editors of B and V, and what else goes there. */
export function weightsColumn(card, ...others) {
  const editors = matrices(card, {
    keys: ["B", "V"], names: ["who listens to whom", "what is passed on"], heads: 4, size: 2,
  });
  const heads = h("div", { class: "tfdyn-controls" }, signChoice(card), editors);
  card.weights(h(
    "div",
    { class: "tfdyn-controls" },
    fold(card, "Weights of the heads: *B*, *V*", heads),
    ...others,
  ));
}

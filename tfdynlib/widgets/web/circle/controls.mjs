// Controls that the views share.

import { h, newId, rich } from "../kit/dom.mjs";
import { fold } from "../kit/fold.mjs";
import { matrices } from "../kit/matrix.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { same } from "../kit/state.mjs";
import { headsOf, signOf, startAngles } from "./model.mjs";

const round = (angle) => Number(angle.toFixed(4));

/** A slider that is there only while `when()` is true. */
export function sliderWhen(card, options, keys, when) {
  const node = slider(card, options);
  const show = () => { node.hidden = !when(); };
  card.on(keys, show);
  show();
  return node;
}

/** V = B or V = -B in all heads at one press; neither is pressed when it is neither. */
function signChoice(card) {
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

/**
 * Where tokens start: the kind of start with what belongs to it.
 *
 * A start that does not fit the number of tokens gives way to a draw; a pair is two.
 */
export function startControls(card, kinds) {
  watchStart(card);
  return [
    choice(card, { key: "start", label: "start", options: kinds }),
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

/** Keep n, start and angles in step, whichever of them was changed. */
function watchStart(card) {
  let before = card.values();
  card.on(["n", "start", "angles", "seed", "gap"], () => {
    const now = card.values();
    const fits = startAngles(now).length === now.n;
    if (!fits && now.start !== before.start) {
      if (now.start === "gap") card.set({ n: 2 });
      else card.set({ angles: startAngles({ ...before, n: now.n }).map(round) });
    } else if (!fits) card.set({ start: "uniform" });
    else if (now.start === "angles" && before.start !== "angles" && same(now.angles, before.angles))
      card.set({ angles: startAngles(before).map(round) });
    before = card.values();
  });
}

/** Put token i of the start at an angle; the start becomes one "as placed". */
export function placeToken(card, i, angle) {
  const angles = startAngles(card.values()).map(round);
  angles[i] = round(Math.atan2(Math.sin(angle), Math.cos(angle)));
  card.set({ start: "angles", angles, n: angles.length });
}

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

// Number boxes of start and target: centre, deviations along the axes, angle.

import { h, number, parseNumber, rich } from "../kit/dom.mjs";
import { ofEigen, rows } from "../twin/matrix2.mjs";
import { ellipseOf, startOf, targetOf } from "./run.mjs";

const DEGREE = Math.PI / 180;
const MOST = { mean: 6, deviation: 3 }; // as far as a hand can drag
const LEAST = 0.03; // a thinner axis counts as 0
const within = (v, most) => Math.min(most, Math.max(-most, v));
const tidy = (v) => Number(v.toFixed(4)) + 0;

/** The covariance with these axes as rows: four decimals, but a line is kept a line. */
export function covarianceOf({ long, short, angle }) {
  const [a, b] = [long, short].map((v) => (v < LEAST ? 0 : Math.min(MOST.deviation, v)));
  const cov = ofEigen([a * a, b * b], angle);
  return rows(a > 0 && b > 0 ? cov.map(tidy) : cov);
}

/** Values of the state for an ellipse: `which` is "start" or "target". */
export const valuesOf = (which, ellipse) => ({
  [`${which}_mean`]: ellipse.mean.map((v) => tidy(within(v, MOST.mean))),
  [`${which}_cov`]: covarianceOf(ellipse),
});

const FIELDS = [
  { words: "*m*_1", name: "centre, first coordinate", get: (e) => e.mean[0], put: (e, v) => ({ ...e, mean: [v, e.mean[1]] }), step: 0.1 },
  { words: "*m*_2", name: "centre, second coordinate", get: (e) => e.mean[1], put: (e, v) => ({ ...e, mean: [e.mean[0], v] }), step: 0.1 },
  { words: "*σ*_1", name: "deviation along the long axis", get: (e) => e.long, put: (e, v) => ({ ...e, long: Math.max(0, v) }), step: 0.1 },
  { words: "*σ*_2", name: "deviation along the short axis", get: (e) => e.short, put: (e, v) => ({ ...e, short: Math.max(0, v) }), step: 0.1 },
  { words: "angle °", name: "angle of the long axis in degrees", get: (e) => e.angle / DEGREE, put: (e, v) => ({ ...e, angle: v * DEGREE }), step: 5 },
];

function box(card, which, { words, name, get, put, step }) {
  const of = which === "start" ? startOf : targetOf;
  const now = () => ellipseOf(of(card.values()));
  const input = h("input", {
    type: "text", inputmode: "text", class: "tfdyn-number", "aria-label": `${which}, ${name}`,
    autocomplete: "off", spellcheck: "false",
  });
  const node = h("span", { class: "tfdyn-box" }, h("span", { class: "tfdyn-words", "aria-hidden": "true" }, ...rich(words)), input);
  const text = () => number(Number(get(now()).toFixed(3)), 4);
  const change = (value) => {
    card.set(valuesOf(which, put(now(), value)));
    card.speak();
  };
  input.addEventListener("change", card.guard(() => {
    const typed = parseNumber(input.value);
    if (Number.isFinite(typed)) change(typed);
    input.value = text();
  }));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("keydown", card.guard((event) => {
    if (event.key === "Escape") input.value = text();
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const by = event.key === "ArrowUp" ? step : -step;
    change(Number((Math.round(get(now()) / step) * step + by).toFixed(4)));
    input.value = text();
  }));
  return {
    node,
    show() {
      if (document.activeElement !== input) input.value = text();
    },
  };
}

/** { node, show() }: a row of boxes for the start and one for the target. */
export function boxes(card) {
  const made = ["start", "target"].map((which) => {
    const all = FIELDS.map((field) => box(card, which, field));
    const node = h("div", { class: "tfdyn-boxes", role: "group", "aria-label": which },
      h("span", { class: "tfdyn-boxes-name" }, which), ...all.map((one) => one.node));
    return { node, all };
  });
  return {
    node: h("div", {}, ...made.map(({ node }) => node)),
    show: () => made.forEach(({ all }) => all.forEach((one) => one.show())),
  };
}

// The weights found: small matrices with the numbers of now, and their entries over time.

import { h, number, plain, rich } from "../kit/dom.mjs";
import { mix } from "../kit/palette.mjs";
import { surface } from "../kit/stage.mjs";
import { label } from "../kit/text.mjs";

const PARTS = [
  { key: "A", words: "drift", columns: 2 },
  { key: "B", words: "score", columns: 2 },
  { key: "V", words: "value", columns: 2 },
  { key: "b", words: "bias", columns: 1 },
];
const SMALL = 5e-13; // below it an entry is rounding

/** An entry with four decimals at most, four digits. */
const entry = (v) => (Math.abs(v) < SMALL ? "0" : number(Math.abs(v) < 1 ? Number(v.toFixed(4)) : v, 4));

/** Names of entries, equal curves under one name. */
const NAMES = { 2: ["11", "12", "21", "22"], 1: ["1", "2"] };

/** Curves of the entries of one matrix: solid up to now, pale beyond. */
function drawCourse(ctx, view, { t, rows, T, now, columns }) {
  const p = view.palette;
  const [left, right, top, bottom] = [2, view.w - 22, 7, view.h - 7];
  const [low, high] = [Math.min(0, ...rows.map((y) => Math.min(...y))), Math.max(0, ...rows.map((y) => Math.max(...y)))];
  const x = (v) => left + (v / T) * (right - left);
  const y = (v) => (high > low ? bottom - ((v - low) / (high - low)) * (bottom - top) : (top + bottom) / 2);
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(left, Math.round(y(0)) + 0.5);
  ctx.lineTo(right, Math.round(y(0)) + 0.5);
  ctx.stroke();
  const stroke = (values, from, to, color, width) => {
    ctx.beginPath();
    t.forEach((s, k) => {
      if (s >= from && s <= to) ctx.lineTo(x(s), y(values[k]));
    });
    Object.assign(ctx, { strokeStyle: color, lineWidth: width });
    ctx.stroke();
  };
  const width = (k) => (columns === 1 || k === 0 || k === 3 ? 2.2 : 1.3);
  const moving = rows.map((values) => values.some((v) => Math.abs(v) > SMALL));
  rows.forEach((values, k) => {
    if (!moving[k]) return;
    stroke(values, now - 1e-12, T, mix(p.state, p.bg, 0.38), width(k));
    stroke(values, 0, now + 1e-12, p.state, width(k));
  });
  const cursor = Math.round(x(now)) + 0.5;
  Object.assign(ctx, { strokeStyle: p.ink, lineWidth: 1 });
  ctx.beginPath();
  ctx.moveTo(cursor, 2);
  ctx.lineTo(cursor, view.h - 2);
  ctx.stroke();
  const taken = [];
  rows.forEach((values, k) => {
    const at = y(values.at(-1));
    if (!moving[k] || taken.some((other) => Math.abs(other - at) < 11)) return;
    taken.push(at);
    label(ctx, NAMES[columns][k], right + 5, Math.min(view.h - 6, Math.max(6, at)), p, { size: 11, color: p.state });
  });
}

function part(card, { key, words, columns }) {
  const size = 2 * columns;
  const cells = Array.from({ length: size }, () => h("span", { class: "tfdyn-found" }, "0"));
  let data = null;
  const course = surface(card, {
    label: `Entries of ${key} over layer-time.`,
    className: "tfdyn-course",
    draw(ctx, view) {
      if (data) drawCourse(ctx, view, data);
    },
  });
  const node = h(
    "div",
    { class: "tfdyn-editor", role: "group", "aria-label": `${key}, ${plain(words)}, as found` },
    h("div", { class: "tfdyn-editor-name" }, h("i", {}, key), " ", h("span", { class: "tfdyn-words" }, ...rich(words))),
    h("div", { class: "tfdyn-matrix", style: `--tfdyn-size: ${columns}` }, ...cells),
    course.canvas,
  );
  return {
    node,
    show(run, t) {
      const values = run.weights(t)?.[key] ?? null;
      const texts = values ? [...values].map(entry) : Array.from({ length: size }, () => "–");
      texts.forEach((text, k) => {
        if (cells[k].textContent !== text) cells[k].textContent = text;
        cells[k].classList.toggle("tfdyn-nought", text === "0");
      });
      data = values && {
        t: run.frames.t, T: run.T, now: t, columns,
        rows: run.frames.courses[key],
      };
      course.say(values ? `Now ${texts.join(", ")}.` : "No weights are found.");
      course.invalidate();
    },
  };
}

/** { node, show(run, t) }. */
export function found(card) {
  const all = PARTS.map((one) => part(card, one));
  return {
    node: h("div", { class: "tfdyn-editors tfdyn-four" }, ...all.map(({ node }) => node)),
    show: (run, t) => all.forEach((one) => one.show(run, t)),
  };
}

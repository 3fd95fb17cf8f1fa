// The mean of G^2 against the number of heads: stored runs behind, the reader's in front.

import { grip } from "../kit/chart.mjs";
import { h, minus, setRich } from "../kit/dom.mjs";
import { fade } from "../kit/palette.mjs";
import { log, tickText } from "../kit/scale.mjs";
import { drag, surface } from "../kit/stage.mjs";
import { label, textWidth } from "../kit/text.mjs";

const TICKS = [1, 2, 4, 8, 16, 32, 64, 128];

/** Least squares line of log y over log H: `{ power, at(H) }`, or null for one point. */
export function fit(points) {
  if (points.length < 2) return null;
  const logs = points.map(({ H, y }) => [Math.log(H), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, one) => sum + one[i], 0) / logs.length;
  const [a, b] = [mean(0), mean(1)];
  const spread = logs.reduce((sum, [u]) => sum + (u - a) ** 2, 0);
  if (spread === 0) return null;
  const power = logs.reduce((sum, [u, v]) => sum + (u - a) * (v - b), 0) / spread;
  return { power, at: (H) => Math.exp(b + power * (Math.log(H) - a)) };
}

/** What the settings of a point are, but for its H and layout. */
export const settingsOf = ({ n, seed, g2, rule, t_end: end, start }) =>
  [n, seed, g2, rule, end, ...(start === "axes" ? [start] : [])].join(" ");

/** The points of a layout that the reader has visited with the present settings. */
export const visitedOf = ({ visited, layout, ...rest }) =>
  visited.of === settingsOf(rest)
    ? visited.points.filter(([of]) => of === layout).map(([, H, y]) => ({ H, y }))
    : [];

/** `visited` with one more point, or null if it is there already. */
export function withPoint(state, y) {
  const { visited, layout, H } = state;
  const of = settingsOf(state);
  const points = visited.of === of ? visited.points : [];
  const rest = points.filter(([a, b]) => a !== layout || b !== H);
  const one = [layout, H, Number(y.toPrecision(4))];
  if (points.some((old) => JSON.stringify(old) === JSON.stringify(one))) return null;
  return { of, points: [...rest, one].slice(-160) };
}

/** Rule that a state of `visited` in an address has to obey. */
export const isVisited = (value) =>
  typeof value === "object" &&
  value !== null &&
  typeof value.of === "string" &&
  Array.isArray(value.points) &&
  value.points.length <= 160 &&
  value.points.every(
    (one) =>
      Array.isArray(one) &&
      ["frozen", "ou", "spread", "common"].includes(one[0]) &&
      Number.isInteger(one[1]) && one[1] >= 1 && one[1] <= 32 &&
      Number.isFinite(one[2]) && one[2] > 0,
  );

function axes(ctx, view, data) {
  const p = view.palette;
  const all = [...data.stored, ...data.visited];
  const values = all.map(({ y }) => y).filter((v) => v > 0);
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0.01, 1];
  [low, high] = [10 ** Math.floor(Math.log10(low * 0.8)), 10 ** Math.ceil(Math.log10(high * 1.25))];
  const most = Math.max(32, ...all.map(({ H }) => H));
  const [across, up] = [log(0.85, most * 1.2), log(low, high)];
  const ticks = up.ticks(3);
  const widest = Math.max(14, ...ticks.map((v) => textWidth(ctx, tickText(v), p, { size: 11.5 })));
  const box = { left: Math.ceil(widest) + 10, right: view.w - 12, top: 10, bottom: view.h - 40 };
  const x = (H) => box.left + across.share(H) * (box.right - box.left);
  const y = (v) => box.bottom - up.share(v) * (box.bottom - box.top);
  ctx.lineWidth = 1;
  for (const tick of ticks) {
    const at = Math.round(y(tick)) + 0.5;
    ctx.strokeStyle = p.line2;
    ctx.beginPath();
    ctx.moveTo(box.left, at);
    ctx.lineTo(box.right, at);
    ctx.stroke();
    label(ctx, tickText(tick), box.left - 7, at, p, { size: 11.5, color: p.mut, align: "right" });
  }
  const floor = Math.round(box.bottom) + 0.5;
  ctx.strokeStyle = p.ctl;
  ctx.beginPath();
  ctx.moveTo(box.left, floor);
  ctx.lineTo(box.right, floor);
  ctx.stroke();
  for (const H of TICKS.filter((v) => v <= most * 1.05))
    label(ctx, String(H), x(H), floor + 13, p, { size: 11.5, color: p.mut, align: "center" });
  label(ctx, "heads *H*, log", box.right, floor + 29, p, { size: 12.5, color: p.mut, align: "right" });
  return { ...box, x, y, most, value: (px) => across.value((px - box.left) / (box.right - box.left)) };
}

function points(ctx, p, at, list, { r, fill, stroke }) {
  ctx.lineWidth = 1.5;
  for (const { H, y } of list) {
    ctx.beginPath();
    ctx.arc(at.x(H), at.y(y), r, 0, 2 * Math.PI);
    ctx.fillStyle = fill;
    ctx.strokeStyle = stroke;
    ctx.fill();
    ctx.stroke();
  }
}

function line(ctx, view, at, list, name) {
  const p = view.palette;
  const found = fit(list);
  if (!found) return;
  const H = list.map((one) => one.H);
  const [a, b] = [Math.min(...H), Math.max(...H)];
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 5]);
  ctx.beginPath();
  ctx.moveTo(at.x(a), at.y(found.at(a)));
  ctx.lineTo(at.x(b), at.y(found.at(b)));
  ctx.stroke();
  ctx.setLineDash([]);
  const power = minus(found.power.toFixed(2));
  label(ctx, `${name} *H*^{${power}}`, at.right, at.top + 6, p, {
    size: 12.5, color: p.mut, align: "right", halo: p.bg,
  });
}

/**
 * The chart: `set({ stored, visited, H, power })`, with `power` a line is fitted; dragging
 * its grip changes H.
 */
export function sweepChart(card) {
  let data = { stored: [], visited: [], H: 1, power: false };
  let at = null;
  const name = h("div", { class: "tfdyn-chart-name", "aria-hidden": "true" });
  setRich(name, "mean of *G*^2 over the second half, log");
  const self = surface(card, {
    label: "Chart of the mean of G squared over the second half against the number of heads.",
    className: "tfdyn-chart",
    draw(ctx, view) {
      const p = view.palette;
      at = axes(ctx, view, data);
      const behind = data.stored.length > 1;
      if (data.power) line(ctx, view, at, behind ? data.stored : data.visited, behind ? "stored runs, fit" : "fit");
      points(ctx, p, at, data.stored, { r: 3.5, fill: p.bg, stroke: fade(p.state, 0.55) });
      points(ctx, p, at, data.visited, { r: 4.5, fill: p.state, stroke: p.bg });
      const x = Math.round(at.x(data.H)) + 0.5;
      ctx.strokeStyle = p.ink;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, at.top - 4);
      ctx.lineTo(x, at.bottom);
      ctx.stroke();
      grip(ctx, p, at.x(data.H), at.bottom);
    },
  });
  card.surfaces.push(self);
  const pick = (p) => {
    const H = Math.min(32, Math.max(1, Math.round(at.value(p.x))));
    if (H !== card.get("H")) card.set({ H });
  };
  drag(card, self.canvas, {
    start(p) {
      if (!at) return false;
      pick(p);
      return true;
    },
    move: pick,
    end: () => card.speak(),
  });
  return {
    node: h("div", { class: "tfdyn-chart-box" }, name, self.canvas),
    set(next) {
      data = { ...data, ...next };
      self.invalidate();
    },
  };
}

// The side chart: curves over layer-time, solid up to now and pale beyond it.

import { levelNames, levels } from "./levels.mjs";
import { linear, log, tickText } from "./scale.mjs";
import { drag, surface } from "./stage.mjs";
import { label, textWidth } from "./text.mjs";
import { fade, mix } from "./palette.mjs";
import { h, plain, setRich } from "./dom.mjs";

const PAD = { top: 10, right: 12, bottom: 40 };
const STRIP = 20; // above everything else: the names of bands

/** Range that holds all finite values of the curves with a little air. */
function rangeOf(data) {
  let [low, high] = data.log ? [Infinity, 0] : [0, 0];
  if (!data.zero && !data.log) [low, high] = [Infinity, -Infinity];
  for (const { y } of data.curves)
    for (let k = 0; k < data.filled; k += 1)
      if (Number.isFinite(y[k]) && (!data.log || y[k] > 0)) {
        low = Math.min(low, y[k]);
        high = Math.max(high, y[k]);
      }
  for (const { y } of data.levels) high = Math.max(high, y);
  if (!(high > low)) return [low === Infinity ? 0 : low - 0.5, (low === Infinity ? 0 : low) + 0.5];
  if (data.log) return [low / 1.2, high * 1.2];
  const air = 0.06 * (high - low);
  return [data.zero && low === 0 ? 0 : low - air, high + air];
}

function layout(ctx, view, data) {
  const [low, high] = data.range ?? rangeOf(data);
  const y = data.log ? log(low, high) : linear(low, high);
  const ticks = y.ticks(4).filter((v) => v >= low && v <= high);
  const names = ticks.map(tickText);
  const widest = Math.max(
    14,
    ...names.map((n) => textWidth(ctx, n, view.palette, { size: 11.5 })),
  );
  const box = {
    left: Math.ceil(widest) + 10,
    right: view.w - PAD.right - (data.labelWidth ?? 0),
    top: PAD.top + (data.strip ? STRIP : 0),
    bottom: view.h - PAD.bottom,
  };
  return {
    ...box,
    ticks,
    names,
    x: (t) => box.left + data.axis.share(t) * (box.right - box.left),
    y: (v) => box.bottom - y.share(v) * (box.bottom - box.top),
  };
}

function line(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

const crisp = (v) => Math.round(v) + 0.5;

function grid(ctx, view, at) {
  const p = view.palette;
  ctx.lineWidth = 1;
  at.ticks.forEach((value, i) => {
    const y = crisp(at.y(value));
    ctx.strokeStyle = p.line2;
    if (y < at.bottom - 1) line(ctx, at.left, y, at.right, y);
    label(ctx, at.names[i], at.left - 7, y, p, { size: 11.5, color: p.mut, align: "right" });
  });
}

function timeAxis(ctx, view, data, at, xName) {
  const p = view.palette;
  const y = crisp(at.bottom);
  ctx.strokeStyle = p.ctl;
  ctx.lineWidth = 1;
  line(ctx, at.left, y, at.right, y);
  for (const tick of data.axis.ticks(at.right - at.left < 180 ? 3 : 4)) {
    if (tick < data.axis.min || tick > data.axis.max) continue;
    const x = crisp(at.x(tick));
    line(ctx, x, y, x, y + 4);
    const half = textWidth(ctx, tickText(tick), p, { size: 11.5 }) / 2;
    const inside = Math.min(x, view.w - half - 1);
    label(ctx, tickText(tick), inside, y + 13, p, { size: 11.5, color: p.mut, align: "center" });
  }
  label(ctx, xName, at.right, y + 29, p, { size: 12.5, color: p.mut, align: "right" });
}

/** Bands behind all else; their names stand in the strip, where no line comes. */
function bands(ctx, view, data, at) {
  const top = at.top - (data.strip ? STRIP : 0);
  let free = 0; // from where on no name stands
  for (const { from, to, strength = 0.09, label: name } of data.bands) {
    const [a, b] = [at.x(Math.max(from, data.axis.min)), at.x(Math.min(to, data.axis.max))];
    ctx.fillStyle = fade(view.palette.ctl, strength);
    ctx.fillRect(a, top, b - a, at.bottom - top);
    if (!name) continue;
    const short = name.split(" ")[0];
    const width = (text) => textWidth(ctx, text, view.palette, { size: 12 });
    const shown = width(name) < b - a - 8 ? name : short;
    const x = Math.min((a + b) / 2, view.w - width(shown) / 2 - 1);
    if (x - width(shown) / 2 < free) continue;
    free = x + width(shown) / 2 + 3;
    label(ctx, shown, x, top + 9, view.palette, { size: 12, align: "center" });
  }
}

/** Vertical marks of a theory: a time with a triangle at its top. */
function marks(ctx, view, data, at) {
  const p = view.palette;
  for (const { t, label: name, tone = "theory" } of data.marks) {
    const x = at.x(t);
    ctx.strokeStyle = ctx.fillStyle = p[tone];
    ctx.lineWidth = 2;
    line(ctx, x, at.top, x, at.bottom);
    ctx.beginPath();
    ctx.moveTo(x - 6, at.top);
    ctx.lineTo(x + 6, at.top);
    ctx.lineTo(x, at.top + 8);
    ctx.fill();
    if (name)
      label(ctx, name, x - 9, at.top + 7, p, {
        size: 12.5,
        color: p[tone],
        align: "right",
        halo: p.bg,
      });
  }
}

/** A polyline of frames i … j, at most about two points a pixel. */
function trace(ctx, data, at, y, i, j) {
  let last = -Infinity; // where the pen is
  ctx.beginPath();
  for (let k = i; k <= j; k += 1) {
    const [x, value] = [at.x(data.t[k]), at.y(y[k])];
    if (!Number.isFinite(value)) last = -Infinity;
    else if (last === -Infinity) ctx.moveTo(x, value);
    else if (x - last < 0.5 && k < j) continue;
    else ctx.lineTo(x, value);
    if (Number.isFinite(value)) last = x;
  }
  ctx.stroke();
}

function curves(ctx, view, data, at) {
  const p = view.palette;
  ctx.lineJoin = "round";
  for (const ghost of data.ghosts) {
    ctx.strokeStyle = fade(p.state, 0.4);
    ctx.lineWidth = 1;
    trace(ctx, { ...data, t: ghost.t }, at, ghost.y, 0, ghost.t.length - 1);
  }
  for (const curve of data.curves) {
    const width = curve.width ?? 2.4;
    const last = data.filled - 1;
    ctx.strokeStyle = mix(p.state, p.bg, 0.38);
    ctx.lineWidth = Math.max(1, width - 0.2);
    trace(ctx, data, at, curve.y, data.now, last);
    ctx.strokeStyle = p.state;
    ctx.lineWidth = width;
    trace(ctx, data, at, curve.y, 0, data.now);
    if (!curve.label || last < 1) continue;
    const y = at.y(curve.y[last]);
    label(ctx, curve.label, at.x(data.t[last]) + 5, y, p, { size: 12.5, color: p.state });
  }
}

/** The now-cursor: a line, a dot on each curve, the orange grip on the axis. */
function cursor(ctx, view, data, at) {
  const p = view.palette;
  const x = at.x(data.t[data.now] ?? data.axis.min);
  ctx.strokeStyle = p.ink;
  ctx.lineWidth = 1;
  line(ctx, crisp(x), at.top - 4, crisp(x), at.bottom);
  for (const curve of data.curves) {
    const y = at.y(curve.y[data.now]);
    if (!Number.isFinite(y) || y < at.top - 8) continue;
    ctx.beginPath();
    ctx.arc(x, y, 5, 0, 2 * Math.PI);
    ctx.fillStyle = p.state;
    ctx.strokeStyle = p.bg;
    ctx.lineWidth = 4;
    ctx.stroke();
    ctx.fill();
  }
  grip(ctx, p, x, at.bottom);
}

/** What a hand takes the moving line of a chart by. */
export function grip(ctx, p, x, y) {
  ctx.beginPath();
  ctx.roundRect(x - 6, y - 8, 12, 16, 4);
  ctx.strokeStyle = p.bg;
  ctx.lineWidth = 3;
  ctx.stroke();
  ctx.fillStyle = p.grab;
  ctx.fill();
  ctx.fillStyle = p.bg;
  ctx.fillRect(x - 2.5, y - 3.5, 1.3, 7);
  ctx.fillRect(x + 1.2, y - 3.5, 1.3, 7);
}

const EMPTY = { ghosts: [], levels: [], shunned: [], marks: [], bands: [], curves: [], t: [], filled: 0, now: 0 };

/**
 * A time chart.  `set(data)` takes
 *
 *   axis      linear(…) or log(…), the player's
 *   t         times of the frames; `filled` how many are there; `now` the frame shown
 *   curves    [{ y, width, label }] values at the frames
 *   range     [low, high], else what holds the curves; `log` a logarithmic y; `zero` from 0
 *   levels    [{ y, label }] dashed; marks [{ t, label, tone }] vertical
 *   bands     [{ from, to, strength, label }]; ghosts [{ t, y }] of earlier settings
 *   strip     whether bands have names, for which there is room above the curves
 *   name, x   the names of the axes, when they change with the weights
 *   over(ctx, at, view, data)   drawn last, for what is special to a figure
 *   shunned   [{ y }] values of a curve that `over` draws, which names keep away from
 *
 * `seek(t)` is called while the reader drags in it.
 */
export function chart(card, { x, y, seek }) {
  const name = h("div", { class: "tfdyn-chart-name", "aria-hidden": "true" });
  setRich(name, y);
  let data = { ...EMPTY, axis: linear(0, 1) };
  let at = null;
  const self = surface(card, {
    label: `Chart of ${plain(y)} against ${plain(x)}.`,
    className: "tfdyn-chart",
    draw(ctx, view) {
      at = layout(ctx, view, data);
      bands(ctx, view, data, at);
      grid(ctx, view, at);
      levels(ctx, view, data, at);
      marks(ctx, view, data, at);
      timeAxis(ctx, view, data, at, data.x ?? x);
      if (data.filled > 0) {
        curves(ctx, view, data, at);
        data.over?.(ctx, at, view, data);
        cursor(ctx, view, data, at);
      }
      levelNames(ctx, view, data, at);
    },
  });
  const timeAt = (p) =>
    data.axis.value(Math.min(1, Math.max(0, (p.x - at.left) / (at.right - at.left))));
  drag(card, self.canvas, {
    start(p) {
      if (!at) return false;
      seek(timeAt(p));
      return true;
    },
    move: (p) => seek(timeAt(p)),
  });
  return {
    ...self,
    node: h("div", { class: "tfdyn-chart-box" }, name, self.canvas),
    set(next) {
      data = { ...EMPTY, ...data, ...next };
      if (next.name) setRich(name, next.name);
      self.invalidate();
    },
  };
}

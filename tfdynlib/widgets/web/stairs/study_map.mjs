// The map of the stored study: a row for each beta, on the time axis of the chart above.

import { h, setRich } from "../kit/dom.mjs";
import { fade, mix } from "../kit/palette.mjs";
import { drag, surface } from "../kit/stage.mjs";
import { label } from "../kit/text.mjs";

const [NEAR, FAR] = [0.03, Math.SQRT2]; // distances that are darkest and without colour
const MOVES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** How dark a distance is, evenly in its logarithm. */
const shade = (y) => 0.92 * Math.min(1, Math.max(0, Math.log(FAR / y) / Math.log(FAR / NEAR)));

/** Where the cells lie: the largest beta is on top. */
function layout(view, { rows, t, axis, at }) {
  const [top, bottom] = [6, view.h - 8];
  const step = t[1] - t[0];
  const high = (bottom - top) / rows.length;
  const y = (i) => bottom - (i + 1) * high;
  const x = (time) => at.x(Math.min(axis.max, Math.max(axis.min, time)));
  return {
    top, bottom, high, y, x,
    cell: (i, k) => [x(t[k] - step / 2), y(i), x(t[k] + step / 2), y(i) + high],
    at: (p) => [
      Math.min(rows.length - 1, Math.max(0, Math.floor((bottom - p.y) / high))),
      Math.min(axis.max, Math.max(axis.min, axis.value((p.x - at.left) / (at.right - at.left)))),
    ],
  };
}

function cells(ctx, p, g, { rows, t }) {
  rows.forEach((row, i) => {
    t.forEach((_, k) => {
      const [x0, y0, x1, y1] = g.cell(i, k);
      ctx.fillStyle = mix(p.state, p.bg, shade(row.y[k]));
      ctx.fillRect(x0, y0, x1 - x0 + 0.5, y1 - y0 - 1);
    });
  });
}

/** The exits: of the runs as dots, of twice the tokens as rings round them. */
function exits(ctx, p, g, { rows, axis }) {
  const dot = (time, i, r, fill) => {
    if (time === null || time > axis.max) return;
    ctx.beginPath();
    ctx.arc(g.x(time), g.y(i) + g.high / 2, r, 0, 2 * Math.PI);
    ctx.strokeStyle = fill ? p.bg : p.ink;
    ctx.lineWidth = fill ? 2 : 1.2;
    ctx.stroke();
    if (fill) ctx.fill();
  };
  ctx.fillStyle = p.ink;
  rows.forEach(({ exit }, i) => dot(exit, i, 3.5, true));
  rows.forEach(({ twice }, i) => dot(twice, i, 6, false));
}

/** The law through the exit of the largest beta: straight, as each row doubles beta. */
function law(ctx, p, g, { rows, slope, axis, at }) {
  const last = rows.at(-1);
  if (Number.isNaN(slope) || last.exit === null) return;
  const time = (i) => last.exit + slope * Math.log(rows[i].beta / last.beta);
  const middle = (i) => g.y(i) + g.high / 2;
  const over = (middle(0) - middle(rows.length - 1)) / Math.max(1, rows.length - 1) / 2;
  const half = (slope * Math.LN2) / 2;
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, g.top, at.right - at.left, g.bottom - g.top);
  ctx.clip();
  for (const [colour, width] of [[p.bg, 4], [p.theory, 1.8]]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(width > 2 ? [] : [6, 5]);
    ctx.beginPath();
    ctx.moveTo(at.x(time(0) - half), middle(0) + over);
    ctx.lineTo(at.x(time(rows.length - 1) + half), middle(rows.length - 1) - over);
    ctx.stroke();
  }
  ctx.restore();
}

/**
 * The canvas of the map.  `look()` gives { rows, t, axis, at, slope, beta, now }, with `at`
 * the layout of the chart above; `pick(beta, t)` goes to a cell.
 */
export function studyMap(card, { look, pick }) {
  const name = h("div", { class: "tfdyn-chart-name", "aria-hidden": "true" });
  setRich(name, "stored *W*_2 over *β* and *t*: the bluer, the nearer");
  let g = null;

  function move([right, up]) {
    const { rows, t, axis, beta, now } = look();
    const step = t.length > 1 ? t[1] - t[0] : (axis.max - axis.min) / 100;
    const next = Math.min(axis.max, Math.max(axis.min, (Math.round(now / step) + right) * step));
    if (rows.length === 0) {
      if (right !== 0) pick(beta, next);
      return right !== 0;
    }
    const here = rows.findIndex((row) => row.beta >= beta);
    const i = Math.min(rows.length - 1, Math.max(0, (here < 0 ? rows.length : here) + up));
    pick(rows[i].beta, right === 0 ? now : next);
    return true;
  }

  const self = surface(card, {
    label: "Map of the stored runs: distance to the poles over inverse temperature and layer-time.",
    keys: "Up and down choose another run, right and left another moment.",
    className: "tfdyn-chart tfdyn-low tfdyn-map",
    onKey: ({ key }) => (MOVES[key] ? move(MOVES[key]) : false),
    draw(ctx, view) {
      const seen = look();
      const p = view.palette;
      g = null;
      if (!seen.at) return;
      if (seen.rows.length === 0) {
        label(ctx, "no stored runs of this head and start", seen.at.left, 20, p, { size: 12.5, color: p.mut });
        return;
      }
      g = layout(view, seen);
      cells(ctx, p, g, seen);
      law(ctx, p, g, seen);
      exits(ctx, p, g, seen);
      const chosen = seen.rows.findIndex(({ beta }) => beta === seen.beta);
      seen.rows.forEach(({ beta }, i) =>
        label(ctx, String(beta), seen.at.left - 4, g.y(i) + g.high / 2, p, {
          size: 11, weight: i === chosen ? 600 : 400, color: i === chosen ? p.ink : p.mut, align: "right",
        }));
      const x = Math.round(seen.at.x(seen.now)) + 0.5;
      ctx.strokeStyle = fade(p.ink, 0.9);
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, 0);
      ctx.lineTo(x, view.h);
      ctx.stroke();
      if (chosen < 0) return;
      ctx.strokeStyle = p.grab;
      ctx.lineWidth = 2.5;
      ctx.strokeRect(x - 6, g.y(chosen) - 0.5, 12, g.high);
    },
  });
  const take = (p) => {
    const [i, t] = g.at(p);
    pick(look().rows[i].beta, t);
  };
  drag(card, self.canvas, {
    start(p) {
      if (!g) return false;
      take(p);
      return true;
    },
    move: (p) => { if (g) take(p); },
    end: () => card.speak(),
  });
  card.surfaces.push(self);
  card.side(h("div", { class: "tfdyn-chart-box tfdyn-tree-box" }, name, self.canvas));
  /** The middle of a cell on the canvas: for tests. */
  self.place = (beta, t) => {
    const { rows, at } = look();
    return g && { x: at.x(t), y: g.y(rows.findIndex((row) => row.beta === beta)) + g.high / 2 };
  };
  return self;
}

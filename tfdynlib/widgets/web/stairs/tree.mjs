// The tree of mergers over log time, under the staircase and on the same axis.

import { h } from "../kit/dom.mjs";
import { fade, mix } from "../kit/palette.mjs";
import { drag, surface } from "../kit/stage.mjs";
import { label } from "../kit/text.mjs";

const NEAR = { mouse: 14, touch: 24 };
const AFTER = 1e-6; // a merger is looked at just after it
const LINE = 13; // from one letter to the next below it, at least

/** Where the branches lie: each node is an interval of the tokens in their order. */
function lay(tree) {
  const place = new Map(tree.order.map((token, k) => [token, k]));
  return tree.nodes.map((node) => {
    let sum = 0;
    for (const token of node.tokens) sum += place.get(token) + 0.5;
    return sum / node.tokens.length / tree.order.length;
  });
}

function branch(ctx, x0, x1, y) {
  ctx.beginPath();
  ctx.moveTo(x0, y);
  ctx.lineTo(x1, y);
  ctx.stroke();
}

/** Branches from `from` to `to` in layer-time, in one tone. */
function branches(ctx, { tree, y, at, axis }, from, to, tone) {
  ctx.strokeStyle = tone;
  tree.nodes.forEach((node, k) => {
    const end = node.parent < 0 ? Infinity : tree.nodes[node.parent].t;
    const [a, b] = [Math.max(node.t, from), Math.min(end, to)];
    if (b > a || (node.t === 0 && from === 0)) {
      ctx.lineWidth = 1 + 3 * Math.sqrt(node.tokens.length / tree.order.length);
      branch(ctx, at.x(Math.max(a, axis.min)), at.x(Math.min(b, axis.max)), y(k));
    }
    if (node.children.length === 0 || node.t < from || node.t > to) return;
    const ends = node.children.map(y);
    const x = at.x(node.t);
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    ctx.moveTo(x, Math.min(...ends));
    ctx.lineTo(x, Math.max(...ends));
    ctx.stroke();
  });
}

function forks(ctx, palette, { tree, y, at }, t, chosen) {
  tree.nodes.forEach((node, k) => {
    if (node.children.length === 0) return;
    const [x, v] = [at.x(node.t), y(k)];
    ctx.beginPath();
    ctx.arc(x, v, k === chosen ? 5.5 : 3.4, 0, 2 * Math.PI);
    ctx.fillStyle = palette.bg;
    ctx.strokeStyle = node.t <= t ? palette.state : mix(palette.state, palette.bg, 0.5);
    ctx.lineWidth = k === chosen ? 2.6 : 1.8;
    ctx.fill();
    ctx.stroke();
  });
}

/** Heights, from the least, moved apart until no two are nearer than a line; none below `last`. */
export function apart(heights, last) {
  const found = [...heights];
  for (let k = 1; k < found.length; k += 1) found[k] = Math.max(found[k], found[k - 1] + LINE);
  for (let [k, most] = [found.length - 1, last]; k >= 0; k -= 1, most = found[k + 1] - LINE) found[k] = Math.min(found[k], most);
  return found;
}

/** Letters of the clusters of the moment, right of the cursor where there is room. */
function letters(ctx, palette, { tree, y, at, right, bottom }, t) {
  const alive = tree.nodes.flatMap((node, k) => {
    const end = node.parent < 0 ? Infinity : tree.nodes[node.parent].t;
    return node.t <= t && t < end ? [k] : [];
  });
  if (alive.length > 9) return;
  alive.sort((i, j) => y(i) - y(j));
  const heights = apart(alive.map((k) => y(k) - 8), bottom);
  const x = at.x(t);
  const left = x + 18 > right;
  alive.forEach((k, i) =>
    label(ctx, tree.nodes[k].letter, left ? x - 6 : x + 6, heights[i], palette, {
      size: 12, weight: 600, align: left ? "right" : "left", halo: palette.bg,
    }));
}

/**
 * The canvas of the tree.  `look()` gives { tree, t, axis, at } with `at` the layout of the
 * chart above; `seek(t)` goes to a moment.
 */
export function treeChart(card, { look, seek }) {
  const name = h("div", { class: "tfdyn-chart-name", "aria-hidden": "true" }, "tree of mergers");
  let place = null;
  let chosen = -1;
  const later = (t) => t * (1 + AFTER);
  const order = () => look().tree.nodes.flatMap((node, k) => (node.children.length > 0 ? [k] : []));

  /** Go to the next fork (1) or the one before (-1), or the first and last. */
  function go(by, end = false) {
    const { tree, t } = look();
    if (!tree) return false;
    const all = order();
    if (all.length === 0) return false;
    const passed = all.filter((k) => later(tree.nodes[k].t) < t * (1 - 1e-9)).length;
    const here = all.findIndex((k) => Math.abs(later(tree.nodes[k].t) / t - 1) < 1e-6);
    let i = by > 0 ? (here >= 0 ? here + 1 : passed) : (here >= 0 ? here : passed) - 1;
    if (end) i = by > 0 ? all.length - 1 : 0;
    chosen = all[Math.min(all.length - 1, Math.max(0, i))];
    seek(later(tree.nodes[chosen].t));
    return true;
  }

  const self = surface(card, {
    label: "Tree of mergers of the clusters over layer-time.",
    keys: "Right and left go to the next and the previous merger, Home and End to the first and last.",
    className: "tfdyn-chart tfdyn-tree",
    onKey: ({ key }) =>
      ({ ArrowRight: () => go(1), ArrowLeft: () => go(-1), Home: () => go(-1, true), End: () => go(1, true) })[key]?.() ?? false,
    draw(ctx, view) {
      const { tree, t, axis, at } = look();
      const p = view.palette;
      if (!at) return;
      if (!tree) {
        label(ctx, "grows when the run is done …", at.left, 20, p, { size: 12.5, color: p.mut });
        return;
      }
      const middle = lay(tree);
      const [top, bottom] = [12, view.h - 12];
      const y = (k) => top + middle[k] * (bottom - top);
      place = { tree, y, at, axis, bottom, right: at.right };
      branches(ctx, place, t, Infinity, mix(p.state, p.bg, 0.38));
      branches(ctx, place, 0, t, p.state);
      const x = Math.round(at.x(t)) + 0.5;
      ctx.strokeStyle = fade(p.ink, 0.9);
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, 0);
      ctx.lineTo(x, view.h);
      ctx.stroke();
      forks(ctx, p, place, t, chosen >= 0 && later(tree.nodes[chosen]?.t ?? 0) === t ? chosen : -1);
      letters(ctx, p, place, t);
    },
  });
  const timeAt = ({ x }) =>
    place.axis.value(Math.min(1, Math.max(0, (x - place.at.left) / (place.at.right - place.at.left))));
  const forkAt = (p, reach) => {
    let best = { k: -1, d: reach };
    for (const k of order()) {
      const d = Math.hypot(place.at.x(place.tree.nodes[k].t) - p.x, place.y(k) - p.y);
      if (d < best.d) best = { k, d };
    }
    return best.k;
  };
  drag(card, self.canvas, {
    start(p, event) {
      if (!place) return false;
      chosen = forkAt(p, NEAR[event.pointerType] ?? NEAR.touch);
      seek(chosen >= 0 ? later(place.tree.nodes[chosen].t) : timeAt(p));
      return true;
    },
    move(p, event, d) {
      if (chosen >= 0 && Math.hypot(d.x, d.y) < 3) return;
      chosen = -1;
      seek(timeAt(p));
    },
  });
  self.canvas.addEventListener("pointermove", card.guard((event) => {
    if (!place) return;
    const box = self.canvas.getBoundingClientRect();
    const p = { x: event.clientX - box.left, y: event.clientY - box.top };
    self.canvas.style.cursor = forkAt(p, NEAR.mouse) >= 0 ? "pointer" : "";
  }));
  card.surfaces.push(self);
  card.side(h("div", { class: "tfdyn-chart-box tfdyn-tree-box" }, name, self.canvas));
  /** Where the forks are on the canvas: for tests. */
  self.places = () => (place ? order().map((k) => ({ t: place.tree.nodes[k].t, x: place.at.x(place.tree.nodes[k].t), y: place.y(k) })) : []);
  return self;
}

// Levels of a theory on a chart: dashed, each named where there is room.

import { label, textWidth } from "./text.mjs";

const crisp = (v) => Math.round(v) + 0.5;

/** Dashed levels of a theory. */
export function levels(ctx, view, data, at) {
  ctx.strokeStyle = view.palette.theory;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 5]);
  for (const { y: value } of data.levels) {
    const y = crisp(at.y(value));
    if (y < at.top - 2 || y > at.bottom) continue;
    ctx.beginPath();
    ctx.moveTo(at.left, y);
    ctx.lineTo(at.right, y);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

const NAME = { size: 12.5 };

/** Boxes where the name of a level may stand: over or under the line, left or right. */
function nameBoxes(at, y, width) {
  const [left, right] = [at.left + 8, at.right - width];
  return [
    [left, y - 9],
    [right, y - 9],
    [right, y + 10],
    [left, y + 10],
  ].map(([x, middle]) => ({ x0: x, x1: x + width, y0: middle - 7, y1: middle + 7 }));
}

const meet = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** Whether a curve passes through a box, one of `over` included. */
function crossed(data, at, box) {
  return [...data.curves, ...data.shunned].some(({ y }) => {
    for (let k = 0; k < data.filled; k += 1) {
      const x = at.x(data.t[k]);
      if (x < box.x0 - 3) continue;
      if (x > box.x1 + 3) return false;
      const v = at.y(y[k]);
      if (v > box.y0 - 2 && v < box.y1 + 2) return true;
    }
    return false;
  });
}

/** Names of the levels, each where no curve and no other name is; else left out. */
export function levelNames(ctx, view, data, at) {
  const p = view.palette;
  const taken = [];
  for (const { y: value, label: name } of [...data.levels].sort((a, b) => b.y - a.y)) {
    const y = crisp(at.y(value));
    if (!name || y < at.top - 2 || y > at.bottom) continue;
    const boxes = nameBoxes(at, y, textWidth(ctx, name, p, NAME));
    const others = data.levels.map((l) => crisp(at.y(l.y))).filter((v) => v !== y);
    const free = boxes.find(
      (box) =>
        box.y0 > (data.strip ? at.top - 3 : 0) &&
        box.y1 < at.bottom &&
        !taken.some((t) => meet(t, box)) &&
        !others.some((v) => v > box.y0 && v < box.y1) &&
        !crossed(data, at, box),
    );
    if (!free) continue;
    taken.push(free);
    const style = { ...NAME, color: p.theory, halo: p.bg };
    label(ctx, name, free.x0, (free.y0 + free.y1) / 2, p, style);
  }
}

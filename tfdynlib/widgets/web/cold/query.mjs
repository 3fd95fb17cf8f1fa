// View "query": what one query hears of a density, at any temperature and dimension.

import { doubles } from "../kit/passport.mjs";
import { mix } from "../kit/palette.mjs";
import { log } from "../kit/scale.mjs";
import { choice, slider } from "../kit/slider.mjs";
import { drag } from "../kit/stage.mjs";
import { label } from "../kit/text.mjs";
import * as ring from "../circle/ring.mjs";
import { besselRatio, laplaceScale, queryMean } from "../twin/cold.mjs";
import { queryPython } from "./python.mjs";
import { heard, short } from "./words.mjs";

const AXIS = log(0.1, 1e5);
const FRAMES = 300;
const DIMS = [2, 3, 64, 768];
const COLD = 0.99; // a mean this long is cold
const TURN = 2 * Math.PI;

const kappas = Float64Array.from({ length: FRAMES + 1 }, (_, k) => AXIS.value(k / FRAMES));

/** κ at which A_d reaches a length, by bisection of its logarithm. */
export function kappaFor(d, length) {
  let [low, high] = [Math.log(1e-3), Math.log(1e9)];
  for (let turn = 0; turn < 80; turn += 1) {
    const middle = (low + high) / 2;
    if (besselRatio(d, Math.exp(middle)) < length) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

const curves = new Map(); // A_d on the axis, by dimension

function lengths(d) {
  if (!curves.has(d)) curves.set(d, kappas.map((kappa) => besselRatio(d, kappa)));
  return curves.get(d);
}

function modelOf({ dim, density, angle }) {
  const tilted = density !== 0;
  return {
    dim, density, angle, tilted,
    dims: [...new Set([...DIMS, dim])].sort((a, b) => a - b),
    across: tilted ? kappas.map((kappa) => kappa * queryMean(dim, kappa, density, angle).tangential) : null,
    limit: (density * Math.sin(angle)) / (1 + density * Math.cos(angle)),
    needed: kappaFor(dim, COLD),
  };
}

/** Log-density of the angle between query and token: e^{κ cos θ} sin^{d-2} θ. */
const weight = (kappa, d, theta) => kappa * (Math.cos(theta) - 1) + (d - 2) * Math.log(Math.abs(Math.sin(theta)) + 1e-300);

/** Stage: the great circle of query and e, what is heard as a silhouette, the mean as an arrow. */
function draw(ctx, view, { model, kappa, hovered, paper }) {
  const p = view.palette;
  const g = ring.place(view, 62);
  const { dim, angle, tilted } = model;
  const theta = Array.from({ length: 361 }, (_, k) => ((k - 180) * Math.PI) / 180);
  const logs = theta.map((a) => weight(kappa, dim, a));
  const top = Math.max(...logs);
  ctx.beginPath();
  theta.forEach((a, k) => {
    const tilt = tilted ? Math.max(0, 1 + model.density * Math.cos(angle + a)) : 1;
    const point = ring.at(g, angle + a, g.R + 6 + 44 * Math.tanh(1.2 * Math.exp(logs[k] - top) * tilt));
    if (k === 0) ctx.moveTo(...point);
    else ctx.lineTo(...point);
  });
  ctx.closePath();
  ctx.arc(g.cx, g.cy, g.R + 6, 0, TURN, true);
  ctx.fillStyle = mix(p.state, p.bg, 0.34);
  ctx.fill("evenodd");
  ring.disc(ctx, g, p);
  ring.rim(ctx, g, p);
  ctx.save();
  ctx.strokeStyle = p.ctl;
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  ctx.moveTo(g.cx, g.cy);
  ctx.lineTo(...ring.at(g, angle));
  ctx.stroke();
  ctx.restore();
  if (tilted) {
    const [ex, ey] = ring.at(g, 0, g.R - 6);
    label(ctx, "*e*", ex - 6, ey, p, { size: 14, color: p.mut, align: "right", halo: p.glass1 });
    ctx.strokeStyle = p.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(...ring.at(g, 0, g.R - 6));
    ctx.lineTo(...ring.at(g, 0, g.R + 6));
    ctx.stroke();
  }
  const { radial, tangential } = queryMean(dim, kappa, model.density, angle);
  const turned = angle - Math.atan2(tangential, radial); // towards e, which is at angle 0
  arrow(ctx, g, p, turned, Math.hypot(radial, tangential));
  if (tilted) {
    ctx.save();
    ctx.strokeStyle = p.theory;
    ctx.lineWidth = 1.6;
    ctx.setLineDash([6, 5]);
    const [mx, my] = ring.at(g, turned, g.R * Math.hypot(radial, tangential));
    const [fx, fy] = ring.at(g, angle, g.R * radial);
    ctx.beginPath();
    ctx.moveTo(mx, my);
    ctx.lineTo(fx, fy);
    ctx.stroke();
    ctx.restore();
  }
  const [qx, qy] = ring.at(g, angle);
  if (hovered) {
    ctx.beginPath();
    ctx.arc(qx, qy, 14, 0, TURN);
    ctx.globalAlpha = 0.18;
    ctx.fillStyle = p.grab;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  if (!paper) {
    ctx.beginPath();
    ctx.arc(qx, qy, 7, 0, TURN);
    ctx.fillStyle = p.bg;
    ctx.fill();
    ctx.strokeStyle = p.grab;
    ctx.lineWidth = 2.5;
    ctx.stroke();
  }
  const [tx, ty] = ring.at(g, angle + 0.22, g.R - 16);
  label(ctx, "outside: what is heard, by angle to the query", view.w / 2, view.h - 10, p, { size: 12, color: p.mut, align: "center", halo: p.bg });
  label(ctx, "query", tx, ty, p, { size: 13, color: p.grab, align: "center", halo: p.glass1 });
}

function arrow(ctx, g, p, angle, length) {
  const [x, y] = ring.at(g, angle, g.R * length);
  ctx.strokeStyle = ctx.fillStyle = p.state;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(g.cx, g.cy);
  ctx.lineTo(x, y);
  ctx.stroke();
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(-angle);
  ctx.beginPath();
  ctx.moveTo(4, 0);
  ctx.lineTo(-9, -6);
  ctx.lineTo(-9, 6);
  ctx.fill();
  ctx.restore();
  // the arrow points upwards or aside: there is always room below its foot
  label(ctx, "mean heard", g.cx, g.cy + 18, p, { size: 12.5, color: p.ink, align: "center", halo: p.glass1 });
}

// How high on its curve a name stands, and on which side of it: chosen so that none meet.
const NAMED = { 2: [0.8, "right"], 3: [0.28, "left"], 64: [0.2, "left"], 768: [0.42, "left"] };

/** Names of the curves; the chosen one is bold. */
function names(model) {
  return (ctx, at, view) => {
    const p = view.palette;
    for (const d of model.dims) {
      const [height, align] = NAMED[d] ?? [0.65, "left"];
      const x = at.x(kappaFor(d, height)) + (align === "left" ? 7 : -7);
      label(ctx, `*d* = ${d}`, x, at.y(height), p, { size: 12.5, weight: d === model.dim ? 600 : 400, color: p.state, align, halo: p.bg });
    }
  };
}

const LAMPS = ["cold for this dimension", "the density is smooth", "error below √(log(*κ* + 1)/*κ*), *C* = 1"];

function lampsOf(model, now) {
  return [
    [now.A >= COLD ? "holds" : "fails", `1 − *A* = ${short(1 - now.A)}; (*d* − 1)/2*κ* = ${short((model.dim - 1) / (2 * now.kappa))}`],
    ["holds", model.tilted ? "the part across falls like 1/*κ*" : "uniform: no part across"],
    [now.error <= laplaceScale(now.kappa) ? "holds" : "fails", `error ${short(now.error)} against ${short(laplaceScale(now.kappa))}`],
  ];
}

function verdictOf(model, now) {
  if (model.tilted) return ["The density pulls the mean aside", `*κ* × part across = ${short(now.kappa * now.tangential, 6)}, in the limit ${short(model.limit, 6)}.`, "theory"];
  const need = `Cold (length 0.99) in *d* = ${model.dim} begins at *κ* = ${short(model.needed, 5)}.`;
  return [now.A >= COLD ? "Cold" : now.A < 0.5 ? "Warm: most of the mean cancels" : "Neither warm nor cold", need, now.A >= COLD ? "theory" : "ink"];
}

function build(card) {
  let model = modelOf(card.values());
  let now = null;
  let held = false;
  const moved = (angle) => card.set({ angle: Number(Math.min(3.14, Math.max(0, angle)).toFixed(3)) });
  const stage = card.stage({
    label: "A query on a great circle, how much it hears of each direction, and the mean it hears.",
    keys: "Left and right turn the query, space plays.",
    draw: (ctx, view) => draw(ctx, view, { model, kappa: now.kappa, hovered: held, paper: card.onPaper() }),
    onKey(event) {
      const by = { ArrowLeft: 0.05, ArrowRight: -0.05 }[event.key];
      if (!by) return false;
      moved(card.get("angle") + by);
      card.speak();
      return true;
    },
  });
  drag(card, stage.canvas, {
    start(point) {
      const g = ring.place(stage.view, 62);
      const [x, y] = ring.at(g, card.get("angle"));
      held = Math.hypot(point.x - x, point.y - y) < 26;
      return held;
    },
    move: (point) => moved(Math.abs(ring.polar(ring.place(stage.view, 62), point).angle)),
    end() {
      held = false;
      stage.invalidate();
      card.speak();
    },
  });
  const readouts = card.readouts(["length *A*_d", "along query", "across"]);
  const chart = card.chart({ x: "*κ* = *β*|*Bx*|, log", y: "length of the mean *A*_d" });
  const verdict = card.verdict();
  function show(kappa) {
    const mean = queryMean(model.dim, kappa, model.density, model.angle);
    now = { kappa, ...mean, error: Math.hypot(1 - mean.radial, mean.tangential) };
    stage.invalidate();
    chart.set({ now: Math.round(AXIS.share(kappa) * FRAMES) });
    readouts.set(0, mean.A.toFixed(4));
    readouts.set(1, mean.radial.toFixed(4));
    readouts.set(2, short(mean.tangential));
    verdict.set(...verdictOf(model, now));
    lampsOf(model, now).forEach((lamp, i) => lamps.set(i, ...lamp));
    passport.update();
    card.relabel();
  }
  const player = card.player({
    key: "kappa", symbol: "*κ*", name: "inverse temperature", rests: true, axis: AXIS, seconds: 9,
    work: () => false, filled: () => AXIS.max, format: (v) => short(v, 4), show,
  });
  card.presets();
  card.control(choice(card, { key: "dim", label: "dimension *d*", options: DIMS.map((d) => [d, String(d)]) }));
  card.control(slider(card, { key: "dim", symbol: "*d*", label: "any dimension", min: 2, max: 4096, scale: "log", int: true }));
  card.slider({ key: "density", symbol: "*c*", label: "in the density 1 + *c*⟨*y*, *e*⟩", min: -0.95, max: 0.95, step: 0.05 });
  card.slider({ key: "angle", symbol: "*α*", label: "angle between query and *e*, radian", min: 0, max: 3.14, step: 0.01 });
  const lamps = card.lamps("Is this cold?", LAMPS);
  const measured = card.deviation((reference) => {
    if (!reference.numbers) return null;
    const theirs = doubles(reference.numbers);
    let worst = 0;
    doubles(reference.kappa).forEach((kappa, k) => {
      const mean = queryMean(model.dim, kappa, model.density, model.angle);
      [mean.A, mean.radial, mean.tangential].forEach((v, j) => { worst = Math.max(worst, Math.abs(v - theirs[3 * k + j])); });
    });
    return worst;
  });
  const passport = card.passport({
    items: () => ["continued fraction", measured(), `tfdynlib ${card.model.get("version")}`],
    python: () => queryPython({ ...card.values(), kappa: Number(player.t.toPrecision(7)) }),
  });
  card.live(() => heard(`Inverse temperature ${short(now.kappa)} in ${model.dim} dimensions. The mean of a uniform law has length ${now.A.toFixed(3)}. ${verdictOf(model, now)[0]}.`));
  function restart() {
    model = modelOf(card.values());
    const all = model.dims.map((d) => ({ y: lengths(d), width: d === model.dim ? 2.6 : 1.2 }));
    chart.set({
      axis: AXIS, t: kappas, filled: kappas.length,
      curves: model.tilted ? [{ y: model.across, width: 2.6 }] : all,
      name: model.tilted ? "*κ* × part across" : "length of the mean *A*_d",
      levels: model.tilted ? [{ y: model.limit, label: "limit" }] : [{ y: 1, label: "" }],
      range: model.tilted ? null : [0, 1.06], over: model.tilted ? null : names(model), zero: true,
    });
    player.wake();
  }
  card.on(["dim", "density", "angle"], restart);
  /** What is shown, as numbers: for tests and for the curious. */
  card.el.tfdyn.numbers = () => ({ ...now, needed: model.needed, limit: model.limit, dim: model.dim });
  restart();
}

export const queryView = {
  title: "A hundred sounds cold. Is it?",
  lead: "Move along [[grab|*κ*]] and change the dimension: cold means *κ* far above *d*, not above 1.",
  build,
};

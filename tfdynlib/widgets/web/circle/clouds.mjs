// View "clouds": two clouds on the circle, the optimal matching, and its distance.

import { minus, number } from "../kit/dom.mjs";
import { mix } from "../kit/palette.mjs";
import { linear } from "../kit/scale.mjs";
import { label } from "../kit/text.mjs";
import { arc, matchChordal, matchGeodesic } from "../twin/transport.mjs";
import { sliderWhen } from "./controls.mjs";
import { dragTokens, tokenKeys } from "./pointer.mjs";
import { cloudsPython } from "./python.mjs";
import { numbers, passportOf } from "./reference.mjs";
import * as ring from "./ring.mjs";

const TURN = 2 * Math.PI;
const WATCHED = ["angles", "targets", "turned", "pair", "shift"];

const round = (angle) => Number(Math.atan2(Math.sin(angle), Math.cos(angle)).toFixed(4));

/** Root mean square arc of a matching. */
const costOf = (from, to, match) =>
  Math.sqrt(from.reduce((sum, a, i) => sum + arc(a, to[match[i]]) ** 2, 0) / from.length);

/** The same matching, every arrow moved `places` further round. */
function shifted(to, match, places) {
  const n = to.length;
  const turned = (a) => a - TURN * Math.floor(a / TURN);
  const order = to.map((_, j) => j).sort((i, j) => turned(to[i]) - turned(to[j]));
  const rank = [];
  order.forEach((j, r) => { rank[j] = r; });
  return match.map((j) => order[(((rank[j] + places) % n) + n) % n]);
}

/** The second cloud as it stands: its own angles, turned as a whole. */
const turnedTargets = ({ targets, turned }) => targets.map((a) => a + turned);

/** Both distances, the matching shown, and the cost of every shift. */
function prepare(state) {
  const { angles: from, pair } = state;
  const to = turnedTargets(state);
  const n = from.length;
  if (to.length !== n) return { state, from, to, n, uneven: true, match: [], half: 0 };
  const best = matchGeodesic(from, to);
  const chordal = matchChordal(from, to);
  const half = Math.floor(n / 2);
  const places = Array.from({ length: 2 * half + 1 }, (_, k) => k - half);
  const costs = places.map((k) => costOf(from, to, shifted(to, best.to, k)));
  const away = Math.max(-half, Math.min(half, state.shift));
  const labels = from.map((_, i) => i);
  const match = pair === "labels" ? labels : shifted(to, best.to, away);
  return {
    state, from, to, n, best, chordal, places, costs, match, away, half,
    byLabels: costOf(from, to, labels),
    cost: costOf(from, to, match),
  };
}

/** Inner circle for the first cloud, outer for the second. */
function rings(view) {
  const size = Math.min(view.w, view.h) / 2;
  const centre = { cx: view.w / 2, cy: view.h / 2 };
  return { inner: { ...centre, R: 0.5 * size }, outer: { ...centre, R: Math.min(0.82 * size, size - 36) } };
}

function paint(ctx, view, { now, along, chosen, held }) {
  const p = view.palette;
  const { inner, outer } = rings(view);
  ring.disc(ctx, outer, p);
  ring.rim(ctx, inner, p);
  ring.rim(ctx, outer, p);
  now.match.forEach((j, i) => arrow(ctx, inner, outer, p, now.from[i], arc(now.from[i], now.to[j]), along));
  ring.knobs(ctx, outer, p, now.to, 7, held >= 0 ? held : chosen);
  ring.dots(ctx, inner, p, now.from, 5);
  if (along > 0 && !now.uneven) travellers(ctx, inner, outer, p, now, along);
  cloudNames(ctx, inner, outer, p, now);
}

/** The way of one token: a spiral between the circles, solid as far as it has come. */
function arrow(ctx, inner, outer, p, angle, way, along) {
  const draw = (from, to) => {
    ctx.beginPath();
    for (let k = 0; k <= 40; k++) {
      const s = from + ((to - from) * k) / 40;
      const [x, y] = ring.at(inner, angle + s * way, inner.R + s * (outer.R - inner.R));
      if (k === 0) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
  };
  ctx.lineWidth = 2.2;
  ctx.strokeStyle = mix(p.state, p.glass1, along > 0 ? 0.4 : 0.75);
  draw(0, 1);
  if (along === 0) return;
  ctx.strokeStyle = p.state;
  draw(0, along);
}

function travellers(ctx, inner, outer, p, now, along) {
  const g = { ...inner, R: inner.R + along * (outer.R - inner.R) };
  ring.dots(ctx, g, p, now.from.map((a, i) => a + along * arc(a, now.to[now.match[i]])), 5);
}

/** Greek names of the clouds, and token numbers when there is room for them. */
function cloudNames(ctx, inner, outer, p, now) {
  label(ctx, "*μ* inside", inner.cx, inner.cy - 11, p, { size: 14, align: "center", color: p.state, halo: p.glass1 });
  label(ctx, "*ν* outside", inner.cx, inner.cy + 11, p, { size: 14, align: "center", color: p.grab, halo: p.glass1 });
  if (now.n > 12) return;
  tokenNumbers(ctx, p, inner, now.from, inner.R - 15, p.glass1);
  tokenNumbers(ctx, p, outer, now.to, outer.R + 18, p.bg);
}

/** Numbers of the tokens beside them; those at one place share a label. */
function tokenNumbers(ctx, p, g, angles, r, halo) {
  const places = new Map();
  angles.forEach((angle, i) => {
    const key = Math.round((20 * arc(0, angle)));
    places.set(key, { angle, names: [...(places.get(key)?.names ?? []), i + 1] });
  });
  for (const { angle, names } of places.values()) {
    const [x, y] = ring.at(g, angle, r);
    label(ctx, names.join(", "), x, y, p, { size: 12, align: "center", color: p.mut, halo });
  }
}

function verdictOf(now) {
  if (now.uneven) return ["Not as many here as there", `${now.n} tokens and ${now.to.length}: give both clouds the same number.`];
  if (now.state.pair === "labels" && now.cost > now.best.w2 + 1e-9)
    return ["Token by token is not the distance", `By their numbers they travel ${now.cost.toFixed(6)}, as clouds ${now.best.w2.toFixed(6)}.`];
  if (now.cost > now.best.w2 + 1e-9)
    return [`${Math.abs(now.away)} ${Math.abs(now.away) === 1 ? "place" : "places"} off the best`, `This matching costs ${now.cost.toFixed(6)}, the best ${now.best.w2.toFixed(6)}.`];
  if (now.best.w2 < 1e-9) return ["The same cloud", "As measures the two are one, whatever their numbers say."];
  return ["No arrows cross", `Root mean square arc ${now.best.w2.toFixed(6)}: the best of ${now.n} shifts.`];
}

const sentence = (now) =>
  now.uneven ? `${now.n} tokens in one cloud and ${now.to.length} in the other.` : `${now.n} tokens in each cloud. Distance ${now.best.w2.toFixed(4)} along arcs, ${now.chordal.w2.toFixed(4)} along chords. ` +
  `The matching shown costs ${now.cost.toFixed(4)}.`;

export const cloudsView = {
  title: "How far apart are two clouds?",
  lead: "[[grab|Drag a token]] of the second cloud, outside, right round the circle: the matching jumps.",
  build(card) {
    let now = prepare(card.values());
    let along = 0;
    let chosen = -1;
    const place = (i, angle) => {
      const targets = card.get("targets").slice();
      targets[i] = round(angle - card.get("turned"));
      card.set({ targets });
    };
    const stage = card.stage({
      label: "Two clouds on concentric circles, matched by arrows.",
      keys: "Left and right choose a token of the second cloud, up and down turn it.",
      draw: (ctx, view) => paint(ctx, view, { now, along, chosen, held: hand.held }),
      onKey: (event) => tokenKeys(event, {
        n: now.to.length,
        chosen: Math.max(chosen, 0),
        choose(i) { chosen = chosen < 0 ? 0 : i; stage.invalidate(); },
        turn(by) { chosen = Math.max(chosen, 0); place(chosen, now.to[chosen] + by); card.speak(); },
      }),
    });
    const hand = dragTokens(card, stage, {
      marks: () => ({ g: rings(stage.view).outer, angles: now.to }),
      take: (i) => { chosen = i; card.clock.seek(0); },
      put: place,
      drop: () => card.speak(),
    });
    const outs = card.readouts(["*W*_2 geodesic", "*W*_2 chordal", "shift"]);
    const chart = card.chart({
      x: "places beyond the best shift",
      y: "cost of every shift",
      seek: (k) => card.set({ shift: Math.round(k), pair: "best" }),
    });
    const verdict = card.verdict();
    const player = card.player({
      axis: linear(0, 1),
      seconds: 4,
      symbol: "*s*",
      name: "share of the way",
      format: (t) => t.toFixed(2),
      work: () => false,
      filled: () => 1,
      show(t) {
        along = t;
        stage.invalidate();
        foot.update();
      },
    });
    card.live(() => sentence(now));
    card.presets();
    card.choice({ key: "pair", label: "match by", options: [["best", "least cost"], ["labels", "numbers"]] });
    card.slider({
      key: "turned", symbol: "*α*", label: "turn of the second cloud", min: -3.1416, max: 3.1416,
      format: (v) => number(v, 4),
    });
    card.control(sliderWhen(
      card,
      { key: "shift", label: "places off the best matching", min: -16, max: 16, int: true },
      ["pair"],
      () => card.get("pair") === "best",
    ));
    const lamps = card.lamps("When is a shift the optimum?", [
      "equally many tokens, equal masses", "cost convex in the arc", "no token merges on the way",
    ]);
    lamps.set(1, "holds", "squared arc; the squared chord is not convex beyond a right angle");
    const foot = passportOf(card, {
      words: () => [`${now.n} tokens`, "cyclic shifts", "chordal: assignment"],
      compare: (reference) => numbers(reference, [now.best.w2, now.chordal.w2]),
      python: () => cloudsPython({ angles: now.from, targets: now.state.targets, turned: now.state.turned }),
    });

    function restart() {
      now = prepare(card.values());
      chosen = Math.min(chosen, now.to.length - 1);
      lamps.set(0, now.uneven ? "fails" : "holds");
      verdict.set(...verdictOf(now));
      player.wake();
      if (now.uneven) {
        [0, 1, 2].forEach((i) => outs.set(i, "–"));
        chart.set({ filled: 0 });
        return;
      }
      outs.set(0, now.best.w2.toFixed(6));
      outs.set(1, now.chordal.w2.toFixed(6));
      outs.set(2, now.state.pair === "labels" ? "none" : minus(now.best.shift + now.away));
      chart.set({
        axis: linear(-Math.max(now.half, 1), Math.max(now.half, 1)),
        t: now.places,
        curves: [{ y: now.costs }],
        filled: now.places.length,
        now: now.away + now.half,
        zero: true,
        name: "cost of every shift",
        levels: [{ y: now.best.w2, label: "*W*_2" }],
      });
      const merge = now.to.some((a, j) => now.to.some((b, k) => k < j && Math.abs(arc(a, b)) < 1e-9));
      lamps.set(2, merge ? "fails" : "holds", merge ? "two share a goal: no Lipschitz flow does this in finite time" : "");
    }
    card.on(WATCHED, restart);
    card.el.tfdyn.numbers = () => ({
      geodesic: now.best?.w2, chordal: now.chordal?.w2, match: now.match, cost: now.cost,
    });
    restart();
  },
};

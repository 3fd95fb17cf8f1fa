// View "softmax": the exponentials as they are written, and with the largest score taken out.

import { dragTokens } from "../circle/pointer.mjs";
import { wall } from "../ellipse/wall.mjs";
import { number } from "../kit/dom.mjs";
import { doubles, largestDifference } from "../kit/passport.mjs";
import { label } from "../kit/text.mjs";
import { softmaxPython } from "./python.mjs";
import { HIGH, KINDS, LOW, prepare } from "./softmax_run.mjs";
import { paint, placeOf, quotient } from "./softmax_stage.mjs";
import { small, spoken } from "./words.mjs";

const WRONG = 1e-3; // weights that differ by more are seen to
const STEP = Math.PI / 36;
const CURE = "With the largest score taken out first, nothing is lost.";
const turned = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

function verdictOf(now, m) {
  const { most, least } = KINDS[now.precision];
  if (m.fate === "under") return ["Nobody is heard: 0/0", `Every exponential is below ${small(least)}, where ${now.precision} precision ends. ${CURE}`, "stop"];
  if (m.fate === "over") return ["The naive weights are lost", `The exponentials or their sum are beyond ${small(most)}, where ${now.precision} precision ends. ${CURE}`, "stop"];
  if (m.off > WRONG) return ["Numbers, but wrong ones", `The exponentials have hardly a digit left: weights are off by ${small(m.off)}. ${CURE}`, "stop"];
  const end = now.ends[now.precision];
  return ["Both formulas agree", `Their weights differ by ${small(m.off)}. The naive one ends ${end > HIGH ? "beyond *β* = 2000" : `at *β* = ${number(end, 4)}`}.`, "theory"];
}

function sentence(now, m) {
  const naive = m.naive[now.best];
  const said = Number.isNaN(naive) ? "lost" : naive.toFixed(3);
  return `Beta ${number(m.beta, 3)}, ${now.precision} precision. Sum of the exponentials: ${spoken(m.sum)}. ` +
    `Weight of token ${now.best + 1}: ${said} by the naive formula, ${m.cured[now.best].toFixed(3)} by the cure.`;
}

/** The true sum, dashed; behind the end of the precision the naive one is none. */
function over(ctx, at, view, now) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
  ctx.clip();
  ctx.beginPath();
  now.truth.forEach((y, k) => ctx.lineTo(at.x(now.t[k]), at.y(y)));
  Object.assign(ctx, { strokeStyle: view.palette.theory, lineWidth: 1.7 });
  ctx.setLineDash([6, 5]);
  ctx.stroke();
  ctx.restore();
  wall(ctx, at, view, now.ends[now.precision]);
  for (const [name, end] of Object.entries(now.ends)) endOf(ctx, at, view.palette, end, name === now.precision, now.top);
}

/** A precision's end: a line and its β, where the sum does not pass. */
function endOf(ctx, at, p, end, chosen, top) {
  const x = at.x(end);
  if (!(x < at.right)) return;
  const color = chosen ? p.stop : p.mut;
  ctx.fillStyle = color;
  ctx.fillRect(x - 1, at.top - 4, 2, at.bottom - at.top + 4);
  label(ctx, end.toFixed(1), x - 7, top > 0 ? at.top + 8 : at.bottom - 17, p, { size: 12.5, color, align: "right", halo: p.bg });
}

/** Range and levels of large sums, or of small ones. */
const frameOf = ({ top }) => ({
  range: top > 0 ? [-20, 390] : [-430, 20],
  levels: Object.entries(KINDS).map(([name, { most, least }]) => ({ y: Math.log10(top > 0 ? most : least), label: `${name} ends` })),
});

export const softmaxView = {
  title: "Why take the largest score out first?",
  lead: "Slide *β*, then drag the [[grab|question]] *p* away from the tokens. Bars are the weights by both formulas.",
  build(card) {
    let now = prepare(card.values());
    let m = now.moment(card.get("cold"));
    const look = (angle) => card.set({ look: turned(angle) });
    const stage = card.stage({
      label: "A question among three tokens on the circle, and bars of the weights it gives them.",
      keys: "Left and right turn the question.",
      draw: (ctx, view) => paint(ctx, view, { now, m, held: hand.held }),
      onKey(event) {
        const by = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key];
        if (!by) return false;
        look(now.look + by * STEP);
        card.speak();
        return true;
      },
    });
    const hand = dragTokens(card, stage, {
      marks: () => ({ g: placeOf(stage.view), angles: [now.look] }),
      put: (_, angle) => look(angle),
      drop: () => card.speak(),
    });
    const outs = card.readouts(["naive sum *Z*", "weight, naive", "weight, cured"]);
    const chart = card.chart({ x: "*β*, log", y: "log_{10} of the sum *Z*" });
    const verdict = card.verdict();
    const player = card.player({
      key: "cold", symbol: "*β*", name: "inverse temperature", rests: true,
      axis: now.axis, seconds: 9, format: (beta) => number(beta, 4),
      work: () => false, filled: () => HIGH, show,
    });
    card.live(() => sentence(now, m));
    card.presets();
    card.slider({ key: "cold", symbol: "*β*", label: "inverse temperature", min: LOW, max: HIGH, scale: "log" });
    card.choice({ key: "precision", label: "precision", options: [["single", "single"], ["double", "double"]] });
    const lamps = card.lamps("Does the formula give weights?", ["the naive sum is finite", "the naive sum is not zero", "the naive weights add up to 1", "the cured weights add up to 1"]);
    const measured = card.deviation((reference) => largestDifference(now.compared(), doubles(reference.numbers)));
    const foot = card.passport({
      items: () => [`${now.precision} precision`, "three tokens", measured(), `tfdynlib ${card.model.get("version")}`],
      python: () => softmaxPython({ ...card.values(), cold: Number(m.beta.toPrecision(7)) }),
    });

    function show(beta) {
      m = now.moment(beta);
      stage.invalidate();
      chart.set({ now: now.index(beta) });
      const naive = m.naive[now.best];
      const bad = m.fate === "fine" && m.off <= WRONG ? "" : "stop";
      outs.set(0, small(m.sum), m.fate === "fine" ? "" : "stop");
      outs.set(1, Number.isNaN(naive) ? quotient(m, now.best) : naive.toFixed(4), bad);
      outs.set(2, m.cured[now.best].toFixed(4), "theory");
      verdict.set(...verdictOf(now, m));
      lamps.set(0, m.fate === "over" ? "fails" : "holds", m.fate === "over" ? "overflow: naive weights are no numbers" : "");
      lamps.set(1, m.fate === "under" ? "fails" : "holds", m.fate === "under" ? "underflow: 0/0 is no number" : "");
      lamps.set(2, m.fate === "fine" ? "holds" : "fails");
      lamps.set(3, "holds", "its largest exponential is 1");
      foot.update();
    }

    function restart() {
      now = prepare(card.values());
      chart.set({
        axis: now.axis, t: now.t, filled: now.t.length, ...frameOf(now),
        curves: [{ y: now.sums }], shunned: [{ y: now.truth }],
        over: (ctx, at, view) => over(ctx, at, view, now),
      });
      player.wake();
    }
    card.on(["look", "precision"], restart);
    card.el.tfdyn.numbers = () => ({ naive: m.naive, cured: m.cured, sum: m.sum, fate: m.fate, ends: now.ends });
    restart();
  },
};

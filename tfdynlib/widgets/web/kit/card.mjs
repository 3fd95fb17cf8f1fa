/**
 * The card: what every figure is built on.  (This comment is the kit's manual.)
 *
 * A figure is one module with one default export:
 *
 *   import { figure } from "./kit/card.mjs";
 *   import { linear } from "./kit/scale.mjs";
 *
 *   export function python(state) { return ["import numpy as np", …].join("\n"); }  // pure
 *
 *   export default figure({
 *     name: "circle",                              // address key, class of the Python widget
 *     title: "A question?",                        // h3
 *     lead: "One sentence. [[grab|Orange]] is what you can move.",   // rich text
 *     state: {                                     // every key a reader can change
 *       beta: { min: 0.1, max: 50 },               // real number
 *       n: { min: 2, max: 256, int: true },
 *       rule: { choices: ["softmax", "hardmax"] },
 *       V: { check: (v) => true | false },         // anything else
 *       t: { min: 0, max: 1e4 },                   // moment shown; kept by the player
 *     },
 *     build(card) { … }                            // may return an undoing function
 *   });
 *
 * Rich text (titles, labels, lamps, canvas labels): `*x*` is serif italic, `_1` or
 * `_{ab}` sub, `^2` or `^{⊤}` super, `[[grab|word]]` a word in a tone (grab, state,
 * theory, stop).  Minus is written "−".
 *
 * `card` inside build (slots have their own order, call in any order):
 *
 *   card.get(key)                    value in the model (never edit it in place: copy)
 *   card.set({ key: value, … })      set values, tell the model (Lab: throttled sync)
 *   card.on([keys], fn)              fn() once per turn after any of these changed
 *   card.values()                    { every state key: value }, with the moment shown
 *   card.stage({ label, keys, role, draw(ctx, view), onKey(event, stage) })
 *        → stage: { canvas, invalidate(), view: { w, h, palette } }.  Square, ≤ 420 px.
 *        draw gets CSS pixels.  `keys` is the sentence on keys; with onKey (return true
 *        when used) role is "application", else "img".  stage.mjs has drag(canvas, …).
 *   card.readouts(["clusters", "largest", "energy"])  → { set(i, text, tone?) }   (three)
 *   card.chart({ x: "layer-time *t*", y: "energy *E*" }) → chart, see chart.mjs:
 *        chart.set({ axis, t, curves: [{ y, width?, label? }], filled, now, range, log,
 *                    levels: [{ y, label }], ghosts, marks, bands }).  Dragging seeks.
 *   card.verdict()                   → { set(title, text, tone?) }, fixed height
 *   card.player({ axis, step, seconds, work(ms), show(t), format(t), filled() })
 *        axis: linear(0, 30), log(0.01, 1e4) or logFromZero(100) from scale.mjs.
 *        work(ms) integrates ahead for about ms and returns true while something is left;
 *        show(t) draws everything for the moment t; filled() is the time reached by the
 *        buffer.
 *        → { t, playing, play(), pause(), toggle(), seek(t), wake(), axis = … }.
 *        wake(): something changed, work and draw again (call after a restart).
 *        player.t is kept in state key `t`; address and Python see it when paused.
 *        A player of something else: `key`, `symbol`, `name` ("beta", "*β*", "inverse
 *        temperature"); `rests: true` stands at the moment of a preset instead of playing;
 *        `whole: true` rests on whole numbers; a pause takes the step that has begun.
 *   card.presets()                   chips from the model's `presets`; picking sets the
 *        preset's values, goes to t = 0 and plays (reduced motion: still at its moment)
 *   card.slider({ key, symbol: "*β*", label, min, max, scale: "lin"|"log", int, step, format })
 *   card.choice({ key, label, options: [[value, "word"], …] })     radio group as tabs
 *   card.matrices({ keys: ["B","V"], names: ["who listens to whom", …], heads: 4, size: 3,
 *                   title: "Weights of the heads: *B*, *V*", below: {a choice} })
 *        editors with eigenvalue lines, folded on a narrow column; with `heads` 1 the
 *        value is one matrix [[…]], else a list of them
 *   card.fold(title, node)           any other part that folds on a narrow column
 *   card.control(node)               any other control, in line with the sliders
 *   card.side(node)                  any other part beside the stage
 *   card.weights(node)               any other part beside the sliders
 *   card.lamps(title, names)         → { set(i, "holds"|"fails"|"unasked", detail?, name?) }
 *   card.passport({ items: () => ["seed 8", …], python: () => text })
 *        → { update() }: foot line with Share and Copy as Python
 *   card.live(() => sentence)        → spoken politely when paused and after each control
 *   card.note(text)                  a visible note under the lead; "" takes it away
 *   card.deviation(compute)          → words(): "deviation 4e-16, page against Python";
 *        compute(reference) gives the largest difference, or null while the buffer is not
 *        there yet.  `reference` is what the Python class ships (arrays by doubles()).
 *   card.palette()                   colours now: state grab theory stop ink mut ctl rim
 *                                    grat line line2 bg soft glass0 glass1
 *   card.onFollow(fn)                after a link on the page was followed: forget what no
 *        address tells (earlier runs that are drawn beside the present one)
 *   card.pace()                      { due(), soon() }: when words that flicker are written while it plays or fills
 *   card.rare(fn)                    fn at most once a second, and always once more at the end
 *   card.el, card.model, card.clock (the player made), card.onPage (false in a notebook),
 *        card.onPaper() (being printed: leave hints away), card.guard(fn)
 *
 * Trajectories: trajectory.mjs, `trajectory({ times, dt, start, step(x, t, h), measure(x) })`
 * → { advance(ms), advanceTo(t, ms), at(k), index(t), filled, values }: integrates ahead in
 * slices, newest weights win (make a new one on restart).
 *
 * In build, make the player before the parts that speak, end with `restart()`; the card
 * then draws once at the moment `t` of the state, paused.
 *
 * An exception anywhere in build, draw, show, work or a listener turns this card alone
 * into "This figure stopped: message. Reload figure".
 */

import { anatomy } from "./anatomy.mjs";
import { chart } from "./chart.mjs";
import { h } from "./dom.mjs";
import { errorCard } from "./error.mjs";
import { fold } from "./fold.mjs";
import { lamps, readouts, verdict } from "./lamps.mjs";
import { listening, saving } from "./listen.mjs";
import { atMostEachSecond, live, pace } from "./live.mjs";
import { loop } from "./loop.mjs";
import { matrices } from "./matrix.mjs";
import { palette } from "./palette.mjs";
import { deviation, passport } from "./passport.mjs";
import { player } from "./player.mjs";
import { presets } from "./presets.mjs";
import { choice, slider } from "./slider.mjs";
import { surface } from "./stage.mjs";
import { addressText, problemNote, readState } from "./state.mjs";

/** The state in the address, if it names this figure: applied, or answered by a note. */
function fromAddress(card, rules) {
  const text = addressText(location.hash, card.address);
  if (text === null) return false;
  const { values, problem } = readState(text, rules);
  if (problem) card.note(problemNote(problem));
  else card.set(values);
  return !problem;
}

const TYPED = "input, button, summary, select, textarea, a, [contenteditable]";

/** The methods that fill the slots of the anatomy. */
function parts(card, slots) {
  const put = (slot, part) => {
    slot.append(part.node);
    return part;
  };
  return {
    stage(options) {
      const stage = surface(card, { className: "tfdyn-canvas", ...options });
      slots.stage.append(stage.canvas);
      card.surfaces.push(stage);
      return stage;
    },
    chart(options) {
      const made = chart(card, { seek: (t) => card.clock.seek(t), ...options });
      slots.side.append(made.node);
      card.surfaces.push(made);
      return made;
    },
    readouts: (names) => put(slots.side, readouts(names)),
    verdict: () => put(slots.side, verdict()),
    player(options) {
      const made = player(card, options);
      card.clock = made;
      return put(slots.player, made);
    },
    presets: () => slots.presets.append(presets(card)),
    slider: (options) => slots.controls.append(slider(card, options)),
    choice: (options) => slots.controls.append(choice(card, options)),
    control: (child) => slots.controls.append(child),
    side: (child) => slots.side.append(child),
    matrices(options) {
      const { title = "Weights of the heads: *B*, *V*", below = null } = options;
      const box = h("div", {}, matrices(card, options), below && choice(card, below));
      slots.weights.append(fold(card, title, box));
    },
    fold: (title, child) => slots.weights.append(fold(card, title, child)),
    weights: (child) => slots.weights.append(child),
    lamps: (title, names) => put(slots.lamps, lamps(title, names)),
    passport(options) {
      const made = put(slots.foot, passport(card, options));
      card.on(["reference"], made.update);
      return made;
    },
    deviation: (compute) => deviation(card, compute),
  };
}

function makeCard(spec, { model, el }, fail) {
  const { node, slots, note } = anatomy(el, spec.title, spec.lead);
  const closers = [];
  const themed = [];
  const followed = [];
  let closed = false;
  const guard = (fn) =>
    function guarded(...args) {
      if (closed) return undefined;
      try {
        return fn.apply(this, args);
      } catch (error) {
        fail(error);
        return undefined;
      }
    };
  const colours = palette(el, () => {
    themed.forEach((fn) => fn());
    card.loop.paintNow();
  });
  const heard = listening(model, guard);
  const save = saving(model);
  const running = loop(el, guard);
  let sentence = () => "";
  const voice = live(() => sentence());

  const card = {
    el,
    model,
    guard,
    loop: running,
    keys: Object.keys(spec.state),
    address: el.dataset.address ?? spec.name,
    onPage: el.dataset.figure !== undefined,
    onPaper: () => el.classList.contains("tfdyn-print"),
    clock: null,
    surfaces: [],
    get: (key) => model.get(key),
    values() {
      const values = Object.fromEntries(card.keys.map((key) => [key, model.get(key)]));
      const { playing, key, t } = card.clock ?? {};
      return playing ? { ...values, [key]: Number(t.toPrecision(7)) } : values;
    },
    set(values) {
      for (const [key, value] of Object.entries(values)) model.set(key, value);
      save.soon();
    },
    on: heard.on,
    flush: heard.flush,
    onTheme: (fn) => themed.push(fn),
    onFollow: (fn) => followed.push(fn),
    followed: () => followed.forEach((fn) => fn()),
    onClose: (fn) => closers.push(fn),
    onSpace(fn) {
      const pressed = guard((event) => {
        if (event.key !== " " || event.target.closest?.(TYPED)) return;
        event.preventDefault();
        fn();
      });
      node.addEventListener("keydown", pressed);
    },
    palette: () => colours.colours(),
    moment: (t) => card.set({ [card.clock.key]: Number(t.toPrecision(7)) }),
    note(text) {
      note.hidden = text === "";
      note.textContent = text;
    },
    pace: () => pace(() => card.clock?.playing || card.clock?.filling),
    rare: (fn) => atMostEachSecond(guard(fn)),
    speak: (text) => {
      if (typeof text === "string") voice.speak(text);
      else {
        heard.flush();
        if (!card.clock?.playing && !card.clock?.postpone()) voice.speak();
      }
      relabel();
    },
    live(fn) {
      sentence = guard(fn);
    },

    close() {
      closed = true;
      running.close();
      colours.close();
      heard.close();
      save.close();
      voice.close();
      closers.forEach((fn) => fn());
      node.remove();
    },
  };
  const relabel = card.rare(() =>
    card.surfaces.forEach((one) => one.say(sentence() ?? "")),
  );
  Object.assign(card, parts(card, slots), { relabel });
  node.append(voice.node);
  return { card, node };
}

/** Follow the address and the state's moment after the figure is built. */
function follow(card, rules) {
  const player = card.clock;
  const near = (a, b) => Math.abs(a - b) <= 1e-6 * (1 + Math.abs(b));
  card.on([player.key], () => {
    if (!player.playing && !near(card.get(player.key), player.t))
      player.seek(card.get(player.key), { quiet: true });
  });
  const arrived = card.guard(() => {
    card.followed();
    player.seek(card.get(player.key));
  });
  const changed = card.guard(() => {
    card.note("");
    if (!fromAddress(card, rules)) return;
    card.flush();
    queueMicrotask(arrived); // by then this card is closed, if the address has another view
  });
  if (card.onPage) {
    addEventListener("hashchange", changed);
    card.onClose(() => removeEventListener("hashchange", changed));
  }
}

/** A figure as an anywidget module: `{ render({ model, el }) }`. */
export function figure(spec) {
  function render({ model, el }) {
    let close = () => {};
    const start = () => {
      let failed = false;
      const still = el.querySelector(".tfdyn-still");
      el.querySelector(".tfdyn-card")?.remove();
      el.classList.add("tfdyn");
      if (still) still.hidden = true;
      const fail = (error) => {
        if (failed) return;
        failed = true;
        console.error(error);
        close();
        errorCard(el, { title: spec.title, error, reload: start });
      };
      const { card, node } = makeCard(spec, { model, el }, fail);
      close = card.close;
      el.append(node);
      el.tfdyn = { model, frameTimes: card.loop.frameTimes, card };
      card.guard(() => {
        if (card.onPage && !el.dataset.read) fromAddress(card, spec.state);
        el.dataset.read = "address"; // once: a card built anew keeps the model's state
        const undo = spec.build(card);
        if (undo) card.onClose(undo);
        follow(card, spec.state);
        card.clock.now();
        card.loop.paintNow();
        card.loop.wake();
      })();
      if (!failed) el.dataset.tfdyn = "ready";
    };
    start();
    return () => close();
  }
  return { render };
}

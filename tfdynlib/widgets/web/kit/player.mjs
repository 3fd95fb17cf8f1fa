// Play, step, reset and the scrubber: a moment in layer-time, and who moves it.

import { h, icon, setRich } from "./dom.mjs";

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function buttons() {
  const make = (name, label, props = {}) =>
    h("button", { type: "button", class: `tfdyn-${name}`, "aria-label": label, ...props });
  const play = make("play", "Play");
  play.append(icon("play"), icon("pause"));
  const step = make("tool", "One step forward");
  step.append(icon("step"));
  const reset = make("tool", "Back to the start");
  reset.append(icon("reset"));
  return { play, step, reset };
}

const PARTS = 1000;

/**
 * The player of a card.  See card.mjs for the options.  Time runs evenly along
 * `axis` (so evenly in log t on a logarithmic one) and crosses it in `seconds`.
 * Playing follows the buffer: it never shows what is not integrated yet.
 */
export function player(card, options) {
  const { work, show, filled, seconds = 10, step: stepLength } = options;
  const { key = "t", symbol = "*t*", name = "layer-time", rests = false } = options;
  const format = options.format ?? ((t) => t.toFixed(2));
  let axis = options.axis;
  const within = (value) => Math.min(Math.max(value, axis.min), axis.max);
  let t = within(card.get(key) ?? axis.min);
  let playing = false;
  let shown = false; // the picture is that of t and of the present buffer
  let unsaid = false; // t rests, but the buffer is not there yet
  let last = null;
  const there = () => filled() >= t - 1e-9;

  const { play, step, reset } = buttons();
  const bar = h("input", {
    type: "range",
    class: "tfdyn-scrub",
    min: "0",
    max: String(PARTS),
    step: "any",
    "aria-label": name[0].toUpperCase() + name.slice(1),
  });
  const clock = h("output", { class: "tfdyn-clock", "aria-live": "off" });
  const node = h(
    "div",
    { class: "tfdyn-player", role: "group", "aria-label": "Player" },
    h("div", { class: "tfdyn-buttons" }, play, step, reset),
    bar,
    clock,
  );

  function showControls() {
    const share = Math.min(1, Math.max(0, axis.share(t)));
    bar.value = String(share * PARTS);
    bar.style.setProperty("--tfdyn-at", String(share));
    bar.style.setProperty("--tfdyn-buffer", String(Math.min(1, Math.max(0, axis.share(filled())))));
    bar.setAttribute("aria-valuetext", `${name} ${format(t)}`);
    setRich(clock, `${symbol} = ${format(Math.min(t, filled()))}`);
  }

  function setPlaying(on) {
    if (playing === on) return;
    playing = on;
    last = null;
    node.classList.toggle("tfdyn-playing", on);
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) settle();
    card.loop.wake();
  }

  /** The moment is kept in the state only when it rests, and told when it is seen. */
  function settle() {
    card.moment(t);
    unsaid = !there();
    if (!unsaid) card.speak();
  }

  function move(now) {
    if (last === null) last = now;
    const seen = Math.min(100, now - last) / 1000;
    last = now;
    const reach = Math.min(axis.max, filled());
    const aim = axis.value(Math.min(1, axis.share(t) + seen / seconds));
    t = Math.min(Math.max(aim, t), Math.max(t, reach));
    shown = false;
    if (t >= axis.max - 1e-9) setPlaying(false);
    else if (options.stopped?.() && t >= reach - 1e-9) setPlaying(false);
  }

  function frame(now) {
    const left = work(7);
    if (left) shown = false;
    if (playing) move(now);
    if (!shown) {
      shown = !left;
      show(t);
      showControls();
    }
    if (unsaid && (there() || !left)) {
      unsaid = false;
      card.speak();
    }
    return playing || left;
  }
  card.loop.setJob(frame);

  const self = {
    node,
    key,
    get t() {
      return t;
    },
    get playing() {
      return playing;
    },
    get axis() {
      return axis;
    },
    set axis(next) {
      const before = t;
      axis = next;
      t = within(t);
      if (t !== before && !playing) card.moment(t);
      self.wake();
    },
    play() {
      if (t >= axis.max - 1e-9) t = axis.min;
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    toggle: () => (playing ? self.pause() : self.play()),
    /** Go to `t` and stay there. */
    seek(next, { quiet = false } = {}) {
      t = within(next);
      shown = false;
      if (playing) setPlaying(false);
      else if (!quiet) settle();
      card.loop.wake();
    },
    /** From the start: play; a player that rests, or reduced motion: still at `moment`. */
    begin(moment) {
      const rest = rests || still();
      t = rest ? moment : axis.min;
      shown = false;
      if (rest) self.seek(moment);
      else setPlaying(true);
      card.loop.wake();
    },
    wake() {
      shown = false;
      card.loop.wake();
    },
    /** Draw the present moment at once, and tell it when the buffer is there. */
    now() {
      show(t);
      showControls();
      unsaid = true;
    },
  };

  const along = (by) => {
    const length = typeof stepLength === "function" ? stepLength() : stepLength;
    const linearStep = length === undefined ? (axis.max - axis.min) / 40 : length;
    if (axis.kind === "log") return axis.value(Math.min(1, Math.max(0, axis.share(t) + by / 40)));
    return t + by * linearStep;
  };
  play.onclick = card.guard(self.toggle);
  step.onclick = card.guard(() => self.seek(along(1)));
  reset.onclick = card.guard(() => self.seek(axis.min));
  bar.addEventListener("input", card.guard(() => self.seek(axis.value(bar.value / PARTS))));
  const moves = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4 };
  bar.addEventListener(
    "keydown",
    card.guard((event) => {
      const by = moves[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      self.seek(along(by));
    }),
  );
  card.onSpace(self.toggle);
  return self;
}

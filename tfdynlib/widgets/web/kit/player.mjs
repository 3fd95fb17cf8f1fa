// A moment in layer-time, and who moves it.

import { transport } from "./transport.mjs";

// Of a frame of 16 ms, ms for integration; and between two pictures of a run that only fills.
const [BESIDE_MOTION, AT_REST, BETWEEN] = [7, 12, 50];

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * The player of a card.  See card.mjs for the options.  Time runs evenly along
 * `axis` (so evenly in log t on a logarithmic one) and crosses it in `seconds`.
 * Playing follows the buffer: it never shows what is not integrated yet.  At rest most of a
 * frame goes to the buffer, whose growth is shown twenty times a second.
 */
export function player(card, options) {
  const { work, show, filled, seconds = 10, step: stepLength } = options;
  const { key = "t", symbol = "*t*", name = "layer-time", rests = false } = options;
  const near = options.whole ? Math.round : (value) => value;
  const format = options.format ?? ((t) => t.toFixed(2));
  let axis = options.axis;
  const within = (value) => Math.min(Math.max(near(value), axis.min), axis.max);
  let t = within(card.get(key) ?? axis.min);
  let playing = false;
  let shown = false; // the picture is that of t and of the present buffer, or new enough
  let filling = false; // something was left to integrate
  let drawn = -Infinity;
  let unsaid = false; // t rests, but is not seen yet
  let saying = false; // what is said now has been seen
  let last = null;
  const there = () => filled() >= t - 1e-9;

  const row = transport(card, {
    name,
    on: {
      toggle: () => self.toggle(),
      step: (by) => self.seek(along(by)),
      reset: () => self.seek(axis.min),
      seek: (share) => self.seek(axis.value(share)),
    },
  });

  const showControls = () =>
    row.show({
      share: axis.share(t),
      buffer: axis.share(filled()),
      words: `${name} ${format(t)}`,
      clock: `${symbol} = ${format(Math.min(t, filled()))}`,
    });

  /** The moment `by` steps away: even steps, even in log t on a logarithmic axis. */
  function along(by) {
    if (axis.kind === "log") return axis.value(Math.min(1, Math.max(0, axis.share(t) + by / 40)));
    const length = typeof stepLength === "function" ? stepLength() : stepLength;
    return t + by * (length ?? (axis.max - axis.min) / 40);
  }

  function setPlaying(on) {
    if (playing === on) return;
    playing = on;
    last = null;
    row.playing(on);
    if (!on) {
      if (options.whole) t = Math.ceil(t - 1e-9); // a step that has begun is taken
      settle();
    }
    card.loop.wake();
  }

  /** The moment is kept in the state only when it rests, and told when it is seen. */
  function settle() {
    t = within(t);
    shown = false;
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
    const left = work(playing ? BESIDE_MOTION : AT_REST);
    if (left ? now - drawn >= BETWEEN : filling) shown = false;
    filling = left;
    if (playing) move(now);
    const telling = unsaid && (there() || !left);
    if (!shown || telling) {
      [shown, drawn] = [true, now];
      show(t);
      showControls();
    }
    if (telling) {
      unsaid = false;
      saying = true;
      card.speak();
      saying = false;
    }
    return playing || left;
  }
  card.loop.setJob(frame);

  const self = {
    node: row.node,
    key,
    get t() {
      return t;
    },
    get playing() {
      return playing;
    },
    get filling() {
      return filling;
    },
    get axis() {
      return axis;
    },
    set axis(next) {
      const asked = playing ? t : (card.get(key) ?? t); // the old axis may have kept t back
      axis = next;
      t = within(asked);
      if (t !== asked && !playing) card.moment(t);
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
    /** True if the picture is not that of the state yet: its sentence is said with it. */
    postpone() {
      if (shown || saying) return false;
      unsaid = true;
      card.loop.wake();
      return true;
    },
    /** Draw the present moment at once, and tell it when the buffer is there. */
    now() {
      show(t);
      showControls();
      unsaid = true;
    },
  };

  card.onSpace(self.toggle);
  return self;
}

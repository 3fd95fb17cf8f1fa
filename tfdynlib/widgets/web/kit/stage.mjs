// A canvas that draws in CSS pixels, knows its size, and says what it shows.

import { h, plain } from "./dom.mjs";

/**
 * A canvas in the loop.  `draw(ctx, view)` gets `view = { w, h, palette }` in CSS
 * pixels.  `label` says what it is, `keys` which keys it takes.
 */
export function surface(card, { label, keys = "", role, className, draw, onKey }) {
  const canvas = h("canvas", {
    class: className,
    role: role ?? (onKey ? "application" : "img"),
    tabindex: onKey ? "0" : undefined,
    "aria-label": plain(label),
  });
  const ctx = canvas.getContext("2d");
  const view = { w: 0, h: 0, palette: null };
  let ratio = 0;
  let dirty = true;

  function resize() {
    const [w, height] = [canvas.clientWidth, canvas.clientHeight];
    const now = Math.min(globalThis.devicePixelRatio || 1, 3);
    if (w === view.w && height === view.h && now === ratio) return;
    Object.assign(view, { w, h: height });
    ratio = now;
    canvas.width = Math.max(1, Math.round(w * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    dirty = true;
  }

  function paint() {
    if (!dirty) return;
    resize();
    if (view.w === 0) return;
    dirty = false;
    view.palette = card.palette();
    ctx.setTransform(canvas.width / view.w, 0, 0, canvas.height / view.h, 0, 0);
    ctx.clearRect(0, 0, view.w, view.h);
    draw(ctx, view);
  }

  const self = {
    canvas,
    ctx,
    view,
    invalidate() {
      dirty = true;
      card.loop.wake();
    },
    /** Rewrite what is heard: the label, the live sentence, the keys. */
    say(sentence) {
      canvas.setAttribute("aria-label", [plain(label), sentence, keys].filter(Boolean).join(" "));
    },
  };
  const watch = new ResizeObserver(
    card.guard(() => {
      resize();
      if (dirty) {
        paint();
        card.loop.wake();
      }
    }),
  );
  watch.observe(canvas);
  card.loop.addPainter(paint);
  card.onTheme(self.invalidate);
  card.onClose(() => watch.disconnect());
  if (onKey) {
    const heard = (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && onKey(event, self))
        event.preventDefault();
    };
    canvas.addEventListener("keydown", card.guard(heard));
  }
  self.say("");
  return self;
}

/**
 * Dragging with pointer capture.  `start(p, event)` returns true to take the
 * pointer; `move(p, event, d)` gets the way since the last call; `end(p)`.
 */
export function drag(card, canvas, { start, move, end = () => {} }) {
  let held = null;
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const on = (name, fn) => canvas.addEventListener(name, card.guard(fn));
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    const p = point(event);
    if (!start(p, event)) return;
    held = p;
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("tfdyn-grabbing");
  });
  on("pointermove", (event) => {
    if (!held) return;
    const p = point(event);
    move(p, event, { x: p.x - held.x, y: p.y - held.y });
    held = p;
  });
  const release = (event) => {
    if (!held) return;
    held = null;
    canvas.classList.remove("tfdyn-grabbing");
    end(point(event));
  };
  on("pointerup", release);
  on("pointercancel", release);
}

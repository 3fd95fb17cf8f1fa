// One animation loop for a card: asleep at rest, asleep off screen.

const KEPT = 240;

/**
 * `job(now)` is called once a frame and returns true to be called again;
 * `paint()` follows it.  `guard` wraps both, so that an exception stops the card.
 */
export function loop(el, guard) {
  let request = 0;
  let visible = true;
  let closed = false;
  let job = () => false;
  const painters = new Set();
  const frameTimes = [];

  const frame = guard((now) => {
    request = 0;
    const begin = performance.now();
    const again = job(now);
    for (const paint of painters) paint();
    frameTimes.push(performance.now() - begin);
    if (frameTimes.length > KEPT) frameTimes.shift();
    if (again) wake();
  });

  function wake() {
    if (!request && visible && !closed) request = requestAnimationFrame(frame);
  }

  const watch = new IntersectionObserver((entries) => {
    visible = entries.at(-1).isIntersecting;
    if (visible) wake();
    else {
      cancelAnimationFrame(request);
      request = 0;
    }
  });
  watch.observe(el);

  return {
    wake,
    frameTimes,
    /** No frame is asked for: the picture is at rest, or off screen. */
    get resting() {
      return request === 0;
    },
    setJob: (next) => {
      job = next;
    },
    /** `paint` is called in each frame that runs, and draws only if it has to. */
    addPainter: (paint) => painters.add(paint),
    /** Paint now, whether seen or not (the first picture, and for print). */
    paintNow: guard(() => {
      for (const paint of painters) paint();
    }),
    close() {
      closed = true;
      cancelAnimationFrame(request);
      watch.disconnect();
    },
  };
}

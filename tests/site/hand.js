// What a test sees of a figure: its picture as a number, its words, whether it rests.
globalThis.tfdynSeen ??= (() => {
  "use strict";

  function hash(canvas) {
    if (!canvas.width || !canvas.height || !canvas.clientWidth) return 0;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let value = 2166136261;
    for (const word of new Uint32Array(data.buffer)) value = Math.imul(value ^ word, 16777619);
    return value >>> 0;
  }

  /** The stage and the chart, not number lines beside a matrix, not measured times. */
  const canvases = (el) =>
    [...el.querySelectorAll("canvas:not(.tfdyn-eigen)")].filter((one) => !one.closest("[data-timed]"));

  const SAID = ".tfdyn-readouts, .tfdyn-verdict, .tfdyn-lamp:not([data-timed])";

  /** What a reader of the numbers sees: readouts, verdict and lamps, but no times. */
  const words = (el) =>
    [...el.querySelectorAll(SAID)].filter((part) => part.checkVisibility()).map((part) => part.innerText).join("\n");

  const picture = (el) => canvases(el).map(hash).join(" ");

  /** Everything that a control may change. */
  const view = (el) => `${picture(el)}\n${words(el)}`;

  const frame = () => new Promise(requestAnimationFrame);

  /** Waits until the figure's loop sleeps: it asks for no frame in three of the page's.
      (Sizes are told to its observers after the first.) */
  async function rest(el) {
    for (let calm = 0; calm < 3; calm += 1) {
      await frame();
      if (!el.tfdyn.card.loop.resting) calm = -1;
    }
    return view(el);
  }

  /** Whether the view comes to differ from `before`: false once the loop has slept for
      `calm` ms (more than any pause a figure makes after a hand), or after `ms`. */
  async function changes(el, before, ms, calm) {
    const end = performance.now() + ms;
    let asleep = performance.now();
    while (performance.now() < Math.min(end, asleep + calm)) {
      await frame();
      if (view(el) !== before) return true;
      if (!el.tfdyn.card.loop.resting) asleep = performance.now();
    }
    return false;
  }

  /** Whether a reader can meet the element: seen, not disabled, not folded away. */
  const met = (el) => el.checkVisibility({ visibilityProperty: true }) && !el.disabled;

  const CONTROLS = "input, button, select, textarea, summary, a[href], [tabindex='0']";

  /** All controls of the card that a reader can meet now. */
  const controls = (el) => [...el.querySelectorAll(CONTROLS)].filter(met);

  const name = (el) =>
    el.getAttribute("aria-label") ?? el.labels?.[0]?.innerText ?? el.innerText ?? "";

  const kind = (el) => {
    if (el.role === "tab") return "tab";
    if (el.role === "application") return "application";
    if (el.matches("input")) return el.type;
    return el.matches("button") ? "button" : el.localName;
  };

  return { hash, picture, words, view, rest, changes, frame, controls, name, kind };
})();

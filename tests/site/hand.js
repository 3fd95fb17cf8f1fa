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

  /** Waits until the figure's loop sleeps: no frame of its own in eight of the page's. */
  async function rest(el) {
    for (let calm = 0; calm < 8; calm += 1) {
      const times = el.tfdyn.frameTimes;
      times.length = 0;
      await frame();
      await frame();
      if (times.length || times !== el.tfdyn.frameTimes) calm = -1;
    }
    return view(el);
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

  return { hash, picture, words, view, rest, frame, controls, name, kind };
})();

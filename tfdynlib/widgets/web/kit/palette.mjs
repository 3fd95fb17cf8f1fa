// Colours of the theme, read once and dropped when the theme changes.

/** Fallbacks (light): what a colour is when no style sheet is there. */
const FALLBACK = {
  state: "#1c72bb",
  grab: "#b65503",
  theory: "#045b3a",
  stop: "#6f1d67",
  ink: "#222832",
  mut: "#48566b",
  ctl: "#7b8694",
  rim: "#7f8b9a",
  grat: "#c3ccd6",
  line: "#d5d9de",
  line2: "#e8ebee",
  bg: "#ffffff",
  soft: "#f4f6f8",
  glass0: "#ffffff",
  glass1: "#e9eef3",
};

function read(el) {
  const style = getComputedStyle(el);
  const colours = {};
  for (const [name, fallback] of Object.entries(FALLBACK))
    colours[name] = style.getPropertyValue(`--tfdyn-${name}`).trim() || fallback;
  colours.font = style.fontFamily || "sans-serif";
  colours.serif =
    style.getPropertyValue("--tfdyn-serif").trim() ||
    '"STIX Two Text", "Latin Modern Roman", Cambria, "Times New Roman", "Liberation Serif", serif';
  return colours;
}

/** `{ colours(), close() }`; `changed()` is called after a change of theme. */
export function palette(el, changed) {
  let cached = null;
  const drop = () => {
    cached = null;
    changed();
  };
  const watch = new MutationObserver(drop);
  const filter = { attributeFilter: ["data-theme", "data-mode", "class"] };
  watch.observe(document.documentElement, filter);
  watch.observe(document.body, {
    attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"],
  });
  const print = matchMedia("print");
  print.addEventListener("change", drop);
  const onPaper = (on) => () => {
    el.classList.toggle("tfdyn-print", on);
    drop();
  };
  const before = onPaper(true);
  const after = onPaper(false);
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return {
    colours: () => (cached ??= read(el)),
    close() {
      watch.disconnect();
      print.removeEventListener("change", drop);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    },
  };
}

const channels = new Map();

/** Red, green, blue, alpha of any colour the browser knows. */
function rgba(colour) {
  if (!channels.has(colour)) {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.fillStyle = colour;
    ctx.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ctx.getImageData(0, 0, 1, 1).data;
    channels.set(colour, [r, g, b, a / 255]);
  }
  return channels.get(colour);
}

/** The colour at `share` of `a` over `b`. */
export function mix(a, b, share) {
  const [p, q] = [rgba(a), rgba(b)];
  const blend = (i) => Math.round(p[i] * share + q[i] * (1 - share));
  return `rgb(${blend(0)} ${blend(1)} ${blend(2)})`;
}

/** The colour at opacity `alpha`. */
export function fade(colour, alpha) {
  const [r, g, b, a] = rgba(colour);
  return `rgb(${r} ${g} ${b} / ${a * alpha})`;
}

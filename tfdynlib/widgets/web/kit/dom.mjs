// Elements, rich text and icons.  Nothing here knows about figures.

/** An element: `h("button", { class: "x", onclick }, "text", child)`. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const TOKEN =
  /\*([^*]+)\*|([_^])(?:\{([^}]*)\}|([^\s_^*]))|\[\[(\w+)\|([^\]]*)\]\]/gu;

/** Parts of a rich text: [{ kind: "text"|"math"|"sub"|"sup"|tone, text }]. */
export function parts(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) found.push({ kind: "text", text: text.slice(end, match.index) });
    const [all, math, shift, group, single, tone, word] = match;
    if (math) found.push({ kind: "math", text: math });
    else if (shift) found.push({ kind: shift === "_" ? "sub" : "sup", text: group ?? single });
    else found.push({ kind: "tone", tone, text: word });
    end = match.index + all.length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}

const TAGS = { math: "i", sub: "sub", sup: "sup" };

/** Rich text as nodes. */
export function rich(text) {
  return parts(text).map((part) => {
    if (part.kind === "text") return document.createTextNode(part.text);
    if (part.kind === "tone")
      return h("span", { class: `tfdyn-${part.tone}` }, ...rich(part.text));
    return h(TAGS[part.kind], {}, part.text);
  });
}

const SPOKEN = { "⊤": " transposed", "β": "beta", "λ": "lambda" };

/** Rich text as plain words, for labels that are heard. */
export function plain(text) {
  return parts(text)
    .map((part) => part.text)
    .join("")
    .replace(/[⊤βλ]/gu, (letter) => SPOKEN[letter])
    .replace(/\s+/gu, " ")
    .trim();
}

/** A number as it is heard: powers of ten in words. */
export const spoken = (text) => text.replace(/·10\^/gu, " times 10^").replace(/10\^\{(.*?)\}/gu, "10 to the $1");

/** Replace what a node holds by rich text, only when it differs. */
export function setRich(node, text) {
  if (node.tfdynText === text) return;
  node.tfdynText = text;
  node.replaceChildren(...rich(text));
}

const PATHS = {
  play: '<path d="M4.5 2.6v10.8L13.4 8z"/>',
  pause: '<path d="M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z"/>',
  step: '<path d="M2.5 2.6v10.8L10.6 8zM11.4 2.6h2.1v10.8h-2.1z"/>',
  reset:
    '<path d="M8 3.2a5 5 0 1 1-4.9 6" fill="none" stroke="currentColor" stroke-width="1.8"/>' +
    '<path d="M8.6.2v6L4.4 3.2z"/>',
  share:
    '<path d="M6.6 9.4a3 3 0 0 0 4.3 0l2.2-2.2A3 3 0 0 0 8.9 3l-1 1M9.4 6.6a3 3 0 0 0-4.3 0L2.9 8.8A3 3 0 0 0 7.1 13l1-1" ' +
    'fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
  code:
    '<path d="M5.4 4.2 1.8 8l3.6 3.8M10.6 4.2 14.2 8l-3.6 3.8" fill="none" ' +
    'stroke="currentColor" stroke-width="2"/>',
  holds:
    '<circle cx="8" cy="8" r="8"/><path d="M4.3 8.3 7 11l4.8-5.4" fill="none" ' +
    'stroke="var(--tfdyn-bg)" stroke-width="1.9"/>',
  fails:
    '<circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="1.7"/>' +
    '<path d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4" stroke="currentColor" stroke-width="1.7"/>',
  unasked:
    '<circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="1.5" ' +
    'stroke-dasharray="2.6 2.2"/><path d="M5 8h6" stroke="currentColor" stroke-width="1.6"/>',
};

/** A 16-pixel icon in the current colour, silent for screen readers. */
export function icon(name) {
  const box = h("span", { class: `tfdyn-icon tfdyn-icon-${name}`, "aria-hidden": "true" });
  box.innerHTML = `<svg viewBox="0 0 16 16" fill="currentColor" focusable="false">${PATHS[name]}</svg>`;
  return box;
}

/** The text of a number with the minus of print, U+2212. */
export const minus = (text) => String(text).replace("-", "−");

/** A number as a reader writes it: minus as U+2212, no trailing zeros. */
export const number = (value, digits = 4) => minus(Number(value.toPrecision(digits)));

/** The number in what a reader typed, or NaN: comma or point, minus of either kind. */
export function parseNumber(text) {
  const clean = String(text).trim().replace(/[−–]/gu, "-").replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/iu.test(clean) ? Number(clean) : NaN;
}

let count = 0;

/** An id that no other element has. */
export function newId(stem) {
  count += 1;
  return `tfdyn-${stem}-${count}-${Math.random().toString(36).slice(2, 7)}`;
}

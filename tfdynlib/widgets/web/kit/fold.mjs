// Long parts that fold on a narrow column.

import { h, rich } from "./dom.mjs";

const NARROW = 480;

/**
 * A part that folds on a narrow column and is always open on a wide one.
 *
 * The width it begins with is read at once (0: not in the page yet), so that what a
 * reader unfolds first is not folded again by the observer's first report.
 */
export function fold(card, title, content) {
  const chevron = h("span", { class: "tfdyn-chevron", "aria-hidden": "true" });
  const summary = h("summary", {}, h("span", {}, ...rich(title)), chevron);
  const box = h("details", { class: "tfdyn-fold", open: true }, summary, content);
  let narrow = null;
  const fit = (width) => {
    if (width === 0 || width < NARROW === narrow) return;
    narrow = width < NARROW;
    box.open = !narrow;
  };
  fit(card.el.clientWidth);
  const watch = new ResizeObserver(([entry]) => fit(entry.contentRect.width));
  watch.observe(card.el);
  card.onClose(() => watch.disconnect());
  return box;
}

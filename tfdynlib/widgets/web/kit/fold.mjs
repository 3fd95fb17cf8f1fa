// Long parts that fold on a narrow column.

import { h, rich } from "./dom.mjs";

/** A part that folds on a narrow column and is always open on a wide one. */
export function fold(card, title, content) {
  const chevron = h("span", { class: "tfdyn-chevron", "aria-hidden": "true" });
  const summary = h("summary", {}, h("span", {}, ...rich(title)), chevron);
  const box = h("details", { class: "tfdyn-fold", open: true }, summary, content);
  let narrow = null;
  const watch = new ResizeObserver(([entry]) => {
    const now = entry.contentRect.width < 480;
    if (now === narrow) return;
    narrow = now;
    box.open = !now;
  });
  watch.observe(card.el);
  card.onClose(() => watch.disconnect());
  return box;
}

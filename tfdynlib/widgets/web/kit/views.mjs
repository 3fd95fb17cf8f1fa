// One figure seen in several ways: a state key says which, and each way is its own card.

import { figure } from "./card.mjs";

/** The card as a view sees it: deaf to a state that belongs to another view. */
function cardOf(card, key, view) {
  const own = Object.create(card);
  own.on = (keys, fn) => card.on(keys, () => { if (card.get(key) === view) fn(); });
  return own;
}

/**
 * A figure whose state key `view` chooses among `views`, `{ name: { title, lead, build } }`.
 * Another view (a preset, an address, Python) is another card on the same model.
 */
export function views({ name, state, views: all, key = "view" }) {
  const figures = Object.fromEntries(
    Object.entries(all).map(([view, { title, lead, build }]) => [
      view,
      figure({ name, title, lead, state, build: (card) => build(cardOf(card, key, view)) }),
    ]),
  );

  function render({ model, el }) {
    let shown = model.get(key);
    let closed = false;
    let close = () => {};

    function change() {
      if (closed || model.get(key) === shown) return;
      const focused = el.contains(document.activeElement) && document.activeElement.dataset.preset;
      close();
      shown = model.get(key);
      close = figures[shown].render({ model, el });
      if (focused) el.querySelector(`[data-preset="${focused}"]`)?.focus();
    }
    const heard = () => queueMicrotask(change);
    model.on(`change:${key}`, heard); // before the first card, which may read the address
    close = figures[shown].render({ model, el });
    return () => {
      closed = true;
      model.off(`change:${key}`, heard);
      close();
    };
  }
  return { render };
}

// The page as host: gives each figure's <div> a model and renders its module there.

import { errorCard } from "./kit/error.mjs";
import { addressText, same } from "./kit/state.mjs";

const MARGIN = "400px";

/** The part of a widget model that figures use, without a kernel behind it. */
export function pageModel(state) {
  const heard = new Map();
  const of = (event) => heard.get(event) ?? heard.set(event, new Set()).get(event);
  return {
    get: (key) => state[key],
    set(key, value) {
      if (same(state[key], value)) return;
      state[key] = value;
      for (const fn of [...of(`change:${key}`), ...of("change")]) fn();
    },
    on: (event, fn) => of(event).add(fn),
    off(event, fn) {
      if (event === null || event === undefined) heard.clear();
      else if (fn) of(event).delete(fn);
      else heard.delete(event);
    },
    save_changes() {},
  };
}

function fail(el, error, again) {
  console.error(error);
  errorCard(el, { title: "", error, reload: again });
}

async function mount(el, load) {
  delete el.dataset.tfdyn;
  try {
    const module = await load(el.dataset.figure);
    const model = pageModel(JSON.parse(el.dataset.state));
    module.default.render({ model, el });
  } catch (error) {
    fail(el, error, () => mount(el, load));
  }
}

/** Figures of one kind are `circle`, `circle-2`, … in the address, in page order. */
function giveAddresses(figures) {
  const seen = new Map();
  for (const el of figures) {
    const name = el.dataset.figure;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    el.dataset.address = count === 1 ? name : `${name}-${count}`;
  }
}

/**
 * Mount every figure of `root` when it comes near the window; the one that the
 * address names at once, and scroll to it.  `load(name)` gives a figure's module.
 */
export function start(load, root = document) {
  const figures = [...root.querySelectorAll(".tfdyn[data-figure]")];
  giveAddresses(figures);
  const waiting = new Set(figures);
  const once = (el) => {
    watch.unobserve(el);
    return waiting.delete(el) ? mount(el, load) : undefined;
  };
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) once(entry.target);
    },
    { rootMargin: MARGIN },
  );
  figures.forEach((el) => watch.observe(el));
  const goTo = async () => {
    const named = figures.find((el) => addressText(location.hash, el.dataset.address) !== null);
    if (!named) return;
    await once(named);
    named.scrollIntoView();
  };
  addEventListener("hashchange", goTo);
  goTo();
}

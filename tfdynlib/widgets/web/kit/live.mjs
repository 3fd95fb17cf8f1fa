// What is said to those who do not see: politely, not too often, never forgotten.

import { h } from "./dom.mjs";

const QUIET = 2500;
const RELABEL = 1000;
const WRITE = 200; // ms: a number that changes more often flickers

/**
 * A status region.  `speak()` says `sentence()` unless the last one is less than
 * 2.5 s old; then it is said when the time is over, with the words of that moment.
 */
export function live(sentence) {
  const node = h("p", { class: "tfdyn-hidden", role: "status", "aria-live": "polite" });
  let last = -Infinity;
  let timer = 0;
  const say = (text) => {
    last = performance.now();
    if (node.textContent !== text) node.textContent = text;
  };
  return {
    node,
    speak(text = null) {
      clearTimeout(timer);
      const wait = last + QUIET - performance.now();
      if (text !== null || wait <= 0) say(text ?? sentence());
      else timer = setTimeout(() => say(sentence()), wait);
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * How often words that flicker are written while something is `moving`: `due()` says whether
 * it is time, and counts it; after `soon()` it is, whatever the time.
 */
export function pace(moving) {
  let last = -Infinity;
  return {
    due() {
      const now = performance.now();
      if (moving() && now - last <= WRITE) return false;
      last = now;
      return true;
    },
    soon() {
      last = -Infinity;
    },
  };
}

/** Calls `fn` at most once a second, and always once more after the last call. */
export function atMostEachSecond(fn) {
  let last = -Infinity;
  let timer = 0;
  return () => {
    const wait = last + RELABEL - performance.now();
    if (timer) return;
    timer = setTimeout(
      () => {
        timer = 0;
        last = performance.now();
        fn();
      },
      Math.max(0, wait),
    );
  };
}

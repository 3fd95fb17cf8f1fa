// Small repairs of every page, after it has loaded.
(() => {
  "use strict";

  const WIDE = ".math, mjx-container[display], .output, table, pre, .pst-scrollable-table-container";

  /** Give the keyboard every box that scrolls sideways, and none that does not. */
  function markScrolling() {
    for (const box of document.querySelectorAll(`article :is(${WIDE})`)) {
      const scrolls = box.scrollWidth > box.clientWidth
        && /auto|scroll/.test(getComputedStyle(box).overflowX);
      if (scrolls && box.tabIndex < 0) {
        box.tabIndex = 0;
        box.dataset.tfdynScrolls = "";
      } else if (!scrolls && "tfdynScrolls" in box.dataset) {
        box.tabIndex = -1;
        delete box.dataset.tfdynScrolls;
      }
    }
  }

  /** A formula in a line is no stop for the Tab key: a page has hundreds. */
  function passFormulas() {
    for (const formula of document.querySelectorAll("mjx-container[tabindex='0']")) {
      formula.tabIndex = -1;
    }
  }

  addEventListener("load", async () => {
    const article = document.querySelector("article");
    if (!article) return;
    new ResizeObserver(markScrolling).observe(article);
    await globalThis.MathJax?.startup?.promise;
    passFormulas();
    await document.fonts.ready;
    markScrolling();
  });
})();

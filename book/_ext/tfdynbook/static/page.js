// Small repairs of every page: figures before formulas, and what needs a loaded page.
(() => {
  "use strict";

  /**
   * Typesetting a page takes longer than all else together; a reader's first move in
   * a figure at its top need not wait for that.  Then, or when the figure is late,
   * formulas come as soon as the page is idle.
   */
  function figuresFirst() {
    const figure = document.querySelector(".tfdyn[data-figure]");
    if (!figure || !globalThis.MathJax || figure.getBoundingClientRect().top > innerHeight) return;
    const mounted = new Promise((resolve) => {
      const idle = globalThis.requestIdleCallback ?? setTimeout;
      const look = () => figure.dataset.tfdyn && idle(resolve, { timeout: 1000 });
      new MutationObserver(look).observe(figure, { attributeFilter: ["data-tfdyn"] });
      look();
      setTimeout(resolve, 3000);
    });
    const pageReady = () => mounted.then(() => globalThis.MathJax.startup.defaultPageReady());
    globalThis.MathJax.startup = { ...globalThis.MathJax.startup, pageReady };
  }
  figuresFirst();

  /** Paper is white: what is dark on the screen is light there. */
  function lightOnPaper() {
    const { dataset } = document.documentElement;
    let theme = null;
    addEventListener("beforeprint", () => {
      theme ??= dataset.theme ?? "light";
      dataset.theme = "light";
    });
    addEventListener("afterprint", () => {
      dataset.theme = theme ?? dataset.theme;
      theme = null;
    });
  }
  lightOnPaper();

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

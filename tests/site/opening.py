"""The way from the request of a page to the first control that works."""

from pathlib import Path

from figurehand import work_done
from playwright.sync_api import CDPSession, Page

# What a figure shows, told by functions on the page; see the file.
SEEN = (Path(__file__).parent / "hand.js").read_text("utf8")
FIRST = """async (index) => {
  const figure = () => document.querySelectorAll(".tfdyn[data-figure]")[index];
  const until = async (seen) => {
    while (!seen()) {
      if (performance.now() > 60_000) throw new Error("the figure does not move");
      // Far down the page a figure waits for its reader.
      if (index > 0) figure()?.scrollIntoView();
      await new Promise(requestAnimationFrame);
    }
  };
  await until(() => figure()?.dataset.tfdyn === "ready");
  const el = figure();
  const before = tfdynSeen.picture(el);
  const { t, axis } = el.tfdyn.card.clock;
  const way = t < axis.max ? "One step forward" : "Back to the start";
  el.querySelector(`[aria-label="${way}"]`).click();
  await until(() => tfdynSeen.picture(el) !== before);
  return performance.now() / 1000;
}"""


def watched(page: Page) -> CDPSession:
    """A session that counts the page's work; to be made before the page is opened."""
    page.add_init_script(SEEN)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def first_control(
    page: Page, session: CDPSession, address: str, index: int = 0
) -> tuple[float, float]:
    """Open a page and move its figure number ``index`` as soon as it can be moved.

    Seconds of processor time of the page's main thread until its picture has moved,
    and seconds on the page's own clock, which starts with the request.
    """
    page.goto(address, wait_until="commit")
    clock = page.evaluate(FIRST, index)
    return work_done(session), clock

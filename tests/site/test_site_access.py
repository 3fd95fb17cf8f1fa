"""Every page for every reader: axe, both themes, a phone, contrast, no bright panel."""

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sitebook
from figurehand import AXE, LEVELS
from figurehand import COLOUR as OF_COLOUR
from PIL import Image
from playwright.sync_api import Page
from reader import Shelf
from sitebook import PAGES

ALL = {"type": "tag", "values": LEVELS}
COLOUR = {"type": "rule", "values": list(OF_COLOUR)}
# What a narrow window can change of a page whose elements are the same.
NARROW = {"type": "rule", "values": ["target-size", "scrollable-region-focusable"]}
BRIGHT = 0.25  # relative luminance; the dark theme's panels are below 0.02
TEXT = 4.5  # WCAG 1.4.3


# Colours fade from one theme to the other; half way no contrast is what it will be.
# What a script of the theme changes in the next frames fades as well.
FADED = """async () => {
  for (let k = 0; k < 3; k += 1) {
    await new Promise(requestAnimationFrame);
    for (const one of document.getAnimations())
      if (one instanceof CSSTransition) one.finish();
  }
}"""


def show_theme(page: Page, theme: str) -> None:
    """Switch the system's theme; the page follows it by itself."""
    page.emulate_media(color_scheme=theme)
    page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
    page.evaluate(FADED)


def open_all_folds(page: Page) -> None:
    """Unfold hints, solutions and hidden cells, so that axe sees what is in them."""
    page.evaluate(
        "document.querySelectorAll('details').forEach((el) => { el.open = true; })"
    )
    hidden = page.locator("article .toggle-button-hidden")
    hidden.evaluate_all("(all) => all.forEach((button) => button.click())")


def mount_figures(page: Page) -> None:
    """Bring every figure to life."""
    for figure in page.locator(sitebook.FIGURE).all():
        figure.scroll_into_view_if_needed()
        figure.locator(".tfdyn-card").wait_for()


# What is the same elsewhere is looked at once: the menu of all pages on the first, each
# view of a figure on one page (and, at a phone's width, on its own: test_figures.py).
ELSEWHERE = "[data-elsewhere]"
MARK = """([menu, figures]) => {
  const side = document.querySelector(".bd-sidebar-primary");
  side.toggleAttribute("data-elsewhere", !menu);
  document.querySelectorAll(".tfdyn[data-figure]").forEach((el, k) => {
    el.toggleAttribute("data-elsewhere", !figures.includes(k));
  });
}"""

# Colours are dear to judge, and a page of text and code has few: of all elements with
# words of one colour, size and weight on one ground, the first three are judged, of
# those that axe would judge (not disabled, not for a screen reader alone).
LOOKS = """() => {
  const grounds = new Map([[null, ""]]);
  const ground = (el) => {
    if (!grounds.has(el)) {
      const all = getComputedStyle(el);
      const own = ["backgroundColor", "backgroundImage", "opacity", "filter"]
        .map((key) => all[key]).join(" ");
      const clear = own === "rgba(0, 0, 0, 0) none 1 none";
      grounds.set(el, ground(el.parentElement) + (clear ? "" : `/${own}`));
    }
    return grounds.get(el);
  };
  const words = (el) => [...el.childNodes]
    .some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
  const seen = new Map();
  for (const el of document.querySelectorAll("body *")) {
    el.removeAttribute("data-look");
    if (el.closest("[data-elsewhere]")) continue;
    if (!(el.value || words(el))) continue;
    if (!el.checkVisibility({ visibilityProperty: true })) continue;
    const { width, height } = el.getBoundingClientRect();
    if (Math.min(width, height) < 3) continue;
    if (el.closest(":disabled, [aria-disabled=true], [aria-hidden=true]")) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(el);
    const look = [color, fontSize, fontWeight, textShadow, ground(el)].join(" ");
    seen.set(look, 1 + (seen.get(look) ?? 0));
    if (seen.get(look) <= 3) el.dataset.look = seen.size;
  }
  return seen.size;
}"""


# Formulas are half of all elements and set by one program: of those in a line and of
# those displayed the first three are judged whole, the others without what is in them.
FEW = """() => {
  const inner = (all) => [...document.querySelectorAll(all)].slice(3)
    .map((one) => [one, [...one.childNodes]]);
  globalThis.tfdynSpared ??= new Map([
    ...inner("mjx-container:not([display])"), ...inner("mjx-container[display]"),
  ]);
  for (const one of tfdynSpared.keys()) one.replaceChildren();
}"""
AGAIN = "() => tfdynSpared.forEach((inner, one) => one.replaceChildren(...inner))"


@contextmanager
def few_formulas(page: Page) -> Iterator[None]:
    """Most formulas are empty meanwhile."""
    page.evaluate(FEW)
    yield
    page.evaluate(AGAIN)


def mark_elsewhere(page: Page, name: str, narrow: bool = False) -> None:
    """Mark what is looked at on another page, or at this width in another test."""
    here = [one.index for one in sitebook.one_of_views() if one.page == name]
    page.evaluate(MARK, [name == PAGES[0], [] if narrow else here])


def violations(page: Page, only: dict) -> list[str]:
    """What axe finds, one line each: rule, how many, first element, reason."""
    assert page.evaluate(LOOKS) > 3
    found = page.evaluate(
        """([only, exclude]) => {
          axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
          return axe.run(
            { include: [["html"]], exclude },
            { runOnly: only, preload: false, resultTypes: ["violations"] });
        }""",
        [only, [[ELSEWHERE]]],
    )
    return [
        f"{v['id']} ({len(v['nodes'])}): {v['nodes'][0]['html'][:160]}"
        f" — {v['nodes'][0]['failureSummary'][:300]}"
        for v in found["violations"]
    ]


def ready_for_axe(page: Page) -> None:
    """Figures alive, nothing under the sticky header, axe there."""
    mount_figures(page)
    page.evaluate("scrollTo(0, 0)")
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)


# All rules in one theme; what the other theme can change is colour alone, and colours
# do not depend on the width: on a phone, where the header has buttons of its own, the
# first page stands for all, and of the others is asked what depends on the room.
@pytest.mark.parametrize(
    "width, themes", [(1280, ("light", "dark")), (320, ("dark", "light"))]
)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_in_either_theme(shelf: Shelf, name, width, themes):
    first = name == PAGES[0]
    looks = [(themes[0], ALL), (themes[1], COLOUR)]
    if width < 1000 and not first:
        looks = [(themes[0], NARROW)]
    page = shelf.take(name, width=width, figures="seen").page
    if width > 1000:
        open_all_folds(page)
    ready_for_axe(page)
    mark_elsewhere(page, name, narrow=width < 1000 and not first)
    with few_formulas(page):
        found = {}
        for theme, only in looks:
            show_theme(page, theme)
            found[theme] = violations(page, only)
    assert found == {theme: [] for theme, _ in looks}


def test_axe_sees_one_faint_word(shelf: Shelf):
    """Or else the first of each look would not stand for all of it."""
    page = shelf.take(PAGES[0], figures="seen").page
    ready_for_axe(page)
    mark_elsewhere(page, "")
    words = page.locator("article section > p").first
    words.evaluate("(el) => { el.style.color = '#bbb'; }")
    found = violations(page, COLOUR)
    words.evaluate("(el) => { el.style.color = ''; }")
    assert [line.partition(" ")[0] for line in found] == ["color-contrast"]


SCALE = 0.25  # of the picture in which panels are looked at


def picture(page: Page) -> Image.Image:
    """The whole page in grey, a quarter as large.

    What JPEG changes in a colour is far less than from a panel's to a bright one.  At
    the top of the page the bar lies on nothing, nor does the link above it.
    """
    page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")
    session = page.context.new_cdp_session(page)
    size = session.send("Page.getLayoutMetrics")["cssContentSize"]
    asked = {"format": "jpeg", "quality": 80, "captureBeyondViewport": True}
    shot = session.send(
        "Page.captureScreenshot", asked | {"clip": size | {"scale": SCALE}}
    )
    session.detach()
    return Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("L")


def luminance(image: Image.Image) -> float:
    """Relative luminance that half of the pixels of a grey image do not exceed."""
    grey = sorted(image.tobytes())
    share = grey[len(grey) // 2] / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


PANELS = """() => [...document.querySelectorAll("article :is(.cell_output, pre, table, "
  + ".cell_input, img, svg, .tfdyn, .admonition, form)")]
  .filter((el) => el.checkVisibility({ visibilityProperty: true }))
  .map((el) => [el.getBoundingClientRect(), el.outerHTML.slice(0, 120)])
  .filter(([box]) => box.height > 24 && box.width > 64 && box.right <= innerWidth)
  .map(([{ left, top, right, bottom }, html]) =>
    [left, top + scrollY, right, bottom + scrollY, html])"""


@pytest.mark.parametrize("name", PAGES)
def test_nothing_shines_in_the_dark_theme(shelf: Shelf, name):
    page = shelf.take(name, figures="seen", color_scheme="dark").page
    show_theme(page, "dark")
    mount_figures(page)
    assert shining(page) == []


def shining(page: Page) -> list[tuple[float, str]]:
    """Panels that are bright, each with its luminance."""
    shot, panels = picture(page), page.evaluate(PANELS)
    return [
        (round(value, 2), html)
        for *box, html in panels
        if (value := luminance(shot.crop([round(SCALE * v) for v in box]))) > BRIGHT
    ]


BRIGHT_PANEL = """() => document.querySelector("article").insertAdjacentHTML(
  "beforeend", "<pre id='planted' style='height: 40px; background: #fff'></pre>")"""


def test_one_bright_panel_is_seen(shelf: Shelf):
    page = shelf.take(PAGES[0], figures="seen", color_scheme="dark").page
    show_theme(page, "dark")
    mount_figures(page)
    page.evaluate(BRIGHT_PANEL)
    found = shining(page)
    page.evaluate("document.querySelector('#planted').remove()")
    assert len(found) == 1 and "planted" in found[0][1]


CONTRASTS = """(texts) => {
  const canvas = new OffscreenCanvas(1, 1);
  const ctx = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    ctx.clearRect(0, 0, 1, 1);
    ctx.fillStyle = colour;
    ctx.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = ctx.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (el) => {
    for (let at = el; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255, 1];
  };
  return texts.filter((el) => el.textContent.trim() && el.getClientRects().length)
    .map((el) => {
      const [a, b] = [light(rgba(getComputedStyle(el).fill)), light(ground(el))];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), el.textContent.trim()];
    });
}"""


@pytest.mark.parametrize("name", PAGES)
def test_text_in_still_pictures_can_be_read_in_both_themes(shelf: Shelf, name):
    """axe passes over text in SVG; stills carry theirs as text, so one can measure."""
    page = shelf.take(name, figures="still").page
    for theme in ("light", "dark"):
        show_theme(page, theme)
        texts = page.locator(
            "article .cell_output svg :is(text, tspan):not(:has(tspan))"
        )
        faint = [(c, t) for c, t in texts.evaluate_all(CONTRASTS) if c < TEXT]
        assert faint == [], theme

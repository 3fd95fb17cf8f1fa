"""A reader's hand on one figure of an open page."""

import json
import re
from typing import Any

import pytest
from opening import SEEN
from playwright.sync_api import ElementHandle, Locator, Page
from reader import Visits
from sitebook import (
    FIGURE,
    Figure,
    figures,
    lightest_of_views,
    one_of_kinds,
    one_of_views,
)

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


# 3·10⁻⁷, 10⁻⁷ and 3·10⁷ as a browser reads them.
POWER = re.compile(r"(?:(\d+(?:\.\d+)?)·)?\b10−(\d+)")
LARGE = re.compile(r"(\d+(?:\.\d+)?)·10(\d+)")


PAUSE = 700  # ms; the longest a figure waits for a hand to rest is 250
# Tokens and layer-time; more are more to compute and show no more of most things.
SMALL = {"n": 12, "t_end": 5}


every_figure = pytest.mark.parametrize("figure", figures(), ids=str)
every_view = pytest.mark.parametrize("figure", one_of_views(), ids=str)
every_view_at_its_lightest = pytest.mark.parametrize(
    "figure", lightest_of_views(), ids=str
)


class Hand:
    """Finds, moves and reads the parts of a figure.

    ``rest`` is the only wait: it returns when the figure has nothing left to compute
    or to draw, which the figure's own list of frame times tells.
    """

    def __init__(self, page: Page, index: int) -> None:
        self.page = page
        self.el = page.locator(FIGURE).nth(index)
        page.evaluate(SEEN)

    def bring(self) -> "Hand":
        """Scroll to the figure and wait until it has mounted, or stopped."""
        self.el.scroll_into_view_if_needed()
        self.el.and_(self.page.locator("[data-tfdyn]")).wait_for()
        return self

    @property
    def state(self) -> str:
        """``ready`` or ``error``."""
        return str(self.el.get_attribute("data-tfdyn"))

    def run(self, code: str, arg: Any = None) -> Any:
        """Evaluate the JavaScript function ``code`` of the figure's element."""
        return self.el.evaluate(code, arg)

    def run_handle(self, code: str, arg: Any = None) -> ElementHandle:
        """Like ``run``, for a function that gives an element."""
        element = self.el.evaluate_handle(code, arg).as_element()
        assert element
        return element

    def rest(self) -> str:
        """Wait until nothing moves; what the figure then shows, as one text."""
        return self.run("(el) => tfdynSeen.rest(el)")

    def view(self) -> str:
        """What the figure shows at this moment."""
        return self.run("(el) => tfdynSeen.view(el)")

    def picture(self) -> str:
        """Hashes of its canvases."""
        return self.run("(el) => tfdynSeen.picture(el)")

    def words(self) -> str:
        """Its readouts, verdict and lamps."""
        return self.run("(el) => tfdynSeen.words(el)")

    def until(self, code: str, arg: Any = None, timeout: float = 60_000) -> None:
        """Wait until the JavaScript function ``code`` of the element is true."""
        handle = self.el.element_handle()
        self.page.wait_for_function(
            f"([el, arg]) => ({code})(el, arg)", arg=[handle, arg], timeout=timeout
        )

    def changes(self, before: str, timeout: float = 3000) -> bool:
        """Whether the view differs from ``before`` within the time."""
        return bool(
            self.run(
                "(el, args) => tfdynSeen.changes(el, ...args)",
                [before, timeout, PAUSE],
            )
        )

    def values(self) -> dict[str, Any]:
        """The state that a reader can change."""
        return self.run("(el) => el.tfdyn.card.values()")

    def shrink(self, *keys: str) -> "Hand":
        """Go to a state of few tokens and a short run, or small in ``keys`` alone."""
        values = self.values()
        small = {key: SMALL[key] for key in keys or SMALL}
        small = {key: most for key, most in small.items() if values.get(key, 0) > most}
        if small:
            self.go(values | small | {"t": 0})
            self.rest()
            assert small.items() <= self.values().items()
        return self

    def playing(self) -> bool:
        """Whether the button says Pause."""
        return self.button("Pause").count() == 1

    def pause(self) -> "Hand":
        """Click Pause, unless the run has come to its end meanwhile."""
        self.run("(el) => el.querySelector('.tfdyn-play[aria-label=Pause]')?.click()")
        return self

    def button(self, name: str) -> Locator:
        """A button of the card by its spoken name."""
        return self.el.get_by_role("button", name=name, exact=True)

    @property
    def chips(self) -> Locator:
        """The presets."""
        return self.el.locator(".tfdyn-chip")

    @property
    def scrubber(self) -> Locator:
        """The slider of layer-time."""
        return self.el.locator(".tfdyn-scrub")

    def scrub(self, share: float) -> None:
        """Click the scrubber at a share of its length."""
        click_at(self.scrubber, share)

    def address(self) -> str:
        """The name of the figure in addresses."""
        return str(self.el.get_attribute("data-address"))

    def go(self, values: dict[str, Any]) -> None:
        """Follow a link on the page to a state of this figure."""
        self.follow(f"#{self.address()}={json.dumps(values)}")

    def follow(self, hash: str) -> None:
        """Follow a link on the page to ``hash``, also if the address has it already."""
        self.page.evaluate(
            "(hash) => { history.replaceState(null, '', '#'); location.hash = hash; }",
            hash,
        )


def other_number(control: ElementHandle) -> None:
    """Change a number by its arrow keys, whichever way it can go."""
    before = control.input_value()
    control.press("ArrowUp")
    if control.input_value() == before:
        control.press("ArrowDown")


def other_place(control: ElementHandle) -> None:
    """Click a slider on its other side."""
    box = control.bounding_box()
    assert box
    at = control.evaluate("(el) => (el.value - el.min) / (el.max - el.min)")
    share = 0.3 if at > 0.5 else 0.7
    control.click(position={"x": box["width"] * share, "y": box["height"] / 2})


def click_at(bar: Locator, share: float) -> None:
    """Click a slider at a share of its length, as a reader would."""
    box = bar.bounding_box()
    assert box, "the slider is not on the screen"
    bar.click(position={"x": box["width"] * share, "y": box["height"] / 2})


def numbers(text: str) -> list[tuple[float, float]]:
    """Numbers of a text, each with half a unit of its last digit.

    >>> numbers("9 of 64, energy −6.50")
    [(9.0, 0.5), (64.0, 0.5), (-6.5, 0.005)]
    >>> numbers("1.5·10−3 and 10−9")
    [(0.0015, 5e-05), (1e-09, 5e-10)]
    >>> numbers("6.07·1013")
    [(60700000000000.0, 50000000000.0)]
    """
    found = []
    text = POWER.sub(lambda found: f"{found[1] or 1}e-{found[2]}", text)
    text = LARGE.sub(r"\1e\2", text)
    for match in NUMBER.findall(text.replace("−", "-").replace("\u202f", "")):
        mantissa, _, power = match.lower().partition("e")
        digits = len(mantissa.partition(".")[2])
        found.append((float(match), 0.5 * 10.0 ** (int(power or 0) - digits)))
    return found


def open_figure(
    visits: Visits, figure: Figure, query: str = "", **options: Any
) -> Hand:
    """A figure as its page brings it, alive; on the page that is open already.

    One figure of each kind, when it has a ``query`` behind its address, is shown by
    really going there.
    """
    if query and figure in one_of_kinds():
        page, _ = visits.open(figure.page, query=query, formulas=False, **options)
    else:
        assert visits.shelf
        page = visits.shelf.take(figure.page, hash=query, **options).page
    return Hand(page, figure.index).bring()

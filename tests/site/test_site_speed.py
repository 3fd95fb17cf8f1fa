"""Speed, measured on the built page: a frame, and the way to the first control."""

import pytest
import sitebook
from figurehand import work_done
from hand import Hand, every_figure, open_figure
from opening import first_control, watched
from reader import Visits
from sitebook import Figure


@pytest.mark.parametrize(
    "figure",
    [f for f in sitebook.figures() if f.kind in ("sphere", "any")][:1],
    ids=str,
)
def test_a_frame_of_256_tokens_on_the_sphere_fits_16_ms(visits: Visits, figure: Figure):
    """Step and draw while playing; a screen at 60 Hz shows a frame in 16.7 ms.

    Median by the clock, or mean by the processor time of the page's main thread, which
    has the browser's own work in it; whichever is less, since either is more than the
    figure's own cost.  The best of at most three runs after a warm-up: what other
    programs take from a busy machine is not the figure's.
    """
    hand = open_figure(visits, figure)
    hand.go({**hand.values(), "n": 256, "t": 0.0})
    frame_cost(hand)
    runs = [frame_cost(hand)]
    while min(runs[-1]) >= 16 and len(runs) < 3:
        runs.append(frame_cost(hand))
    print(f"{figure}: median by the clock, mean by the processor, ms: {runs}")
    assert min(min(run) for run in runs) < 16


FRAMES = 60


def frame_cost(hand: Hand) -> tuple[float, float]:
    """Milliseconds a frame while playing: by the clock, by the processor."""
    session = hand.page.context.new_cdp_session(hand.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    hand.button("Play").click()
    hand.run("(el) => { el.tfdyn.frameTimes.length = 0; }")
    before = work_done(session)
    hand.until(f"(el) => el.tfdyn.frameTimes.length >= {FRAMES}")
    times = hand.run("(el) => [...el.tfdyn.frameTimes]")
    work = 1000 * (work_done(session) - before) / len(times)
    hand.pause().rest()
    session.detach()
    return sorted(times)[len(times) // 2], work


# Two seconds are promised and 1.1 to 1.9 were measured on two free cores; the rest is
# room for a slower machine.
SOON = 3.0


@every_figure
def test_first_control_works_soon_on_a_slow_machine(visits: Visits, figure: Figure):
    """From the request to a moved picture, with the processor four times slower.

    Judged by the processor time of the page's main thread, times four, because the
    clock, printed beside it, also counts what other programs take from a busy machine.
    The shelf has measured it on the first figure of a page; the best of four, if that
    is not soon.
    """
    assert visits.shelf
    first = visits.shelf.take(figure.page, figures="any").first
    work, clock = first if first and figure.index == 0 else opened(visits, figure)
    for _ in range(3):
        if 4 * work >= SOON:
            work = min(work, opened(visits, figure)[0])
    print(f"{figure}: first control after {work:.2f} s of work, {clock:.2f} s in all")
    assert 4 * work < SOON


def opened(visits: Visits, figure: Figure) -> tuple[float, float]:
    """The same on a page opened for this alone."""
    page = visits.context().new_page()
    session = watched(page)
    address = visits.site.address(figure.page)
    found = first_control(page, session, address, figure.index)
    page.close()
    return found

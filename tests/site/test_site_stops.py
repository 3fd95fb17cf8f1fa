"""A figure that breaks says so, comes back when asked, and harms no other."""

import sitebook
from hand import Hand, every_view_at_its_lightest, open_figure
from playwright.sync_api import Route
from reader import Visits
from sitebook import Figure


@every_view_at_its_lightest
def test_a_figure_that_stops_says_so_leaves_the_page_and_comes_back(
    visits: Visits, figure: Figure
):
    hand = open_figure(visits, figure)
    hand.run("(el) => el.tfdyn.card.guard(() => { throw new Error('planted'); })()")
    assert hand.state == "error"
    stopped = hand.el.get_by_role("alert")
    assert "This figure stopped: planted" in stopped.inner_text()
    assert hand.el.locator(".tfdyn-still svg").is_visible()
    hand.button("Reload figure").click()
    hand.el.and_(hand.page.locator("[data-tfdyn=ready]")).wait_for()
    assert hand.rest()


def test_a_broken_figure_leaves_the_others_alive(visits: Visits):
    """The first figure of a page, doubled on its way to the reader, one copy broken."""
    figure = sitebook.figures()[0]

    def break_one(route: Route) -> None:
        body = route.fetch().text()
        at = body.index('<div class="tfdyn" data-figure=')
        state = body.index('data-state="', at) + len('data-state="')
        broken = '<div class="tfdyn" data-figure="{}" data-state="{{"></div>'
        kind = figure.kind
        assert state > at
        route.fulfill(
            body=body[:at] + broken.format(kind) + body[at:], content_type="text/html"
        )

    page, record = visits.open(figure.page, formulas=False, answer=break_one)
    dead = Hand(page, 0).bring()
    live = Hand(page, 1).bring()
    assert dead.state == "error"
    assert "This figure stopped" in dead.el.get_by_role("alert").inner_text()
    assert live.state == "ready"
    before = live.rest()
    live.button("Play").click()
    assert live.changes(before)
    assert record.outside == []

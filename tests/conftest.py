"""What every test may use: how Hypothesis draws, tokens from a seed, one browser."""

import functools
import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
from figurepage import launched, pages, reading
from hypothesis import settings
from playwright.sync_api import Browser, Page
from unchecked import no_checks

from tfdynlib import sphere
from tfdynlib.weights import Heads

settings.register_profile("local", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first, so that no process waits for one at the end.

    A test with a browser that fails is asked once more, and the last lines say so:
    a busy machine can starve a page of frames, and a fault fails twice.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tests of long runs, marked ``unchecked``, and their fixtures without types."""
    with no_checks() if item.get_closest_marker("unchecked") else nullcontext():
        return (yield)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one Chromium of the session.  From then on an event loop runs: see ``apart``.

    Playwright allows only one in a process, so no test starts its own.
    """
    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def bare_pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """bare_pages(figure, *sets of presets): their addresses; each is made once."""
    return functools.cache(functools.partial(pages, tmp_path_factory))


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """visit(width=760, hash="", theme="light", **context): a bare page, at rest.

    Its ``address`` is a fixture of the test's own file.
    """
    with reading(browser) as opened:
        yield functools.partial(opened, address)


@pytest.fixture
def apart() -> Callable[[Callable[[], None]], None]:
    """apart(f): f in a thread of its own, where no event loop runs."""

    def run(f: Callable[[], None]) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(f).result()

    return run


# Session-scoped, because Hypothesis calls a test many times with one fixture.
@pytest.fixture(scope="session")
def tokens() -> Callable[..., np.ndarray]:
    """tokens(seed, n=9, d=3): points on the sphere, the same for the same seed."""

    def make(seed: int, n: int = 9, d: int = 3) -> np.ndarray:
        return sphere.uniform(n, d, np.random.default_rng(seed))

    return make


@pytest.fixture(scope="session")
def random_heads() -> Callable[..., Heads]:
    """random_heads(seed, H=2, d=3, beta=1.5): any B and V, unequal masses."""

    def make(seed: int, H: int = 2, d: int = 3, beta: float = 1.5) -> Heads:
        rng = np.random.default_rng([seed, 1])
        B, V = rng.standard_normal((2, H, d, d))
        return Heads(B, V, beta, mass=rng.dirichlet(np.ones(H)))

    return make


@pytest.fixture(scope="session")
def descent_heads() -> Callable[..., Heads]:
    """descent_heads(seed, H=2, d=3, beta=1.0): symmetric B, V = -B, unequal masses."""

    def make(seed: int, H: int = 2, d: int = 3, beta: float = 1.0) -> Heads:
        rng = np.random.default_rng([seed, 2])
        D = rng.standard_normal((H, d, d))
        return Heads.descent(D + D.swapaxes(1, 2), beta, rng.dirichlet(np.ones(H)))

    return make

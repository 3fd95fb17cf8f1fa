"""Answers that check themselves: one module per page, one function per exercise.

``check.<page>.<exercise>(thing)`` tries the reader's function or value on
arguments that are not on the page and returns a `Verdict`.  A wrong answer is
a verdict too, never an exception; no file is looked up, so a check works the
same on the page's notebook, in Binder and anywhere else.
"""

import importlib
from types import ModuleType

from tfdynlib.check._verdict import (
    Case,
    Verdict,
    call,
    compare,
    not_yet,
    numbers,
    yes,
)

PAGES = (
    "layers",
    "attention",
    "measures",
    "many",
    "circle",
    "clustering",
    "energy",
    "gradient",
    "geometry",
    "steps",
    "layers_that_change",
    "balance",
    "density",
    "stability",
    "experiments",
    "closure",
    "riccati",
    "regimes",
    "blow_up",
    "equilibria",
    "rank",
    "relu",
    "reachable",
    "steering",
    "neighbours",
    "limit",
    "projection",
    "laplace",
    "concentration",
    "metastability",
    "terminal",
    "consensus",
    "finite_size",
    "real_weights",
    "open",
    "performance",
    "claims",
)

__all__ = ["PAGES", "Case", "Verdict", "call", "compare", "not_yet", "numbers", "yes"]


def __getattr__(name: str) -> ModuleType:
    if name in PAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"no page called {name!r}; there are {', '.join(PAGES)}")


def __dir__() -> list[str]:
    return sorted([*__all__, *PAGES])

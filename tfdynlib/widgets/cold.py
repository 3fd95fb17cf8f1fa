"""The figure ``cold``: attention at low temperature, on the sphere and off it."""

from typing import Any

import numpy as np

from tfdynlib.widgets import _cold_views
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._cold_presets import COLD_B, COLD_V, PRESETS
from tfdynlib.widgets._traits import Matrix, OneOf, Real, Whole
from tfdynlib.widgets._widget import Widget

VIEWS = ("flow", "query", "consensus")


class Square(Matrix):
    """A 2 x 2 or 3 x 3 matrix as nested lists."""

    shape = "(2, 2) or (3, 3)"

    def fits(self, array: np.ndarray) -> bool:
        return array.shape in ((2, 2), (3, 3))


class Cold(Widget):
    """Attention at low temperature: ``Cold("cold2d", beta=80)``.

    ``view="flow"``: ``n`` tokens on the circle or the sphere (as ``B`` and ``V`` are
    2 x 2 or 3 x 3) under one head at inverse temperature ``beta`` to ``t_end``;
    ``rule="zero_temperature"`` is beta = infinity.  They start on a ``"grid"``, on
    weighted nodes that are ``"fine"`` at the equator of e1 and at its poles, from a
    ``"draw"`` with ``seed`` or as a ``"pair"`` at ``angle``; on the circle ``skew``
    moves the grid to one side; ``density`` is the c of a density 1 + c <x, e1>, as
    masses; tokens with |<x, e1>| below ``band`` are left out; a pair has neither.  The
    chart shows the ``"distance"`` to the limit with the bound of the theorem (constants
    ``"fitted"``, or ``"given"`` as ``C``, ``C1``, ``c``), the ``"alignment"`` with the
    top eigenvector of V, or the ``"angle"`` of the first token.  ``sides="marked"``
    leaves the tokens hollow that start on the side of the second pole.

    ``"query"``: what a query at inverse temperature ``kappa`` = beta |B x| hears of the
    density 1 + ``density`` <y, e> on the sphere of R^``dim``, at ``angle`` from e.

    ``"consensus"``: consensus-based optimisation of an ``objective`` on the line from
    N(``m0``, ``spread``) at inverse temperature ``alpha``; ``kernel`` is the width
    within which particles hear each other, 0 for all of them.
    """

    name = "cold"
    _esm = esm("cold")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("cold2d", "exit2d", "generic3d", "sign_switch", "two_poles")

    view = OneOf("flow", words=VIEWS).tag(sync=True, page=True)
    B = Square(COLD_B, d=3).tag(sync=True, page=True)
    V = Square(COLD_V, d=3).tag(sync=True, page=True)
    beta = Real(20.0, min=0.1, max=1e6).tag(sync=True, page=True)
    rule = OneOf("softmax", words=("softmax", "zero_temperature", "hardmax")).tag(
        sync=True, page=True
    )
    n = Whole(400, min=2, max=1000).tag(sync=True, page=True)
    start = OneOf("grid", words=("grid", "fine", "draw", "pair")).tag(
        sync=True, page=True
    )
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    skew = Real(0.0, min=-0.9, max=0.9).tag(sync=True, page=True)
    density = Real(0.0, min=-1.0, max=1.0).tag(sync=True, page=True)
    band = Real(0.0, min=0.0, max=0.5).tag(sync=True, page=True)
    angle = Real(0.4, min=0.0, max=3.1415).tag(sync=True, page=True)
    t_end = Real(14.0, min=1.0, max=60.0).tag(sync=True, page=True)
    time = OneOf("linear", words=("linear", "log")).tag(sync=True, page=True)
    scale = OneOf("log", words=("log", "linear")).tag(
        sync=True, page=True, numbers=False
    )
    curve = OneOf("distance", words=("distance", "alignment", "angle")).tag(
        sync=True, page=True, numbers=False
    )
    sides = OneOf("alike", words=("alike", "marked")).tag(
        sync=True, page=True, numbers=False
    )
    bound = OneOf("fitted", words=("fitted", "given")).tag(
        sync=True, page=True, numbers=False
    )
    C = Real(1.0, min=0.01, max=100.0).tag(sync=True, page=True, numbers=False)
    C1 = Real(1.0, min=0.01, max=10.0).tag(sync=True, page=True, numbers=False)
    c = Real(0.5, min=0.01, max=10.0).tag(sync=True, page=True, numbers=False)
    kappa = Real(10.0, min=0.1, max=1e5).tag(sync=True, page=True, view=True)
    dim = Whole(3, min=2, max=4096).tag(sync=True, page=True)
    objective = OneOf("quadratic", words=("quadratic", "double_well")).tag(
        sync=True, page=True
    )
    alpha = Real(10.0, min=0.1, max=1e4).tag(sync=True, page=True)
    m0 = Real(0.0, min=-2.0, max=2.0).tag(sync=True, page=True)
    spread = Real(1.0, min=0.05, max=4.0).tag(sync=True, page=True)
    kernel = Real(0.0, min=0.0, max=3.0).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=1e6).tag(sync=True, page=True, view=True)
    turn = Real(30.0, min=-180.0, max=180.0).tag(sync=True, page=True, view=True)
    tilt = Real(18.0, min=-90.0, max=90.0).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """What the view shows, from the package."""
        return _cold_views.REFERENCES[state["view"]](state)

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The view at ``t``."""
        return _cold_views.STILLS[state["view"]](state)

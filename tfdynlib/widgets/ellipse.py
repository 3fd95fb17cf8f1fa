"""The figure ``ellipse``: a Gaussian cloud under an attention layer."""

from typing import Any

from tfdynlib.widgets import _ellipse_views
from tfdynlib.widgets._bundle import esm, style
from tfdynlib.widgets._ellipse_presets import COV, PRESETS, A, B, times
from tfdynlib.widgets._traits import Covariance, Matrix, OneOf, Real, Vector, Whole
from tfdynlib.widgets._widget import Widget

VIEWS = ("flow", "tilt", "map", "cloud", "relu")
BESIDE = ("nothing", "twin", "filter", "clipped")


class Ellipse(Widget):
    """A Gaussian cloud under a layer: ``Ellipse("d1")``.

    ``view="flow"``: mean and covariance of N(``mean``, ``cov``) under the layer ``A``,
    ``B``, ``V``, ``b`` to the time ``t_end``, or to where it blows up.  ``curve`` is
    what the chart has, ``"eigenvalues"`` of the covariance or entries of its inverse,
    the ``"precision"``.  ``beside`` it stands ``"nothing"``; the ``"twin"`` with -V and
    -B; the error covariance of a Kalman ``"filter"`` with process noise ``noise``; or
    the run with ``"clipped"`` eigenvalues, a patch that makes rank out of nothing.

    ``"tilt"``: the tokens, a ``"law"`` or a ``"sample"`` of ``n`` from ``seed``
    (``shown``), as the ``query`` sees them; ``t`` is the share of the query.
    ``"map"``: the fate of a variance ``s0`` under drift ``a`` and value times score
    ``vk``.  ``"cloud"``: ``n`` tokens beside that variance, to ``t_end`` or 2.
    ``"relu"``: tokens from N(``m``, 1) under x' = max(x, 0).
    """

    name = "ellipse"
    _esm = esm("ellipse")
    _css = style()
    PRESETS = PRESETS
    OPENING = ("d1", "d2", "d3", "e2", "twin_signs")

    view = OneOf("flow", words=VIEWS).tag(sync=True, page=True)
    A = Matrix(A, d=2).tag(sync=True, page=True)
    B = Matrix(B, d=2).tag(sync=True, page=True)
    V = Matrix(times(-0.7), d=2).tag(sync=True, page=True)
    b = Vector([0.0, 0.0], d=2, bound=100.0).tag(sync=True, page=True)
    mean = Vector([-1.5, 1.2], d=2).tag(sync=True, page=True)
    cov = Covariance(COV, d=2).tag(sync=True, page=True)
    t_end = Real(6.0, min=0.1, max=40.0).tag(sync=True, page=True)
    curve = OneOf("eigenvalues", words=("eigenvalues", "precision")).tag(
        sync=True, page=True, numbers=False
    )
    beside = OneOf("nothing", words=BESIDE).tag(sync=True, page=True, numbers=False)
    noise = Real(0.0, min=0.0, max=2.0).tag(sync=True, page=True, numbers=False)
    query = Vector([1.0, -1.0], d=2).tag(sync=True, page=True)
    shown = OneOf("law", words=("law", "sample")).tag(sync=True, page=True)
    n = Whole(400, min=10, max=10_000).tag(sync=True, page=True)
    seed = Whole(0, min=0, max=9999).tag(sync=True, page=True)
    a = Real(0.0, min=-2.0, max=2.0).tag(sync=True, page=True)
    vk = Real(1.0, min=-2.0, max=2.0).tag(sync=True, page=True)
    s0 = Real(1.0, min=0.1, max=2.0).tag(sync=True, page=True)
    m = Real(0.0, min=-1.0, max=4.0).tag(sync=True, page=True)
    t = Real(0.0, min=0.0, max=60.0).tag(sync=True, page=True, view=True)

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """What the view shows, from the package: moments, tokens, distances."""
        return _ellipse_views.REFERENCES[state["view"]](state)

    @classmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The view at ``t``."""
        return _ellipse_views.STILLS[state["view"]](state)

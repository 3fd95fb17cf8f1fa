"""Figures that live on the page and in the notebook: one ES module, two hosts."""

from tfdynlib.widgets.balance import Balance
from tfdynlib.widgets.bench import Bench
from tfdynlib.widgets.circle import Circle
from tfdynlib.widgets.cold import Cold
from tfdynlib.widgets.ellipse import Ellipse
from tfdynlib.widgets.jko import JKO
from tfdynlib.widgets.paths import Paths
from tfdynlib.widgets.sphere import Sphere
from tfdynlib.widgets.stairs import Stairs
from tfdynlib.widgets.steer import Steer

__all__ = [
    "JKO",
    "Balance",
    "Bench",
    "Circle",
    "Cold",
    "Ellipse",
    "Paths",
    "Sphere",
    "Stairs",
    "Steer",
]

"""Still figures: each function draws on ``ax`` (or makes one) and returns it.

``show(ax, alt)`` turns the drawing into a ``Still``, an inline SVG that follows the
theme of the page.  Colours have one meaning each: blue is the state, green is theory
(dashed), plum is where a flow or a theorem ends, orange can be moved; all else is ink
or grey.  Labels stand at the thing; there is no legend.  No flow is solved here.
"""

from tfdynlib.plot._still import Still
from tfdynlib.plot.charts import curves, energy
from tfdynlib.plot.ellipses import ellipses
from tfdynlib.plot.pairs import attention, matching
from tfdynlib.plot.speed import scaling, timings
from tfdynlib.plot.tokens import circle, geodesic, rays, sphere
from tfdynlib.plot.words import power_of_ten, show

__all__ = [
    "Still",
    "attention",
    "circle",
    "curves",
    "ellipses",
    "energy",
    "geodesic",
    "matching",
    "power_of_ten",
    "rays",
    "scaling",
    "show",
    "sphere",
    "timings",
]

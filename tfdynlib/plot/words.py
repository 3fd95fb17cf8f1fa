"""A drawing as a still of a page, and numbers as words."""

from typing import TYPE_CHECKING

from tfdynlib import _check
from tfdynlib._check import Number
from tfdynlib.plot._still import Still, still

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def show(ax: "Axes", alt: str) -> Still:
    """The drawing on ``ax`` as a ``Still``; ``alt`` says in words what it shows."""
    if not alt.strip():
        raise _check.refuse("alt", "a description of the picture", repr(alt))
    figure = ax.get_figure(root=True)
    if figure is None:
        raise _check.refuse("ax", "part of a figure", "axes that were removed")
    return still(figure, alt)


def power_of_ten(value: Number) -> str:
    """A very small or large number as a word of a sentence, such as ``9·10⁻⁷``."""
    digit, exponent = f"{_check.time(value, 'value'):.0e}".split("e")
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"{digit}·10{str(int(exponent)).translate(raised)}".replace("-", "−")

"""Traits of the figures: each refuses by name, with what is wanted and what came.

They raise ``ValueError``, as everywhere in the package (traitlets' own error is none).
"""

import math
import operator
from typing import Any

import numpy as np
import traitlets

from tfdynlib._check import refuse, shown

THIN = 2e-13  # an eigenvalue below this part of the largest counts as 0


class Trait(traitlets.TraitType):
    """A trait that refuses as the rest of the package does."""

    def no(self, wanted: str, came: object) -> ValueError:
        """The error to raise."""
        return refuse(str(self.name), wanted, came)


class Real(Trait):
    """A finite number from ``min`` to ``max``."""

    def __init__(self, default: float, *, min: float, max: float, **metadata: Any):
        super().__init__(default, **metadata)
        self.min, self.max = min, max

    def validate(self, obj: Any, value: Any) -> float:
        wanted = f"a number from {self.min:g} to {self.max:g}"
        if isinstance(value, bool | np.bool_ | np.ma.MaskedArray):
            raise self.no(wanted, value)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise self.no(wanted, shown(value)) from None
        if not (math.isfinite(number) and self.min <= number <= self.max):
            raise self.no(wanted, value)
        return number


class Whole(Trait):
    """An integer from ``min`` to ``max``."""

    def __init__(self, default: int, *, min: int, max: int, **metadata: Any):
        super().__init__(default, **metadata)
        self.min, self.max = min, max

    def validate(self, obj: Any, value: Any) -> int:
        wanted = f"an integer from {self.min} to {self.max}"
        if isinstance(value, bool | np.bool_):
            raise self.no(wanted, value)
        try:
            number = operator.index(value)
        except TypeError:
            raise self.no(wanted, shown(value)) from None
        if not self.min <= number <= self.max:
            raise self.no(wanted, value)
        return number


class OneOf(Trait):
    """One of a few words."""

    def __init__(self, default: str, *, words: tuple[str, ...], **metadata: Any):
        super().__init__(default, **metadata)
        self.words = words

    def validate(self, obj: Any, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            words = ", ".join(map(repr, self.words))
            raise self.no(f"one of {words}", shown(value))
        return str(value)


class Matrix(Trait):
    """A d x d matrix as nested lists; arrays are welcome.  Entries up to ``bound``."""

    shape = "({d}, {d})"

    def __init__(self, default: list, *, d: int, bound: float = 10.0, **metadata: Any):
        super().__init__(default, **metadata)
        self.d, self.bound = d, bound

    def wanted(self) -> str:
        shape = self.shape.format(d=self.d)
        return f"of shape {shape} with entries from {-self.bound:g} to {self.bound:g}"

    def fits(self, array: np.ndarray) -> bool:
        return array.shape == (self.d, self.d)

    def validate(self, obj: Any, value: Any) -> list:
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise self.no(self.wanted(), shown(value)) from None
        array = self.reshape(array)
        if not (self.fits(array) and (np.abs(array) <= self.bound).all()):
            raise self.no(self.wanted(), value)
        return array.tolist()

    def reshape(self, array: np.ndarray) -> np.ndarray:
        return array


class Matrices(Matrix):
    """One to ``most`` d x d matrices, one a head; a single one may come unstacked."""

    shape = "({d}, {d}) or (H, {d}, {d}), H up to {most},"

    def __init__(self, default: list, *, d: int, most: int = 4, **metadata: Any):
        super().__init__(default, d=d, **metadata)
        self.most = most

    def wanted(self) -> str:
        shape = self.shape.format(d=self.d, most=self.most)
        return f"of shape {shape} with entries from {-self.bound:g} to {self.bound:g}"

    def fits(self, array: np.ndarray) -> bool:
        stacked = array.ndim == 3 and array.shape[1:] == (self.d, self.d)
        return stacked and 1 <= len(array) <= self.most

    def reshape(self, array: np.ndarray) -> np.ndarray:
        return array[None] if array.ndim == 2 else array


class Angles(Trait):
    """One to ``most`` angles in radian, as a list; arrays are welcome."""

    def __init__(self, default: list, *, most: int = 256, **metadata: Any):
        super().__init__(default, **metadata)
        self.most = most

    def validate(self, obj: Any, value: Any) -> list:
        wanted = f"1 to {self.most} angles from -10 to 10"
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise self.no(wanted, shown(value)) from None
        fits = array.ndim == 1 and 1 <= len(array) <= self.most
        if not (fits and (np.abs(array) <= 10).all()):
            raise self.no(wanted, value)
        return array.tolist()


class Flag(Trait):
    """True or False."""

    def validate(self, obj: Any, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise self.no("True or False", shown(value))
        return bool(value)


class Vector(Trait):
    """A vector of length d as a list; arrays are welcome.  Entries up to ``bound``."""

    def __init__(self, default: list, *, d: int, bound: float = 10.0, **metadata: Any):
        super().__init__(default, **metadata)
        self.d, self.bound = d, bound

    def validate(self, obj: Any, value: Any) -> list:
        wanted = (
            f"of shape ({self.d},) with entries from {-self.bound:g} to {self.bound:g}"
        )
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise self.no(wanted, shown(value)) from None
        if not (array.shape == (self.d,) and (np.abs(array) <= self.bound).all()):
            raise self.no(wanted, value)
        return array.tolist()


class Covariance(Matrix):
    """A symmetric matrix without negative eigenvalues, up to rounding.

    An eigenvalue that counts as positive is at least ``least``.
    """

    def __init__(self, default: list, *, d: int, least: float = 0.0, **metadata: Any):
        super().__init__(default, d=d, **metadata)
        self.least = least

    def wanted(self) -> str:
        signs = "without negative eigenvalues"
        if self.least:
            signs += f" or positive ones below {self.least:g}"
        return f"symmetric, {signs}, {super().wanted()}"

    def fits(self, array: np.ndarray) -> bool:
        if not (super().fits(array) and np.isfinite(array).all()):
            return False
        if not (array == array.T).all():
            return False
        values = np.linalg.eigvalsh(array)
        if values[0] < -1e-13 * np.abs(np.diag(array)).sum():
            return False
        return bool((values[values > THIN * values[-1]] >= self.least).all())

"""What every figure shares in Python: a name, traits, presets, and numbers to check it.

The figure itself is the ES module ``web/<name>.mjs``.  In a notebook anywidget runs it;
on a page the host script finds the ``text/html`` form and runs the same module.
"""

import asyncio
import base64
import html
import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from tfdynlib import __version__, _check

_PATIENCE = 0.3  # seconds of rest before a kernel computes a fresh reference


@dataclass(frozen=True)
class Preset:
    """A named state of a figure.

    Attributes
    ----------
    label
        Words on its chip; rich text, ``*V*`` is an italic V.
    values
        Traits that differ from the class's defaults.
    moment
        The layer-time worth a still picture: shown when nothing may move.
    about
        One line in words on what is to be seen.
    """

    label: str
    values: Mapping[str, Any] = field(default_factory=dict)
    moment: float = 0.0
    about: str = ""


def doubles(array: np.ndarray) -> str:
    """An array of doubles as base64 text, every bit of it (little-endian)."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f8").tobytes()).decode()


class Widget(anywidget.AnyWidget):
    """A figure: ``Figure("preset", "another", beta=3.0)``.

    The first preset is what it opens on, all of them are its chips; without names it
    has the class's own set.  Keywords replace traits of the opening state.  Traits
    tagged ``page=True`` are what a reader can change, on the page and in a notebook
    alike; in a notebook they follow in both directions.

    A subclass gives ``name``, ``_esm = esm(name)``, ``_css = style()``, ``PRESETS``,
    ``OPENING``, ``reference_for``, ``still`` and its traits, among them ``t``, the
    moment shown.  A trait tagged ``view=True`` (as ``t``) is no part of a preset; one
    tagged ``view=True`` or ``numbers=False`` does not change the reference.

    Raises ``ValueError`` for a preset, a trait or a value that is not there.
    """

    name: ClassVar[str]
    PRESETS: ClassVar[dict[str, Preset]] = {}
    OPENING: ClassVar[tuple[str, ...]] = ()

    presets: traitlets.List = traitlets.List().tag(sync=True)
    reference = traitlets.Dict().tag(sync=True)
    version = traitlets.Unicode(__version__).tag(sync=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if getattr(cls.still, "__isabstractmethod__", False):
            raise TypeError(f"{cls.__name__} needs still(state), its picture on paper")

    def __init__(self, *presets: str, **values: Any) -> None:
        names = presets or self.OPENING
        for name in names:
            _check.one_of(name, self.PRESETS, "preset")
        for key in values:
            _check.one_of(key, self.keys_of_state(), "argument")
        opening = self._full(self.PRESETS[names[0]]) if names else {}
        super().__init__(**{**opening, **values})
        self.presets = [self._chip(name) for name in names]
        self._shown = False
        self._later: asyncio.TimerHandle | None = None
        self.observe(self._changed, names=list(self.keys_of_reference()))

    @classmethod
    def keys_of_state(cls) -> tuple[str, ...]:
        """Names of the traits a reader can change."""
        return tuple(sorted(cls.class_traits(page=True)))

    @classmethod
    def keys_of_presets(cls) -> tuple[str, ...]:
        """Names of the traits that a preset sets: all but how one looks at it."""
        return tuple(sorted(cls.class_traits(page=True, view=None)))

    @classmethod
    def keys_of_reference(cls) -> tuple[str, ...]:
        """Names of the traits on which the reference depends."""
        return tuple(sorted(cls.class_traits(page=True, view=None, numbers=None)))

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default state."""
        traits = cls.class_traits(page=True)
        return {key: traits[key].default_value for key in cls.keys_of_state()}

    def state(self) -> dict[str, Any]:
        """The present state: what a shared address holds."""
        return {key: getattr(self, key) for key in self.keys_of_state()}

    @classmethod
    def _full(cls, preset: Preset) -> dict[str, Any]:
        return {**cls.defaults(), "t": preset.moment, **preset.values}

    @classmethod
    def _chip(cls, name: str) -> dict[str, Any]:
        preset = cls.PRESETS[name]
        full = cls._full(preset)
        return {
            "name": name,
            "label": preset.label,
            "values": {key: full[key] for key in cls.keys_of_presets()},
            "moment": preset.moment,
            "about": preset.about,
        }

    @classmethod
    def reference_for(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Python's numbers for a state, which the page compares with its own.

        ``{}`` if there are none.  A subclass computes them; arrays go by ``doubles``.
        """
        return {}

    @classmethod
    @abstractmethod
    def still(cls, state: dict[str, Any]) -> str:
        """The figure at a state as inline SVG: for paper, and without script."""

    @classmethod
    def measured(cls, state: dict[str, Any]) -> dict[str, Any]:
        """``reference_for`` with the state it is of under ``"of"``; kept in memory."""
        of = {key: state[key] for key in cls.keys_of_reference()}
        key = (cls, json.dumps(of, sort_keys=True))
        if key not in _measured:
            numbers = cls.reference_for(of)
            _measured[key] = {"of": of, **numbers} if numbers else {}
        return _measured[key]

    def _changed(self, change: object) -> None:
        """A fresh reference once the hand rests; nothing before it is shown."""
        if not self._shown:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: a script, where nobody drags
            self._refer()
            return
        if self._later:
            self._later.cancel()
        self._later = loop.call_later(_PATIENCE, self._refer)

    def _refer(self) -> None:
        self.reference = self.measured(self.state())

    def page_state(self) -> dict[str, Any]:
        """What the page's model starts from: the state, presets and references."""
        chips = [
            {**chip, "reference": self.measured(chip["values"])}
            for chip in self.presets
        ]
        return {
            **self.state(),
            "presets": chips,
            "reference": self.measured(self.state()),
            "version": self.version,
        }

    def page_form(self) -> str:
        """The figure as HTML: a still picture that the page's script brings to life."""
        state = html.escape(json.dumps(self.page_state()))
        return (
            f'<div class="tfdyn" data-figure="{self.name}" data-state="{state}">'
            f'<div class="tfdyn-still">{self.still(self.state())}</div></div>'
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        self._shown = True
        self._refer()
        data["text/html"] = self.page_form()
        return data, metadata


_measured: dict[tuple[type, str], dict[str, Any]] = {}

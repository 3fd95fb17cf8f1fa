"""A drawing as an inline SVG that follows the theme of the page it stands on.

Matplotlib draws once, in the light palette; every colour of the palette then becomes a
CSS variable with the light value as fallback, so one picture serves light and dark.
Text stays text, in the font of the page, with single letters of mathematics in a serif
italic.
"""

import hashlib
import io
import itertools
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from tfdynlib.plot import _letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIGHT = {
    "state": "#1c72bb",
    "grab": "#b65503",
    "theory": "#045b3a",
    "stop": "#6f1d67",
    "ink": "#222832",
    "mut": "#48566b",
    "ctl": "#7b8694",
    "rim": "#7f8b9a",
    "grat": "#c3ccd6",
    "line": "#d5d9de",
    "line2": "#e8ebee",
    "bg": "#ffffff",
    "soft": "#f4f6f8",
    "glass0": "#fefefe",  # not white itself: a colour names one meaning
    "glass1": "#e9eef3",
}
DARK = {
    "state": "#4ba3f2",
    "grab": "#ee8735",
    "theory": "#45e3ac",
    "stop": "#fbbdf3",
    "ink": "#ced6dd",
    "mut": "#9ca4af",
    "ctl": "#8692a1",
    "rim": "#6a7787",
    "grat": "#414b58",
    "line": "#3a4350",
    "line2": "#262c34",
    "bg": "#121212",
    "soft": "#1b2027",
    "glass0": "#303a46",
    "glass1": "#191e25",
}

_DARK_RULES = ";".join(f"--tfdyn-{name}:{hex_}" for name, hex_ in DARK.items())
STYLE = (
    "@media screen{:is(html[data-theme=dark],body[data-jp-theme-light=false]) "
    f".tfdyn-picture{{{_DARK_RULES}}}}}"
)

RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 12.5,
    "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["ctl"],
    "axes.labelcolor": LIGHT["mut"],
    "xtick.color": LIGHT["ctl"],
    "ytick.color": LIGHT["ctl"],
    "xtick.labelcolor": LIGHT["mut"],
    "ytick.labelcolor": LIGHT["mut"],
    "xtick.labelsize": 11.5,
    "ytick.labelsize": 11.5,
    "axes.unicode_minus": True,
    "mathtext.fontset": "stix",
    "svg.fonttype": "none",
    "svg.hashsalt": "tfdynlib",
}

# What the highlight on a sphere looks like before it gets its gradient.
HIGHLIGHT = f"fill: var(--tfdyn-glass0, {LIGHT['glass0']})"

_counter = itertools.count(1)


@dataclass(frozen=True)
class Still:
    """A still figure with its description; shows itself as an inline SVG.

    Attributes
    ----------
    svg
        The picture as text, for any HTML page.
    alt
        What it shows, in words.
    """

    svg: str = field(repr=False)
    alt: str
    figure: Any = field(repr=False, compare=False)

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture, light, as the suffix says: .svg, .png or .pdf.

        The .svg is the same picture as a file of its own; other formats are drawn by
        Matplotlib.
        """
        import matplotlib

        path = Path(path)
        if path.suffix == ".svg":
            text = re.sub(r"var\(--tfdyn-\w+, (#\w+)\)", r"\1", self.svg)
            text = text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
            path.write_text(text, encoding="utf-8")
            return
        for light in self.figure.findobj(lambda artist: artist.get_gid() == "glass"):
            light.set_visible(False)  # only the SVG can let it fade
        with matplotlib.rc_context(RC):
            self.figure.savefig(path, dpi=200)


def still(figure: "Figure", alt: str) -> Still:
    """Freeze a Matplotlib figure into a ``Still``."""
    root = ElementTree.fromstring(_render(figure))
    _tidy(root)
    digest = hashlib.sha1(ElementTree.tostring(root)).hexdigest()[:8]
    prefix = f"tfdyn-{digest}-{next(_counter)}-"
    svg = _glass(_write(root, _names(root, prefix)), f"{prefix}glass")
    width, height = (72 * side for side in figure.get_size_inches())
    head = (
        f'<svg class="tfdyn-picture" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        'style="max-width:100%;height:auto;font-family:inherit;'
        'stroke-linejoin:round;stroke-linecap:butt">'
    )
    return Still(f"{head}<style>{STYLE}</style>{svg}</svg>", alt, figure)


def _render(figure: "Figure") -> str:
    """Matplotlib's SVG, with mathematics marked instead of typeset."""
    import matplotlib
    from matplotlib.text import Text

    texts = [t for t in figure.findobj(Text) if "$" in t.get_text()]
    kept = [t.get_text() for t in texts]
    for text, source in zip(texts, kept):
        text.set_text(_letters.mark(source))
    out = io.StringIO()
    try:
        with matplotlib.rc_context(RC):
            figure.savefig(
                out, format="svg", transparent=True, dpi=72, metadata={"Date": None}
            )
    finally:
        for text, source in zip(texts, kept):
            text.set_text(source)
    return out.getvalue()


def _glass(svg: str, name: str) -> str:
    """Fill the highlight of a sphere, if there is one, with a fading light."""
    if HIGHLIGHT not in svg:
        return svg
    stops = "".join(
        f'<stop offset="{at}" stop-opacity="{opacity}" '
        f'style="stop-color:var(--tfdyn-glass0, {LIGHT["glass0"]})"/>'
        for at, opacity in ((0, 0.95), (0.45, 0.6), (1, 0))
    )
    gradient = f'<radialGradient id="{name}">{stops}</radialGradient>'
    return f"<defs>{gradient}</defs>" + svg.replace(HIGHLIGHT, f"fill: url(#{name})")


_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


def _tidy(root: ElementTree.Element) -> None:
    """Drop what is not drawn: metadata, and the style that would reach the page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                parent.remove(child)


def _names(root: ElementTree.Element, prefix: str) -> dict[str, str]:
    """New ids for the ones that are referred to; all others are dropped."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = re.findall(r"url\(#([\w-]+)\)", text) + re.findall(r'href="#([\w-]+)"', text)
    return {name: f"{prefix}{k}" for k, name in enumerate(dict.fromkeys(used))}


def _write(element: ElementTree.Element, names: dict[str, str]) -> str:
    """The children of an element as text for HTML."""
    return "".join(_element(child, names) for child in element)


def _element(element: ElementTree.Element, names: dict[str, str]) -> str:
    tag = element.tag.removeprefix(_SVG)
    pairs = [_attribute(key, raw, names) for key, raw in element.attrib.items()]
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in pairs if value)
    if tag == "text":
        inner = _letters.html("".join(element.itertext()))
    else:
        inner = _write(element, names)
    if tag in ("g", "defs") and not (inner and attributes):
        return f"<{tag}>{inner}</{tag}>" if inner and tag == "defs" else inner
    if tag == "path" and attributes.endswith(' style="fill: none"'):
        return ""
    return f"<{tag}{attributes}>{inner}</{tag}>" if inner else f"<{tag}{attributes}/>"


def _attribute(key: str, value: str, names: dict[str, str]) -> tuple[str, str]:
    """One attribute, with short numbers, the page's colours and font, and new ids."""
    if key == "id":
        return key, names.get(value, "")
    if key == _HREF:
        return "href", "#" + names[value[1:]]
    value = re.sub(r"url\(#([\w-]+)\)", lambda m: f"url(#{names[m[1]]})", value)
    if key == "style":
        return key, _style(value)
    if key == "transform" and value.startswith("rotate(-0 "):
        return key, ""
    return key, re.sub(r"\s+", " ", re.sub(r"-?\d+\.\d{3,}", _short, value)).strip()


def _short(match: re.Match[str]) -> str:
    """A number to a hundredth of a pixel, without trailing zeros."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


_NAME_OF = {hex_: name for name, hex_ in LIGHT.items()}


def _style(value: str) -> str:
    """Palette colours as variables; sizes kept, font families left to the page."""
    value = re.sub(r"font-family: [^;]*; ", "", value)
    value = re.sub(
        r"#[0-9a-f]{6}",
        lambda m: (
            f"var(--tfdyn-{_NAME_OF[m[0]]}, {m[0]})" if m[0] in _NAME_OF else m[0]
        ),
        value,
    )
    return value

"""Simple mathematics in the labels of a picture: letters, Greek, sub- and superscripts.

A label is written as for Matplotlib, ``layer-time $t$``.  On its way through Matplotlib
the mathematics stands between two marks without width; in the SVG it becomes a serif
italic, set by the browser in the flow of the text.
"""

import re
from html import escape

from tfdynlib import _check

SERIF = "'STIX Two Text','Latin Modern Roman',Cambria,'Times New Roman',serif"

# Two characters without width that the text of a label does not use itself.
OPEN, CLOSE = "\u2061", "\u2062"

THIN = "\u2009"
SYMBOLS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "Delta": "Δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "varphi": "φ",
    "infty": "∞",
    "langle": "⟨",
    "rangle": "⟩",
    "sqrt": "√",
    "cdot": "·",
    "times": "×",
    "pm": "±",
    "leq": "≤",
    "geq": "≥",
    "approx": "≈",
    "to": "→",
}
NAMES = ("log", "ln", "exp", "sin", "cos", "min", "max")


def mark(source: str) -> str:
    """Each ``$...$`` of a label as marked plain text.

    Raises ``ValueError`` for mathematics that needs a typesetter.
    """
    parts = source.split("$")
    for k in range(1, len(parts), 2):
        math = re.sub(r"\\sqrt\{([^{}]{2,})\}", r"\\sqrt(\1)", parts[k])
        math = re.sub(r"\\([,;])", THIN, math).replace("-", "\u2212")
        parts[k] = OPEN + re.sub(r"\\([A-Za-z]+)\s*", _symbol, math) + CLOSE
    return "".join(parts)


def _symbol(match: re.Match[str]) -> str:
    """The sign for one command; names of functions keep their backslash until set."""
    name = match[1]
    if name in NAMES:
        return f"\\{name} "
    if name not in SYMBOLS:
        raise _check.refuse(
            "label",
            "of letters, Greek, _ and ^, which the page can set",
            match[0].strip(),
        )
    return SYMBOLS[name]


def html(text: str) -> str:
    """A label as HTML, the marked parts as mathematics."""
    parts = re.split(f"{OPEN}(.*?){CLOSE}", text)
    return "".join(
        _math(part) if k % 2 else escape(part, quote=False)
        for k, part in enumerate(parts)
    )


_PIECE = re.compile(
    r"(?P<shift>[_^])(?:\{(?P<group>[^}]*)\}|(?P<one>.))"
    r"|\\(?P<name>[a-z]+) |(?P<word>[^\W\d_]+)|(?P<sign>.)"
)


def _math(source: str) -> str:
    return "".join(_piece(match) for match in _PIECE.finditer(source))


def _piece(match: re.Match[str]) -> str:
    """Letters in italic; names, digits, signs upright; ``_a`` and ``^{ab}`` moved."""
    if match["shift"]:
        return _shifted(match["shift"], match["group"] or match["one"])
    if match["name"]:
        return match["name"] + THIN
    if match["word"]:
        style = f"font-family:{SERIF};font-style:italic;font-size:1.1em"
        return f'<tspan style="{style}">{match["word"]}</tspan>'
    sign = match["sign"]
    if sign in "{}":
        return ""
    spaced = f"{THIN}{sign}{THIN}" if sign in "=≤≥≈→" else sign
    return escape(spaced + THIN if sign == "," else spaced, quote=False)


def _shifted(shift: str, source: str) -> str:
    """A sub- or superscript; the line returns to its height after it."""
    down = 0.25 if shift == "_" else -0.5  # in em of the small letters
    inner = _math(source).replace("font-size:1.1em", "font-size:1em")
    return (
        f'<tspan dy="{down}em" style="font-size:.72em">{inner}</tspan>'
        f'<tspan dy="{-0.72 * down:.2f}em">\u200b</tspan>'
    )

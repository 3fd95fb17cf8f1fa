"""``{answer}`` and ``{choice}``: exercises that check themselves on the page.

``{answer}`` asks for one or more numbers::

    ```{answer} 0.94026
    :label: self-weight at β = 2
    ```

Right is what lies within ``:tol:`` (absolute) or ``:rtol:`` (relative) of the value;
without either, one unit of the last decimal that is written, or one part in 10⁹ for a
whole number or an expression.  Values may be written like ``7/8`` or ``sqrt(2)/pi``,
several of them with commas between.  ``:parts: start; end`` names the boxes and
``:unit:`` is shown behind them.

``{choice}`` has a question and a list for its body; right items start with ``[x]``,
others with ``[ ]``.  With more than one right item the reader may tick several.
Indented lines under an item are shown when it is chosen::

    ```{choice}
    What happens at $\\beta=0$?
    - [ ] Nothing moves.
    - [x] Every token goes to the mean.
      All weights are equal.
    ```

Without a script the answer stands in a fold that opens by a click.
"""

import json
import re
from html import escape

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxTranslator

from .arithmetic import value_of

ITEM = re.compile(r"^[-*]\s+\[( |x)\]\s+(.*)$")
DECIMAL = re.compile(r"^[-+−]?\d*\.(\d+)$")


class ask(nodes.General, nodes.Element):
    """A question; ``spec`` is what the page's script reads."""


class ask_part(nodes.General, nodes.Element):
    """Part of a choice: its ``question``, or the ``item`` or ``reply`` of an item."""


def tolerance(text: str) -> dict[str, float]:
    """Tolerance of a value written as ``text``: a unit of its last decimal, if any.

    >>> tolerance("0.25"), tolerance("7/8")
    ({'tol': 0.01}, {'rtol': 1e-09})
    """
    decimal = DECIMAL.match(text.strip())
    return {"tol": float(f"1e-{len(decimal[1])}")} if decimal else {"rtol": 1e-9}


class Answer(SphinxDirective):
    """Boxes for numbers."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "tol": float,
        "rtol": float,
        "label": directives.unchanged_required,
        "parts": directives.unchanged_required,
        "unit": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Check the values now, so that a page cannot ask for nonsense."""
        texts = [text.strip() for text in self.arguments[0].split(",")]
        parts = [part.strip() for part in self.options.get("parts", "").split(";")]
        if parts != [""] and len(parts) != len(texts):
            raise self.error(f":parts: names {len(parts)} of {len(texts)} values")
        try:
            boxes = [self._box(text) for text in texts]
        except ValueError as error:
            raise self.error(str(error)) from error
        for box, part in zip(boxes, parts, strict=False):
            box["part"] = part
        label = self.options.get("label", "your answer")
        spec = {"boxes": boxes, "unit": self.options.get("unit", "")}
        return [ask(kind="answer", label=label, spec=spec, check=", ".join(texts))]

    def _box(self, text: str) -> dict[str, float | str]:
        given = {
            key: self.options[key] for key in ("tol", "rtol") if key in self.options
        }
        return {"value": value_of(text), "part": "", **(given or tolerance(text))}


class Choice(SphinxDirective):
    """A question with one right item of several, or more."""

    has_content = True
    option_spec = {"label": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Read the question and the items; each is Markdown of its own."""
        question, items = self._read()
        right = [k for k, (mark, _, _) in enumerate(items) if mark == "x"]
        if not right or len(items) < 2:
            raise self.error("a choice has two items or more, one of them with [x]")
        label = self.options.get("label") or " ".join(question) or "Choose"
        check = ", ".join(chr(ord("a") + k) for k in right)
        node = ask(kind="choice", label=label, spec={"right": right}, check=check)
        node += self._part("question", question or [label])
        for _, text, reply in items:
            node += self._part("item", text)
            node += self._part("reply", reply)
        return [node]

    def _read(self) -> tuple[list[str], list[tuple[str, list[str], list[str]]]]:
        question: list[str] = []
        items: list[tuple[str, list[str], list[str]]] = []
        for line in self.content:
            start = ITEM.match(line)
            if start:
                items.append((start[1], [start[2]], []))
            elif not items:
                question.append(line)
            elif line.strip():
                items[-1][2].append(line.strip())
        return question, items

    def _part(self, part: str, lines: list[str]) -> ask_part:
        node = ask_part(part=part)
        source, _ = self.get_source_info()
        self.state.nested_parse(StringList(lines, source), self.content_offset, node)
        return node


OPEN = {"question": "<div {c}>", "item": "<li><div {c}>", "reply": "<div {c}>"}
CLOSE = {"question": "</div>\n<ol>\n", "item": "</div>", "reply": "</div></li>\n"}


def visit_ask(self: SphinxTranslator, node: ask) -> None:
    """Open the box; the script finds its data in an attribute."""
    spec, label = escape(json.dumps(node["spec"])), escape(node["label"])
    self.body.append(
        f'<div class="tfdyn-ask" role="group" aria-label="{label}" '
        f'data-kind="{node["kind"]}" data-spec="{spec}">\n'
    )
    if node["kind"] == "answer":
        self.body.append(f'<p class="tfdyn-ask-question">{label}</p>\n')


def depart_ask(self: SphinxTranslator, node: ask) -> None:
    """Close the box with the fold for readers without a script."""
    if node["kind"] == "choice":
        self.body.append("</ol>\n")
    self.body.append(
        "<details><summary>Show the answer</summary>"
        f"<p>check: {escape(node['check'])}</p></details>\n</div>\n"
    )


def visit_part(self: SphinxTranslator, node: ask_part) -> None:
    """Open a part of a choice."""
    self.body.append(OPEN[node["part"]].format(c=f'class="tfdyn-ask-{node["part"]}"'))


def depart_part(self: SphinxTranslator, node: ask_part) -> None:
    """Close it; the question is followed by the list of items."""
    self.body.append(CLOSE[node["part"]])


def skip(self: SphinxTranslator, node: nodes.Element) -> None:
    """Leave questions out of other formats."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_node(ask, html=(visit_ask, depart_ask), latex=(skip, None))
    app.add_node(ask_part, html=(visit_part, depart_part), latex=(skip, None))
    app.add_directive("answer", Answer)
    app.add_directive("choice", Choice)

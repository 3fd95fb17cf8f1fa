"""``{notation-table}`` and the macros of formulas, both from ``book/notation.yml``.

A row of that file has ``symbol`` (TeX), ``meaning`` and ``born`` (the page where the
symbol is first met), and may have ``code`` (its name in tfdynlib), ``trap`` (what it is
easily taken for), and ``macro`` with ``tex`` and ``args``: then ``\\macro`` may be
written in every formula of the book.
"""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

FILE = Path("book/notation.yml")
COLUMNS = {"symbol": 14, "code": 20, "meaning": 40, "trap": 36, "born": 14}
HEADS = ("Symbol", "In code", "Meaning", "Do not take it for", "First met")


def read_rows(root: Path) -> list[dict[str, Any]]:
    """Rows of the notation file under ``root``; none if there is no file."""
    path = root / FILE
    return yaml.safe_load(path.read_text("utf8")) if path.is_file() else []


def macros(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """MathJax macros: name to TeX, or to ``[TeX, number of arguments]``."""
    return {
        row["macro"]: [row["tex"], row["args"]] if row.get("args") else row["tex"]
        for row in rows
        if row.get("macro")
    }


class NotationTable(SphinxDirective):
    """The table of symbols."""

    def run(self) -> list[nodes.Node]:
        """Build the table, one row for each row of the file."""
        self.env.note_dependency(str(Path(self.env.srcdir) / FILE))
        group = nodes.tgroup(cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=width) for width in COLUMNS.values()]
        group += nodes.thead("", self._row([self._text(head) for head in HEADS]))
        body = nodes.tbody()
        for row in read_rows(Path(self.env.srcdir)):
            body += self._row([self._cell(key, row.get(key)) for key in COLUMNS])
        group += body
        return [nodes.table("", group, classes=["notation-table"])]

    def _row(self, cells: list[nodes.Element]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", cell) for cell in cells))

    def _text(self, text: str) -> nodes.paragraph:
        return nodes.paragraph("", text)

    def _cell(self, key: str, value: str | None) -> nodes.Element:
        if not value:
            return self._text("")
        if key == "born":
            return self._markdown(
                f"[{value.split('/')[-1].replace('_', ' ')}](/{value}.md)"
            )
        if key == "symbol":
            value = f"${value}$"
        elif key == "code":
            value = f"`{value}`"
        return self._markdown(value)

    def _markdown(self, text: str) -> nodes.container:
        box = nodes.container()
        source = str(Path(self.env.srcdir) / FILE)
        self.state.nested_parse(StringList([text], source), self.content_offset, box)
        return box


def add_macros(app: Sphinx, config: Config) -> None:
    """Hand the macros to MathJax."""
    mathjax = config.mathjax3_config or {}
    tex = mathjax.setdefault("tex", {})
    tex["macros"] = tex.get("macros", {}) | macros(read_rows(Path(app.srcdir)))
    config.mathjax3_config = mathjax


def setup(app: Sphinx) -> None:
    """Register the directive and the macros."""
    app.add_directive("notation-table", NotationTable)
    app.connect("config-inited", add_macros)

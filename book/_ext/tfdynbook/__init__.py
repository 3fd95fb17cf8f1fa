"""Sphinx extension of the book: what the pages need beyond Jupyter Book.

Each room does one thing and is connected here:

==============  ==============================================================
``loops``       what is compiled on first use is compiled before the pages run
``freshness``   no page is ever built from outputs of older code
``assets``      figures, MathJax and style from our own site, where needed
``answers``     ``{answer}`` and ``{choice}``: exercises that check themselves
``tables``      tables that a cell prints: columns to sort, rows that lead to a page
``notation``    ``{notation-table}`` and the macros of formulas, from one file
``pages``       the line that says what a page was run with; theme repairs
``sources``     two sources of one year with the same first author are told apart
``notebooks``   every page with code as a clean notebook to download
==============  ==============================================================
"""

from typing import Any

from sphinx.application import Sphinx

from . import (
    answers,
    assets,
    freshness,
    loops,
    notation,
    notebooks,
    pages,
    sources,
    tables,
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the rooms; called by Sphinx."""
    rooms = (loops, freshness, assets, answers, tables, notation, pages, sources)
    for room in (*rooms, notebooks):
        room.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

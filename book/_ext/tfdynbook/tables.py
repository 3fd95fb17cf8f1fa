"""Tables that a cell prints: columns to sort, and rows that lead to a page.

``<table data-sortable>`` gets a script: a button in each head of a column.  In
``<a data-page="flows/balance">`` the address of that page is put, as seen from the page
it stands on, so that it holds on disk and under any folder of a host.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

SORTABLE = re.compile(r"<table[^>]* data-sortable[ >=]")
LINK = re.compile(r'<a data-page="([^"]+)"')
logger = logging.getLogger(__name__)


def add_links(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Put the addresses, and the script where there is something to sort."""

    def address(link: re.Match[str]) -> str:
        target = f"book/{link[1]}"
        if target not in app.env.found_docs:
            logger.warning("a table leads to %s, which is no page", target)
        return f'<a href="{app.builder.get_relative_uri(page, target)}"'

    body = context.get("body") or ""
    context["body"] = LINK.sub(address, body)
    if SORTABLE.search(body):
        app.add_js_file("tfdynbook/tables.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Connect to the writing of a page."""
    app.connect("html-page-context", add_links)

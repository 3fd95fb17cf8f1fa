"""Sources that would be cited alike are told apart: 2026a and 2026b.

The letter stands in ``references.bib``, with the year.  Labels of the list of sources,
such as [AJZ26], differ without it.
"""

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrtalpha import Style
from pybtex.style.labels.alpha import LabelStyle
from sphinx.application import Sphinx

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Labels(LabelStyle):
    """First letters of the names and the last two digits of the year."""

    def format_label(self, entry: Entry) -> str:
        """The label of one source."""
        year = entry.fields.get("year", "")
        label = super().format_label(entry).removesuffix(year[-2:])
        return label + year.rstrip(LETTERS)[-2:]


class Sources(Style):
    """The list of sources, in the order in which they are written down."""

    default_label_style = Labels


def setup(app: Sphinx) -> None:
    """Register the style, by the name that ``_config.yml`` gives it."""
    register_plugin("pybtex.style.formatting", "tfdynbook", Sources)

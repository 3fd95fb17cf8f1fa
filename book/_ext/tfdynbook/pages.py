"""What every page says about its run, and repairs of the theme.

- A page with code ends with the date of its run, the versions and the time it took.
- Widget state that the notebook engine would embed is left out: figures on the page
  need none (``tfdynlib.widgets``).
- The theme's search button is renamed by a template of ours, since its spoken name
  must contain what it shows (WCAG 2.5.3).
"""

import datetime
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config

TEMPLATES = Path(__file__).parent / "templates"
NAMED = ("tfdynlib", "numpy", "scipy", "matplotlib", "POT")
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def day(stamp: float) -> str:
    """``30 November 2026`` for a time in seconds since 1970, in UTC."""
    date = datetime.datetime.fromtimestamp(stamp, datetime.UTC)
    return f"{date.day} {date:%B %Y}"


def built_line(run: dict[str, Any]) -> str:
    """Sentence about the run of a page, from the data of the notebook engine."""
    stamp = datetime.datetime.fromtimestamp(run["mtime"], datetime.UTC)
    others = [f"Python {platform.python_version()}"]
    others += [f"{name} {metadata.version(name)}" for name in NAMED[1:]]
    return (
        f'<p class="tfdynbook-run">Run with tfdynlib {metadata.version("tfdynlib")} on '
        f'<time datetime="{stamp:%Y-%m-%d}">{day(run["mtime"])}</time> '
        f"in {run['runtime']:.1f} s, with {', '.join(others)}.</p>\n"
    )


def finish_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Add the line about the run; leave widget state out."""
    run = NbMetadataCollector.get_exec_data(app.env, page)
    if run and context.get("body"):
        context["body"] += built_line(run)
    context["script_files"][:] = [
        script
        for script in context["script_files"]
        if getattr(script, "attributes", {}).get("type") != WIDGET_STATE
    ]


def settings(app: Sphinx, config: Config) -> None:
    """Put our templates before those of the theme."""
    config.templates_path.insert(0, str(TEMPLATES))


def setup(app: Sphinx) -> None:
    """Connect to the events of the build."""
    app.connect("config-inited", settings)
    app.connect("html-page-context", finish_page, priority=900)

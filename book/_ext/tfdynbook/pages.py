"""What every page says about its run, and repairs of the theme.

- A page with code ends with the date of its run, the versions and the time it took.
- Widget state that the notebook engine would embed is left out: figures on the page
  need none (``tfdynlib.widgets``).  MathJax is left out where nothing is to be set:
  Sphinx would load it on the first page for the sake of all others.
- Blocks of theorems and exercises lose an id that all of them share; what unfolds code
  is called by what it shows; entries of the bibliography get the role of list items.
- A comma or full stop stays on the line of the formula before it, and numbers that
  come from a run are set as numbers: a minus for a hyphen, 4·10⁻⁵ for 4e-05.
- Two templates of the theme are replaced: the search button's spoken name must contain
  what it shows (WCAG 2.5.3), and a script of 1.5 MB that no page needs is dropped.
"""

import datetime
import platform
import re
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
CELL = re.compile(r'class="cell_(?:in|out)put')
MATHJAX = re.compile(r"_static/mathjax/|window\.MathJax = ")
REPAIRS = (
    (re.compile(r' id="(?:proof|exercise|solution)-content"'), ""),
    (re.compile(r' aria-label="Toggle hidden content"'), ""),
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    (
        re.compile(
            r'(<span class="math notranslate nohighlight">[^<]*</span>[,.;:!?)]+)'
        ),
        r'<span class="tfdynbook-together">\1</span>',
    ),
)
PASTED = re.compile(
    r'(?<=<span class="pasted-text">)(-?[\d.]+)(?:e([-+]\d+))?(?=</span>)'
)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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


def has_formulas(app: Sphinx, body: str) -> bool:
    """Whether there is mathematics in ``body``, or in a title of the sidebar."""
    titles = app.env.titles.values()
    return 'class="math' in body or any(t.next_node(nodes.math) for t in titles)


def is_wanted(script: Any, formulas: bool) -> bool:
    """Whether a page keeps ``script``, which Sphinx or the notebook engine added."""
    attributes = getattr(script, "attributes", {})
    if attributes.get("type") == WIDGET_STATE:
        return False
    about = f"{getattr(script, 'filename', '')} {attributes.get('body', '')}"
    return formulas or not MATHJAX.search(about)


def number(pasted: re.Match[str]) -> str:
    """A number from a run as a printer sets it."""
    power = f"·10{str(int(pasted[2])).translate(RAISED)}" if pasted[2] else ""
    return pasted[1].replace("-", "−") + power


def repaired(body: str) -> str:
    """Text of a page with the small faults of its makers set right."""
    for pattern, better in REPAIRS:
        body = pattern.sub(better, body)
    return PASTED.sub(number, body)


def finish_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Add the line about the run; leave out what the page does not need."""
    body = context.get("body") or ""
    run = NbMetadataCollector.get_exec_data(app.env, page)
    if body:
        line = built_line(run) if run and CELL.search(body) else ""
        context["body"] = repaired(body) + line
    formulas = has_formulas(app, body)
    scripts = context["script_files"]
    scripts[:] = [script for script in scripts if is_wanted(script, formulas)]


def settings(app: Sphinx, config: Config) -> None:
    """Put our templates before those of the theme."""
    config.templates_path.insert(0, str(TEMPLATES))


def setup(app: Sphinx) -> None:
    """Connect to the events of the build."""
    app.connect("config-inited", settings)
    app.connect("html-page-context", finish_page, priority=900)

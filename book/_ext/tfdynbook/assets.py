"""Figures, MathJax and style from our own site, and only on pages that need them.

MathJax is copied out of the installed package ``sphinx-mathjax-offline``; of its many
files, those that pages with TeX can ask for.  The figures' script and style come from
``tfdynlib.widgets``; one script serves every figure of the site.
"""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

HERE = Path(__file__).parent
MATHJAX = ("tex-chtml.js", "output/chtml", "input/tex/extensions", "a11y", "sre", "ui")
FIGURE = re.compile(r'class="(?:[^"]* )?tfdyn[ "]')
ANSWER = re.compile(r'class="(?:[^"]* )?tfdyn-ask[ "]')


def mathjax_folder() -> Path:
    """The folder of MathJax 3.2.2 in the installed package."""
    spec = find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the book needs the package sphinx-mathjax-offline")
    return Path(spec.origin).parent / "static" / "mathjax"


def copy_new(source: Path, target: Path) -> None:
    """Copy ``source`` (file or folder) to ``target``, what has not changed left out."""
    for path in [source] if source.is_file() else sorted(source.rglob("*")):
        goal = target if path == source else target / path.relative_to(source)
        if path.is_file() and not same_file(path, goal):
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, goal)


def same_file(path: Path, goal: Path) -> bool:
    """Whether ``goal`` is a copy of ``path``, by size and time."""
    if not goal.is_file():
        return False
    one, two = path.stat(), goal.stat()
    return one.st_size == two.st_size and int(one.st_mtime) == int(two.st_mtime)


def write_figures(folder: Path) -> None:
    """Write the one script and the style of all figures into ``folder``."""
    from tfdynlib.widgets._bundle import WEB, page_script

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tfdyn.js").write_text(page_script(), "utf8")
    shutil.copy2(WEB / "tfdyn.css", folder / "tfdyn.css")


def write_style(folder: Path) -> None:
    """Write our style sheets as one file, so that a page asks for one."""
    sheets = sorted((HERE / "static").glob("*.css"))
    text = "\n".join(sheet.read_text("utf8") for sheet in sheets)
    (folder / "book.css").write_text(text, "utf8")


def write_assets(app: Sphinx) -> None:
    """Lay everything in ``_static`` before the first page is written."""
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for script in (HERE / "static").glob("*.js"):
        copy_new(script, static / "tfdynbook" / script.name)
    write_style(static / "tfdynbook")
    for name in MATHJAX:
        copy_new(mathjax_folder() / name, static / "mathjax" / name)
    write_figures(static / "tfdyn")


def add_to_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Add the scripts that the text of this page asks for."""
    body = context.get("body") or ""
    if FIGURE.search(body):
        app.add_css_file("tfdyn/tfdyn.css")
        app.add_js_file("tfdyn/tfdyn.js", loading_method="defer", priority=200)
    if ANSWER.search(body):
        app.add_js_file("tfdynbook/answers.js", loading_method="defer")


def settings(app: Sphinx, config: Config) -> None:
    """Point Sphinx to our MathJax."""
    config.mathjax_path = "mathjax/tex-chtml.js"


def setup(app: Sphinx) -> None:
    """Connect to the events of the build."""
    app.connect("config-inited", settings)
    app.connect("builder-inited", write_assets)
    app.connect("html-page-context", add_to_page)
    app.add_css_file("tfdynbook/book.css", priority=900)
    app.add_js_file("tfdynbook/page.js", loading_method="defer")

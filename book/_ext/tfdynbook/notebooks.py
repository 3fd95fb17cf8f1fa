"""Every page with code as a clean notebook, for the download button.

The theme offers the executed notebook, with outputs that need a running widget
manager.  This room replaces it by a notebook made from the page's own source: no
outputs, no widget metadata, and a first cell that installs tfdynlib where it is
missing (Colab, a fresh environment), from the address in ``_config.yml``.
"""

from pathlib import Path

import jupytext
import nbformat
from sphinx.application import Sphinx

FIRST_CELL = """\
# Made by the book's build: installs tfdynlib {version} where it is missing.
from importlib.util import find_spec

if find_spec("tfdynlib") is None:
    %pip install --quiet "tfdynlib @ git+{url}@{branch}"
"""


def clean_notebook(source: str, first_cell: str) -> nbformat.NotebookNode:
    """Notebook of a MyST page ``source`` that starts with a cell ``first_cell``."""
    notebook = jupytext.reads(source, fmt="md:myst")
    kernel = notebook.metadata.get("kernelspec", {})
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel})
    first = nbformat.v4.new_code_cell(first_cell, id="install-tfdynlib")
    notebook.cells.insert(0, first)
    return notebook


def first_cell(app: Sphinx) -> str:
    """The generated first cell, with the address from ``_config.yml``."""
    from tfdynlib import __version__

    theme = app.config.html_theme_options
    return FIRST_CELL.format(
        version=__version__,
        url=theme["repository_url"],
        branch=theme["repository_branch"],
    )


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Write the notebooks where the download button looks for them."""
    if error or app.builder.format != "html":
        return
    first, sources = first_cell(app), Path(app.outdir) / "_sources"
    for page, data in app.env.metadata.items():
        if "kernelspec" in data:
            text = Path(app.env.doc2path(page)).read_text("utf8")
            target = (sources / page).with_suffix(".ipynb")
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(clean_notebook(text, first), target)


def setup(app: Sphinx) -> None:
    """Connect to the end of the build."""
    app.connect("build-finished", write_notebooks)

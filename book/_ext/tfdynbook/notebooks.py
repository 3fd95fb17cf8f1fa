"""Every page with code as a clean notebook, for the download button.

The theme offers the executed notebook, with outputs that need a running widget
manager.  This room replaces it by a notebook made from the page's own source: no
outputs, no widget metadata, text that any front end can show (``plain``), and a first
cell that installs tfdynlib where it is missing (Colab, a fresh environment), from the
address in ``_config.yml``, and says so where another version is there.
"""

import json
from pathlib import Path

import jupytext
import nbformat
from sphinx.application import Sphinx

from .plain import Place, labels_of, plain

FIRST_CELL = """\
# Made by the book's build: installs tfdynlib {version} where it is missing.
from importlib.util import find_spec

if find_spec("tfdynlib") is None:
    %pip install --quiet "tfdynlib @ git+{url}@{branch}"

from tfdynlib import __version__

if __version__ != "{version}":
    print(f"This page is of tfdynlib {version}, here is {{__version__}}. For the new,")
    print("download the page again, run this and restart the kernel:")
    print('%pip install --upgrade "tfdynlib @ git+{url}@{branch}"')
"""


def clean_notebook(source: str, first_cell: str, place: Place) -> nbformat.NotebookNode:
    """Notebook of a MyST page ``source`` that starts with a cell ``first_cell``."""
    notebook = jupytext.reads(source, fmt="md:myst")
    kernel = notebook.metadata.get("kernelspec", {})
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel})
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source, place)
    first = nbformat.v4.new_code_cell(first_cell, id="install-tfdynlib")
    notebook.cells.insert(0, first)
    return notebook


def first_cell(url: str, branch: str) -> str:
    """The generated first cell, for a package that lives at this address."""
    from tfdynlib import __version__

    return FIRST_CELL.format(version=__version__, url=url, branch=branch)


def glued(app: Sphinx, page: str) -> dict[str, str]:
    """Numbers that the page's cells have given to its text."""
    path = Path(app.outdir).parent / "jupyter_execute" / f"{page}.glue.json"
    if not path.is_file():
        return {}
    given = json.loads(path.read_text("utf8"))
    return {key: output["data"]["text/plain"] for key, output in given.items()}


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Write the notebooks where the download button looks for them."""
    if error or app.builder.format != "html":
        return
    theme = app.config.html_theme_options
    first = first_cell(theme["repository_url"], theme["repository_branch"])
    site = app.config.html_baseurl
    pages = sorted(app.env.found_docs)
    texts = {page: Path(app.env.doc2path(page)).read_text("utf8") for page in pages}
    labels: dict[str, tuple[str, str]] = {}
    for page, text in texts.items():
        labels |= labels_of(page, text)
    for page in pages:
        if "kernelspec" in app.env.metadata[page]:
            place = Place(site, page, labels, glued(app, page))
            target = (Path(app.outdir) / "_sources" / page).with_suffix(".ipynb")
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(clean_notebook(texts[page], first, place), target)


def setup(app: Sphinx) -> None:
    """Connect to the end of the build."""
    app.connect("build-finished", write_notebooks)

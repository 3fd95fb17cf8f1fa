"""Downloaded notebooks read well where MyST is not known."""

import re
import sys

import jupytext
import pytest
from fixture_book import ROOT
from IPython.core.inputtransformer2 import TransformerManager
from pagesource import docnames

import tfdynlib

sys.path.insert(0, str(ROOT / "book/_ext"))

from tfdynbook.notebooks import clean_notebook, first_cell  # noqa: E402
from tfdynbook.plain import Place, labels_of, plain  # noqa: E402

HERE = Place(
    "https://site/",
    "book/tokens/here",
    labels={"thm-there": ("book/flows/there", "Lemma (Far)")},
    glued={"rate": "0.123456", "word": "'slow'"},
)

CASES = {
    "```{prf:lemma} Far\n:label: thm-there\n\nLet $x$.\n```": (
        "**Lemma (Far).**\n\n\nLet $x$."
    ),
    "```{prf:proof}\nClear.\n```": "*Proof.*\n\nClear.",
    "````{admonition} Hint\n:class: dropdown hint\n```python\n1\n```\n````": (
        "<details><summary>Hint</summary>\n\n```python\n1\n```\n\n</details>"
    ),
    "$$\nx\n$$ (eq-x)": "$$\nx\n$$",
    "See {prf:ref}`thm-there`.": (
        "See [Lemma (Far)](https://site/book/flows/there.html#thm-there)."
    ),
    "By {eq}`eq-x`": "By [equation](https://site/book/tokens/here.html#equation-eq-x)",
    "{cite:t}`a,b`": "[a, b](https://site/book/bibliography.html)",
    "{glue:text}`rate:.2f`, {glue:text}`word`": "0.12, slow",
    "[next](../flows/there.md)": "[next](https://site/book/flows/there.html)",
    "```python\n# {cite:t}`a`\n```": "```python\n# {cite:t}`a`\n```",
}


@pytest.mark.parametrize("myst", CASES)
def test_block_or_role_becomes_plain_markdown(myst):
    assert plain(myst, HERE) == CASES[myst]


def test_answers_are_not_given_away():
    text = "```{answer} 0.94026\n:label: weight\n```\n\n"
    text += "```{choice}\nWhich?\n- [ ] one\n- [x] two\n  Since so.\n```"
    said = plain(text, HERE)
    assert "weight" in said and "- two" in said
    assert not re.search(r"0\.94|\[x\]|Since", said)


def test_labels_carry_the_name_of_their_block():
    source = "```{prf:theorem} Limit\n:label: thm-a\n```\n"
    source += "```{exercise-start} Try\n:label: ex-a\n```\n"
    assert labels_of("p", source) == {
        "thm-a": ("p", "Theorem (Limit)"),
        "ex-a": ("p", "Exercise (Try)"),
    }


@pytest.mark.parametrize("page", docnames())
def test_no_directive_and_no_role_is_left_in_the_notebook_of_a_page(page):
    source = (ROOT / f"{page}.md").read_text("utf8")
    numbers = dict.fromkeys(re.findall(r"glue:text\}`([\w-]+)", source), "1.0")
    place = Place("https://site/", page, glued=numbers)
    text = "\n".join(
        cell.source
        for cell in clean_notebook(source, "", place).cells
        if cell.cell_type == "markdown"
    )
    assert (
        re.findall(r"\{[\w:-]+\}`|^[`:]{3,}\{.*$|^:\w+:.*$", text, re.MULTILINE) == []
    )


@pytest.mark.parametrize("page", docnames())
def test_notebook_of_a_page_keeps_all_its_code(page):
    source = (ROOT / f"{page}.md").read_text("utf8")

    def code(notebook):
        return [c.source for c in notebook.cells if c.cell_type == "code"]

    made = clean_notebook(source, "first", Place("https://site/", page))
    assert code(made) == ["first", *code(jupytext.reads(source, fmt="md:myst"))]


def first_cell_says(capsys, version=tfdynlib.__version__):
    """What the first cell of a page of this version prints here."""
    cell = first_cell("https://host/someone/book", "main")
    cell = cell.replace(tfdynlib.__version__, version)
    exec(TransformerManager().transform_cell(cell), {"get_ipython": None})
    return capsys.readouterr().out


def test_first_cell_is_silent_about_the_right_version(capsys):
    assert first_cell_says(capsys) == ""


def test_first_cell_names_another_version_and_the_exact_fix(capsys):
    said = first_cell_says(capsys, "9.9")
    assert f"tfdynlib 9.9, here is {tfdynlib.__version__}." in said
    fix = '%pip install --upgrade "tfdynlib @ git+https://host/someone/book@main"'
    assert said.splitlines()[-1] == fix

"""The table of symbols is sound, and formulas use nothing that is not in it."""

import importlib
import re

import pagesource
import pytest
import yaml

KEYS = {"symbol", "code", "meaning", "trap", "born", "macro", "tex", "args"}
ROWS = yaml.safe_load((pagesource.BOOK / "notation.yml").read_text("utf8"))
ROOMS = (
    "sphere",
    "measure",
    "weights",
    "attention",
    "flow",
    "energy",
    "geometry",
    "gaussian",
    "control",
    "metastability",
    "cbo",
)

# Plain TeX and LaTeX that every typesetter of a notebook knows.
PLAIN = set(
    """
    alpha beta gamma delta varepsilon epsilon zeta eta theta kappa lambda mu nu xi pi
    rho sigma tau varphi phi psi omega Gamma Delta Theta Lambda Pi Sigma Phi Psi Omega
    ell
    frac dfrac tfrac sqrt binom sum prod int iint bigl bigr Bigl Bigr biggl biggr left
    right langle rangle lvert rvert lVert rVert lfloor rfloor lceil rceil
    le ge ne neq lt gt approx sim simeq equiv propto ll gg pm mp times cdot circ ast
    to mapsto rightarrow leftarrow Rightarrow iff implies infty partial nabla in notin
    subset subseteq cup cap setminus forall exists perp top mid emptyset oplus otimes
    dots ldots cdots vdots quad qquad text mathrm mathbf mathbb mathcal mathit
    operatorname dot ddot bar hat tilde overline underline widehat vec
    cos sin tan cot exp log ln arcsin arccos arctan cosh sinh tanh coth
    max min sup inf arg
    det dim ker lim Pr begin end tag label eqref underbrace overbrace displaystyle
    textstyle limits nolimits not lbrace rbrace prec succ preceq succeq dagger
    """.split()
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["symbol"])
def test_a_row_says_what_the_symbol_means_and_where_it_is_born(row):
    assert set(row) <= KEYS
    assert row["meaning"].strip() and row["symbol"].strip()
    assert row["born"] in pagesource.docnames()
    assert ("macro" in row) == ("tex" in row)


def test_one_meaning_for_each_symbol():
    symbols = [row["symbol"].replace(" ", "") for row in ROWS]
    assert len(set(symbols)) == len(symbols)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["symbol"])
def test_a_symbol_is_used_on_the_page_where_it_is_born(row):
    def bare(tex):
        return re.sub(r"\s|\\,|\(.*?\)", "", tex)

    formulas = bare(" ".join(pagesource.Page(row["born"]).formulas))
    assert all(bare(part) in formulas for part in row["symbol"].split(","))


def test_rows_follow_the_order_of_the_pages():
    order = [pagesource.docnames().index(row["born"]) for row in ROWS]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if "code" in r], ids=lambda r: r["code"]
)
def test_a_name_in_code_is_a_name_of_the_package(row):
    name = re.sub(r"\(.*", "", row["code"])
    if "." not in name and "(" not in row["code"] or name == "len":
        assert re.search(rf"\b{re.escape(name)}\b", _all_signatures())
    else:
        assert _lookup(name) is not None


def _lookup(dotted: str):
    """The object of the package that is called so in a notebook."""
    first, *rest = dotted.split(".")
    if first in ROOMS:
        found = importlib.import_module(f"tfdynlib.{first}")
    else:
        rooms = [importlib.import_module(f"tfdynlib.{room}") for room in ROOMS]
        found = next(getattr(room, first) for room in rooms if hasattr(room, first))
    for name in rest:
        found = getattr(found, name)
    return found


def _all_signatures() -> str:
    """Every argument name of the package's rooms, and `len` of heads."""
    sources = (pagesource.ROOT / "tfdynlib").rglob("*.py")
    text = "\n".join(path.read_text("utf8") for path in sources)
    return " ".join(re.findall(r"(\w+):", text)) + (" len" if "__len__" in text else "")


@pytest.mark.parametrize("page", pagesource.pages(), ids=lambda page: page.name)
def test_formulas_use_plain_tex_and_the_macros_of_the_notation_file(page):
    known = PLAIN | {row["macro"] for row in ROWS if "macro" in row}
    used = set(re.findall(r"\\([A-Za-z]+)", " ".join(page.formulas)))
    assert used <= known

"""What every page owes its reader, read from the sources alone.

That each page *runs* is the business of the build: it fails on an error or a warning.
"""

import ast
import re
from itertools import pairwise

import pagesource
import pytest
from pybtex.database import parse_string

PAGES = pagesource.pages()
CHAPTERS = pagesource.chapters()
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
each_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.name)

LIVE = {"Balance", "Bench", "Circle", "Cold", "Ellipse", "JKO", "Paths", "Sphere"}
LIVE |= {"Stairs", "Steer"}
# Pages with a second figure, further down.
TWICE = {"book/gaussians/blow_up", "book/tokens/attention"}
CELL_LINES = 9  # a cell is read at one glance
CELL_WIDTH = 88  # that of the package; a hidden cell may take a little more
DISPLAY_WIDTH = 72  # glyphs of a formula that fit the text column of 720 px
TWO_HINTS = {  # the second hint is the first line of the solution
    *(
        page.docname
        for page in CHAPTERS
        if re.search("/(gaussians|control|cold)/", page.docname)
    ),
    "book/back/real_weights",
    "book/back/open",
}
STORIES = {"flows", "cold"}  # folders that are read from the first page to the last
READING = 3 * 80  # characters to read for each line of code that is shown


@each_page
def test_front_matter_makes_the_page_a_notebook(page):
    if page.cells:
        form = page.front["jupytext"]["text_representation"]
        assert (form["extension"], form["format_name"]) == (".md", "myst")
        kernel = page.front["kernelspec"]
        assert (kernel["name"], kernel["display_name"]) == ("python3", "Python 3")


@each_chapter
def test_a_page_opens_with_a_title_and_a_question(page):
    titles = re.findall(r"^# (.+)$", page.prose, re.MULTILINE)
    assert len(titles) == 1
    opening = page.prose.split(titles[0], 1)[1].strip().split("\n\n")[0]
    assert "?" in opening


@each_chapter
def test_a_page_has_one_live_figure_and_a_prediction_before_it(page):
    calls = [(cell, node) for cell in page.cells for node in _calls(cell, LIVE)]
    assert len(calls) == 1 + (page.docname in TWICE)
    cell, call = calls[0]
    choices = [block.line for block in page.blocks if block.name == "choice"]
    assert choices and min(choices) < cell.line
    assert call.args, "the figure names its presets"


@each_page
def test_presets_of_a_figure_exist(page):
    from tfdynlib import widgets

    for cell in page.cells:
        for call in _calls(cell, LIVE):
            presets = getattr(widgets, call.func.id).PRESETS
            assert {ast.literal_eval(name) for name in call.args} <= set(presets)


@each_chapter
def test_presets_are_called_by_the_names_a_reader_sees(page):
    """A chip says "Blows up", and nobody finds *d2*."""
    from tfdynlib import widgets

    trial = re.search(r"\*\*Try first\.\*\*.*?\n\n", page.prose, re.DOTALL)
    slanted = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", trial[0] if trial else "")
    for cell in page.cells:
        for call in _calls(cell, LIVE):
            keys = {ast.literal_eval(name) for name in call.args}
            titles = {
                preset.label.lower(): key
                for key, preset in getattr(widgets, call.func.id).PRESETS.items()
            }
            said = {" ".join(words.split()) for words in slanted}
            assert not {w for w in said if w in keys and w not in titles}
            named = {titles[w.lower()] for w in said if w.lower() in titles}
            assert named <= keys, "a chip that this figure does not have"


@each_chapter
def test_a_statement_has_a_label_a_source_and_a_proof_or_a_citation(page):
    assert page.statements()
    proofs = [b for b in page.blocks if b.name == "prf:proof" or "Proof" in b.title]
    for statement in page.statements():
        label = statement.options["label"]
        assert re.fullmatch(rf"(thm|prop|lem|cor)-{page.name}-\w+", label)
        assert re.search(r"\b(known|read|derived|summary)\b", statement.body, re.I), (
            label
        )
        cited = "{cite" in statement.body
        assert cited or any(proof.line > statement.line for proof in proofs), label


@each_chapter
def test_every_exercise_has_a_level_help_in_steps_a_check_and_a_folded_solution(page):
    assert len(page.exercises) >= 3
    for exercise in page.exercises:
        text = f"{exercise.title} {exercise.body}"
        assert re.search(r"\b(easy|medium|hard), \d+ min", text, re.I), exercise.label
        hints = [b for b in exercise.blocks if "hint" in b.options.get("class", "")]
        assert hints, exercise.label
        assert len(hints) >= 2 or page.docname not in TWO_HINTS, exercise.label
        assert all("dropdown" in hint.options["class"] for hint in hints)
        assert exercise.solution.strip(), exercise.label
        assert "dropdown" in exercise.solution_options["class"], exercise.label
        assert _is_checked(exercise), exercise.label


def _is_checked(exercise: pagesource.Exercise) -> bool:
    boxes = exercise.named("answer") + exercise.named("choice")
    return bool(boxes) or "check." in exercise.body or "marking" in exercise.solution


@each_page
def test_a_displayed_formula_fits_the_column(page):
    for formula in pagesource.DISPLAY.findall(page.text):
        for line in re.split(r"\\\\", formula):
            assert _glyphs(line) <= DISPLAY_WIDTH, line.strip()


def _glyphs(tex: str) -> int:
    """Roughly how many glyphs wide a formula is.

    A fraction is as wide as its wider half; what stands high or low is not counted.
    """
    tex = re.sub(r"\\(begin|end|tag|text|mathrm|mathbb|operatorname)\b", "", tex)
    tex = re.sub(r"[_^](\{[^{}]*\}|\\[A-Za-z]+|.)", "", tex)
    while (flat := re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", _wider, tex)) != tex:
        tex = flat
    tex = re.sub(r"\\(qquad|quad)", "  ", tex)
    tex = re.sub(r"\\([bB]ig+[lr]?|left|right|displaystyle|,|;|!|:)", "", tex)
    tex = re.sub(r"\\[A-Za-z]+", "g", tex)
    return len(re.sub(r"[\s{}&\\]", "", tex))


def _wider(match: re.Match) -> str:
    return max(match[1], match[2], key=len)


@each_page
def test_no_result_is_typed_where_a_run_can_put_it(page):
    assert not re.findall(r"(?<![\w.])\d+\.\d{4,}", page.prose)


@each_page
def test_a_number_from_a_run_has_a_space_before_it(page):
    """After a formula: "$T=$ {glue:...}", or the page reads "T =0.641"."""
    assert not re.findall(r"[^\n]*[\w$]\{glue:\w+\}`[^\n]*", page.writing)


@each_page
def test_cells_are_short_and_fit_the_page(page):
    for cell in page.cells:
        lines = [x for x in cell.body.splitlines() if x.strip()]
        steps = [x for x in lines if not re.match(r"(import|from) ", x)]
        drawn = {"hide-input", "remove-cell", "remove-input"} & set(cell.tags)
        assert len(steps) <= (2 if drawn else 1) * CELL_LINES, cell.line
        assert max(map(len, lines)) <= CELL_WIDTH + (8 if drawn else 0), cell.line


@each_page
def test_cells_use_public_names_and_silence_no_warning(page):
    for cell in page.cells:
        for node in ast.walk(ast.parse(cell.body)):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", ""), *(a.name for a in node.names)]
                assert not any(re.search(r"(^|\.)_|^warnings$", n) for n in names if n)
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_"), f"line {cell.line}: {node.attr}"
        assert not re.search(r"=\s*[\"']ignore[\"']|filterwarnings", cell.body)


@each_page
def test_chance_comes_from_a_generator_with_a_seed(page):
    """Or else a reader's numbers would not be those of the page."""
    for cell in page.cells:
        assert not re.search(r"np\.random\.(?!default_rng\(\w)", cell.body), cell.line
        assert not re.search(r"^\s*(import|from) random\b", cell.body, re.M), cell.line


@each_page
def test_a_still_says_in_words_what_it_shows(page):
    for cell in page.cells:
        for call in _calls(cell, {"show"}):
            said = {k.arg: k.value for k in call.keywords}["alt"]
            words = "".join(
                n.value for n in ast.walk(said) if isinstance(n, ast.Constant)
            )
            assert len(words) > 60


@each_chapter
def test_there_is_more_to_read_than_to_run(page):
    shown = [c for c in page.cells if not {"hide-input", "remove-cell"} & set(c.tags)]
    code = sum(len(cell.body.splitlines()) for cell in shown)
    assert len(page.writing) > READING * code


@each_page
def test_links_between_pages_arrive(page):
    for target in re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.text):
        linked = (page.path.parent / target).resolve()
        docname = str(linked.relative_to(pagesource.ROOT).with_suffix(""))
        assert docname in pagesource.docnames(), target


@each_page
def test_sources_that_are_cited_are_in_the_bibliography(page):
    known = set(re.findall(r"^@\w+\{(\S+),", _bibliography(), re.MULTILINE))
    cited = re.findall(r"\{cite:?\w*\}`([^`]+)`", page.text)
    assert {key.strip() for keys in cited for key in keys.split(",")} <= known


def test_no_two_sources_are_cited_by_the_same_words():
    cited = {}
    for key, entry in parse_string(_bibliography(), "bibtex").entries.items():
        people = entry.persons.get("author") or entry.persons["editor"]
        names = [" ".join(person.last_names) for person in people]
        names = names if len(names) < 3 else [names[0], "et al."]
        words = " ".join([*names, entry.fields["year"]])
        assert cited.setdefault(words, key) == key, words


def _bibliography() -> str:
    return (pagesource.BOOK / "references.bib").read_text("utf8")


@each_chapter
def test_a_page_says_where_to_go_next(page):
    assert re.search(r"\bNext\b", page.prose[-400:])


def test_the_start_page_names_the_second_way_to_run_a_page():
    """Binder may be full; it is free, and nobody's to promise."""
    start = pagesource.Page("book/intro").prose
    assert re.search(r"When Binder is full.*\bdownloads the page", start, re.DOTALL)


FOLLOWING = [
    (page.docname, after.docname)
    for page, after in pairwise(CHAPTERS)
    if page.path.parent == after.path.parent and page.path.parent.name in STORIES
]


@pytest.mark.parametrize("page, after", FOLLOWING)
def test_next_of_a_page_of_a_story_is_the_page_that_follows(page, after):
    last = pagesource.Page(page).prose.split("**Next.**")[-1]
    links = re.findall(r"\]\(([^)#]+)\.md\)", last)
    assert links == [after.rsplit("/", 1)[-1]]


def _calls(cell: pagesource.Block, names: set[str]) -> list[ast.Call]:
    """Calls in a cell of a function or method with one of the names."""
    found = []
    for node in ast.walk(ast.parse(cell.body)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in names:
                found.append(node)
    return found

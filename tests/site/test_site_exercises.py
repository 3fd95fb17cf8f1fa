"""Exercises on the built pages: boxes that judge, folds that keep and give."""

import json

import pytest
import sitebook
from playwright.sync_api import Locator, Page
from reader import Shelf, on_paper
from sitebook import QUESTION

every_page_with_questions = pytest.mark.parametrize("name", sitebook.questions())
FOLD = "article .admonition.dropdown"
OUTER = f"{FOLD}:not({FOLD} *)"
# Words of folds, not inside others, whose text cannot be seen.
FOLDED = f"""() => [...document.querySelectorAll("{OUTER}")]
  .filter((el) => {{
    const text = el.querySelector(":scope > :not(.admonition-title)");
    const {{ width, height }} = text.getBoundingClientRect();
    return !(width && height && text.checkVisibility({{ visibilityProperty: true }}));
  }}).map((el) => el.innerText)"""


def spec(question: Locator) -> dict:
    """What the page knows of the answer."""
    return json.loads(question.get_attribute("data-spec") or "")


def verdict(question: Locator) -> str:
    """What is said, where it is announced."""
    said = question.locator("output[role=status][aria-live=polite]")
    return said.inner_text()


def answer(question: Locator, values: list) -> str:
    """Fill the boxes, press Enter, hear the verdict."""
    boxes = question.locator("input[type=text]")
    for k, value in enumerate(values):
        boxes.nth(k).fill(str(value))
    boxes.last.press("Enter")
    return verdict(question)


def tick(question: Locator, chosen: list[int]) -> str:
    """Choose items by keyboard, check, hear the verdict."""
    boxes = question.locator("input[type=radio], input[type=checkbox]")
    for k, box in enumerate(boxes.all()):
        if box.is_checked() != (k in chosen) and (k in chosen or box.evaluate(
            "(el) => el.type === 'checkbox'"
        )):  # fmt: skip
            box.focus()
            box.press("Space")
    question.get_by_role("button", name="Check").press("Enter")
    return verdict(question)


def questions(page: Page, kind: str) -> list[Locator]:
    """The questions of one kind."""
    return page.locator(f"{QUESTION}[data-kind={kind}]").all()


@every_page_with_questions
def test_a_box_takes_the_right_number_and_no_other(shelf: Shelf, name):
    page = shelf.take(name, figures="any").page
    for question in questions(page, "answer"):
        boxes = spec(question)["boxes"]
        right = [box["value"] for box in boxes]
        far = [10 * value + 7 for value in right]
        assert answer(question, right).startswith("Yes"), right
        assert question.get_attribute("data-verdict") == "yes"
        assert "ot yet" in answer(question, far)
        assert question.get_attribute("data-verdict") == "no"
        assert "rite a number" in answer(question, ["some"] * len(right))
        comma = [str(value).replace(".", ",") for value in right]
        assert answer(question, comma).startswith("Yes"), comma


@every_page_with_questions
def test_a_box_has_a_tolerance_and_an_end_to_it(shelf: Shelf, name):
    """Half of it is taken, twice of it is not."""
    page = shelf.take(name, figures="any").page
    for question in questions(page, "answer"):
        boxes = spec(question)["boxes"]
        allowed = [box.get("tol") or box["rtol"] * abs(box["value"]) for box in boxes]
        for share, yes in ((0.5, True), (2.0, False)):
            given = [
                box["value"] + share * a for box, a in zip(boxes, allowed, strict=True)
            ]
            assert answer(question, given).startswith("Yes") is yes, given


@every_page_with_questions
def test_a_choice_takes_the_right_items_and_no_others(shelf: Shelf, name):
    page = shelf.take(name, figures="any").page
    for question in questions(page, "choice"):
        right = spec(question)["right"]
        items = question.locator(".tfdyn-ask-item").count()
        assert 0 < len(right) < items
        for wrong in set(range(items)) - set(right):
            assert tick(question, [wrong]).startswith("Not yet")
        assert tick(question, right) == "Yes."


@every_page_with_questions
def test_every_question_is_mounted_and_gives_nothing_away(shelf: Shelf, name):
    questions = shelf.take(name, figures="any").questions
    assert len(questions) == len(sitebook.page(name).select(QUESTION)) > 0
    for question in questions:
        assert question["button"] and question["name"]
        assert not question["fold"]
        assert question["verdict"] == ""


@every_page_with_questions
def test_answers_are_there_without_scripts(shelf: Shelf, name):
    page = shelf.bare(name)
    for question in page.locator(QUESTION).all():
        fold = question.locator(":scope > details")
        assert fold.is_visible() and fold.get_attribute("open") is None
        fold.locator("summary").press("Enter")
        assert "check:" in fold.inner_text()


@every_page_with_questions
def test_folds_are_closed_open_by_keyboard_and_print_open(shelf: Shelf, name):
    shown = shelf.take(name, figures="any")
    page, folds = shown.page, shown.page.locator(FOLD)
    assert folds.count() > 0
    assert shown.unfolded == []
    with on_paper(page):
        assert page.evaluate(FOLDED) == []
    outer = page.locator(OUTER)
    # A button that is clicked by a script does what it does at the Enter key.
    names = outer.evaluate_all(
        """(all) => all.map((el) => el.querySelector(".toggle-button"))
          .map((el, k) => (k && el.click(), el.localName))"""
    )
    assert {*names} == {"button"}
    assert len(page.evaluate(FOLDED)) == 1
    outer.first.locator(".toggle-button").first.press("Enter")
    assert page.evaluate(FOLDED) == []


@every_page_with_questions
def test_every_exercise_has_a_hint_and_a_folded_solution(name):
    html = sitebook.page(name)
    solved = {
        str(link["href"]).partition("#")[2]
        for link in html.select(".solution.dropdown > .admonition-title a[href]")
    }
    for exercise in html.select(".exercise"):
        assert exercise["id"] in solved
        assert exercise.select(".dropdown.hint"), exercise["id"]

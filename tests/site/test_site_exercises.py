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


SAID = "output[role=status][aria-live=polite]"
# What a hand does to the first question of a page, a script does to all: it types, or
# clicks, and submits the form as the Enter key does.
ANSWER = f"""(el, tries) => tries.map((values) => {{
  const boxes = el.querySelectorAll("input[type=text]");
  boxes.forEach((box, k) => {{
    box.value = values[k];
    box.dispatchEvent(new Event("input", {{ bubbles: true }}));
  }});
  boxes[0].form.requestSubmit();
  return [el.querySelector("{SAID}").innerText, el.dataset.verdict];
}})"""
TICK = f"""(el, tries) => tries.map((chosen) => {{
  const boxes = el.querySelectorAll("input[type=radio], input[type=checkbox]");
  boxes.forEach((box, k) => {{
    const wanted = chosen.includes(k);
    if (box.checked !== wanted && (wanted || box.type === "checkbox")) box.click();
  }});
  boxes[0].form.requestSubmit();
  return [el.querySelector("{SAID}").innerText, el.dataset.verdict];
}})"""

Said = list[list[str]]  # of each try the sentence and the verdict


def said(question: Locator) -> list[str]:
    """The sentence, where it is announced, and the verdict."""
    sentence = question.locator(SAID).inner_text()
    return [sentence, question.get_attribute("data-verdict") or ""]


def answer(question: Locator, values: list[str]) -> list[str]:
    """Fill the boxes, press Enter, hear the verdict."""
    boxes = question.locator("input[type=text]")
    for k, value in enumerate(values):
        boxes.nth(k).fill(value)
    boxes.last.press("Enter")
    return said(question)


def tick(question: Locator, chosen: list[int]) -> list[str]:
    """Choose items by keyboard, check, hear the verdict."""
    boxes = question.locator("input[type=radio], input[type=checkbox]")
    for k, box in enumerate(boxes.all()):
        if box.is_checked() != (k in chosen) and (k in chosen or box.evaluate(
            "(el) => el.type === 'checkbox'"
        )):  # fmt: skip
            box.focus()
            box.press("Space")
    question.get_by_role("button", name="Check").press("Enter")
    return said(question)


def questions(page: Page, kind: str) -> list[tuple[Locator, dict]]:
    """The questions of one kind, each with what the page knows of the answer."""
    found = page.locator(f"{QUESTION}[data-kind={kind}]")
    specs = found.evaluate_all("(all) => all.map((el) => el.dataset.spec)")
    return [(found.nth(k), json.loads(text)) for k, text in enumerate(specs)]


def test_a_hand_and_a_script_are_told_the_same(shelf: Shelf):
    """On the first page that asks for numbers and for a choice."""
    for name in sitebook.questions():
        page = shelf.take(name, figures="any").page
        asked, chosen = questions(page, "answer"), questions(page, "choice")
        if asked and chosen:
            break
    for question, spec in asked:
        right = [str(box["value"]) for box in spec["boxes"]]
        tries = [right, ["some"] * len(right), ["1e9"] * len(right)]
        assert question.evaluate(ANSWER, tries) == [answer(question, x) for x in tries]
    for question, spec in chosen:
        tries = [[k] for k in range(question.locator(".tfdyn-ask-item").count())]
        tries = [*tries, spec["right"], tries[0]]
        assert question.evaluate(TICK, tries) == [tick(question, x) for x in tries]


@every_page_with_questions
def test_a_box_takes_the_right_number_and_no_other(shelf: Shelf, name):
    """Also with a comma; half of the tolerance is taken, twice of it is not."""
    page = shelf.take(name, figures="any").page
    for k, (question, spec) in enumerate(questions(page, "answer")):
        boxes = spec["boxes"]
        right = [box["value"] for box in boxes]
        allowed = [box.get("tol") or box["rtol"] * abs(box["value"]) for box in boxes]
        tries = [right, [10 * value + 7 for value in right], ["some"] * len(right)]
        tries += [[str(value).replace(".", ",") for value in right]]
        for share in (0.5, 2.0):
            tries += [[v + share * a for v, a in zip(right, allowed, strict=True)]]
        tries = [[str(value) for value in values] for values in tries]
        if k == 0:
            assert answer(question, tries[1])[1] == "no"
            assert answer(question, tries[0])[1] == "yes"
        found: Said = question.evaluate(ANSWER, tries)
        assert [verdict for _, verdict in found] == [
            *("yes", "no", "no", "yes", "yes", "no")
        ], (right, found)
        for sentence, verdict in found:
            assert sentence.startswith("Yes") is (verdict == "yes"), sentence
        assert "ot yet" in found[1][0] and "rite a number" in found[2][0]


@every_page_with_questions
def test_a_choice_takes_the_right_items_and_no_others(shelf: Shelf, name):
    page = shelf.take(name, figures="any").page
    for k, (question, spec) in enumerate(questions(page, "choice")):
        right = spec["right"]
        items = question.locator(".tfdyn-ask-item").count()
        assert 0 < len(right) < items
        wrong = [[item] for item in range(items) if item not in right]
        if k == 0:
            assert tick(question, wrong[0])[0].startswith("Not yet")
            assert tick(question, right)[0] == "Yes."
        *others, last = question.evaluate(TICK, [*wrong, right])
        assert {sentence[:7] for sentence, _ in others} == {"Not yet"}
        assert last == ["Yes.", "yes"]


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

"""Pages as plain Markdown, for notebook front ends that do not know MyST.

A downloaded notebook is opened in places where ```` ```{prf:theorem} ```` is a block of
code with an unreadable formula in it.  Here directives become headings, paragraphs and
folds, and roles become words and links to the page.  Numbers that the page took from
its run are written out; answers to questions stay on the page, which checks them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

OPEN = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\}\s*(.*)$")
CLOSE = re.compile(r"^(`{3,}|:{3,})\s*$")
FENCE = re.compile(r"^(`{3,})\w*\s*$")
OPTION = re.compile(r"^:([\w-]+):\s*(.*)$")
ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
LINK = re.compile(r"\]\((?!https?:|#)([\w./-]+)\.md(#[\w-]+)?\)")
EQUATION = re.compile(r"^\$\$ \(([\w-]+)\)\s*$")
LABEL = re.compile(
    r"^`{3,}\{(?:prf:)?(\w+)(?:-start)?\}[ ]*(.*)\n:label: ([\w-]+)", re.MULTILINE
)
STATEMENTS = ("theorem", "proposition", "lemma", "corollary", "definition", "remark")


@dataclass(frozen=True)
class Place:
    """Where a text stands: its page and what it may speak of."""

    site: str  # address of the book, with a slash at the end
    page: str  # "book/tokens/layers"
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    glued: Mapping[str, str] = field(default_factory=dict)

    def link(self, words: str, page: str, anchor: str = "") -> str:
        """Markdown link to a place of the book."""
        return f"[{words}]({self.site}{page}.html{anchor and '#' + anchor})"


def labels_of(page: str, source: str) -> dict[str, tuple[str, str]]:
    """Labelled blocks of a page: label to page and name, such as ``Lemma (Title)``."""
    return {
        label: (page, kind.capitalize() + (f" ({title})" if title else ""))
        for kind, title, label in LABEL.findall(source)
    }


def plain(text: str, place: Place) -> str:
    """Plain Markdown of a Markdown cell ``text``."""
    return "\n".join(block_free(text.split("\n"), place)).strip("\n")


# ---- blocks


def block_free(lines: list[str], place: Place) -> Iterator[str]:
    """Lines without directives; those inside code are left as they are."""
    k = 0
    while k < len(lines):
        if opened := OPEN.match(lines[k]):
            end = end_of(lines, k, opened[1])
            options, body = options_of(lines[k + 1 : end])
            yield from block(opened[2], opened[3], options, body, place)
            k = end + 1
        elif code := FENCE.match(lines[k]):
            end = end_of(lines, k, code[1])
            yield from lines[k : end + 1]
            k = end + 1
        else:
            yield "$$" if EQUATION.match(lines[k]) else role_free(lines[k], place)
            k += 1


def end_of(lines: list[str], start: int, fence: str) -> int:
    """Number of the line that closes the block opened on line ``start``."""
    for k in range(start + 1, len(lines)):
        if CLOSE.match(lines[k]) and lines[k].strip() == fence:
            return k
    return len(lines)


def options_of(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options at the head of a block, and the rest of it."""
    options: dict[str, str] = {}
    for k, line in enumerate(lines):
        option = OPTION.match(line)
        if not option:
            return options, lines[k:]
        options[option[1]] = option[2]
    return options, []


def block(
    name: str, title: str, options: Mapping[str, str], body: list[str], place: Place
) -> Iterator[str]:
    """Lines for one directive."""
    kind = name.removeprefix("prf:")
    inner = list(block_free(body, place))
    if kind in STATEMENTS:
        yield from (f"**{kind.capitalize()}{title and f' ({title})'}.**", "", *inner)
    elif kind == "proof":
        yield from ("*Proof.*", "", *inner)
    elif kind == "exercise-start":
        yield from (f"### Exercise: {title}", "")
    elif kind == "solution-start":
        yield from ("<details><summary>Solution</summary>", "")
    elif kind == "solution-end":
        yield from ("", "</details>")
    elif kind == "answer":
        label = options.get("label", "your number")
        yield f"*{place.link('The page', place.page)} checks your answer: {label}.*"
    elif kind == "choice":
        yield from choice(body, place)
    elif kind == "math":
        yield from ("$$", *body, "$$")
    elif kind in ("bibliography", "notation-table"):
        yield place.link("See the page", place.page)
    elif "dropdown" in options.get("class", ""):
        yield f"<details><summary>{title}</summary>"
        yield from ("", *inner, "", "</details>")
    elif not kind.endswith("-end"):
        yield from (f"**{title or kind.capitalize()}**", "", *inner)


def choice(body: list[str], place: Place) -> Iterator[str]:
    """Question and items of a choice, without what is right and why."""
    asking = True
    for line in body:
        item = re.match(r"^[-*]\s+\[[ x]\]\s+(.*)$", line)
        asking = asking and not item
        if item:
            yield f"- {role_free(item[1], place)}"
        elif asking:
            yield from (role_free(line, place), "")


# ---- roles and links within a line


def role_free(line: str, place: Place) -> str:
    """One line, with roles as words and links of the book as addresses."""
    line = ROLE.sub(lambda found: words_of(found[1], found[2], place), line)
    return LINK.sub(
        lambda found: f"]({address(found[1], place)}{found[2] or ''})", line
    )


def words_of(role: str, target: str, place: Place) -> str:
    """Words for one role."""
    if role.startswith("cite"):
        return place.link(target.replace(",", ", "), "book/bibliography")
    if role.startswith("glue"):
        key, _, form = target.partition(":")
        return number(place.glued[key], form) if key in place.glued else key
    if role == "eq":
        return place.link("equation", place.page, f"equation-{target}")
    page, name = place.labels.get(target, (place.page, target))
    return place.link(name, page, target)


def number(text: str, form: str) -> str:
    """What a cell has given, in the form that the page asks for."""
    return format(float(text), form) if form else text.strip("'\"")


def address(link: str, place: Place) -> str:
    """Address of a page that another page links to by its file."""
    parts = place.page.split("/")[:-1] if not link.startswith("/") else []
    for step in link.strip("/").split("/"):
        parts = parts[:-1] if step == ".." else [*parts, step]
    return f"{place.site}{'/'.join(parts)}.html"

"""The book's pages as their authors wrote them: front matter, blocks, cells, prose."""

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "book"
FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\}\s*(.*)$")
OPTION = re.compile(r"^:([\w-]+):\s*(.*)$")
CELL = re.compile(r"^(```+)\{code-cell\}.*?^\1$", re.DOTALL | re.MULTILINE)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<![\\$])\$([^$]+?)\$")


@dataclass
class Block:
    """A directive: its name, what stands behind it, its options and its body."""

    name: str
    title: str
    line: int
    options: dict[str, str] = field(default_factory=dict)
    body: str = ""

    @property
    def tags(self) -> list[str]:
        return yaml.safe_load(self.options.get("tags", "[]"))


@dataclass
class Exercise:
    """One exercise with what belongs to it, and its folded solution."""

    label: str
    title: str
    body: str
    blocks: list[Block]
    solution: str = ""
    solution_options: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> list[Block]:
        return [block for block in self.blocks if block.name == name]


class Page:
    """One Markdown file of the table of contents."""

    def __init__(self, docname: str):
        self.docname = docname
        self.name = docname.rsplit("/", 1)[-1]
        self.path = ROOT / f"{docname}.md"
        self.text = self.path.read_text("utf8")

    @cached_property
    def front(self) -> dict:
        """The front matter, empty if there is none."""
        match = re.match(r"---\n(.*?)\n---\n", self.text, re.DOTALL)
        return yaml.safe_load(match[1]) if match else {}

    @cached_property
    def blocks(self) -> list[Block]:
        """All directives, in order; a nested one follows the one it stands in."""
        return list(blocks_of(self.text))

    @property
    def cells(self) -> list[Block]:
        return [block for block in self.blocks if block.name == "code-cell"]

    def statements(self) -> list[Block]:
        kinds = ("theorem", "proposition", "lemma", "corollary")
        return [b for b in self.blocks if b.name in [f"prf:{kind}" for kind in kinds]]

    @cached_property
    def exercises(self) -> list[Exercise]:
        """Exercises with their solutions, both written between gates."""
        found = {}
        for _, title, label, _, body in gated(self.text, "exercise"):
            found[label] = Exercise(label, title, body, list(blocks_of(body)))
        for target, _, _, options, body in gated(self.text, "solution"):
            found[target].solution, found[target].solution_options = body, options
        return list(found.values())

    @cached_property
    def prose(self) -> str:
        """Running text: no front matter, cells, exercises, solutions, formulas."""
        text = re.sub(r"\A---\n.*?\n---\n", "", self.text, flags=re.DOTALL)
        for kind in ("exercise", "solution"):
            gate = rf"^```+\{{{kind}-start\}}.*?^(```+)\{{{kind}-end\}}\s*\n\1"
            text = re.sub(gate, "", text, flags=re.DOTALL | re.MULTILINE)
        text = CELL.sub("", text)
        text = re.sub(r"\{[\w:]+\}`[^`]*`", "", DISPLAY.sub("", text))
        return INLINE.sub("", re.sub(r"`[^`]*`", "", text))

    @cached_property
    def writing(self) -> str:
        """The page without its cells."""
        return CELL.sub("", self.text)

    @cached_property
    def formulas(self) -> list[str]:
        """Everything between dollars, cells left out."""
        displayed = DISPLAY.findall(self.writing)
        rest = re.sub(r"`[^`\n]*`", "", DISPLAY.sub("", self.writing))
        return displayed + INLINE.findall(rest)

    def namespace(self) -> dict:
        """What the page's imports and small functions define, figures left out."""
        names: dict = {}
        for cell in self.cells:
            names = defined(cell.body, names)
        return names


def defined(body: str, names: dict) -> dict:
    """Names, and what the imports and functions of a cell add to them."""
    for node in ast.parse(body).body:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef):
            if not re.search("myst_nb|widgets", ast.unparse(node)):
                exec(compile(ast.Module([node], []), "cell", "exec"), names)
    return names


def blocks_of(text: str):
    """Directives of a text, outer before inner."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        opening = FENCE.match(line)
        if opening:
            fence, name, title = opening.groups()
            end = next(
                (k for k in range(start + 1, len(lines)) if lines[k].rstrip() == fence),
                len(lines),
            )
            block = Block(name, title.strip(), start + 1)
            inside = lines[start + 1 : end]
            while inside and (option := OPTION.match(inside[0])):
                block.options[option[1]] = option[2]
                inside = inside[1:]
            block.body = "\n".join(inside)
            yield block


def gated(text: str, kind: str):
    """(argument, title, label, options, body) of each gated exercise or solution."""
    gate = rf"^```+\{{{kind}-start\}}(.*?)\n(.*?)^```+\n(.*?)^```+\{{{kind}-end\}}"
    for argument, head, body in re.findall(gate, text, re.DOTALL | re.MULTILINE):
        options = dict(OPTION.match(x).groups() for x in head.splitlines() if x)
        argument = argument.strip()
        yield argument, argument, options.get("label", ""), options, body


def docnames() -> list[str]:
    """Pages of the table of contents, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))
    chapters = [c for part in toc["parts"] for c in part["chapters"]]
    return [toc["root"], *(c["file"] for c in chapters)]


def pages() -> list[Page]:
    """All pages."""
    return [Page(name) for name in docnames()]


def chapters() -> list[Page]:
    """Pages that teach: those in a folder of their part."""
    return [page for page in pages() if page.docname.count("/") > 1]

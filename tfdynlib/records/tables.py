"""Tables of what was found: text here, HTML on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


def as_text(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in letters of one width."""
    lines = [head, *rows]
    wide = [max(len(row[k]) for row in lines) for k in range(len(head))]
    text = [
        "  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])])
        for row in lines
    ]
    return "\n".join([title, *text])


def as_html(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a page; the first cell of a row heads it."""
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<table class="table"><caption>{escape(title)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


@dataclass(frozen=True)
class Overview:
    """A table: its caption, its head, and its rows in words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return as_text(self.title, self.head, self.rows)

    def _repr_html_(self) -> str:
        """The table for a page."""
        return as_html(self.title, self.head, self.rows)

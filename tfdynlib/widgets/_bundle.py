"""The figures' ES modules as text: for a widget, and for the site.

A notebook front end and a page opened from disk both refuse relative imports, so
the modules travel as one table ``{path: text}`` and ``web/load.js`` gives each a
blob URL.  Nothing is compiled; no Node is needed.
"""

import json
import posixpath
import re
from functools import cache
from pathlib import Path

WEB = Path(__file__).parent / "web"

_IMPORT = re.compile(
    r"""(?m)^(?P<head>(?:import|export)\b[^"';]*?\bfrom\s*|import\s*)"""
    r"""["'](?P<path>\.{1,2}/[\w./-]+\.mjs)["']"""
)

# Comments on lines of their own, indentation and empty lines: what a browser need not
# read.  Safe because no text literal of the modules runs over a line (a test holds it).
_SPARE = re.compile(r"(?ms)^\s*/\*\*.*?\*/\s*?$|^\s*//[^\n]*$|^[ \t]+|\n(?=\s*\n)")


def slim(source: str) -> str:
    """A module without the comments and the indentation that are for its readers."""
    return re.sub(r"\n{2,}", "\n", _SPARE.sub("", source)).lstrip()


def figures() -> tuple[str, ...]:
    """Names of all figures: the modules at the top of ``web/`` but the host."""
    return tuple(sorted(p.stem for p in WEB.glob("*.mjs") if p.stem != "host"))


def modules(*entries: str) -> dict[str, str]:
    """Modules that ``entries`` need, each once, after all that it imports.

    A path is relative to ``web/``.  In the texts ``"./x.mjs"`` has become
    ``"tfdyn:path/x.mjs"``, which only ``load.js`` understands.  ``ValueError``
    if a module is missing or if imports run in a circle.
    """
    table: dict[str, str] = {}
    for entry in entries:
        _collect(entry, table, ())
    return table


def _collect(path: str, table: dict[str, str], above: tuple[str, ...]) -> None:
    if path in above:
        raise ValueError(f"imports must not run in a circle, got {(*above, path)}")
    if path in table:
        return
    source, needs = _read(path)
    for need in needs:
        _collect(need, table, (*above, path))
    table[path] = source


@cache
def _read(path: str) -> tuple[str, tuple[str, ...]]:
    """Text of a module with its imports renamed, and the paths it imports."""
    file = WEB / path
    if not file.is_file():
        raise ValueError(f"a module must be a file of web/, got {path!r}")
    needs: list[str] = []

    def rename(match: re.Match[str]) -> str:
        need = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), match["path"])
        )
        needs.append(need)
        return f'{match["head"]}"tfdyn:{need}"'

    source = _IMPORT.sub(rename, file.read_text("utf-8"))
    return slim(source), tuple(needs)


def _loader() -> str:
    return (WEB / "load.js").read_text("utf-8")


def _table(*entries: str) -> str:
    return json.dumps(modules(*entries), ensure_ascii=False)


def esm(name: str) -> str:
    """The module text a notebook front end gets for the figure ``name``."""
    return (
        f"{_loader()}\nconst table = {_table(f'{name}.mjs')};\n"
        f'const module = await tfdynLoad(table, "{name}.mjs");\n'
        "export default module.default;\n"
    )


def page_script() -> str:
    """One classic script for the site: all modules, the loader and the host.

    It does nothing on a page without figures, and asks for nothing outside.
    """
    entries = ("host.mjs", *(f"{name}.mjs" for name in figures()))
    return (
        "(() => {\n"
        '"use strict";\n'
        f"{_loader()}\nconst table = {_table(*entries)};\n"
        "const start = async () => {\n"
        '  if (!document.querySelector(".tfdyn[data-figure]")) return;\n'
        '  const host = await tfdynLoad(table, "host.mjs");\n'
        '  host.start((name) => tfdynLoad(table, name + ".mjs"));\n'
        "};\n"
        'if (document.readyState === "loading")\n'
        '  document.addEventListener("DOMContentLoaded", start);\n'
        "else start();\n"
        "})();\n"
    )


def style() -> str:
    """The style sheet of the figures, every rule under ``.tfdyn``."""
    return (WEB / "tfdyn.css").read_text("utf-8")

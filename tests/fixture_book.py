"""A tiny book with one of everything, laid in a folder and built as the real one is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]

FRONT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  name: python3
---
"""

PAGES = {
    "book/intro": "# A page of words\n\nNo code, see {cite:t}`someone2026`.\n",
    "book/notation": "# Notation\n\n```{notation-table}\n```\n",
    "book/figure": FRONT
    + """
# A page with a figure

```{code-cell} python
import traitlets
import anywidget


class Figure(anywidget.AnyWidget):
    _esm = "export default { render() {} }"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        data["text/html"] = '<div class="tfdyn" data-figure="circle">a still</div>'
        return data, metadata


Figure()
```

```{code-cell} python
from tfdynlib.probe import VALUE

print(f"the probe says {VALUE}")
```
""",
    "book/exercise": """\
# A page with exercises

The formula $\\pair{x}{y}$ stands in a line.

```{prf:theorem} Named
:label: thm-exercise-one
A statement.
```

```{prf:theorem}
:label: thm-exercise-two
Another, see {prf:ref}`thm-exercise-one`.
```

<table data-sortable><thead><tr><th>row</th></tr></thead>
<tbody><tr><th><a data-page="figure">1.1</a></th></tr></tbody></table>

```{exercise-start} First
:label: ex-exercise-1
```
How much?

```{answer} 0.25, sqrt(2)/2
:label: two numbers
:parts: first; second
```

```{choice}
Which of $x$ and $y$?
- [ ] The first.
- [x] The second.
  It is larger.
```
```{exercise-end}
```

```{solution-start} ex-exercise-1
:class: dropdown
```
So much.
```{solution-end}
```
""",
}

NOTATION = """\
- {symbol: 'x', code: x, meaning: 'a *token*', born: book/exercise}
- symbol: '\\pair{x}{y}'
  macro: pair
  tex: '\\langle #1,#2\\rangle'
  args: 2
  meaning: inner product
  trap: the score
  born: book/exercise
"""

REFERENCES = "@misc{someone2026, author={Some One}, title={A title}, year={2026}}\n"


def lay(root: Path) -> Path:
    """Write the book into ``root``, with copies of the package and the extension."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tfdynlib", root / "tfdynlib", ignore=ignore)
    shutil.copytree(ROOT / "book/_ext", root / "book/_ext", ignore=ignore)
    for name in ("_config.yml", "requirements.txt", "pyproject.toml"):
        shutil.copy2(ROOT / name, root / name)
    (root / "tfdynlib/probe.py").write_text("VALUE = 1\n")
    (root / "book/notation.yml").write_text(NOTATION)
    (root / "book/references.bib").write_text(REFERENCES)
    for name, text in PAGES.items():
        (root / f"{name}.md").write_text(text)
    first, *others = PAGES
    bibliography = "# Sources\n\n```{bibliography}\n```\n"
    (root / "book/bibliography.md").write_text(bibliography)
    chapters = [{"file": name} for name in [*others, "book/bibliography"]]
    parts = [{"numbered": 1, "chapters": chapters}]
    toc = {"format": "jb-book", "root": first, "parts": parts}
    (root / "_toc.yml").write_text(yaml.safe_dump(toc))
    return root


def build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the book in ``root`` as ``make book`` does; its text is in ``stdout``."""
    command = [Path(sys.executable).parent / "jupyter-book", "build", "."]
    return subprocess.run(
        [*command, "-W", "-n", "--keep-going", *options],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )


def page(root: Path, name: str) -> str:
    """HTML of the built page ``name``."""
    return (root / "_build/html" / f"{name}.html").read_text("utf8")

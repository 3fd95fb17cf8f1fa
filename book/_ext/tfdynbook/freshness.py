"""No page is ever built from outputs of older code.

The cache of executed notebooks knows a page by the text of its cells and nothing
else: change the package and every page would keep its old numbers.  Two fingerprints
cure that, however the build is started.

- ``code``: package and figures, lock and project files, this extension, and the
  versions that are installed.  When it changes, the cache is dropped.
- ``site``: the same and what every page shows (settings, order of pages, notation,
  references).  When it changes, every page is read and written anew.

A build that ended with warnings leaves nothing behind that would let the next one
end without them.
"""

import hashlib
import platform
import re
import shutil
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

CODE = ("tfdynlib", "requirements.txt", "pyproject.toml", "book/_ext")
SITE = ("_config.yml", "_toc.yml", "book/notation.yml", "book/references.bib")
STAMP = "fingerprint"


def files_under(root: Path, names: Iterable[str]) -> Iterator[Path]:
    """Files at or under ``names`` in ``root``, sorted, without compiled Python."""
    for name in names:
        top = root / name
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (p for p in found if p.is_file() and "__pycache__" not in p.parts)


def locked_names(lock: Path) -> list[str]:
    """Names of the packages that the lock file ``lock`` pins (none if absent)."""
    if not lock.is_file():
        return []
    return re.findall(r"^([A-Za-z0-9._-]+)==", lock.read_text("utf8"), re.MULTILINE)


def installed_versions(names: Iterable[str]) -> list[str]:
    """``name==version`` for each of ``names`` that is installed."""
    found = []
    for name in names:
        try:
            found.append(f"{name}=={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue  # pinned for another platform
    return found


def fingerprint(root: Path, names: Iterable[str]) -> str:
    """Digest of the files under ``names``, Python and the installed versions."""
    digest = hashlib.sha256(platform.python_version().encode())
    for line in installed_versions(locked_names(root / "requirements.txt")):
        digest.update(line.encode())
    for path in files_under(root, names):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def drop_stale_cache(app: Sphinx) -> None:
    """Remove the cache of executed notebooks if it was made by other code."""
    cache = Path(app.outdir).parent / ".jupyter_cache"
    now, stamp = fingerprint(Path(app.srcdir), CODE), cache / STAMP
    if stamp.is_file() and stamp.read_text() == now:
        return
    if cache.is_dir():
        LOGGER.info("tfdynbook: the code has changed, every page is run again")
        shutil.rmtree(cache)
    cache.mkdir(parents=True)
    stamp.write_text(now)


def reread_all(
    app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set
) -> list[str]:
    """Every page, if anything that all of them show has changed."""
    now = fingerprint(Path(app.srcdir), CODE + SITE)
    if getattr(env, "tfdynbook_site", None) == now:
        return []
    env.tfdynbook_site = now  # type: ignore[attr-defined]
    return sorted(env.found_docs)


def forget_a_warned_build(app: Sphinx, error: Exception | None) -> None:
    """Let no warning be lost: after a warned build every page is read again."""
    if error is None and app._warncount:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)


def setup(app: Sphinx) -> None:
    """Connect to the events of the build."""
    app.connect("builder-inited", drop_stale_cache)
    app.connect("env-get-outdated", reread_all)
    app.connect("build-finished", forget_a_warned_build)

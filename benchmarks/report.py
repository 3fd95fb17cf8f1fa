"""What was found, as tables to read and as JSON to keep."""

from collections.abc import Iterable
from typing import Any

from benchmarks.protocol import OURS, Claim, Outcome, Row

COLUMNS = "{:<36} {:>10} {:>21} {:>9} {:>9}"


def outcome(found: dict[str, Any]) -> Outcome:
    """An ``Outcome`` read back from JSON."""
    rows = [Row(**r) for r in found["rows"]]
    claims = [Claim(**c) for c in found["claims"]]
    return Outcome(found["title"], rows, claims, found["skipped"], found["series"])


def table(found: Outcome) -> str:
    """One case: its methods, then what was to be reached."""
    ours = next((r.median for r in found.rows if r.method == OURS), None)
    lines = [found.title]
    if found.rows:
        head = ("method", "median ms", "min - max", "error", "ratio")
        lines.append(COLUMNS.format(*head))
    for r in found.rows:
        span = f"{r.least:.3g} - {r.most:.3g}"
        ratio = f"{r.median / ours:.3g}" if ours else ""
        error = f"{r.error:.1e}" + ("" if r.right else " WRONG")
        name = r.method
        if r.evaluations is not None:
            name += f", {r.evaluations} evaluations"
        lines.append(COLUMNS.format(name, f"{r.median:.4g}", span, error, ratio))
    lines += [f"  {name} left out: {why}" for name, why in found.skipped.items()]
    return "\n".join(lines + [f"  {line(claim)}" for claim in found.claims])


def line(claim: Claim) -> str:
    """One target: what, the number, the bound, whether it is met."""
    sign = ">=" if claim.at_least else "<="
    verdict = "met" if claim.met else "NOT MET"
    return f"{claim.what}: {claim.value:.3g} (target {sign} {claim.bound:g}) {verdict}"


def summary(found: Iterable[Outcome]) -> str:
    """Every target of every case, one a line, and how many are met."""
    pairs = [(o.title, claim) for o in found for claim in o.claims]
    lines = [f"{title}: {line(claim)}" for title, claim in pairs]
    met = sum(claim.met for _, claim in pairs)
    return "\n".join([*lines, f"{met} of {len(pairs)} targets met"])


def wrong(found: Iterable[Outcome]) -> list[str]:
    """Methods whose error is beyond what is allowed."""
    return [
        f"{o.title}: {r.method} is off by {r.error:.2g}, allowed {r.allowed:.2g}"
        for o in found
        for r in o.rows
        if not r.right
    ]

"""All that is tried on artefacts, and the tables that tell what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from artefacts.beside import Row, beside
from artefacts.broken import BROKEN
from artefacts.checking import Checked, alike, betrayed, forms, redrawn, typed
from artefacts.hiding import PLACES, missed
from artefacts.requests import REQUESTS, named, typeable
from report import Outcome, Size, Table

T = TypeVar("T")


def attack(size: Size) -> Outcome:
    """Write everything there is to write, search it, and write it again elsewhere."""
    names = [request.name for request in REQUESTS if size == "full" or request.typical]
    rooms = ("python", "shell", "alike", "betrayed", "beside")
    with TemporaryDirectory(prefix="audit-") as above:
        python, shell, equal, traces, other = (Path(above).resolve() / room for room in rooms)
        checks = {"in Python": _told(redrawn, python, forms(size))}
        checks["on the command line"] = _told(typed, shell, list(filter(_typed, names)))
        checks["of tables counted alike"] = _told(alike, equal, names)
        noticed = _told(betrayed, traces)
        rows = _told(beside, other, size)
    caught = len(PLACES) - len(missed()) + len(noticed)
    twins = len(PLACES) + len(BROKEN)
    bad = [what for check in checks.values() for what in _wrong(check)]
    for what in [*bad, *(row.what for row in rows if not row.stood)]:
        print(what, file=sys.stderr)
    files = sum(sum(check.written.values()) for check in checks.values())
    return Outcome(
        f"artefacts: {files} files, {sum(len(check.found) for check in checks.values())} with a "
        f"canary, {sum(len(check.differing) for check in checks.values())} that differ elsewhere; "
        f"{caught} of {twins} twins noticed",
        (_written(checks), _beside(rows)),
        not bad and caught == twins and all(row.stood for row in rows),
    )


def _told(part: Callable[..., T], *arguments: Any) -> T:
    print(f"  {part.__name__}", file=sys.stderr, flush=True)
    return part(*arguments)


def _typed(name: str) -> bool:
    return typeable(named(name))


def _wrong(check: Checked) -> list[str]:
    return [*check.found, *check.differing, *check.unasked]


def _written(checks: dict[str, Checked]) -> Table:
    rows = [
        (
            where,
            form,
            str(count),
            str(sum(f"/{form}:" in found for found in check.found)),
            "–" if form in ("pickle", "said", "ledger") else str(_elsewhere(check, form)),
        )
        for where, check in checks.items()
        for form, count in sorted(check.written.items())
    ]
    headings = ("written", "form", "files", "canaries found", "differ elsewhere")
    return Table("Files of charts of a table of canaries", headings, tuple(rows))


def _elsewhere(check: Checked, form: str) -> int:
    return sum(name.endswith(f"/{form}") for name in check.differing)


def _beside(rows: list[Row]) -> Table:
    lines = tuple((row.what, row.seen) for row in rows)
    return Table("What else could tell", ("what was looked at", "what was seen"), lines)

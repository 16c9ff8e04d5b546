"""Hand the library files that somebody wrote for it, and see what reading them does.

Saved releases, ledgers, the messages of participants and the words of a command line come from
elsewhere: from a mail, a shared folder, a stranger. Atheris, which follows the branches that each
input takes, changes real ones: the tree of a release, the rows, schema and pages of a ledger, the
bits of messages. Whatever the bytes, a reader may read or refuse, and nothing else: no other error
than ours, no word of the file in it, nothing run, imported, opened or written. What a release
states must be what its file says and no better than its price and its noise allow, and a ledger
that was tampered with must not pay beyond the budget it states.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from readers.broken import TWINS
from readers.jobs import Found, fuzz, missing, reached
from readers.reader import KINDS
from report import Outcome, Size, Table

_RUNS = {
    "fast": {"release": 1500, "ledger": 600, "shuffle": 1500, "words": 1000},
    "full": {
        **dict.fromkeys(KINDS, 170_000), "ledger": 1_000_000, "shuffle": 1_000_000,
        "words": 250_000,
    },
}  # fmt: skip
_MOST = 260_000
"""Executions of one process: longer ones are shared out, so that two cores end together."""


def attack(size: Size) -> Outcome:
    """Fuzz every reader, and every reader that was broken."""
    if reason := missing():
        return Outcome(f"readers: not fuzzed. {reason}", (), passed=size == "fast")
    from readers import seeds

    with TemporaryDirectory() as folder:
        place = Path(folder)
        seeds.write(place / "seeds")
        found = _fuzzed(place, size)
        lines = _lines(place, found)
        caught = {name: caught_twin(name, place / "seeds", place / name) for name in TWINS}
    breaches = [breach for each in found for breach in each.breaches]
    total = sum(each.executions for each in found)
    return Outcome(
        f"readers: {total:,} executions, {len(breaches)} breaches, {sum(caught.values())} of "
        f"{len(TWINS)} broken readers found",
        (_counts(found), lines, _twins(caught)),
        passed=not breaches and all(caught.values()),
    )


def caught_twin(name: str, seeds: Path, out: Path) -> bool:
    """Tell whether fuzzing finds what is wrong with a reader that was broken on purpose."""
    twin = TWINS[name]
    found = fuzz(twin.reader, seeds, out, twin.runs, broken=name)
    return any(breach.startswith(twin.found) for breach in found.breaches)


def _fuzzed(place: Path, size: Size) -> list[Found]:
    shares = [
        (reader, part, min(_MOST, runs - part * _MOST))
        for reader, runs in _RUNS[size].items()
        for part in range(-(-runs // _MOST))
    ]

    def run(share: tuple[str, int, int]) -> Found:
        reader, part, runs = share
        out = place / f"{reader}-{part}"
        found = fuzz(reader, place / "seeds", out, runs, start=part + 1)
        print(f"{reader}: {found.executions:,} in {found.seconds:.0f} s", file=sys.stderr)
        return found

    # The longest first, so that no core waits for the last.
    shares.sort(key=lambda share: (-share[2], share[0]))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(run, shares))
    return sorted(found, key=lambda each: list(_RUNS[size]).index(each.reader))


def _counts(found: list[Found]) -> Table:
    rows: list[tuple[str, ...]] = []
    for reader, group in groupby(found, key=lambda each: each.reader):
        parts = list(group)

        def summed(what: str, parts: list[Found] = parts) -> str:
            return f"{sum(part.done.get(what, 0) for part in parts):,}"

        rows.append(
            (
                reader,
                f"{sum(part.executions for part in parts):,}",
                summed("from files"),
                summed("refused"),
                summed("accepted"),
                " ".join(
                    f"{summed(what)} {what}"
                    for what in ("looked at", "drawn", "charges made", "charges refused", "decoded")
                    if any(what in part.done for part in parts)
                ),
                ", ".join(breach for part in parts for breach in part.breaches) or "none",
            )
        )
    headings = ("reader", "executions", "as files", "refused", "read", "and then", "breaches")
    return Table("Files that somebody wrote", headings, tuple(rows))


def _lines(place: Path, found: list[Found]) -> Table:
    """Replay what was kept, all kinds of releases together."""
    rows: list[tuple[str, ...]] = []
    for reader, names in (
        ("release", {"release", *KINDS}),
        ("ledger", {"ledger"}),
        ("shuffle", {"shuffle"}),
        ("words", {"words"}),
    ):
        outs = [each for name in names for each in place.glob(f"{name}-*")]
        if not any(each.reader in names for each in found):
            continue
        for module, told in reached(reader, place / "seeds", outs).items():
            lines, missed = told["lines"], told["missed"]
            share = f"{100 * (lines - len(missed)) / lines:.0f} %"
            rows.append((module, str(lines), share, " ".join(map(str, missed)) or "none"))
    return Table(
        "Lines that the inputs reach", ("module", "lines", "reached", "not reached"), tuple(rows)
    )


def _twins(caught: dict[str, bool]) -> Table:
    rows = tuple(
        (TWINS[name].reader, name, "yes" if found else "no") for name, found in caught.items()
    )
    return Table("Readers broken on purpose", ("reader", "which", "found"), rows)

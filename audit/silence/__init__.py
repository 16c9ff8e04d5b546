"""Failure does not speak: make neighbours fail, log, print or draw differently.

Whether an error occurs, and what it says, is seen by whoever asks. So are log lines, axes and the
sizes of files. This attack draws neighbouring tables of every Arrow type, of Python objects, as
frames of every library and as files and folders, with the worst values there are in one unit's
rows; asks for charts with sound and with senseless arguments, also where there is no memory left to
group people in; and compares all that can be seen, noisy numbers aside. It writes files in which
only one person's row is damaged, and tries to tell tables apart by the sizes of their files.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from engines.spark.sessions import missing, session
from report import Outcome, Size, Table
from silence.drawing import EPSILON, differing, told_by_sizes
from silence.fuzzing import METHODS, SOURCES, Making, SpokenError, fuzz, of_spark
from silence.mishaps import MISHAPS, Mishap, ended
from sums import chosen
from sums.tables import ordinary

EXAMPLES = {"fast": 3, "full": 80}
DRAWS = {"fast": 1_500, "full": 10_000}
_ENDINGS = {"fast": ("json",), "full": ("json", "svg", "png")}


def attack(size: Size) -> Outcome:
    """Try all of it, and count what was tried."""
    faults: list[str] = []
    pairs = _fuzzed(size, faults)
    tables = (pairs, _mishaps(faults), _drawn(size, faults))
    for fault in faults:
        print(f"silence: {fault}", file=sys.stderr)
    tried = sum(int(row[1]) for row in pairs.rows)
    summary = f"silence: {len(faults)} faults; {tried:,} pairs of neighbours told the same"
    return Outcome(summary, tables, not faults)


def _fuzzed(size: Size, faults: list[str]) -> Table:
    rows = [_compared(source, EXAMPLES[size], faults, making) for source, making in SOURCES.items()]
    if size == "full" and missing() is None:
        with (
            tempfile.TemporaryDirectory(prefix="silence-") as folder,
            session(Path(folder)) as spark,
        ):
            rows.append(_compared("Spark frames", EXAMPLES["fast"], faults, of_spark(spark)))
    headings = ("neighbours", "pairs", "released", "refused", "charts that told them apart")
    return Table("Neighbouring tables, and all that is seen of a request", headings, tuple(rows))


def _compared(source: str, examples: int, faults: list[str], making: Making) -> tuple[str, ...]:
    tally: Counter[str] = Counter()
    wrong = 0
    for method in METHODS:
        try:
            few = examples == EXAMPLES["fast"]
            tally += fuzz(source, method, examples, repeatable=few, making=making)
        except SpokenError as spoken:
            wrong += 1
            faults.append(f"{source}: {spoken}")
    print(f"silence: {source} done", file=sys.stderr)
    counts = (tally.total(), tally["released"], tally["refused"], wrong)
    return (source, *map(str, counts))


def _mishaps(faults: list[str]) -> Table:
    rows = [(mishap.name, _ended(mishap, faults)) for mishap in MISHAPS]
    return Table("Something wrong with one person's row", ("what", "neighbours get"), tuple(rows))


def _ended(mishap: Mishap, faults: list[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="silence-") as folder:
        try:
            end = ended(mishap, Path(folder))
        except SpokenError as spoken:
            faults.append(f"{mishap.name}: {spoken}")
            return "told apart"
    if end != mishap.end:
        faults.append(f"{mishap.name}: neighbours get {end}")
    return end


def _drawn(size: Size, faults: list[str]) -> Table:
    endings = _ENDINGS[size]
    wrong: list[str] = []
    releases = chosen("fast")
    for asked in releases:
        wrong += [f"{asked}: {name}" for name in differing(asked, *_TABLES, endings)]
    told = told_by_sizes(DRAWS[size])
    faults += [f"{each} depends on more than the release" for each in wrong]
    faults += [] if told.epsilon <= EPSILON else ["sizes of files tell more than was promised"]
    files = len(releases) * (len(endings) + 2)  # and figures, and Vega-Lite specifications
    rows = (
        ("files and figures made three times", f"{files:,}", f"{len(wrong)} differ"),
        (
            f"sizes of files, of releases of ε = {EPSILON:g}",
            f"{told.trials:,}",
            f"ε ≥ {told.epsilon:.2f} can be told from them",
        ),
    )
    return Table("Files as functions of the release", ("what", "tried", "found"), rows)


_TABLES = (ordinary(120, 0), ordinary(5, 99))

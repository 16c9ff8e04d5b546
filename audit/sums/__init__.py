"""Numbers: break the arithmetic that the proofs take for granted.

Libraries of this field were broken through their numbers: noise with holes in it, sums that
overflow or depend on the order of rows, values so large that a formula gives NaN. This attack

- records what mechanisms say of one table and plays it back over another, for every chart, method
  and unit: mechanisms must take integers and give integers, and the release must be the same, so
  that nothing reaches it but through them;
- looks for cells and integers that one table can publish and its neighbour cannot;
- asks for every chart at the ends of what budgets, bounds, values and sums can be;
- lays one hostile table out in many orders, files and row groups, for several numbers of threads:
  no `Exact` may change by one.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from report import Outcome, Size, Table
from sums.asked import Asked, catalogue
from sums.edges import PASSING, edges, outcome
from sums.layouts import QUESTIONS, THREADS, differing, layouts
from sums.replay import replayed
from sums.support import CHOICES, NEIGHBOURS, NOISES, SCALES, holes, unreached, wrapped
from sums.tables import ordinary

ODD_DRAWS = {"fast": 4_000, "full": 100_000}
_ORDERS = {"fast": 1, "full": 6}
_TABLES = {"fast": 1, "full": 2}
EVERY_EDGE = {"fast": 163, "full": 1}


def attack(size: Size) -> Outcome:
    """Try all of it, and count what was tried."""
    faults: list[str] = []
    tables = tuple(part(size, faults) for part in (_replays, _supports, _edges, _layouts))
    for fault in faults:
        print(f"sums: {fault}", file=sys.stderr)
    tried = sum(int(row[-2].replace(",", "")) for table in tables for row in table.rows)
    return Outcome(f"numbers: {len(faults)} faults in {tried:,} trials", tables, not faults)


def chosen(size: Size) -> tuple[Asked, ...]:
    """Return every chart and method for every unit or, where it is to be fast, for one of them."""
    asked = catalogue()
    if size == "full":
        return asked
    kinds = [list(units) for _, units in groupby(asked, lambda each: (each.name, each.method))]
    return tuple(units[number % len(units)] for number, units in enumerate(kinds))


def _replays(size: Size, faults: list[str]) -> Table:
    runs, numbers, wrong = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(_TABLES[size]):
        for asked in chosen(size):
            found = replayed(asked, ordinary(300, seed), ordinary(5, 99))
            faults += [f"{asked}: {fault}" for fault in found.faults]
            runs[asked.name] += 1
            numbers[asked.name] += found.integers
            wrong[asked.name] += bool(found.faults)
    rows = tuple((name, f"{numbers[name]:,}", f"{runs[name]:,}", str(wrong[name])) for name in runs)
    headings = ("chart", "integers of mechanisms", "releases played back", "that differ")
    return Table("The same noisy numbers over another table", headings, rows)


def _supports(size: Size, faults: list[str]) -> Table:
    pairs = NEIGHBOURS[1:2] if size == "fast" else NEIGHBOURS
    tables = [counts for pair in pairs for counts in pair]
    rows: list[tuple[str, ...]] = []
    for name, choose in CHOICES.items():
        missing = sum(unreached(choose, counts) for counts in tables)
        rows.append((name, "every cell", f"{len(tables)}", str(missing)))
    for name, noise in NOISES.items():
        draws = ODD_DRAWS[size]
        bad = sum(holes(noise, scale, draws) or wrapped(noise, scale) for scale in SCALES)
        rows.append((name, "every integer", f"{len(SCALES)}", str(bad)))
    faults += [f"{row[0]} does not reach {row[1]}" for row in rows if row[-1] != "0"]
    headings = ("mechanism", "reaches", "tables or scales", "that miss some")
    return Table("What neighbours can say", headings, tuple(rows))


def _edges(size: Size, faults: list[str]) -> Table:
    tried, ended = Counter[str](), Counter[tuple[str, str]]()
    for edge in edges()[:: EVERY_EDGE[size]]:
        end = outcome(edge)
        tried[edge.kind] += 1
        ended[edge.kind, end] += 1
        faults += [] if end in PASSING else [f"{edge}: {end}"]
    return Table(
        "Charts at the ends of what numbers can be",
        ("edge of", *PASSING, "requests", "otherwise"),
        tuple(_ended(kind, tried, ended) for kind in tried),
    )


def _ended(kind: str, tried: Counter[str], ended: Counter[tuple[str, str]]) -> tuple[str, ...]:
    known = [ended[kind, end] for end in PASSING]
    return kind, *map(str, known), f"{tried[kind]:,}", str(tried[kind] - sum(known))


def _layouts(size: Size, faults: list[str]) -> Table:
    tried, wrong = Counter[str](), Counter[str]()
    for layout, lost in compared(_ORDERS[size]):
        tried[layout] += len(QUESTIONS)
        wrong[layout] += len(lost)
        faults += [f"{layout}: {' for '.join(question)} changed" for question in lost]
    rows = tuple(
        (form, str(tried[form] // len(QUESTIONS)), f"{tried[form]:,}", str(wrong[form]))
        for form in tried
    )
    headings = ("layout", "orders of rows", "answers compared", "that differ")
    threads = ", ".join(map(str, THREADS))
    return Table(f"One table laid out in many ways, for {threads} threads", headings, rows)


def compared(orders: int) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each layout that is tried, and the questions that it answers otherwise."""
    for layout in layouts(orders):
        with tempfile.TemporaryDirectory(prefix="sums-") as folder:
            yield layout.form, differing(layout, Path(folder))

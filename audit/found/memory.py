"""Limits of memory, disk and threads that spoke of the table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from found.find import Find, ReproducedError
from report import Size
from sfumato import Budget, PrivacyUnit, Table, boxplot, histplot, pca
from sfumato.errors import SourceError

_SMALLEST = "15MiB"  # the least that is accepted


def _components(size: Size) -> str:
    """Find components of one person more than were possible, and of one fewer."""
    sizes = (336_762,) if size == "fast" else (336_761, 336_762, 1_000_000)
    for people in sizes:
        columns = {"u": np.arange(people), "x": np.zeros(people), "y": np.ones(people)}
        table = Table(pa.table(columns), memory_limit=_SMALLEST)
        bounds = {"x": (0, 1), "y": (0, 1)}
        try:
            pca(table, columns=["x", "y"], bounds=bounds, unit="u", budget=Budget(1, 1e-6))
        except SourceError:
            raise ReproducedError(f"{people:,} people fail") from None
    return "both are released"


def _category(size: Size) -> str:
    """Draw boxes of many people, of whom the last is of one category or another."""
    people = 100_000 if size == "fast" else 800_000
    unit = PrivacyUnit.users("u", max_rows=2)
    ends: set[bool] = set()
    for odd in ("A", "B"):
        groups = pa.array([*["A"] * (people - 1), odd])
        columns = {"u": np.arange(people), "x": np.zeros(people), "g": groups}
        table = Table(pa.table(columns), memory_limit=_SMALLEST)
        try:
            boxplot(table, y="x", x="g", bounds=(0, 1), order=["A", "B"], unit=unit, budget=0.001)
            ends.add(True)
        except SourceError:
            ends.add(False)
    if ends != {True}:
        raise ReproducedError("a category decides, or both fail")
    return "both are released"


def _long_id(size: Size) -> str:
    """Count people of whom one is called by 40 MiB, once and on every row."""
    rows = 10 if size == "fast" else 1000
    long = pa.array(["x" * (40 * 2**20), "y"], pa.large_string())
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * rows + [1], pa.int32()), long)
    for ids, unit in ((long, "u"), (long, _CAPPED), (coded, "u"), (coded, _CAPPED)):
        table = Table(pa.table({"u": ids, "x": np.zeros(len(ids))}), memory_limit="100MB")
        try:
            histplot(table, x="x", bounds=(0, 1), bins=2, unit=unit, budget=0.001)
        except SourceError:
            raise ReproducedError(f"an id of 40 MiB on {len(ids) - 1} rows fails") from None
    return "it is counted like any other"


_CAPPED = PrivacyUnit.users("u", max_rows=2)

FINDS: tuple[Find, ...] = (
    Find(
        "components of 336,762 people within 15 MiB",
        "major",
        "336,761 pass 8 of 8 times, 336,762 fail 8 of 8",
        _components,
    ),
    Find(
        "the category of one of 800,000 people, max_rows=2",
        "major",
        "it decides whether boxes are drawn, for ε = 0.001",
        _category,
    ),
    Find(
        "one user id of 40 MiB within 100 MB",
        "major",
        "a table with it fails, and one without is released",
        _long_id,
    ),
)

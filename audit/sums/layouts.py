"""One table laid out in many ways: its rows in any order, in any files, read by any threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engines import forms, hostile
from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.grid import Grid, Labels
from sfumato.lattice import LENGTH, REACH, DistanceCells, Lattice, Moments, Projection
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("u")
CAPPED = PrivacyUnit.users("u", max_rows=3)
THREADS = (1, 2, 8)

GRID = hostile.GRID
FORMS: Mapping[str, Callable[[pa.Table, Path], object]] = forms.FORMS  # pyright: ignore

_SALT = "5a17"  # which rows of a person count is a secret of the engine, and the same here
_GROUPS = Labels("g", Categories(("A", "B", "Å", "missing")))
_WHOLE = Grid("i", Bounds(0, 20), 7)
_PLANE = Plane(GRID, _WHOLE)
_LATTICE = Lattice(("x", "i", "t"), (GRID.bounds, Bounds(0, 20), GRID.bounds), (1.8, 10.0, 3.0))
_SLANTED = (3 * REACH // 5, 0, -4 * REACH // 5)
_MOMENTS = Moments(_LATTICE, (REACH // 9, -5, 0), float(REACH // 2), LENGTH // 4)
_PROJECTION = Projection(_LATTICE, "PC1", (0, 0, 0), _SLANTED, Bounds(-1.5, 1), 9)
_DISTANCE = DistanceCells(_LATTICE, "r", (0, 0, 0), (), (0.0, 0.5, 0.75, 1.0, 1.25))

Answer = tuple[object, ...]
Ask = Callable[[DuckEngine], Exact | tuple[Exact, ...]]


def _verbs(unit: PrivacyUnit) -> dict[str, Ask]:
    found: dict[str, Ask] = {
        "counts": lambda engine: engine.counts([_GROUPS, GRID], unit),
        "counts of scores": lambda engine: engine.counts([_PROJECTION, _DISTANCE], unit),
        "marginals": lambda engine: engine.marginals([[GRID], [_WHOLE]], unit),
        "gram": lambda engine: engine.gram(_MOMENTS, unit),
    }
    if not unit.shared:
        found["occupied"] = lambda engine: engine.occupied("g", unit)
    if unit.max_rows is None:
        found["masses"] = lambda engine: engine.masses(_PLANE, unit)
        found["masses, weighted"] = lambda engine: engine.masses(_PLANE, unit, Weight("i", 9.0))
    return found


QUESTIONS = {
    (verb, str(unit)): ask for unit in (ROWS, USERS, CAPPED) for verb, ask in _verbs(unit).items()
}
"""Every verb of an engine, for every unit that it answers for."""


@dataclass(frozen=True)
class Layout:
    """Rows in a random order, in one form, for so many threads."""

    form: str
    threads: int
    seed: int

    def answers(self, folder: Path) -> dict[tuple[str, str], Answer]:
        """Ask all questions of the table, laid out in `folder`."""
        generator = np.random.default_rng(self.seed)
        rows = _table().take(generator.permutation(_table().num_rows))
        if self.form in _CHOPPED:
            return answers(_CHOPPED[self.form](rows, folder, generator), self.threads)
        return answers(FORMS[self.form](rows, folder), self.threads)


def answers(table: object, threads: int) -> dict[tuple[str, str], Answer]:
    """Return the true integers of every question, sensitivities and secret names included."""
    engine = DuckEngine(table, threads=threads)
    setattr(engine, "_salt", _SALT)  # noqa: B010 - it is private, and must be the same for all
    return {question: _revealed(ask(engine)) for question, ask in QUESTIONS.items()}


@cache
def expected() -> dict[tuple[str, str], Answer]:
    """Return the answers of the table as it is, read by one thread."""
    return answers(_table(), 1)


def differing(layout: Layout, folder: Path) -> list[tuple[str, str]]:
    """Return the questions that a layout answers otherwise than the table as it is."""
    found = layout.answers(folder)
    return [question for question, answer in expected().items() if found[question] != answer]


@cache
def _table() -> pa.Table:
    return hostile.hostile(700).drop(["m"])  # pyright: ignore - in CSV, times have no text


def _revealed(exact: Exact | tuple[Exact, ...]) -> Answer:
    if isinstance(exact, tuple):
        return tuple(map(_revealed, exact))
    integers, places = exact.reveal(), exact.reveal_places()
    facts = exact.l1, exact.l2_squared, exact.step, exact.reveal_labels()
    return *facts, integers.dtype.str, integers.shape, integers.tolist(), places.tolist()


def _cuts(rows: int, generator: np.random.Generator) -> Sequence[slice]:
    """Cut rows anywhere; some of the pieces are empty."""
    ends = [0, *sorted(generator.integers(0, rows + 1, 7).tolist()), rows]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _chopped_chunks(table: pa.Table, folder: Path, generator: np.random.Generator) -> object:
    del folder
    cuts = _cuts(table.num_rows, generator)
    return pa.concat_tables([table.slice(cut.start, cut.stop - cut.start) for cut in cuts])


def _chopped_parquet(table: pa.Table, folder: Path, generator: np.random.Generator) -> object:
    for number, cut in enumerate(_cuts(table.num_rows, generator)):
        size = int(generator.integers(1, 200))
        piece = table.slice(cut.start, cut.stop - cut.start)
        pq.write_table(piece, folder / f"{number}.parquet", row_group_size=size)
    return folder


def _chopped_csv(table: pa.Table, folder: Path, generator: np.random.Generator) -> object:
    for number, cut in enumerate(_cuts(table.num_rows, generator)):
        place = folder / str(number)
        place.mkdir()
        FORMS["CSV"](table.slice(cut.start, cut.stop - cut.start), place)
    return folder


_CHOPPED: dict[str, Callable[[pa.Table, Path, np.random.Generator], object]] = {
    "Arrow chunks, cut anywhere": _chopped_chunks,
    "Parquet files and row groups, cut anywhere": _chopped_parquet,
    "CSV files, cut anywhere": _chopped_csv,
}
LAID_OUT = (
    *_CHOPPED,
    "Arrow dictionaries",
    "Arrow dataset",
    "Parquet row groups",
    "Parquet partitions",
    "CSV folder, packed",
    "CSV partitions",
    "Polars lazy",
    "DuckDB relation",
)
"""The forms that are tried; `tests/engines` shows for all of them that they hold one table."""


def layouts(orders: int) -> list[Layout]:
    """Return every form in so many orders of rows, each with a number of threads of its own."""
    return [
        Layout(form, THREADS[(number + order) % len(THREADS)], seed=1000 * order + number)
        for order in range(orders)
        for number, form in enumerate(LAID_OUT)
    ]

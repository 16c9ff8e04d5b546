"""What is asked of both engines, in the test's own process and in that of a driver."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

import sfumato as sf
from engines.hostile import GRID
from engines.oracle import SALT
from engines.spark.sessions import until
from sfumato.charts.histogram import HistogramPlan
from sfumato.domain import Bounds
from sfumato.engines.dispatch import choose_engine
from sfumato.engines.engine import Engine
from sfumato.engines.spark.sums import RowSums, SelectedRows
from sfumato.engines.sums import Counts, Tally
from sfumato.exact import Exact
from sfumato.grid import Grid, Labels
from sfumato.lattice import Lattice, Moments
from sfumato.mechanisms.meter import Meter
from sfumato.plane import Plane
from sfumato.releases.histogram import HistogramRelease
from sfumato.testing import seeded

ROW, USER = sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("u")
FEW = sf.PrivacyUnit.users("u", max_rows=3)
DOMAIN = sf.Domain(x=(-0.7, 2.9), i=(0, 20), d=(0, 3.3), g=["A", "B", "C"])
BUDGET = sf.Budget(epsilon=20, delta=1e-6, weak=True)
PRICE = sf.Budget(epsilon=1, delta=1e-7)

_WHOLE = Grid("i", Bounds(0, 20), 7)
_GROUPS = Labels("g", sf.Categories(("A", "B", "C")))
_LATTICE = Lattice(("x", "i"), (GRID.bounds, _WHOLE.bounds), (1.8, 10.0))
_MOMENTS = Moments(_LATTICE, (12_345, -7), 2.0**17, 1024)


def integers(table: object) -> dict[str, list[Any]]:
    """Return the true numbers that the four charts rest on."""

    def asked(verb: str, *facts: Any) -> list[Any]:
        engine: Any = choose_engine(table)
        engine._salt = SALT
        found: Exact | tuple[Exact, ...] = getattr(engine, verb)(*facts)
        answers = (found,) if isinstance(found, Exact) else found
        return [[exact.reveal_places().tolist(), exact.reveal().tolist()] for exact in answers]

    fine = Plane(Grid("x", GRID.bounds, 2**10), Grid("d", Bounds(0, 3.3), 2**10))
    return {
        "rows in groups": asked("counts", [_GROUPS, GRID], ROW),
        "people in groups": asked("counts", [_GROUPS, GRID], USER),
        "few rows of each": asked("counts", [_GROUPS, GRID], FEW),
        "columns by people": asked("marginals", [[GRID], [_WHOLE]], USER),
        "map of rows": asked("masses", fine, ROW),
        "map of people": asked("masses", fine, USER),
        "moments of rows": asked("gram", _MOMENTS, ROW),
        "moments of people": asked("gram", _MOMENTS, USER),
    }


def charts(table: object) -> dict[str, Any]:
    """Return the four charts, whose noise is the same whoever asks."""
    s = sf.Session(table, unit=USER, domain=DOMAIN, budget=BUDGET)
    with seeded(1):
        drawn = {
            "histogram": s.histplot(x="x", hue="g", bins=12, budget=1.0),
            "boxplot": s.boxplot(x="g", y="x", budget=1.0),
            "heatmap": s.heatmap(x="x", y="d", resolution=64, budget=1.0),
            "pca": s.pca(columns=["x", "i", "d"], budget=PRICE),
        }
    return {name: release.to_dict() for name, release in drawn.items()}


def gated(frame: Any, gate: Path) -> Any:
    """Return the same rows, of which most wait until somebody lets them come, or makes them fail.

    Two parts pass at once, so that some of the work is done when others are still in the middle.
    """

    def waiting(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None and task.partitionId() >= 2:
            (gate / f"waiting-{os.getpid()}").write_text(str(Path.cwd()))
            until(lambda: (gate / "come").exists() or (gate / "fail").exists())
        if (gate / "fail").exists():
            raise ValueError("The gate is broken.")
        yield from batches

    return frame.mapInArrow(waiting, frame.schema)


def dying(frame: Any) -> Any:
    """Return the same rows from workers of which one dies when it is asked for the first time."""

    def once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None and (task.partitionId(), task.attemptNumber()) == (1, 0):
            os._exit(1)
        yield from batches

    return frame.mapInArrow(once, frame.schema)


class Repeated(sf.Histogram):
    """A histogram that has the same noise each time, though a file is charged for it."""

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        """Count, and add the noise of a seed."""
        with seeded(1):
            return super().measure(engine, plan, meter)


def histogram(table: object, ledger: Path) -> dict[str, Any]:
    """Return a histogram that a ledger was charged for, whichever ledger that was."""
    s = sf.Session(table, unit=USER, domain=DOMAIN, budget=BUDGET, ledger=ledger, name="hostile")
    release = s.release(Repeated("x", bins=12), budget=1.0)
    return replace(release, paid=()).to_dict()


def histogram_behind_a_gate(frame: Any, ledger: Path, gate: Path) -> dict[str, Any]:
    """Return the same of a frame that waits for somebody to open its gate."""
    return histogram(gated(frame, gate), ledger)


@dataclass(frozen=True)
class Quoting(Counts):
    """A count that fails in one of its steps, and quotes a word as if it had found it there."""

    step: str
    word: str

    def add(self, sums: Tally, block: pa.RecordBatch) -> None:
        """Add rows, or fail."""
        self._fail("add")
        super().add(sums, block)

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Place a person's rows before they are brought together, or fail."""
        # What has no rows is placed on the driver too, to learn of its type.
        if block.num_rows:
            self._fail("place")
        return super().place(block)

    def weigh(self, sums: Tally, found: pa.RecordBatch) -> None:
        """Weigh a person's rows after they were brought together, or fail."""
        self._fail("weigh")
        super().weigh(sums, found)

    def _fail(self, step: str) -> None:
        if step == self.step:
            raise ValueError(self.word)


def summed(frame: Any, step: str, word: str) -> str:
    """Return all that is said to whoever asks for a sum that fails in an executor."""
    unit = ROW if step == "add" else USER
    engine: Any = choose_engine(frame)
    return _said_by(lambda: engine._summed(Quoting((GRID,), step, word), unit))


def summed_carelessly(frame: Any, word: str) -> str:
    """Return the same where the executor is not kept from seeing the error."""
    from pyspark.sql.pandas.types import from_arrow_schema

    work = RowSums(Quoting((GRID,), "add", word), SelectedRows(("x",)))
    schema = from_arrow_schema(work.columns)
    return _said_by(lambda: frame.select("x").mapInArrow(work.done, schema).count())


def _said_by(failing: Callable[[], object]) -> str:
    try:
        failing()
    except Exception as error:
        return "".join(traceback.format_exception(error))
    raise AssertionError("It did not fail.")

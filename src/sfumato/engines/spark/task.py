"""Work on one partition, in a Python process beside the data that must run the same code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

import pyarrow as pa

from sfumato.engines.locating import expect_geometry, name_geometry

_COUNTING = (
    *("addend.py", "engines", "domain.py", "ends.py", "expressions.py"),
    *("grid.py", "lattice.py", "plane.py", "privacy/guarantee.py", "regions.py", "zones.py"),
)
"""All that decides which numbers rows become."""


@cache
def fingerprint_code() -> str:
    """Return a fingerprint of the code that counts."""
    found = sha256()
    for name in _COUNTING:
        for source in _iterate_sources(files("sfumato") / name):
            found.update(sha256(source.read_bytes()).digest())
    return found.hexdigest()


def _iterate_sources(place: Traversable) -> Iterator[Traversable]:
    if place.is_file() and place.name.endswith(".py"):
        yield place
    elif place.is_dir():
        for inner in sorted(place.iterdir(), key=lambda each: each.name):
            yield from _iterate_sources(inner)


FAILED, OUTDATED = 1, 2
"""What the column `failed` tells: that work failed, or that another sfumato was asked to do it."""

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class PartitionTask(ABC):
    """From the batches of a partition to rows of a known schema.

    Parameters
    ----------
    code
        The fingerprint of the code that asks. Other code may count by other rules.
    geometry
        What decides there where a point lies, which must decide it here.

    Privacy
    -------
    Says nothing of what went wrong, since what went wrong may depend on a value.
    """

    _: KW_ONLY
    code: str = field(default_factory=fingerprint_code)
    geometry: str = field(default_factory=name_geometry)

    @property
    @abstractmethod
    def columns(self) -> pa.Schema:
        """The columns that rows come with, beside `failed`."""

    @abstractmethod
    def done(self, batches: Batches) -> Batches:
        """Do the work."""

    @property
    def schema(self) -> pa.Schema:
        """All columns that rows come with."""
        return pa.schema([pa.field("failed", pa.int32()), *self.columns])

    def __call__(self, batches: Batches) -> Batches:
        """Do the work, or say that it failed."""
        failed = OUTDATED if self.code != fingerprint_code() else 0
        expect_geometry(self.geometry)
        try:
            if not failed:
                yield from (self._told(batch) for batch in self.done(batches) if batch.num_rows)
        except TaskFailure as failure:
            failed = failure.code
        except Exception:  # noqa: BLE001 - any message may quote the data
            failed = FAILED
        if failed:
            row = [pa.array([failed], pa.int32()), *(pa.nulls(1, f.type) for f in self.columns)]
            yield pa.RecordBatch.from_arrays(row, schema=self.schema)

    def _told(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [batch.column(field.name).cast(field.type) for field in self.columns]
        fine = pa.nulls(batch.num_rows, pa.int32())
        return pa.RecordBatch.from_arrays([fine, *columns], schema=self.schema)


class TaskFailure(Exception):  # noqa: N818 - it carries a code, and never leaves this package
    """Earlier work failed, for the reason that `fingerprint_code` names."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def raise_earlier_failure(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the columns of earlier work without `failed`, or fail for the same reason."""
    failed = batch.column("failed")
    if failed.null_count < len(failed):
        raise TaskFailure(failed.drop_null()[0].as_py())
    return batch.drop_columns(["failed"])

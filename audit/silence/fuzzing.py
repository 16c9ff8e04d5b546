"""Requests to neighbouring tables, drawn at random, and all that differs in what they tell."""

from __future__ import annotations

import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sfumato.engines import bounding
from sfumato.engines.table import MemoryLimits, Table
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.release import Release
from silence.columns import CANARY
from silence.neighbours import pairs
from silence.objects import frames, records, written
from silence.requests import METHODS, Request, requests
from silence.shapes import shape
from silence.watching import Told, watched

Two = tuple[object, object]
Making = Callable[[Any, PrivacyUnit, Path], Two]


def _tables(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    del folder
    pair = draw(pairs(unit))
    return pair.with_it, pair.without


def _parquet(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    pair = draw(pairs(unit))
    paths = (folder / "with" / "table.parquet", folder / "without" / "table.parquet")
    size = draw(st.integers(1, 4))
    try:
        for path, table in zip(paths, (pair.with_it, pair.without), strict=True):
            path.parent.mkdir(exist_ok=True)
            pq.write_table(table, path, row_group_size=size)
    except (pa.ArrowException, UnicodeDecodeError):  # what cannot be written is no file
        return pair.with_it, pair.without
    return paths


def _folder(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    """Write both tables as folders of three files, of which some may be empty."""
    pair = draw(pairs(unit))
    cuts = sorted(draw(st.tuples(st.integers(0, 9), st.integers(0, 9))))
    paths = (folder / "with" / "table", folder / "without" / "table")
    try:
        for path, table in zip(paths, (pair.with_it, pair.without), strict=True):
            path.mkdir(parents=True, exist_ok=True)
            for number, (start, stop) in enumerate(pairwise([0, *cuts, 99])):
                pq.write_table(table.slice(start, stop - start), path / f"{number}.parquet")
    except (pa.ArrowException, UnicodeDecodeError):
        return pair.with_it, pair.without
    return paths


def _converted(convert: Callable[[pa.Table], object]) -> Making:
    """Hand over tables as another library's, or as they are where it has no such type."""

    def made(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
        del folder
        pair = draw(pairs(unit))
        try:
            for table in (pair.with_it, pair.without):
                table.validate(full=True)  # texts that are no Unicode crash them
            if any(map(pa.types.is_decimal256, pair.with_it.schema.types)):
                return pair.with_it, pair.without  # of which Polars panics, and says so
            return convert(pair.with_it), convert(pair.without)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            return pair.with_it, pair.without

    return made


def _polars(table: pa.Table) -> object:
    return pl.from_arrow(table)


def _lazy(table: pa.Table) -> object:
    return cast(pl.DataFrame, pl.from_arrow(table)).lazy()


def _relation(table: pa.Table) -> object:
    return duckdb.connect().from_arrow(table)


def of_spark(spark: Any) -> Making:
    """Return what hands over tables as frames of a Spark session."""
    logging.getLogger("py4j").setLevel(logging.WARNING)  # which repeats every call to Java
    return _converted(spark.createDataFrame)


def _limited(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    """Let an asker say how much may be spent on reading, as little as is accepted."""
    threads = draw(st.sampled_from([1, 2, 5, 64]))
    one, other = _parquet(draw, unit, folder)
    limit = draw(st.sampled_from(["15MiB", "64MB", None]))
    return (
        Table(one, threads=threads, memory_limit=limit),
        Table(other, threads=threads, memory_limit=limit),
    )


def _frames(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    del folder
    two = draw(frames(unit))
    return two.with_it, two.without


def _csv(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    return written(draw(records(unit)), folder)


WITHIN_LIMITS = "tables within limits"

SOURCES: dict[str, Making] = {
    "Arrow tables": _tables,
    "Parquet files": _parquet,
    "folders": _folder,
    "pandas objects": _frames,
    "Polars frames": _converted(_polars),
    "lazy Polars frames": _converted(_lazy),
    "DuckDB relations": _converted(_relation),
    "CSV files": _csv,
    WITHIN_LIMITS: _limited,
}
"""Where neighbouring tables may come from."""


@contextmanager
def _surroundings(source: str) -> Generator[None]:
    """Leave no room for rows where limits are tried, so that all of them go to disk."""
    if source != WITHIN_LIMITS:
        yield
        return
    with patch.object(bounding, "compute_room", lambda *_: MemoryLimits(1, 1)):
        yield


class SpokenError(AssertionError):
    """Neighbours told different things, or something told more than it may."""


def told_of(request: Request, table: object) -> tuple[Told, Release | None]:
    """Return what a request tells; the path that was typed counts as the same for all."""
    told, release = watched(request.of(table), shape)
    source = table.source if isinstance(table, Table) else table
    if not isinstance(source, Path):
        return told, release
    return replace(told, raised=_alike(told.raised, str(source))), release


def _alike(raised: Any, path: str) -> Any:
    if isinstance(raised, tuple):
        return tuple(_alike(part, path) for part in cast(tuple[object, ...], raised))
    return raised.replace(path, "table") if isinstance(raised, str) else raised


def compare(request: Request, two: Two, tally: Counter[str] | None = None) -> None:
    """Ask the same of both tables, and raise if that tells them apart or quotes a value."""
    (one, released), (other, _) = (told_of(request, table) for table in two)
    if tally is not None:
        tally["released" if released is not None else "refused"] += 1
    unlike = one.unlike(other)
    if unlike:
        raise SpokenError(f"{request.method} tells neighbours apart by {' and '.join(unlike)}")
    _check(one)


def _check(told: Told) -> None:
    if CANARY in repr(told):
        raise SpokenError("a value was quoted")
    if told.printed or told.warned or told.logged:
        raise SpokenError("something was printed, logged or warned of")
    if told.raised and told.raised[4:] != ((), ()):
        raise SpokenError("an error carries another")


def fuzz(
    source: str,
    method: str,
    examples: int,
    *,
    repeatable: bool = False,
    making: Making | None = None,
) -> Counter[str]:
    """Compare so many pairs of neighbours, and count what became of them.

    They are made as `SOURCES` says, unless it is said otherwise.
    """
    tally: Counter[str] = Counter()
    make = making or SOURCES[source]

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=repeatable,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[*HealthCheck],  # pyright: ignore
    )
    @given(st.data())
    def run(data: Any) -> None:
        request = data.draw(requests(method))
        with tempfile.TemporaryDirectory(prefix="silence-") as folder:
            two = make(data.draw, request.unit, Path(folder))
            with _surroundings(source):
                compare(request, two, tally)

    run()
    return tally


__all__ = ["METHODS", "SOURCES", "SpokenError", "compare", "fuzz", "of_spark"]

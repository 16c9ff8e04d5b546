"""Requests to neighbouring tables, drawn at random, and all that differs in what they tell."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sfumato.privacy.unit import PrivacyUnit
from sfumato.releases.release import Release
from silence.columns import CANARY
from silence.neighbours import pairs
from silence.objects import frames, records, written
from silence.requests import METHODS, Request, requests
from silence.shapes import shape
from silence.watching import Told, watched

Two = tuple[object, object]


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


def _frames(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    del folder
    two = draw(frames(unit))
    return two.with_it, two.without


def _csv(draw: Any, unit: PrivacyUnit, folder: Path) -> Two:
    return written(draw(records(unit)), folder)


SOURCES: dict[str, Callable[[Any, PrivacyUnit, Path], Two]] = {
    "Arrow tables": _tables,
    "Parquet files": _parquet,
    "pandas objects": _frames,
    "CSV files": _csv,
}
"""Where neighbouring tables may come from."""


class SpokenError(AssertionError):
    """Neighbours told different things, or something told more than it may."""


def told_of(request: Request, table: object) -> tuple[Told, Release | None]:
    """Return what a request tells; the path that was typed counts as the same for all."""
    told, release = watched(request.of(table), shape)
    if not isinstance(table, Path):
        return told, release
    return replace(told, raised=_alike(told.raised, str(table))), release


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


def fuzz(source: str, method: str, examples: int, *, repeatable: bool = False) -> Counter[str]:
    """Compare so many pairs of neighbours, and count what became of them."""
    tally: Counter[str] = Counter()

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
            two = SOURCES[source](data.draw, request.unit, Path(folder))
            compare(request, two, tally)

    run()
    return tally


__all__ = ["METHODS", "SOURCES", "SpokenError", "compare", "fuzz"]

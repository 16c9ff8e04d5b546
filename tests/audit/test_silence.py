"""Neighbours fail, log, print, charge and draw alike, and checks notice where they would not."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

from sfumato.charts.histogram import Histogram
from sfumato.domain import Bounds
from sfumato.engines import times as kernel
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import SourceError
from sfumato.privacy.ledger import Ledger
from silence import DRAWS, EXAMPLES
from silence.columns import CANARY
from silence.drawing import EPSILON, differing, size, told_by_sizes
from silence.fuzzing import METHODS, SOURCES, SpokenError, compare, fuzz, of_spark
from silence.mishaps import MISHAPS, REQUEST, Mishap, ended
from sums import chosen
from sums.replay import replayed
from sums.tables import ordinary

ROWS = {"x": [1.0, 2.0], "g": ["A", "B"], "u": ["p1", "p2"]}
NASTY = {"x": [float("inf")], "g": [CANARY], "u": [CANARY]}
TWO = (
    pa.concat_tables([pa.table(ROWS), pa.table(NASTY)]),
    pa.table(ROWS),
)
DRAWN = {each.name: each for each in chosen("fast")}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", SOURCES)
def test_neighbours_tell_the_same(source: str, method: str) -> None:
    tally = fuzz(source, method, EXAMPLES["fast"], repeatable=True)
    assert tally.total() >= EXAMPLES["fast"]


def test_neighbours_tell_the_same_on_spark(spark: Any) -> None:
    tally = fuzz("Spark frames", "histplot", 2, repeatable=True, making=of_spark(spark))
    assert tally.total() == 2 and tally["released"]


@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda mishap: mishap.name)
def test_a_damaged_row_speaks_only_where_it_is_said_to(mishap: Mishap, tmp_path: Path) -> None:
    assert ended(mishap, tmp_path) == mishap.end


def test_a_pair_that_tells_the_same_is_let_pass() -> None:
    compare(REQUEST, TWO)


def test_one_object_that_pandas_cannot_compare_stops_nobody() -> None:
    good = pd.DataFrame({"x": [1, "2"], "g": ["A", "B"], "u": [1, 2]}, dtype=object)
    odd = pd.DataFrame({"x": [Decimal("sNaN")], "g": [Decimal("sNaN")], "u": [3]}, dtype=object)
    compare(REQUEST, (pd.concat([good, odd]), good))


def _raises_on_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    fill = kernel.read_numbers_and_gaps

    def strict(column: pa.Array) -> Any:
        values, gaps = fill(column)
        if np.isinf(values).any():
            raise ValueError("inf")
        return values, gaps

    monkeypatch.setattr(kernel, "read_numbers_and_gaps", strict)


def _looking(monkeypatch: pytest.MonkeyPatch, look: Callable[[DuckEngine, int], None]) -> None:
    """Let an engine do something with the true number of rows whenever it counts."""
    counts = DuckEngine.counts

    def counted(engine: DuckEngine, keys: Any, unit: Any) -> Any:
        look(engine, int(counts(engine, [], unit).reveal()))
        return counts(engine, keys, unit)

    monkeypatch.setattr(DuckEngine, "counts", counted)


def _logs_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.getLogger("sfumato").debug
    _looking(monkeypatch, lambda _, rows: log("%d rows", rows))


def _prints_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    _looking(monkeypatch, lambda _, rows: print(rows))


def _warns_of_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    _looking(monkeypatch, lambda _, rows: warnings.warn(f"{rows} rows", stacklevel=2))


def _raises_from_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: DuckEngine, rows: int) -> None:
        try:
            raise ValueError(rows)
        except ValueError as error:
            raise SourceError("The table could not be read.", "Why?", "Do not ask.") from error

    monkeypatch.setattr("sfumato.session.redact_errors", lambda read: read(), raising=False)
    _looking(monkeypatch, fail)


def _has_axes_from_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Histogram.measure

    def fitted(chart: Histogram, engine: DuckEngine, plan: Any, meter: Any) -> Any:
        rows = int(engine.counts([], plan.guarantee.unit).reveal())
        release = measure(chart, engine, plan, meter)
        return replace(release, x=replace(release.x, bounds=Bounds(0, rows)))

    monkeypatch.setattr(Histogram, "measure", fitted)


def _charges_by_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    charge, opened = Ledger.charge, []

    def charged(ledger: Ledger, label: str, cost: Any, **said: Any) -> Any:
        opened.append(label)
        return charge(ledger, label if len(opened) % 2 else f"{label}, cheap", cost, **said)

    monkeypatch.setattr(Ledger, "charge", charged)


@pytest.mark.parametrize(
    ("twin", "words"),
    [
        (_raises_on_a_value, "raised"),
        (_logs_a_value, "logged"),
        (_prints_a_value, "printed"),
        (_warns_of_a_value, "warned"),
        (_raises_from_a_value, "raised"),
        (_has_axes_from_the_data, "shape"),
        (_charges_by_the_data, "charges"),
    ],
)
def test_a_library_that_speaks_would_be_heard(
    twin: Callable[[pytest.MonkeyPatch], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin(monkeypatch)
    with pytest.raises(SpokenError, match=words):
        compare(REQUEST, TWO)


def test_a_reader_that_guesses_types_would_be_heard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = arrow_csv.ConvertOptions

    def guessed(**given: Any) -> Any:
        return options(**{**given, "column_types": {"0": pa.float64()}})

    monkeypatch.setattr(arrow_csv, "ConvertOptions", guessed)
    assert ended(MISHAPS[0], tmp_path) == "an error for one of them"


@pytest.mark.parametrize("name", DRAWN)
def test_files_and_figures_are_functions_of_the_release(name: str) -> None:
    assert differing(DRAWN[name], ordinary(60, 0), ordinary(5, 9), ("json",)) == []


def test_pictures_are_functions_of_the_release() -> None:
    endings = ("json", "svg")
    assert differing(DRAWN["quantiles"], ordinary(60, 0), ordinary(5, 9), endings) == []


def test_the_size_of_a_release_is_that_of_its_file(tmp_path: Path) -> None:
    found = replayed(DRAWN["histogram"], ordinary(60, 0), ordinary(5, 9))
    path = found.release.save(tmp_path / "release.json")
    assert path.stat().st_size == size(found.release)


def test_sizes_of_files_tell_no_more_than_was_promised() -> None:
    assert told_by_sizes(DRAWS["fast"]).epsilon <= EPSILON


def test_a_release_with_an_extra_digit_would_be_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Histogram.measure

    def padded(chart: Histogram, engine: DuckEngine, plan: Any, meter: Any) -> Any:
        rows = int(engine.counts([], plan.guarantee.unit).reveal())
        release = measure(chart, engine, plan, meter)
        return replace(release, label=release.label + "0" * len(str(rows)))

    monkeypatch.setattr(Histogram, "measure", padded)
    assert told_by_sizes(DRAWS["fast"]).epsilon > EPSILON
    unlike = differing(DRAWN["histogram"], ordinary(60, 0), ordinary(5, 9), ("json",))
    assert "json" in unlike

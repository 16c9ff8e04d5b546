"""Whole numbers, True and False in private searches: one label for each value, by its row alone."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import sfumato as sf
from sfumato.engines import columns
from sfumato.engines.columns import read_labels, read_value
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import SourceError
from sfumato.privacy.guarantee import PrivacyUnit

LARGE = [2**53 - 1, 1 - 2**53, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
WHOLE = pa.array([0, 1, -1, 10, 7, None, *LARGE], pa.int64())
SEARCH = sf.private(delta=1e-6)


def label(value: object) -> bytes | None:
    """Say what a value is shown as, by the rule."""
    if isinstance(value, bool):
        return str(value).lower().encode()
    if value is None or not isinstance(value, int | float | Decimal):
        return None
    whole = math.isfinite(value) and value == math.floor(value) and abs(value) < 2**53
    return str(int(value)).encode() if whole else None


@pytest.mark.parametrize(
    "values",
    [
        WHOLE,
        pa.array([0, 2**64 - 1, 2**53, 2**53 - 1, 255], pa.uint64()),
        pa.array([-128, 127, None], pa.int8()),
        pa.array([0.0, -0.0, 1.5, 7.0, math.nan, math.inf, -math.inf, 5e-324, 2.0**53, None]),
        pa.array([Decimal("1.00"), Decimal("1.50"), Decimal("-7.00"), None]),
        pa.array([True, False, None]),
    ],
    ids=lambda values: str(values.type),
)
def test_labels_follow_the_rule_together_and_alone(values: pa.Array) -> None:
    expected = [label(value) for value in values.to_pylist()]
    assert read_labels(values).to_pylist() == expected
    assert read_labels(values.dictionary_encode()).to_pylist() == expected
    alone = [read_labels(values.slice(row, 1)).to_pylist()[0] for row in range(len(values))]
    assert alone == expected


def test_a_nan_that_signals_is_no_label_and_warns_nobody() -> None:
    signals = np.array([0x7FF0000000000001], np.uint64).view(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_labels(pa.array(signals)).to_pylist() == [None]


def test_no_two_numbers_have_one_label() -> None:
    check_apart()


def check_apart() -> None:
    found = [each for each in read_labels(WHOLE).to_pylist() if each is not None]
    assert len(set(found)) == len(found)


def test_numbers_that_floats_do_not_tell_apart_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "_EXACT", 2**54)
    with pytest.raises(AssertionError):
        check_apart()


def test_labels_are_read_back_as_the_values_they_were() -> None:
    for value, kind in ((7, "number"), (-(2**53) + 1, "number"), (True, "flag"), (False, "flag")):
        written = label(value)
        assert written is not None
        found = read_value(written.decode(), kind)  # pyright: ignore[reportArgumentType]
        assert found == value and type(found) is type(value)


FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "pandas with a gap": lambda data: pd.DataFrame(data).astype({"n": float}),
    "nullable pandas": lambda data: pd.DataFrame(data).astype({"n": "Int64", "f": "boolean"}),
    "Polars": pl.DataFrame,
    "Arrow": pa.table,
}
DATA = {"n": [3] * 300 + [20] * 300 + [-1] * 300 + [99], "f": [True] * 601 + [False] * 300}


@pytest.mark.parametrize("form", FRAMES)
def test_found_categories_are_numbers_and_flags_in_their_own_order(form: str) -> None:
    frame = FRAMES[form](DATA)
    numbers = sf.histplot(frame, "n", order=SEARCH, budget=sf.Budget(5, 1e-5))
    assert numbers.x.categories.values == (-1, 3, 20)
    assert [type(value) for value in numbers.x.categories.values] == [int] * 3
    assert np.abs(numbers.counts - 300).max() < 20
    flags = sf.histplot(frame, "f", order=SEARCH, budget=sf.Budget(5, 1e-5))
    assert flags.x.categories.values == (False, True)
    assert all(isinstance(value, bool) for value in flags.x.categories.values)


def test_found_numbers_survive_a_file(tmp_path: Path) -> None:
    release = sf.histplot(pd.DataFrame(DATA), "n", order=SEARCH, budget=sf.Budget(5, 1e-5))
    release.save(tmp_path / "n.json")
    assert sf.load(tmp_path / "n.json").x.categories.values == (-1, 3, 20)  # pyright: ignore


@pytest.mark.parametrize("data", [{"n": [1, 2, 3]}, {"n": [True, False]}, {"n": ["a"]}], ids=str)
def test_a_search_that_finds_nothing_is_released_like_any_other(data: Any) -> None:
    frame = pa.table(data)
    release = sf.histplot(frame, "n", order=SEARCH, budget=sf.Budget(1, 1e-5))
    assert release.counts.size == 0
    boxes = sf.boxplot(
        frame.append_column("v", pa.array([1.0] * frame.num_rows)),
        "n",
        "v",
        order=SEARCH,
        bounds=(0, 2),
        orient="v",
        budget=sf.Budget(1, 1e-5),
    )
    assert not boxes.boxes


@pytest.mark.parametrize(
    "column",
    [pa.array([1.5]), pa.array([Decimal("1.5")]), pa.array([0], pa.timestamp("us"))],
    ids=lambda column: str(column.type),
)
def test_fractions_and_moments_are_refused_by_their_type_before_a_charge(column: pa.Array) -> None:
    session = sf.Session(pa.table({"n": column}), budget=sf.Budget(1, 1e-5))
    with pytest.raises(SourceError, match="hardly ever occur twice"):
        session.histplot("n", order=SEARCH, budget=sf.Budget(0.5, 5e-6))
    assert not session.ledger.entries


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(PrivacyUnit.rows(), marks=pytest.mark.slow),
        PrivacyUnit.users("u", max_rows=2),
    ],
    ids=repr,
)
def test_counts_of_every_number_are_the_same_on_spark(
    spark: Any, tmp_path: Path, unit: PrivacyUnit
) -> None:
    from sfumato.engines.spark.engine import SparkEngine

    values = WHOLE.to_pylist() * 2
    table = pa.table(
        {
            "n": pa.array(values, pa.int64()),
            "f": pa.array([None if v is None else v % 2 == 0 for v in values]),
            "u": pa.array([row % 5 for row in range(len(values))]),
        }
    )
    parquet.write_table(table, tmp_path / "n.parquet")
    frame = spark.read.parquet(str(tmp_path / "n.parquet"))
    for column in ("n", "f"):
        machine, cluster = DuckEngine(table), SparkEngine(frame.repartition(3))
        machine._salt = cluster._salt = "salt"  # pyright: ignore[reportPrivateUsage]
        one, other = (engine.occupied(column, unit) for engine in (machine, cluster))
        assert one.reveal_labels() == other.reveal_labels()
        assert one.reveal().tolist() == other.reveal().tolist()
        if unit.column is None:
            written = [label(value) for value in table[column].to_pylist()]
            expected = Counter(each.decode() for each in written if each is not None)
            assert dict(zip(one.reveal_labels(), one.reveal().tolist(), strict=True)) == expected
        assert one.reveal().sum() <= (len(values) if unit.column is None else 5 * 2)

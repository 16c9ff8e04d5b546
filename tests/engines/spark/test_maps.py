"""A map on the cluster gives the sums that its cells would give here, and of one table only."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.columns import Integers
from sfumato.engines.spark import maps as module
from sfumato.engines.spark.frames import CheckedSums, check_sums
from sfumato.engines.spark.maps import ClusterMap, RangeSums
from sfumato.engines.spark.sums import AMOUNT
from sfumato.engines.sums import CAP, cap_integers, convert_to_integers
from sfumato.errors import SourceError
from sfumato.exact import Exact
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.survey import survey as open_survey
from sfumato.testing import ample_meter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Cells = dict[int, int]
Ranges = list[tuple[int, int]]
NAMES = ["failed", "cell", "amount", "mark"]
FAR = 2**40


def columns(pairs: Ranges) -> tuple[Integers, Integers]:
    first, end = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, end


def here(cells: Cells) -> Exact:
    places = np.array(sorted(cells), dtype=np.int64)
    values = np.array([min(CAP, cells[place]) for place in sorted(cells)], dtype=np.int64)
    return Exact(1, 1, 1.0, _values=values, _places=places)


def there(spark: SparkSession, cells: Cells, partitions: int = 3) -> DataFrame:
    amounts = pa.array([Decimal(amount) for amount in cells.values()], pa.decimal128(38, 0))
    table = pa.table({"cell": pa.array([*cells], pa.int64()), "amount": amounts})
    return troubled(spark.createDataFrame(table).repartition(partitions, "cell"))


def troubled(frame: DataFrame, failed: str = "NULL", bucket: str = "NULL") -> DataFrame:
    """Return sums beside what would tell that they must not be used."""
    trouble = [f"CAST({failed} AS INT) AS failed", f"CAST({bucket} AS INT) AS bucket"]
    return frame.selectExpr(*trouble, "cell", "amount", "0L AS mark")


def run(make: Callable[[], DataFrame]) -> CheckedSums:
    return check_sums(make().toArrow())


def kept(frame: DataFrame, asking: Callable[..., CheckedSums] = run) -> ClusterMap:
    return ClusterMap(lambda: frame, asking)


# Without Spark: the work itself, on partitions and batches of any size.


def worked(work: RangeSums, partitions: list[list[list[tuple[int, int]]]]) -> CheckedSums:
    """Do the work on every partition, and add up what comes out as the cluster does."""
    amounts = defaultdict[int | None, int](int)
    marks = defaultdict[int | None, int](int)
    for batches in partitions:
        for found in work(batch(rows) for rows in batches):
            for row in found.to_pylist():
                amounts[row["cell"]] += int(row["amount"])
                marks[row["cell"]] ^= row["mark"]
    nothing = pa.nulls(len(amounts), pa.int32())
    sums = {
        "cell": pa.array([*amounts], pa.int64()),
        "amount": pa.array([*amounts.values()], AMOUNT),
        "mark": pa.array([*marks.values()], pa.int64()),
    }
    return check_sums(pa.table({"failed": nothing, "bucket": nothing, **sums}))


def batch(rows: list[tuple[int, int]]) -> pa.RecordBatch:
    cells, amounts = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    fine = pa.nulls(len(cells), pa.int32())
    return pa.record_batch([fine, cells, amounts, np.zeros_like(cells)], names=NAMES)


@st.composite
def ranges(draw: st.DrawFn) -> Ranges:
    cuts = sorted(draw(st.sets(st.integers(0, 70), min_size=2, max_size=12)))
    return [pair for pair in pairwise(cuts) if draw(st.booleans())] or [(cuts[0], cuts[1])]


amounts = st.one_of(st.integers(0, 9), st.integers(2**60, CAP))


@given(
    cells=st.dictionaries(st.integers(0, 69), amounts, max_size=30),
    asked=ranges(),
    cut=st.integers(1, 9),
)
def test_ranges_of_a_partition_have_the_sums_of_their_cells(
    cells: Cells, asked: Ranges, cut: int
) -> None:
    rows = [*cells.items()]
    batches = [rows[at : at + 3] for at in range(0, len(rows), 3)]
    parts = [batches[at : at + cut] for at in range(0, len(batches), cut)]
    answer = worked(RangeSums(*columns(asked), 7), parts)
    sums = cap_integers(convert_to_integers(answer.amounts)).tolist()
    found = dict(zip(answer.cells.to_pylist(), sums, strict=True))
    expected = here(cells).reveal_between(*columns(asked)).tolist()
    assert [found.get(place, 0) for place in range(len(asked))] == expected


def test_a_twin_that_looks_for_the_wrong_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(self: RangeSums, cells: Integers) -> Integers:
        places = np.searchsorted(self.first, cells, side="left") - 1
        return np.where(cells < self.end[places], places, -1)

    monkeypatch.setattr(RangeSums, "_places", left)
    with pytest.raises(AssertionError):
        test_ranges_of_a_partition_have_the_sums_of_their_cells()


# On Spark.


def test_sums_on_the_cluster_are_those_of_the_arrays_bit_for_bit(spark: SparkSession) -> None:
    generator = np.random.default_rng(5)
    cells: Cells = dict(
        zip(
            generator.integers(0, FAR, 2000).tolist(),
            generator.integers(0, 2**50, 2000).tolist(),
            strict=True,
        )
    )
    # sums beyond 2⁶², one amount beyond it and one beyond 64 bits
    cells |= {0: 1, 8: CAP, 9: CAP - 1, 10: CAP + 1, 11: 10**30, FAR - 2: 2, FAR - 1: 4}
    squares = [(code << 32, (code + 1) << 32) for code in range(256)]
    asks: list[Ranges] = [
        [(0, FAR)],
        squares[::-1],
        [(FAR - 1, FAR), (FAR - 2, FAR - 1), (0, 1), (3, 7), (8, 9), (9, 10), (10, 11), (11, 12)],
        [(5, 5), (7, 6), (0, 12), (2**39, 2**39)],
        [(4, 4)],
        [],
    ]
    answers = kept(there(spark, cells))
    for asked in asks:
        found = answers.between(*columns(asked))
        assert found.dtype == np.int64
        assert found.tolist() == here(cells).reveal_between(*columns(asked)).tolist()


def test_a_map_without_cells_has_no_mass_anywhere(spark: SparkSession) -> None:
    answers = kept(there(spark, {}))
    assert answers.between(*columns([(0, FAR), (FAR, FAR + 1)])).tolist() == [0, 0]


def test_a_survey_is_answered_alike_and_many_ranges_travel(spark: SparkSession) -> None:
    codes = np.random.default_rng(6).integers(0, 4**12, 3000).tolist()
    cells: Cells = dict.fromkeys(codes, 2**30)
    answers = kept(there(spark, cells))
    everywhere: list[list[int]] = []
    for exact in (here(cells), Exact(1, 1, 1.0, _between=answers.between)):
        with simulated(np.random.default_rng(1)), ample_meter() as meter:
            survey = open_survey(meter, exact, 12, Fraction(2))
            survey.ask([1] * 4, range(4), Fraction(1))
            survey.ask([9] * 4**9, range(4**9), Fraction(1))
        everywhere.append([step for asked in survey.asked for step in asked.steps.tolist()])
    assert everywhere[0] == everywhere[1]


def changing(frame: DataFrame) -> DataFrame:
    """Return a frame whose amounts are others whenever they are read, as a clock's would be."""

    def change(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        import pyarrow

        for each in batches:
            amount = pyarrow.array([time.time_ns() % 2**40] * each.num_rows)
            yield pyarrow.record_batch([each.column("cell"), amount], names=["cell", "amount"])

    return troubled(frame.mapInArrow(change, "cell BIGINT, amount BIGINT"))


def test_masses_that_are_lost_are_summed_again(spark: SparkSession) -> None:
    answers = kept(there(spark, {cell: cell for cell in range(20)}))
    whole = answers.between(*columns([(0, 20)])).tolist()
    spark.catalog.clearCache()
    assert answers.between(*columns([(10, 20), (0, 10)])).tolist() == [145, 45]
    assert whole == [190]


def test_two_maps_that_look_alike_do_not_forget_each_other(spark: SparkSession) -> None:
    frame = there(spark, {cell: cell for cell in range(20)})
    one, other = kept(frame), kept(frame)
    assert [answers.between(*columns([(0, 20)])).tolist() for answers in (one, other)] == [
        [190]
    ] * 2
    one._sums.unpersist(blocking=True)
    assert other._sums.storageLevel.useDisk
    assert other.between(*columns([(0, 10)])).tolist() == [45]


def test_masses_that_are_divided_otherwise_are_the_same(spark: SparkSession) -> None:
    cells: Cells = {cell: cell for cell in range(200)}
    answers = kept(there(spark, cells, 5))
    whole = answers.between(*columns([(0, 200)])).tolist()
    answers._make = lambda: there(spark, cells, 2)
    del answers._sums
    assert answers.between(*columns([(0, 200)])).tolist() == whole


def test_masses_that_are_lost_and_not_the_same_again_are_refused(spark: SparkSession) -> None:
    answers = kept(changing(there(spark, {1: 1, 2: 2})))
    whole = answers.between(*columns([(0, 9)])).tolist()
    assert [answers.between(*columns([(0, 2), (2, 9)])).sum()] == whole  # while they are kept
    spark.catalog.clearCache()
    with pytest.raises(SourceError, match="gave other rows"):
        answers.between(*columns([(0, 2), (2, 9)]))


def test_a_twin_that_does_not_compare_tables_answers_about_two(spark: SparkSession) -> None:
    def careless(make: Callable[[], DataFrame]) -> CheckedSums:
        return replace(run(make), read=0)

    answers = kept(changing(there(spark, {1: 1})), careless)
    before = answers.between(*columns([(0, 2)])).tolist()
    spark.catalog.clearCache()
    assert answers.between(*columns([(0, 2)])).tolist() != before


def test_sums_whose_own_seals_are_broken_are_refused(spark: SparkSession) -> None:
    from pyspark.sql.functions import expr

    frame = there(spark, {1: 1, 2: 2})
    for marks, sealed in (("cell - cell", True), ("cell", False)):
        answers = kept(frame.withColumn("mark", expr(marks)))
        if sealed:
            assert answers.between(*columns([(0, 9)])).tolist() == [3]
        else:
            with pytest.raises(SourceError, match="gave other rows"):
                answers.between(*columns([(0, 9)]))


@pytest.mark.parametrize("trouble", [("2", "NULL"), ("NULL", "3"), ("NULL", "NULL")])
def test_sums_that_must_not_be_used_are_not(spark: SparkSession, trouble: tuple[str, str]) -> None:
    amount = "NULL" if trouble == ("NULL", "NULL") else "1"
    sums = spark.range(1, 3).selectExpr("id AS cell", f"CAST({amount} AS DECIMAL(38, 0)) AS amount")
    with pytest.raises(SourceError, match=r"could not sum|other code"):
        kept(troubled(sums, *trouble)).between(*columns([(0, 1)]))


class AtOnce:
    """A thread that has ended when it has started."""

    def __init__(self, target: Callable[[], None]) -> None:
        self.start = target


@pytest.mark.parametrize("forget", ["close", "drop"])
def test_the_cluster_forgets_a_map_that_nobody_can_ask(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, forget: str
) -> None:
    held: list[DataFrame] = []

    def noting(frame: DataFrame) -> DataFrame:
        held.append(frame)
        return persist(frame)

    frame = there(spark, {1: 1})
    persist = type(frame).persist
    monkeypatch.setattr(type(frame), "persist", noting)
    monkeypatch.setattr(module, "Thread", AtOnce)
    answers = kept(frame)
    exact = Exact(1, 1, 1.0, _between=answers.between)
    assert exact.reveal_between(*columns([(0, 9)])).tolist() == [1]
    assert held[0].storageLevel.useDisk
    if forget == "close":
        answers.close()
    del answers, exact
    gc.collect()
    assert not held[0].storageLevel.useDisk

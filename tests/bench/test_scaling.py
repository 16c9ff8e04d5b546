"""What `bench/every_engine.py` makes of its figures: laws of growth, and costs of larger tables."""

from __future__ import annotations

import doctest
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scaling import costing, fitting, printing
from scaling.costing import Rates, bill
from scaling.driving import driver_seconds, grown, heard
from scaling.fitting import each_more, exponent, last_exponent
from scaling.questions import CHARTS, Question
from scaling.tables import NUMBERS, USER, WARD, part_paths, write_parts
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact

SIZES = (10**6, 3 * 10**6, 10**7, 10**8)


def power_law(power: float, factor: float = 2e-7) -> list[float]:
    return [factor * size**power for size in SIZES]


def is_exponent(fit: object, power: float) -> bool:
    assert callable(fit)
    return bool(fit(SIZES, power_law(power)) == pytest.approx(power, abs=1e-9))


def without_logarithms(sizes: Sequence[float], costs: Sequence[float]) -> float:
    return float(np.polyfit(sizes, costs, 1)[0])


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_law_is_found_whatever_its_factor(power: float) -> None:
    assert is_exponent(exponent, power) and is_exponent(last_exponent, power)
    assert exponent(SIZES, power_law(power, 7.0)) == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_fit_without_logarithms_is_noticed(power: float) -> None:
    assert not is_exponent(without_logarithms, power)


def test_fixed_costs_hide_growth_from_the_exponent_and_least_at_the_end() -> None:
    costs = [5 + cost for cost in power_law(1.0)]
    assert exponent(SIZES, costs) < last_exponent(SIZES, costs) < 1


def test_the_cost_of_one_more_row_leaves_out_what_is_fixed() -> None:
    costs = [5 + 2e-7 * size for size in SIZES]
    assert each_more(SIZES, costs) == pytest.approx(2e-7)
    assert costs[-1] / SIZES[-1] != pytest.approx(2e-7)
    assert each_more(SIZES[-1:], costs[-1:]) == costs[-1] / SIZES[-1]


RATES = Rates(8.0, 12.0, 3.6e-7, 32.0, 65_536, {10**9: 0.2, 10**12: 0.3})


def grows_by_the_row(rates: Rates) -> bool:
    """What is by row is a thousand times as much, and what comes to the driver is the same."""
    few, many = bill(rates, 10**9), bill(rates, 10**12)
    by_row = [
        many.scanned / few.scanned,
        many.shuffled / few.shuffled,
        many.core_hours / few.core_hours,
    ]
    driver = {10**9: few.driver, 10**12: many.driver}
    return by_row == pytest.approx([1000] * 3) and many.sent == few.sent and driver == rates.driver


def test_a_bill_grows_by_the_row_but_not_for_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grows_by_the_row(RATES)
    assert bill(RATES, 10**9).core_hours == pytest.approx(0.1)
    honest = costing.bill

    def sent_by_row(rates: Rates, rows: int) -> costing.Bill:
        found = honest(rates, rows)
        return replace(found, sent=rates.a_sum * rows)

    monkeypatch.setitem(globals(), "bill", sent_by_row)
    assert not grows_by_the_row(RATES)


def test_each_table_holds_the_one_before_and_has_a_person_to_ten_rows(tmp_path: Path) -> None:
    sizes = (1000, 3000, 10_000)
    write_parts(tmp_path, sizes)
    for size, paths in part_paths(tmp_path, sizes).items():
        table = pa.concat_tables([pq.read_table(path) for path in paths])
        assert table.column_names == [*NUMBERS, WARD, USER] and table.num_rows == size
        assert len(table.column(USER).unique()) == size // 10


@pytest.mark.parametrize("chart", CHARTS)
def test_grown_answers_are_those_of_a_table_that_is_repeated(chart: str, tmp_path: Path) -> None:
    write_parts(tmp_path, [2000])
    (path,) = part_paths(tmp_path, [2000])[2000]
    once = pq.read_table(path)
    question = Question("parquet", chart, "rows", (path,))
    answers = heard(question, DuckEngine(once)).answers
    # What is asked second depends on noise, so only the first answers can be compared.
    thrice = heard(question, DuckEngine(pa.concat_tables([once] * 3))).answers[0]
    assert _same(grown(answers, 3)[0], thrice) and not _same(grown(answers, 2)[0], thrice)


def _same(one: object, other: object) -> bool:
    pairs = zip(_each(one), _each(other), strict=True)
    return all(np.array_equal(a.reveal(), b.reveal()) for a, b in pairs)


def _each(found: object) -> tuple[Exact, ...]:
    return cast("tuple[Exact, ...]", found if isinstance(found, tuple) else (found,))


def test_components_of_more_people_than_have_room_are_told_to_be_withheld(tmp_path: Path) -> None:
    write_parts(tmp_path, [2000])
    (path,) = part_paths(tmp_path, [2000])[2000]
    question = Question("parquet", "pca", "users", (path,))
    answers = heard(question, DuckEngine(path)).answers
    assert driver_seconds(question, answers) > 0
    assert math.isnan(driver_seconds(question, grown(answers, 10**9)))


@pytest.mark.parametrize("module", [fitting, costing, printing])
def test_the_examples_are_true(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert tried and not failed

"""Filters and derived columns: each row by itself, and whose weight they leave."""

from __future__ import annotations

import math
import time
from datetime import datetime
from itertools import combinations_with_replacement as _choose

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.hostile import CANARY, hostile
from sfumato.domain import Bounds, Categories
from sfumato.engines import selection
from sfumato.engines.columns import find_kind, find_spacing
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.selection import BlockTerms, filter_rows, find_rows, select
from sfumato.engines.typed import TypedColumns
from sfumato.errors import SfumatoError, SourceError
from sfumato.expressions import Expression
from sfumato.grid import Grid, Labels
from sfumato.lattice import Lattice, Moments
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

CONDITIONS = [
    *("x < 1", "not x < 1", "x != 0.5", "i == 3", "i not in [1, 2, 3]", "0 <= x < i", "x > d"),
    *("g == 'A'", "g != 'A'", "g in ['A', 'B', 'a']", "g < 'B'", "g.lower() == 'a'", "not f"),
    *("g.strip() == 'A'", "g.upper().startswith('A')", "g.endswith(' ')", "g.contains('A')"),
    *("len(g) > 1", "float(t) > 1", "t.isna()", "x.isna()", "g.lower().isna()", "f", "f == False"),
    *("m >= '2026-01-05'", "m.year == 2026 and m.weekday < 5", "m.hour == 3 or m.isna()"),
    *("(m - m).total_seconds() == 0", "m < '2026-01-04T12:00+02:00'", "u.startswith('u')"),
    *("i / 0 > 0", "i // 3 % 2 == 1", "i * i * i * i < 0", "i ** 16 > 1e300", "log10(x) > 0"),
    *("sqrt(i) < 3", "abs(x) < 1", "round(x) == 1", "floor(x) < ceil(n)", "max(x, n) > min(i, d)"),
    *(
        "(g if f else t) == 'A'",
        "(x if f else i) > 0",
        "f == (x > 0)",
        "f < 1",
        "-i < 0",
        "d > 0.3",
    ),
]
DERIVED = ["x / n", "i % 7", "x * 1e300 * 1e300", "i // n", "'a' if f else g", "g.lower()", "x > 0"]
DERIVED += ["m.hour", "x - x", "log(i)", "f", "n", "t", "len(g)", "'same'"]
TABLE = hostile(600)


def known(table: pa.Table | pa.RecordBatch) -> TypedColumns:
    types = {field.name: field.type for field in table.schema}
    spacings = {name: find_spacing(dtype) for name, dtype in types.items()}
    return TypedColumns(
        {name: find_kind(dtype) for name, dtype in types.items()},
        spacings={name: space for name, space in spacings.items() if space is not None},
    )


def values(block: pa.RecordBatch, text: str) -> list[object]:
    """Return what an expression is for each row, with NaN as a word."""
    term = known(block).read_definition(Expression.of(text))
    found = BlockTerms(block).column(term).to_pylist()
    return ["nan" if isinstance(one, float) and math.isnan(one) else one for one in found]


def rowwise(block: pa.RecordBatch, text: str) -> bool:
    alone = [values(block.slice(row, 1), text) for row in range(block.num_rows)]
    return values(block, text) == [value for (value,) in alone]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", [*CONDITIONS, *DERIVED])
def test_rows_together_are_what_each_is_alone(text: str) -> None:
    block = TABLE.slice(0, 97).combine_chunks().to_batches()[0]
    assert rowwise(block, text)
    assert values(block, text)[13:40] == values(block.slice(13, 27), text)


def test_a_function_that_looks_across_rows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    block = TABLE.slice(0, 97).combine_chunks().to_batches()[0]
    twins = {
        "abs": lambda some: some - np.nan_to_num(some).mean(),
        "floor": np.sort,
        "ceil": np.cumsum,
    }
    for name, twin in twins.items():
        broken = {**selection._OPERATIONS, name: twin}
        with monkeypatch.context() as patch:
            patch.setattr(selection, "_OPERATIONS", broken)
            assert not rowwise(block, f"{name}(i)")


numbers = st.floats() | st.none() | st.sampled_from([0.0, -0.0, 1.0, 3.0, -7.0, 1e308, 5e-324])
MATHS = ["a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a ** 3", "sqrt(a)", "log(a)"]
MATHS += ["log10(a)", "round(a)", "max(a, b)", "abs(-a)", "a < b", "a != b", "a == b", "a >= b"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=9))
def test_arithmetic_is_pythons_and_what_is_no_number_is_missing(
    rows: list[tuple[float | None, float | None]],
) -> None:
    one, other = zip(*rows, strict=True)
    block = pa.record_batch({"a": pa.array(one, pa.float64()), "b": pa.array(other, pa.float64())})
    for text in MATHS:
        assert rowwise(block, text)
        for found, (a, b) in zip(values(block, text), rows, strict=True):
            assert _alike(found, _compute(text, a, b)), (text, a, b)


def _compute(text: str, a: float | None, b: float | None) -> object:
    comparing = any(mark in text for mark in "<>=")
    scope = {"a": a, "b": b, "sqrt": math.sqrt, "log": math.log, "log10": math.log10}
    odd = [each for each in (a, b) if each is None or math.isnan(each)]
    if odd and (comparing or "b" in text.replace("abs", "") or a is None or math.isnan(a)):
        return False if comparing else None
    try:
        found = eval(text, scope)
    except (ArithmeticError, ValueError):
        return None
    return found if comparing or math.isfinite(found) else None


def _alike(found: object, wanted: object) -> bool:
    if isinstance(found, float) and isinstance(wanted, int | float):
        return math.isclose(found, wanted, rel_tol=4e-16, abs_tol=0.0)
    return found == wanted


def test_the_rule_for_missing_values_is_one_rule() -> None:
    block = pa.record_batch({"a": pa.array([1.0, None, math.nan, math.inf])})
    where = {
        "a < 3": [True, False, False, False],
        "not a < 3": [False, True, True, True],
        "a != 1": [False, False, False, True],
        "a not in [1]": [False, False, False, True],
        "a.isna()": [False, True, True, False],
        "a + 1 > 0": [True, False, False, False],
    }
    for text, wanted in where.items():
        term = known(block).read_condition(Expression.of(text))
        assert find_rows(block, term).tolist() == wanted, text


ODD = {
    "view": pa.array(["A", None, "a" * 99], pa.string_view()),
    "large": pa.array(["A", None, "a" * 99], pa.large_string()),
    "coded": pa.array(["A", None, "A"]).dictionary_encode(),
    "stray": pa.DictionaryArray.from_arrays(pa.array([0, 7, -1], pa.int8()), ["A"], safe=False),
    "runs": pa.RunEndEncodedArray.from_arrays([2, 3], ["A", None]),
    "invalid": pa.Array.from_buffers(
        pa.string(),
        3,
        [None, pa.py_buffer(np.array([0, 1, 2, 4], "i4")), pa.py_buffer(b"A\xff\xc3(")],
    ),
    "long": pa.array(["A", "A" * 10**6, "A" * 8193]),
    "nul": pa.array(["A", "A\0", "\0"]),
    "number": pa.array([2**64 - 1, None, 0], pa.uint64()),
    "small": pa.array([-(2**63), None, 2**63 - 1]),
    "half": pa.array(np.array([65504, 1, 2], "f2")),
    "money": pa.array([None, 1, 2], pa.decimal256(70, 3)),
    "far": pa.array([-(2**63), None, 2**63 - 1], pa.timestamp("s", "Asia/Tokyo")),
    "nanos": pa.array([-(2**63) + 1, None, 2**63 - 1], pa.timestamp("ns")),
    "lost": pa.array([0, None, 1], pa.timestamp("us", "Nowhere/City")),
    "day": pa.array([-(2**31), None, 2**31 - 1], pa.int32()).cast(pa.date32()),
    "void": pa.nulls(3),
    "list": pa.array([[1], None, [2]]),
    "octets": pa.array([b"A", None, b"\xff"]),
    "flag": pa.array([True, None, False]),
    "clock": pa.array([0, None, 86_399_999_999], pa.time64("us")),
    "wait": pa.array([-(2**63), None, 2**63 - 1], pa.duration("s")),
    "seen": pa.array([b"A", None, b"a" * 99], pa.binary_view()),
    "json": pa.ExtensionArray.from_storage(
        pa.json_(pa.string_view()), pa.array(["1", None, "2"], pa.string_view())
    ),
    "nested": pa.StructArray.from_arrays([pa.RunEndEncodedArray.from_arrays([3], ["A"])], ["a"]),
}
SHAPES = [
    *("{0}.isna()", "{0} == 'A'", "{0} < 'B'", "{0}.lower().contains('a')", "len({0}) > 1"),
    *("{0} + 1 > 0", "{0} // 0 == 1", "{0} % 3 < 2", "{0} ** 16 > 0", "log({0}) < 1", "{0}"),
    *("{0}.hour > 3", "{0} > '1970-01-01'", "({0} - {0}).total_seconds() < 1", "{0} == {0}"),
    "{0}.total_seconds() < 9",
    *("{0} in [1, 2]", "float({0}) > 0", "(1 if {0}.isna() else 2) < 2", "{0} == True"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ODD)
def test_no_value_of_any_type_fails_and_refusals_follow_from_types(name: str) -> None:
    block = pa.record_batch({name: ODD[name]})
    for shape in SHAPES:
        text, outcomes = shape.format(name), []
        for rows in (block, block.slice(0, 0), block.slice(1, 1)):
            try:
                term = known(rows).read_condition(Expression.of(text))
            except SfumatoError as refused:
                outcomes.append(str(refused))
                continue
            outcomes.append("fine")
            together = find_rows(rows, term).tolist()
            alone = [find_rows(rows.slice(at, 1), term).tolist() for at in range(rows.num_rows)]
            assert together == [each for row in alone for each in row]
        assert len(set(outcomes)) == 1, (text, outcomes)


@pytest.mark.parametrize("name", ODD)
def test_rows_of_any_type_can_be_dropped_and_are_read_as_before(name: str) -> None:
    """A type of which Arrow takes no rows would tell by an error whether all rows are kept."""
    block = pa.record_batch({name: ODD[name], "n": [0, 1, 2]})
    for kept in ([True, False, True], [False] * 3, [True] * 3, [False, True, False]):
        some = filter_rows(block, np.array(kept))
        assert some.column("n").to_pylist() == [at for at in range(3) if kept[at]]
        assert find_kind(some.schema.field(name).type) in (find_kind(ODD[name].type), "flag")
        for shape in SHAPES:
            try:
                term = known(block).read_condition(Expression.of(shape.format(name)))
            except SfumatoError:
                continue
            assert find_rows(some, term).tolist() == find_rows(block, term)[kept].tolist()


@pytest.mark.parametrize("texts", [["a", "a"], ["a", "b"]], ids=["all", "some"])
def test_texts_that_are_views_as_those_of_polars_may_be_dropped(texts: list[str]) -> None:
    table = pa.table({"x": [1.0, 1.0], "g": pa.array(texts, pa.string_view())})
    grid = [Grid("x", Bounds(0, 2), 1)]
    for engine in (DuckEngine(table).restrict("g == 'a'"), DuckEngine(table, where="g == 'a'")):
        assert engine.counts(grid, PrivacyUnit.rows()).reveal().tolist() == [texts.count("a")]


def test_a_long_text_is_missing_and_takes_no_time() -> None:
    block = pa.record_batch({"t": ["a" * 10**7, "aa", "a" * 8192]})
    begun = time.perf_counter()
    term = known(block).read_condition(Expression.of("t.contains('" + "a" * 2000 + "b')"))
    assert find_rows(block, term).tolist() == [False] * 3
    starts = known(block).read_condition(Expression.of("t.upper().startswith('A')"))
    assert find_rows(block, starts).tolist() == [False, True, True]
    assert time.perf_counter() - begun < 1


def test_columns_derived_from_each_other_cannot_grow_beyond_bounds() -> None:
    columns = {"c0": "x + x"} | {f"c{n}": f"c{n - 1} + c{n - 1}" for n in range(1, 40)}
    begun = time.perf_counter()
    with pytest.raises(SfumatoError, match="at most 1,000 terms"):
        select(known(TABLE), None, columns)
    assert time.perf_counter() - begun < 1


@pytest.mark.parametrize(
    ("where", "columns"),
    [
        ("nowhere > 1", {}),
        (None, {"x": "i + 1"}),
        (None, {"a": "b + 1", "b": "x"}),
        (None, {" ": "x"}),
        (None, {"when": "m"}),
        ("x", {}),
        ("g == 5", {}),
        ("m > 5", {}),
        ("m > 'soon'", {}),
        ("x.year == 2020", {}),
        ("x.lower() == 'a'", {}),
        ("x and f", {}),
        ("x == 1 & i == 2", {}),
    ],
)
def test_what_no_row_could_meet_is_refused_in_words(
    where: str | None, columns: dict[str, str]
) -> None:
    with pytest.raises(SfumatoError) as refused:
        DuckEngine(TABLE, where=where, columns=columns)
    assert refused.value.why and refused.value.advice and CANARY not in str(refused.value)


def test_text_without_a_type_is_read_as_what_stands_beside_it(tmp_path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a,b,c\n10,9,true\n9,10,no\nx,1,\n", encoding="utf-8")
    asked = {"a > 9": 1, "a > b": 1, "a == '10'": 1, "c": 1, "a == 9.0": 1, "c.isna()": 1}
    asked |= {"a + b == 19": 2, "a.startswith('1')": 1, "c == True": 1, "not c": 2}
    for where, rows in asked.items():
        found = DuckEngine(str(path), where=where).counts([], PrivacyUnit.rows())
        assert found.reveal().tolist() == rows, where


def test_moments_are_compared_on_the_clocks_of_their_zone() -> None:
    new_year = pa.array([datetime(2024, 1, 1, hour) for hour in (4, 5)], pa.timestamp("us", "UTC"))
    block = pa.record_batch({"w": new_year.cast(pa.timestamp("us", "America/New_York"))})
    asked = {"w < '2024-01-01'": [True, False], "w.hour == 23": [True, False]}
    asked |= {"w < '2024-01-01T05:00+00:00'": [True, False]}
    for text, wanted in asked.items():
        term = known(block).read_condition(Expression.of(text))
        assert find_rows(block, term).tolist() == wanted, text


# Whose weight a filter leaves, and that one unit moves what is counted by no more than it may.

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("u")
CAPPED = PrivacyUnit.users("u", max_rows=2)
CELLS = [Grid("x", Bounds(0, 3), 3)]


def _table(rows: list[tuple[int | None, float | None, str | None]]) -> pa.Table:
    types = pa.schema([("u", pa.int64()), ("x", pa.float64()), ("g", pa.string())])
    columns = list(zip(*rows, strict=True)) or [[], [], []]
    return pa.table(dict(zip("uxg", columns, strict=True)), types)


def _engines(table: pa.Table, where: str) -> list[DuckEngine]:
    own, shared = DuckEngine(table).restrict(where), DuckEngine(table, where=where)
    for engine in (own, shared):
        engine._salt = "5a17"
    return [own, shared]


def test_a_chart_leaves_a_tenth_to_one_of_ten_rows_and_a_session_all() -> None:
    table = _table([(1, 0.5, "Queens" if row == 0 else "Bronx") for row in range(10)])
    own, shared = (
        engine.counts(CELLS, USERS).reveal()[0] / USERS.weight
        for engine in _engines(table, "g == 'Queens'")
    )
    assert (round(own, 6), round(shared, 6)) == (0.1, 1.0)
    for engine in _engines(table, "g == 'Queens'"):
        assert engine.counts(CELLS, CAPPED).reveal()[0] == 1
        assert engine.counts(CELLS, ROWS).reveal()[0] == 1
    for engine in _engines(table, "g == 'Bronx'"):
        assert engine.counts(CELLS, CAPPED).reveal()[0] == 2


SOME = [(0.5, "A"), (1.5, "A"), (1.5, None), (None, "A"), (2.5, "B")]


@pytest.mark.parametrize("unit", [ROWS, USERS, CAPPED], ids=repr)
def test_one_unit_moves_what_is_counted_by_no_more_than_is_stated(unit: PrivacyUnit) -> None:
    others = [(7, 0.5, "A"), (None, 1.5, "A"), (8, 2.5, None)]
    most = 1 if unit == ROWS else 3
    crowds = [mine for size in range(1, most + 1) for mine in _choose(SOME, size)]
    for where in ("g == 'A'", "not x > 1 and u < 9.5"):
        before = _engines(_table(others), where)
        for mine in crowds:
            after = _engines(_table([*others, *((9, x, g) for x, g in mine)]), where)
            for one, other in zip(before, after, strict=True):
                assert _moved(one, other, unit) <= 1, (mine, where)


def _moved(one: DuckEngine, other: DuckEngine, unit: PrivacyUnit) -> float:
    counts = [engine.counts(CELLS, unit) for engine in (one, other)]
    change = np.abs(counts[0].reveal() - counts[1].reveal()).sum() / counts[0].l1
    if unit.max_rows is None and unit.column is None:
        return float(change)
    occupied = [engine.occupied("g", CAPPED) for engine in (one, other)]
    texts = [dict(zip(e.reveal_labels(), e.reveal().tolist(), strict=True)) for e in occupied]
    told = sum(abs(texts[0].get(g, 0) - texts[1].get(g, 0)) for g in {**texts[0], **texts[1]})
    return max(float(change), told / CAPPED.weight)


def test_a_filter_that_looks_at_others_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_the_mean(block: pa.RecordBatch, where: object) -> np.ndarray:
        x = np.nan_to_num(block.column("x").to_numpy(zero_copy_only=False))
        return x >= x.mean()

    monkeypatch.setattr(selection, "find_rows", by_the_mean)
    with pytest.raises(AssertionError):
        test_one_unit_moves_what_is_counted_by_no_more_than_is_stated(ROWS)


@pytest.mark.parametrize("unit", [ROWS, USERS, CAPPED], ids=repr)
def test_every_verb_counts_the_rows_that_are_picked_by_hand(unit: PrivacyUnit) -> None:
    kept = np.asarray(TABLE.column("g").to_pylist(), dtype=object) == "A"
    picked = TABLE.filter(pa.array(kept))
    own, shared = _engines(TABLE, "g == 'A'")
    by_hand = DuckEngine(picked)
    by_hand._salt = "5a17"
    asked = [
        lambda engine: engine.counts([Grid("x", Bounds(0, 3), 7)], unit),
        lambda engine: engine.counts([Labels("f", Categories((True, False)))], unit),
        lambda engine: engine.gram(
            Moments(Lattice(("x", "i"), (Bounds(0, 3), Bounds(0, 9)), (1.0, 1.0)), (0, 0), 9.0, 3),
            unit,
        ),
        lambda engine: engine.marginals([[CELLS[0]], [Grid("n", Bounds(0, 2), 3)]], unit)[1],
    ]
    if unit.max_rows is None:
        plane = Plane(Grid("x", Bounds(0, 3), 4), Grid("n", Bounds(0, 2), 4))
        asked.append(lambda engine: engine.masses(plane, unit))
        asked.append(lambda engine: engine.masses(plane, unit, Weight("d", 2.0)))
    if not unit.shared:
        asked.append(lambda engine: engine.occupied("t", unit))
    for ask in asked:
        wanted = ask(by_hand).reveal().tolist()
        assert ask(shared).reveal().tolist() == wanted
        assert any(np.ravel(wanted))
        if not unit.shared:
            assert ask(own).reveal().tolist() == wanted
        else:
            assert 0 < np.abs(ask(own).reveal()).sum() <= np.abs(wanted).sum()


def test_neither_unit_nor_weight_can_be_derived() -> None:
    engine = DuckEngine(TABLE, columns={"who": "u.lower()", "heavy": "x * 2"})
    plane = Plane(Grid("x", Bounds(0, 3), 4), Grid("n", Bounds(0, 2), 4))
    with pytest.raises(SourceError, match="derived"):
        engine.counts(CELLS, PrivacyUnit.users("who"))
    with pytest.raises(SourceError, match="derived"):
        engine.masses(plane, ROWS, Weight("heavy", 2.0))


def test_a_derived_column_is_counted_as_one_that_was_stored() -> None:
    stored = TABLE.append_column("half", pa.array(np.asarray(TABLE.column("x").to_numpy()) / 2))
    keys = [Grid("half", Bounds(-0.5, 1.5), 9)]
    derived = DuckEngine(TABLE, columns={"half": "x / 2"})
    finite = "x < 1e308 and x > -1e308"
    found = DuckEngine(TABLE, columns={"half": "x / 2"}, where=finite).counts(keys, USERS)
    wanted = DuckEngine(stored, where=finite).counts(keys, USERS)
    assert found.reveal().tolist() == wanted.reveal().tolist()
    assert derived.schema().kind("half") == "number"

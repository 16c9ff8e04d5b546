"""What may be typed for a table, its columns, their order and their bounds."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.domain import Bounds, Categories, Domain, list_values
from sfumato.errors import DomainError, SfumatoError
from sfumato.testing import city, seeded


class Ward(Enum):
    NORTH = "N"
    SOUTH = "S"


class Floor(IntEnum):
    GROUND = 0
    FIRST = 1


def find_ends(release: Any) -> tuple[float, float]:
    return release.x.bounds.lower, release.x.bounds.upper


WARDS: dict[str, Callable[[], Any]] = {
    "list": lambda: ["N", "S"],
    "tuple": lambda: ("N", "S"),
    "generator": lambda: (letter for letter in "NS"),
    "keys": {"N": 1, "S": 2}.keys,
    "array": lambda: np.array(["N", "S"]),
    "objects": lambda: np.array(["N", "S"], dtype=object),
    "enum": lambda: Ward,
    "members": lambda: [Ward.NORTH, Ward.SOUTH],
    "index": lambda: pd.Index(["N", "S"]),
    "series": lambda: pd.Series(["N", "S"]),
    "categorical": lambda: pd.Categorical(["S", "S"], categories=["N", "S"]),
    "categorical type": lambda: pd.CategoricalDtype(["N", "S"]),
    "categorical series": lambda: pd.Series(["S"] * 3, dtype=pd.CategoricalDtype(["N", "S"])),
    "categorical index": lambda: pd.CategoricalIndex(["S"], categories=["N", "S"]),
    "Polars series": lambda: pl.Series(["N", "S"]),
    "Polars enum": lambda: pl.Enum(["N", "S"]),
    "Polars enum series": lambda: pl.Series(["S", "S"], dtype=pl.Enum(["N", "S"])),
    "Arrow array": lambda: pa.array(["N", "S"]),
    "Arrow dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([1, 1]), pa.array(["N", "S"])
    ),
    "Arrow chunks": lambda: pa.chunked_array(
        [pa.array(["N"]).dictionary_encode(), pa.array(["S", "N"]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("spelling", WARDS)
def test_categories_are_read_from_whatever_lists_values_in_an_order(spelling: str) -> None:
    assert Categories.of(WARDS[spelling]()).values == ("N", "S")
    assert Domain(ward=WARDS[spelling]())["ward"] == Categories(("N", "S"))


@pytest.mark.parametrize(
    ("spelling", "values"),
    [
        (range(1, 4), (1, 2, 3)),
        (np.arange(1, 4, dtype=np.uint8), (1, 2, 3)),
        (pd.Series([1, 2, 3], dtype="Int64"), (1, 2, 3)),
        (pl.Series([1, 2, 3]), (1, 2, 3)),
        (pa.array([1, 2, 3]), (1, 2, 3)),
        (Floor, (0, 1)),
        (np.array([False, True]), (False, True)),
        (pd.array([False, True], dtype="boolean"), (False, True)),
    ],
    ids=str,
)
def test_numbers_and_flags_come_as_python_s_own(spelling: Any, values: tuple[object, ...]) -> None:
    found = Categories.of(spelling).values
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    "spelling",
    [
        {"N", "S"},
        frozenset("NS"),
        "NS",
        b"NS",
        {"N": 1},
        3,
        np.array("N"),
        pd.CategoricalDtype(),
        pa.array(["N", None]),
        pd.Series(["N", "N"]),
        np.array([[1, 2], [3, 4]]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_has_no_order_or_no_list_is_refused_in_three_parts(spelling: Any) -> None:
    with pytest.raises(DomainError) as refusal:
        Categories.of(spelling)
    assert str(refusal.value).count(". ") >= 2


@pytest.mark.parametrize("spelling", WARDS)
def test_a_chart_takes_every_order_and_reads_it_as_often_as_it_must(spelling: str) -> None:
    table = pd.DataFrame({"district": ["N"] * 300 + ["S"] * 200 + ["W"] * 100})
    with seeded(7):
        plain = sf.histplot(table, x="district", order=["N", "S"], budget=1.0)
    with seeded(7):
        found = sf.histplot(table, x="district", order=WARDS[spelling](), budget=1.0)
    assert found.counts.tolist() == plain.counts.tolist()


def test_a_range_is_an_order_of_categories_and_a_pair_of_numbers_too() -> None:
    table = pd.DataFrame({"month": [1, 2, 2, 3] * 50})
    for order in (range(1, 3), (1, 2), np.array([1, 2])):
        release = sf.histplot(table, x="month", order=order, budget=1.0)
        assert release.x == sf.histplot(table, x="month", order=[1, 2], budget=1.0).x


def test_the_same_order_in_another_spelling_is_not_paid_twice() -> None:
    session = sf.Session(city(people=200), domain={"district": ["A", "B"]}, budget=1.0)
    first = session.histplot("district", order=np.array(["B", "A"]), budget=0.5)
    assert session.histplot("district", order=pd.Index(["B", "A"]), budget=0.5) is first


def test_bounds_are_read_from_arrays_and_series() -> None:
    spellings: list[Any] = [
        np.array([0, 100]),
        pd.Series([0, 100]),
        pl.Series([0, 100]),
        pd.Index([0, 100]),
    ]
    for ends in spellings:
        assert Bounds.of(ends) == Bounds(0, 100)


def test_the_table_is_called_data_and_x_needs_no_name() -> None:
    table = city(people=300)
    releases = [
        sf.histplot(table, x="age", bounds=(0, 100), budget=1.0),
        sf.histplot(data=table, x="age", bounds=(0, 100), budget=1.0),
        sf.histplot(table, "age", bounds=(0, 100), budget=1.0),
    ]
    assert len({release.label for release in releases}) == 1
    session = sf.Session(table, domain={"age": (0, 100), "district": ["A", "B"]}, budget=2.0)
    assert session.histplot("age", budget=0.5).x.column == "age"
    assert session.boxplot("district", "age", budget=0.5).label == "boxplot of age by district"


def test_bounds_and_order_of_one_chart_are_declared_for_it_alone() -> None:
    session = sf.Session(city(people=300), budget=4.0)
    alone = session.histplot("age", bounds=(0, 100), budget=0.5)
    assert find_ends(alone) == (0, 100)
    with pytest.raises(DomainError, match="has no public declaration"):
        session.histplot("age", budget=0.5)
    assert session.histplot("district", order=["A", "B"], budget=0.5).x.cells == 2
    box = session.boxplot("district", "age", order=["A"], bounds=(0, 100), budget=0.5)
    assert (box.label, box.orient) == ("boxplot of age by district", "v")
    lying = session.boxplot("age", "district", order=["A"], bounds={"age": (0, 100)}, budget=0.5)
    assert lying.orient == "h"
    plan = session.plan(sf.Histogram("age", bins=4), bounds=(0, 80), budget=0.5)
    assert plan.x.cells == 4
    edges = session.histplot("age", bins=[0, 18, 65, 110], budget=0.5)
    assert find_ends(edges) == (0, 110)


def test_bounds_of_one_chart_win_over_the_domain_s_and_an_order_selects_from_it() -> None:
    session = sf.Session(
        city(people=300), domain={"age": (0, 100), "district": ["A", "B"]}, budget=4.0
    )
    whole = session.histplot("age", bins=5, budget=0.5)
    for bounds in ((20, 40), (0, 120)):  # both are said, and so public
        zoomed = session.histplot("age", bins=5, bounds=bounds, budget=0.5)
        assert zoomed is not whole
        assert find_ends(zoomed) == bounds
    assert session.histplot("age", bins=5, budget=0.5) is whole
    with pytest.raises(DomainError, match="'Z' is not a declared category"):
        session.histplot("district", order=["Z"], budget=0.5)
    # The domain knows which of two columns of numbers has the categories.
    months = pd.DataFrame({"wait": [5.0, 7.0], "month": [1, 2]})
    grouped = sf.Session(months, domain={"month": [1, 2]}, budget=1.0)
    assert grouped.plan(sf.Boxplot("wait", "month"), bounds=(0, 9), budget=0.5).orient == "h"


def test_a_refusal_of_one_chart_s_bounds_charges_nothing() -> None:
    session = sf.Session(city(people=300), budget=1.0)
    for bounds in ((5, 1), "0,100", sf.private(), {"nothing": (0, 1)}):
        with pytest.raises(SfumatoError):
            session.histplot("age", bounds=bounds, budget=0.5)  # pyright: ignore[reportArgumentType]
    assert repr(session.remaining) == "Share(ε = 1)"


def test_domains_join_as_dicts_do_and_the_right_one_wins() -> None:
    left, right = Domain(age=(0, 100), ward=["A"]), Domain(ward=["B"], wait=(0, 9))
    joined = Domain(age=(0, 100), ward=["B"], wait=(0, 9))
    assert left | right == joined == left | dict(right) == dict(left) | right
    assert left == Domain(ward=["A"], age=(0, 100)) != right
    assert (len(left), "age" in left, "wait" in left, len(Domain())) == (2, True, False, 0)
    assert left["age"] == Bounds(0, 100)
    assert bool(Domain())
    with pytest.raises(DomainError, match="no public declaration"):
        left["wait"]
    with pytest.raises(TypeError):
        left | 3  # pyright: ignore[reportOperatorIssue, reportUnusedExpression]


def test_a_list_that_names_nothing_has_no_values() -> None:
    assert list_values(None) == list_values("AB") == list_values({1, 2}) == ()

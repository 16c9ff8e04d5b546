"""What a type says is what is written and read, and nothing else is read."""

import math
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from sfumato.domain import Bounds
from sfumato.grid import Grid, Key
from sfumato.lattice import Lattice
from sfumato.releases import document
from sfumato.releases.forms import form, record
from sfumato.releases.release import Release
from sfumato.releases.spelling import (
    Absent,
    AsArray,
    Index,
    Integer,
    Length,
    OneOf,
    Parameter,
    Part,
    Pattern,
    Positive,
    Released,
    Share,
    ToldOnce,
    Within,
)

LARGE = 10**400


@dataclass(frozen=True)
class Dot:
    """A place."""

    x: float
    size: Integer


ACCEPTED: list[tuple[Any, Any, Any]] = [
    (int, 3, 3),
    (float, 3, 3.0),
    (float, 1e300, 1e300),
    (Integer, -(2**63), -(2**63)),
    (bool, False, False),
    (str, "", ""),
    (float | None, None, None),
    (Literal["v", "h"], "h", "h"),
    (Annotated[float, OneOf((1.0, 0.5))], 1, 1.0),
    (Annotated[str, Pattern("a+")], "aa", "aa"),
    (tuple[int, ...], [], ()),
    (tuple[float, float], [1, 2.5], (1.0, 2.5)),
    (tuple[Dot, ...], [{"x": 1, "size": 2}], (Dot(1.0, 2),)),
]


@pytest.mark.parametrize(("kind", "plain", "value"), ACCEPTED)
def test_a_value_is_read_as_what_its_type_says(kind, plain, value):
    read = form(kind).read(plain)
    assert read == value and type(read) is type(value)
    assert form(kind).write(value) == plain


REFUSED: list[tuple[Any, Any]] = [
    (int, True),
    (int, 3.0),
    (int, "3"),
    (float, True),
    (float, math.nan),
    (float, math.inf),
    (float, None),
    (Integer, 2**63 + 1),
    (Index, -1),
    (Positive, 0),
    (Positive, -0.0),
    (Share, 1),
    (bool, 1),
    (bool, None),
    (str, ["a"]),
    (str | None, 0),
    (Literal["v", "h"], "x"),
    (Literal["v", "h"], ["v"]),
    (Annotated[float, OneOf((1.0, 0.5))], True),
    (Annotated[str, Pattern("a+")], "aa\n"),
    (Annotated[str, Length(1)], ""),
    (tuple[int, ...], {"0": 1}),
    (tuple[int, ...], "12"),
    (tuple[int, ...], [1, True]),
    (tuple[float, ...], [1.0, math.nan, 2.0]),
    (tuple[Annotated[float, Within(0, 1)], ...], [0.5, 2.0, 0.5]),
    (tuple[float, float], [1.0]),
    (tuple[float, float], [1.0, 2.0, 3.0]),
    (Annotated[tuple[int, ...], Length(1)], []),
    (Dot, {"x": 1.0}),
    (Dot, {"x": 1.0, "size": 1, "y": 1}),
    (Dot, [1.0, 1]),
    (Grid, {"column": "x", "bounds": {"lower": 0, "upper": 1, "time": 0}, "bins": 2}),
    (Key, {"column": "x"}),
    (Key, None),
]


@pytest.mark.parametrize(("kind", "plain"), REFUSED)
def test_a_value_that_is_not_of_the_type_is_refused(kind, plain):
    with pytest.raises(ValueError, match=r"\.$"):
        form(kind).read(plain)


@pytest.mark.parametrize("kind", [float, tuple[float, ...]])
def test_an_integer_beyond_all_floats_is_refused(kind):
    with pytest.raises(OverflowError):
        form(kind).read(LARGE if kind is float else [1.0, LARGE])


def test_a_type_without_a_form_is_no_field_of_a_release():
    with pytest.raises(TypeError, match="has no form"):
        form(complex)


@dataclass(frozen=True)
class Marked:
    """One field of each sort."""

    plain: Parameter[int]
    rare: Parameter[Annotated[float | None, Absent(None)]]
    late: Parameter[Annotated[bool, Absent(True, older=True)]]
    array: Released[Annotated[tuple[Index, ...], AsArray(np.int64)]]
    told: Released[Annotated[tuple[Positive, ...], ToldOnce("tellings")]]


def marked(rare: float | None = None, late: bool = True) -> Marked:
    return Marked(1, rare, late, np.array([1, 2]), (0.5, 2.0, 0.5))


def test_a_part_has_its_own_fields_and_leaves_out_what_few_have():
    parameters = record(Marked, dict, "parameters")
    assert parameters.write(marked()) == {"plain": 1, "late": True}
    assert parameters.write(marked(rare=2.0)) == {"plain": 1, "rare": 2.0, "late": True}
    assert parameters.read({"plain": 1}) == {"plain": 1, "rare": None, "late": True}
    assert parameters.completed({"plain": 1, "odd": 2}) == {"plain": 1, "late": True, "odd": 2}


def test_numbers_of_which_few_differ_are_told_once():
    values = record(Marked, dict, "values")
    plain = {"array": [1, 2], "tellings": [0.5, 2.0], "told": [0, 1, 0]}
    assert values.write(marked()) == plain
    read = values.read(plain)
    assert read["told"] == (0.5, 2.0, 0.5) and read["array"].dtype == np.int64
    for which in ([0, 2, 0], [0, -1, 0], [0, True, 0]):
        with pytest.raises(ValueError, match=r"\.$"):
            values.read(plain | {"told": which})


def test_columns_of_a_lattice_are_told_one_by_one():
    lattice = Lattice(("a", "b"), (Bounds(0, 2, step=1), Bounds(0, 1, parsed=True)), (1.0, 2.0))
    plain = form(Lattice).write(lattice)
    assert list(plain[0]) == ["column", "lower", "upper", "time", "step", "scale"]
    assert list(plain[1]) == ["column", "lower", "upper", "time", "parsed", "scale"]
    assert form(Lattice).read(plain) == lattice


@pytest.mark.parametrize("kind", document.kinds().values(), ids=document.kinds())
def test_every_field_of_a_release_stands_in_one_part_of_its_document(kind):
    told = [each.attribute for name in document.PARTS for each in document.part(kind, name).fields]
    own = [each.name for each in fields(kind) if each not in fields(Release)]
    first = [each.name for each in fields(Release)]
    assert sorted(told) == sorted(set(own) - set(first))
    assert {Part("parameters"), Part("values")} == {
        mark
        for name in document.PARTS
        for each in document.part(kind, name).fields
        for mark in each.marks
        if isinstance(mark, Part)
    }

import copy
import dataclasses
import json
import pickle
import pprint
import traceback
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import exact as module
from sfumato.exact import Exact, Integers

SECRET = 987_654_321
LABEL = "CANARY-7f3a"
MOST = 2**62 - 1


class Elsewhere:
    """Sums that lie somewhere else, added up one by one; and whose repr would tell them."""

    def __init__(self, cells: dict[int, int]) -> None:
        self.cells = cells

    def __repr__(self) -> str:
        return f"Elsewhere({self.cells})"

    def between(self, first: Integers, end: Integers) -> Integers:
        return integers(
            min(MOST, sum(self.cells[cell] for cell in self.cells if start <= cell < stop))
            for start, stop in zip(first.tolist(), end.tolist(), strict=True)
        )


def integers(some) -> Integers:
    return np.array([*some], dtype=np.int64)


def here(cells: dict[int, int]) -> Exact:
    places = sorted(cells)
    values = integers(cells[place] for place in places)
    return Exact(1, 1, 1.0, _values=values, _places=integers(places))


def elsewhere(cells: dict[int, int]) -> Exact:
    return Exact(1, 1, 1.0, _between=Elsewhere(cells).between)


@pytest.fixture(params=["here", "elsewhere"])
def exact(request: pytest.FixtureRequest) -> Exact:
    if request.param == "elsewhere":
        return Exact(1, 1, 1.0, _labels=(LABEL, "B"), _between=Elsewhere({0: SECRET}).between)
    return Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([SECRET, 5]), _labels=(LABEL, "B"))


def holds_the_secret(text: object) -> bool:
    return str(SECRET) in str(text) or LABEL in str(text)


def test_mechanisms_can_open_it(exact):
    assert exact.reveal_between(integers([0]), integers([1])).tolist() == [SECRET]
    assert exact.reveal_labels() == (LABEL, "B")
    assert Exact(1, 1, 1.0, np.array([3])).reveal_labels() == ()


def test_numbers_that_are_here_are_listed():
    exact = here({4: SECRET, 9: 5})
    assert exact.reveal().tolist() == [SECRET, 5]
    assert exact.reveal_places().tolist() == [4, 9]
    assert Exact(1, 1, 1.0, np.array([3])).reveal_places().tolist() == []


@pytest.mark.parametrize(
    "take",
    [
        Exact.reveal,
        Exact.reveal_places,
        Exact.reshape_by_group,
        lambda exact: exact.with_pseudocounts(np.array([1])),
    ],
)
def test_numbers_that_lie_elsewhere_cannot_be_listed(take):
    with pytest.raises(TypeError, match="lists no cells") as refusal:
        take(elsewhere({0: SECRET}))
    assert not holds_the_secret("".join(traceback.format_exception(refusal.value)))


def test_numbers_are_in_one_place():
    with pytest.raises(TypeError, match="either"):
        Exact(1, 1, 1.0)
    with pytest.raises(TypeError, match="either"):
        Exact(1, 1, 1.0, _values=integers([SECRET]), _between=Elsewhere({}).between)


@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        "{}".format,
        pprint.pformat,
        dataclasses.asdict,
        dataclasses.astuple,
        lambda exact: [getattr(exact, field.name) for field in dataclasses.fields(exact)],
        lambda exact: [
            getattr(exact, name) for name in dir(exact) if not name.startswith("reveal")
        ],
        lambda exact: [exact],
    ],
)
def test_no_way_of_showing_it_shows_its_numbers(exact, show):
    assert not holds_the_secret(show(exact))


@pytest.mark.parametrize(
    "take",
    [
        vars,
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        np.asarray,
        np.array,
        np.sum,
        list,
        len,
        float,
        int,
        lambda exact: exact + exact,
        lambda exact: exact + 1,
        lambda exact: np.add(exact, 1),
        lambda exact: exact[0],
    ],
)
def test_no_way_of_taking_it_apart_works(exact, take):
    with pytest.raises(TypeError) as refusal:
        take(exact)
    assert not holds_the_secret("".join(traceback.format_exception(refusal.value)))


@pytest.mark.parametrize(
    ("shape", "rows"), [((4,), (1, 4)), ((2, 4), (2, 4)), ((3, 2, 4), (6, 4)), ((0, 2, 4), (0, 4))]
)
def test_groups_become_rows_in_the_order_they_were_counted_in(shape, rows):
    values = np.arange(np.prod(shape)).reshape(shape)
    grouped = Exact(3, 5, 0.5, values, (LABEL,)).reshape_by_group()
    assert grouped.reveal().shape == rows
    assert grouped.reveal().ravel().tolist() == values.ravel().tolist()
    assert (grouped.l1, grouped.l2_squared, grouped.step) == (3, 5, 0.5)
    assert grouped.reveal_labels() == (LABEL,)


def test_rows_are_as_hidden_as_what_they_were_made_of():
    rows = here({0: SECRET}).reshape_by_group()
    assert not holds_the_secret((repr(rows), dataclasses.astuple(rows)))


def test_it_does_not_change(exact):
    for name in ("l1", "_reveal", "more"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(exact, name, 0)


def test_two_of_them_are_never_compared_by_their_numbers(exact):
    other = Exact(1, 1, 1.0, np.array([SECRET, 5]), (LABEL, "B"))
    assert exact != other
    assert hash(exact) != hash(other)


def test_a_plain_dataclass_would_be_noticed():
    @dataclasses.dataclass(frozen=True)
    class Plain:
        l1: int
        _values: np.ndarray = dataclasses.field(repr=False)

    plain = Plain(1, np.array([SECRET, 5]))
    assert holds_the_secret(vars(plain))
    assert holds_the_secret(dataclasses.asdict(plain))
    assert not holds_the_secret(plain)


def test_a_public_crowd_joins_the_cells_of_each_row():
    exact = Exact(2, 4, 0.5, np.array([[1, 2], [3, 4]]))
    joined = exact.with_pseudocounts(np.array([10, 0]))
    assert joined.reveal().tolist() == [[21, 2], [23, 4]]
    assert exact.reveal().tolist() == [[1, 2], [3, 4]]
    assert (joined.l1, joined.l2_squared, joined.step) == (2, 4, 0.5)


def test_no_crowd_is_too_large_to_add():
    exact = Exact(2**30, 2**60, 1.0, np.array([2**62 - 1]))
    assert exact.with_pseudocounts(np.array([10**18])).reveal().tolist() == [2**62 - 1 + 2**60]


@st.composite
def ranges(draw: st.DrawFn) -> tuple[Integers, Integers]:
    """Ranges that do not overlap, some of them empty, in any order, from before to beyond."""
    cuts = draw(st.lists(st.integers(-3, 70), min_size=2, max_size=12))
    pairs = [pair for pair in pairwise(sorted(cuts)) if draw(st.booleans())]
    pairs = draw(st.permutations(pairs + [(cut, cut) for cut in cuts[:2]]))
    return integers(first for first, _ in pairs), integers(end for _, end in pairs)


amounts = st.one_of(st.integers(0, 9), st.integers(2**61, MOST), st.just(MOST))
maps = st.dictionaries(st.integers(0, 63), amounts, max_size=20)


@given(cells=maps, asked=ranges())
@settings(max_examples=200)
def test_sums_of_ranges_are_the_same_wherever_the_numbers_lie(cells, asked):
    found, expected = (exact.reveal_between(*asked) for exact in (here(cells), elsewhere(cells)))
    assert found.dtype == np.int64
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "broken",
    [
        lambda parts: (parts[0] << 31) + parts[-1] if len(parts) > 1 else parts[0],
        lambda parts: parts[0] + 1,
    ],
    ids=["wraps around", "is one too many"],
)
def test_a_twin_that_adds_otherwise_is_noticed(monkeypatch, broken):
    monkeypatch.setattr(module, "_join_halves", broken)
    with pytest.raises(AssertionError):
        test_sums_of_ranges_are_the_same_wherever_the_numbers_lie()


def test_cells_that_are_all_listed_are_numbered_in_their_order():
    exact = Exact(1, 1, 1.0, np.arange(12).reshape(3, 4))
    asked = integers([-5, 4, 11]), integers([2, 8, 99])
    assert exact.reveal_between(*asked).tolist() == [1, 22, 11]


def test_ranges_among_2_to_the_40_cells_are_told_apart():
    cells = {0: 1, 2**40 - 2: 2, 2**40 - 1: 4}
    asked = integers([0, 1, 2**40 - 1]), integers([1, 2**40 - 1, 2**40])
    assert here(cells).reveal_between(*asked).tolist() == [1, 2, 4]


def test_a_crowd_joins_the_cells_that_are_listed_and_is_found_in_their_ranges():
    joined = here({4: 1, 9: 2}).with_pseudocounts(integers([10, 20]))
    assert joined.reveal_between(integers([0, 9]), integers([9, 10])).tolist() == [11, 22]


def test_cells_are_merged_and_a_unit_moves_no_more_in_sum():
    before = Exact(4, 4, 0.5, np.arange(8).reshape(2, 4))
    merged = before.merge_cells(integers([0, 0, 2, 0]), 3)
    assert merged.reveal().tolist() == [[4, 0, 2], [16, 0, 6]]
    # Four steps in four cells have a squared length of 4, and in one of 16.
    assert (merged.l1, merged.l2_squared, merged.step) == (4, 16, 0.5)


def test_cells_that_are_merged_never_leave_sixty_four_bits():
    most = 2**62 - 1
    crowded = Exact(1, 1, 1.0, np.array([[most, most, most, 2**61, 2**60, 5]]))
    assert crowded.merge_cells(integers([0, 0, 0, 1, 1, 2]), 3).reveal().tolist() == [
        [most, 2**61 + 2**60, 5]
    ]

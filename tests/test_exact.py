import copy
import dataclasses
import json
import pickle
import pprint
import traceback

import numpy as np
import pytest

from sfumato.exact import Exact

SECRET = 987_654_321
LABEL = "CANARY-7f3a"


@pytest.fixture
def exact() -> Exact:
    return Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([SECRET, 5]), _labels=(LABEL, "B"))


def holds_the_secret(text: object) -> bool:
    return str(SECRET) in str(text) or LABEL in str(text)


def test_mechanisms_can_open_it(exact):
    assert exact.reveal().tolist() == [SECRET, 5]
    assert exact.reveal_labels() == (LABEL, "B")
    assert Exact(1, 1, 1.0, np.array([3])).reveal_labels() == ()


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
    grouped = Exact(3, 5, 0.5, values, (LABEL,)).by_group()
    assert grouped.reveal().shape == rows
    assert grouped.reveal().ravel().tolist() == values.ravel().tolist()
    assert (grouped.l1, grouped.l2_squared, grouped.step) == (3, 5, 0.5)
    assert grouped.reveal_labels() == (LABEL,)


def test_rows_are_as_hidden_as_what_they_were_made_of(exact):
    assert not holds_the_secret((repr(exact.by_group()), dataclasses.astuple(exact.by_group())))


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
    joined = exact.joined_by(np.array([10, 0]))
    assert joined.reveal().tolist() == [[21, 2], [23, 4]]
    assert exact.reveal().tolist() == [[1, 2], [3, 4]]
    assert (joined.l1, joined.l2_squared, joined.step) == (2, 4, 0.5)


def test_no_crowd_is_too_large_to_add():
    exact = Exact(2**30, 2**60, 1.0, np.array([2**62 - 1]))
    assert exact.joined_by(np.array([10**18])).reveal().tolist() == [2**62 - 1 + 2**60]

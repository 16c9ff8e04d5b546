"""What a participant sends: rounded once, noisy, in shares that say nothing alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from distributed.people import plane, protocol
from sfumato.distributed.client import (
    Client,
    Messages,
    round_weights,
    split_into_shares,
    sum_by_square,
)
from sfumato.errors import DomainError, SfumatoError
from sfumato.plane import interleave
from sfumato.testing import seeded

RARE = 1e-6


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=40),
    st.integers(0, 500),
    st.integers(1, 300),
    st.integers(0, 10**9),
)
def test_rounding_keeps_every_run_to_less_than_a_step_and_never_exceeds_the_scaling(
    weights, outside, scaling, chance
):
    whole = sum(weights) + outside
    steps = round_weights(np.array(weights), whole, scaling, chance % max(whole, 1))
    assert (steps >= 0).all()
    assert steps.sum() <= scaling
    if outside == 0 and whole:
        assert steps.sum() == scaling
    if whole:
        run = np.cumsum(steps - scaling * np.array(weights) / whole)
        assert np.ptp(np.concatenate([[0.0], run])) < 1 + 1e-9


def test_rounding_is_right_on_average_and_rounding_down_is_not():
    weights, whole, scaling = np.array([1, 4, 2, 0, 6]), 17, 5
    every = [round_weights(weights, whole, scaling, offset) for offset in range(whole)]
    np.testing.assert_allclose(np.mean(every, axis=0), scaling * weights / whole)
    assert (scaling * weights // whole).sum() < scaling * weights.sum() / whole - 1


def test_levels_are_sums_of_one_rounding():
    asked = protocol()
    cells = asked.codes[-1]
    steps = np.arange(len(cells))
    fine = sum_by_square(cells, steps, cells)
    coarse = sum_by_square(cells >> 2, steps, asked.codes[-2])
    assert np.array_equal(fine, steps)
    assert coarse.sum() == steps.sum()
    assert coarse[0] == steps[cells >> 2 == asked.codes[-2][0]].sum()


def test_shares_add_up_and_each_of_them_is_uniform():
    asked = protocol(scaling=2, wrong=0.4)
    noisy = np.tile(np.array([0, -3, 5]), 3000)
    words = split_into_shares(noisy, asked)
    shares = (words & np.uint64(asked.modulus - 1)).astype(np.int64).reshape(-1, asked.shares)
    numbers = (words >> np.uint64(asked.modulus_bits)).reshape(-1, asked.shares)
    assert np.array_equal(shares.sum(axis=1) % asked.modulus, noisy % asked.modulus)
    assert (numbers == np.arange(len(noisy), dtype=np.uint64)[:, None]).all()
    for place in range(asked.shares):
        for value in range(3):
            column = shares[value::3, place] * 8 // asked.modulus
            assert stats.chisquare(np.bincount(column, minlength=8)).pvalue > RARE
    # A share that was left unmasked would be noticed.
    bare = noisy[2::3] % asked.modulus * 8 // asked.modulus
    assert stats.chisquare(np.bincount(bare, minlength=8)).pvalue < RARE


def test_all_but_one_of_the_shares_say_nothing():
    asked = protocol(scaling=2, wrong=0.4)
    words = split_into_shares(np.full(4000, 3), asked)
    shares = (words & np.uint64(asked.modulus - 1)).astype(np.int64).reshape(-1, asked.shares)
    most = np.delete(shares, 2, axis=1).sum(axis=1) % asked.modulus * 8 // asked.modulus
    assert stats.chisquare(np.bincount(most, minlength=8)).pvalue > RARE
    every = shares.sum(axis=1) % asked.modulus * 8 // asked.modulus
    assert stats.chisquare(np.bincount(every, minlength=8)).pvalue < RARE


@pytest.mark.parametrize("changed", [{}, {"scaling": 300}, {"participants": 60}])
def test_what_a_participant_sends_is_what_the_protocol_states(changed):
    asked = protocol(**changed)
    sent = Client(asked).encode([(0.5, 0.5)])
    packed = sent.pack(asked)
    assert len(sent) == asked.messages_per_user == asked.coordinates * asked.shares
    assert len(packed) == asked.bytes_per_user == -(-len(sent) * asked.bits_per_message // 8)
    assert int(sent.words.max()) < 2**asked.bits_per_message
    assert np.array_equal(Messages.unpack(packed, asked, private=True).words, sent.words)
    with pytest.raises(SfumatoError, match="bytes"):
        Messages.unpack(packed[:-1], asked, private=True)


def test_the_number_of_messages_does_not_depend_on_what_is_held():
    asked = protocol()
    client = Client(asked)
    held = [[], [(1.0, 1.0)], [(float("nan"), 2.0), (99.0, -1.0)], np.full((500, 2), 2.5)]
    assert {len(client.encode(points)) for points in held} == {asked.messages_per_user}


@pytest.fixture
def silent(monkeypatch):
    """No noise, so that what a client rounded can be read from its shares."""
    from sfumato.distributed.noise_part import NoisePart

    monkeypatch.setattr(NoisePart, "draw", lambda self, count: np.zeros(count, dtype=np.int64))

    def read(asked, messages):
        words = messages.words.reshape(asked.coordinates, asked.shares)
        return (words & np.uint64(asked.modulus - 1)).sum(axis=1).astype(np.int64) % asked.modulus

    return read


def finest(asked, steps):
    return dict(zip(asked.codes[-1].tolist(), steps[-len(asked.codes[-1]) :].tolist(), strict=True))


def test_points_lie_in_their_cells_and_share_one_mass(silent):
    asked = protocol()
    points = [(0.0, 0.0), (6.0, 4.0), (1.5, 0.5), (1.2, 0.9)]
    steps = finest(asked, silent(asked, Client(asked).encode(points)))
    code = interleave(np.array([0, 5, 1]), np.array([0, 3, 0]))
    assert [steps[int(each)] for each in code] == [2, 2, 4]
    assert sum(steps.values()) == asked.scaling


def test_points_outside_take_their_share_and_are_counted_where_the_plane_says(silent):
    points = [(0.5, 0.5), (np.inf, -7.0), (np.nan, 0.5), (0.5, 0.5)]
    dropped = protocol()
    assert finest(dropped, silent(dropped, Client(dropped).encode(points)))[0] == 4
    base = plane()
    edged = protocol(plane=type(base)(base.x, base.y, "edge"))
    steps = finest(edged, silent(edged, Client(edged).encode(points)))
    corner = int(interleave(np.array([5]), np.array([0]))[0])
    assert (steps[0], steps[corner], sum(steps.values())) == (4, 2, 6)


@pytest.mark.parametrize("scale", [0.25, 1.0, 1e300, np.inf, -1.0, np.nan])
def test_masses_are_scaled_down_to_one_and_never_up(scale, silent):
    asked = protocol()
    masses = np.zeros((4, 6))
    masses[1, 2] = masses[3, 5] = scale
    steps = silent(asked, Client(asked).encode_masses(masses))
    whole = steps[-len(asked.codes[-1]) :].sum()
    assert whole == {0.25: 4, 1.0: 8, 1e300: 8}.get(scale, 0)


@given(st.lists(st.floats(), min_size=24, max_size=24))
def test_no_masses_weigh_more_than_one_participant(values):
    from sfumato.distributed import client

    asked, found = protocol(), []
    original = client.round_weights

    def spy(weights, whole, scaling, offset):
        found.append(original(weights, whole, scaling, offset))
        return found[-1]

    client.round_weights = spy
    try:
        Client(asked).encode_masses(np.array(values).reshape(4, 6))
    finally:
        client.round_weights = original
    assert 0 <= found[0].sum() <= asked.scaling
    assert (found[0] >= 0).all()


@pytest.mark.parametrize("points", [["secret"], [[1, 2, 3]], [1, 2], "secret", [[1, "secret"]]])
def test_what_is_no_list_of_points_is_refused_without_a_value(points):
    with pytest.raises(DomainError) as refusal:
        Client(protocol()).encode(points)
    assert str(refusal.value).count(". ") == 2
    assert "secret" not in str(refusal.value)
    assert refusal.value.__cause__ is None and refusal.value.__context__ is None
    with pytest.raises(DomainError):
        Client(protocol()).encode_masses(np.zeros((6, 4)))


def test_simulated_messages_repeat_and_say_that_they_are_not_private():
    with seeded(4):
        one = Client(protocol()).encode([(1, 1)])
    with seeded(4):
        two = Client(protocol()).encode([(1, 1)])
    assert np.array_equal(one.words, two.words)
    assert not one.private
    real = Client(protocol()).encode([(1, 1)])
    assert real.private
    assert "1" not in repr(real).replace(str(len(real)), "")


def test_a_number_too_large_for_a_float_is_refused_without_a_word_of_it():
    asked = protocol()
    with pytest.raises(DomainError) as refusal:
        Client(asked).encode([[10**400, 0]])
    assert "000" not in str(refusal.value) and refusal.value.__context__ is None

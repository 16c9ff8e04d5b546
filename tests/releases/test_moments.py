import math
from dataclasses import replace

import numpy as np
import pytest

from releases.analysed import cloud, cut, exact_sums, lattice, noisy_sums, released
from sfumato.lattice import LENGTH, SHARES, Moments
from sfumato.releases.forms import form
from sfumato.releases.pca.moments import NoisyMoments

GRID = lattice(4)
ASKED = Moments(GRID, (1000, -2000, 3, 0), 250_000.0, 700)
FORM = form(NoisyMoments)
TABLE = cloud(np.random.default_rng(5), 300, 4)


def truth(asked, table):
    """Number, sum and outer products of the rows in scaled units, cut but not rounded."""
    steps = np.rint((np.clip(table, -8, 8) - GRID.middles) * GRID.factors) - np.array(asked.origin)
    lengths = np.sqrt((steps**2).sum(axis=1, keepdims=True))
    rows = steps * np.minimum(1, asked.radius / np.maximum(lengths, 1)) * GRID.unit
    return len(rows), rows.sum(axis=0), rows.T @ rows


@pytest.mark.parametrize("shared", [False, True])
def test_sums_are_those_of_the_rows_in_scaled_units(shared):
    exact = exact_sums(ASKED, TABLE) * (SHARES if shared else 1)
    sums = released(ASKED, exact, 1.0, shared=shared).sums(GRID)
    count, first, second = truth(ASKED, TABLE)
    assert sums.count == pytest.approx(count)
    assert 0 < (np.linalg.norm(cut(ASKED, TABLE), axis=1) > ASKED.reach - 2).sum() < count
    # One whole number is worth radius / reach, and each coordinate is off by at most half of it.
    worth = ASKED.radius / ASKED.reach * GRID.unit
    assert np.abs(sums.first - first).max() <= worth / 2 * count
    assert np.abs(sums.first - first).max() <= 0.01 * np.abs(first).max()
    assert sums.second == pytest.approx(second, abs=0.002 * np.trace(second))


def test_a_wrong_worth_of_one_whole_number_would_be_noticed():
    exact = exact_sums(ASKED, TABLE)
    wrong = replace(ASKED, radius=ASKED.radius * 1.02)
    sums = replace(released(ASKED, exact, 1.0), radius=wrong.radius).sums(GRID)
    _, first, second = truth(ASKED, TABLE)
    assert np.abs(sums.first - first).max() > 0.01 * np.abs(first).max()
    assert sums.second != pytest.approx(second, abs=0.002 * np.trace(second))


def test_the_length_of_the_longest_rows_is_not_lost_to_rounding():
    far = np.full((1, 4), 8.0)
    sums = released(ASKED, exact_sums(ASKED, far), 1.0).sums(GRID)
    assert np.trace(sums.second) == pytest.approx((ASKED.radius * GRID.unit) ** 2, rel=2 / LENGTH)


@pytest.mark.parametrize("shared", [False, True])
def test_the_noise_stated_is_that_of_the_sums(shared):
    generator = np.random.default_rng(8)
    scale = 3e6 * (SHARES if shared else 1)
    exact = exact_sums(ASKED, TABLE) * (SHARES if shared else 1)
    without = released(ASKED, exact, scale, shared=shared).sums(GRID)
    draws = [
        noisy_sums(ASKED, TABLE, scale, generator, shared=shared).sums(GRID) for _ in range(2000)
    ]
    along = np.array([0.1, -0.7, 0.7, 0.1])
    errors = {
        "noise_count": [each.count - without.count for each in draws],
        "noise_first": [each.first[2] - without.first[2] for each in draws],
        "noise": [along @ (each.second - without.second) @ along for each in draws],
    }
    for name, values in errors.items():
        assert np.std(values) / getattr(without, name) == pytest.approx(1, abs=0.08)


def test_the_stated_noise_grows_with_the_scale_alone():
    exact = exact_sums(ASKED, TABLE)
    one, two = (released(ASKED, exact, scale).sums(GRID) for scale in (1.0, 2.0))
    for name in ("noise", "noise_first", "noise_count"):
        assert getattr(two, name) == 2 * getattr(one, name)
    assert one.noise_first / one.noise == pytest.approx(
        ASKED.reach / (ASKED.radius * GRID.unit * ASKED.constant * math.sqrt(2))
    )


def test_sums_are_rebuilt_from_plain_values_to_the_bit():
    sums = noisy_sums(ASKED, TABLE, 1e6 / 3, np.random.default_rng(1))
    assert FORM.read(FORM.write(sums)) == sums


MALFORMED = {
    "a matrix too small": {"matrix": [1] * 14},
    "a matrix too large": {"matrix": [1] * 16},
    "a number that is no integer": {"matrix": [1.0] * 15},
    "an integer of too many bits": {"matrix": [2**64] * 15},
    "no noise": {"scale": 0.0},
    "noise below zero": {"scale": -1.0},
    "noise without end": {"scale": math.inf},
    "a step of its own": {"step": 0.5},
    "no step": {"step": 0.0},
    "an origin between points": {"origin": [0.5, 0, 0, 0]},
    "a radius in words": {"radius": "1"},
    "a flag for a constant": {"constant": True},
}


@pytest.mark.parametrize("changes", MALFORMED.values(), ids=MALFORMED)
def test_sums_that_were_changed_by_hand_are_refused(changes):
    plain = FORM.write(released(ASKED, exact_sums(ASKED, TABLE), 1.0))
    FORM.read(plain)
    with pytest.raises(ValueError, match=r"\.$"):
        FORM.read(plain | changes)


@pytest.mark.parametrize(
    "changes",
    [{"radius": 0.5}, {"radius": 2.0**30}, {"constant": 0}, {"constant": LENGTH + 1}],
    ids=str,
)
def test_sums_that_no_question_has_for_an_answer_are_refused(changes):
    sums = replace(released(ASKED, exact_sums(ASKED, TABLE), 1.0), **changes)
    with pytest.raises(ValueError, match="radius"):
        sums.asked(GRID)

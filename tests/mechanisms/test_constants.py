"""Each constant that an argument needs, held from the side that hurts: see the tables there."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato import exact, lattice
from sfumato.charts.pca import analysis as summing
from sfumato.engines import sums as tally
from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.mechanisms import joint, noise, partition, stability, survey
from sfumato.mechanisms.ranks import paths as balance
from sfumato.mechanisms.ranks import paths as chain
from sfumato.mechanisms.ranks import profile
from sfumato.mechanisms.ranks import profile as halves
from sfumato.mechanisms.ranks import profile as stretch
from sfumato.mechanisms.ranks.profile import RankProfile
from sfumato.plane import MOST_STEPS
from sfumato.privacy import budget as conversion
from sfumato.privacy.guarantee import SHARED_STEPS

LEVELS = range(1, joint.MOST_LEVELS + 1)
TAU = 2.0**-90  # of the mass, which all that is left out has at most
HIDDEN = 2.0**-30  # of the uniform draw, which each sequence left out has at most
ULP = 2.0**-53


def log_sequences(levels: int) -> float:
    """How many rising sequences of positions there are at most, as a logarithm."""
    return levels * math.log(joint.MOST_CELLS * profile.POSITIONS)


def log_mass(levels: int) -> float:
    """What all sequences weigh together at least: one of them misses no target by much."""
    apart = profile.MOST_UNITS / profile.POSITIONS
    return -joint.LARGEST_EPSILON / 2 * levels * apart


def least_exponent(levels: int) -> float:
    """The exponent of a sequence that is left out: by its ranks, or by the size that suits it."""
    by_rank = 2 * chain.reach(levels) - balance.PITCH / 2
    return min(by_rank, balance.PITCH * balance.count_tried_sizes(levels))


def terms(levels: int) -> float:
    """How many states there are at most: gaps, occupied cells, and slices of heavy ones."""
    wide = 2 * chain.reach(levels) + joint.LARGEST_EPSILON / 2
    return 2 * joint.MOST_CELLS + 1 + levels * wide * chain.SLICES


def rounding(levels: int) -> float:
    """By which factor, less 1, floats may change the probability of a sequence."""
    sums = (levels + 1) * terms(levels) * ULP
    return sums + 2.0**-40 + (levels + 1) * 2.0**-47


@pytest.mark.parametrize("levels", LEVELS)
def test_each_sequence_left_out_is_hidden_below_the_uniform_draw(levels: int) -> None:
    had = -least_exponent(levels) - log_mass(levels)
    given = -math.log(joint.UNIFORM) - log_sequences(levels)
    assert had <= given + math.log(HIDDEN)


@pytest.mark.parametrize("levels", LEVELS)
def test_all_sequences_left_out_have_hardly_any_mass_together(levels: int) -> None:
    together = log_sequences(levels) - least_exponent(levels) - log_mass(levels)
    assert together <= math.log(TAU)


@pytest.mark.parametrize("levels", LEVELS)
def test_what_is_set_aside_pays_for_floats_and_for_what_is_left_out(levels: int) -> None:
    assert rounding(levels) <= 2.0**-26
    # Numerator and normaliser, of either neighbour.
    floats = 4 * rounding(levels)
    left_out = math.log1p(2 * TAU) + math.log1p(HIDDEN)
    assert floats + left_out <= joint.ROUNDING


@pytest.mark.parametrize("levels", LEVELS)
def test_weights_that_count_stay_within_the_range_of_floats(levels: int) -> None:
    lightest = 2 * chain.reach(levels) / math.log(2) + levels * math.log2(profile.POSITIONS)
    assert lightest < 1022
    assert levels * terms(levels) <= 2**27  # floors of `Chance.pick`


@pytest.mark.parametrize("more", [1, 2])
def test_only_what_the_constants_hold_for_is_drawn(more: int) -> None:
    assert joint.compute_usable_epsilon(Fraction(10**6), 1) == joint.LARGEST_EPSILON
    cells = joint.MOST_CELLS + more
    counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.zeros((1, cells), dtype=np.int64))
    with pytest.raises(DomainError, match="too many for one group"):
        joint.check(counts, [Fraction(1, 2)], None)


def test_ranks_of_a_heavy_cell_lie_within_the_span_that_is_lifted() -> None:
    """Their middles are differences of large numbers, and `stretch` counts their rounding."""
    generator = np.random.default_rng(5)
    wrong = 0
    for _ in range(40):
        counts = generator.integers(profile.MOST_UNITS // 2, profile.MOST_UNITS, 3)
        one = RankProfile(0, 3, 1, np.arange(3), counts)
        target = Fraction(int(counts.sum()) * int(generator.integers(1, 999)), 1000)
        states = stretch.gather_stretch(one, target, -200.0, 200.0, pitch=1 / 256)
        for state in generator.integers(0, states.rank.size, 20).tolist():
            index, low, high = states.piece[state] // 2, states.low[state], states.high[state] - 1
            ends = [one.rank(int(index), int(at)) - target for at in (low, high)]
            away = max(abs(end - Fraction(states.rank[state])) for end in ends)
            assert away <= Fraction(states.half[state])
            wrong += away > Fraction(states.half[state] - counts[index] * stretch.ROUNDING)
    assert wrong > 100  # without what is added for rounding, that many would not be covered


def test_noise_leaves_64_bits_about_as_often_as_it_is_said() -> None:
    largest = max(tally.CAP, exact._MOST, partition._MOST)
    assert largest < 2**62
    assert (2**63 - largest) / noise.LARGEST_SCALE > 127  # e^-127, in noise.md
    assert (tally.CAP - summing._ROOM) / noise.LARGEST_SCALE >= 63  # no sum that was cut passes


def test_sums_never_wrap_around() -> None:
    assert tally.CAP + tally._MOST_ROWS * tally.MOST_EACH < 2**63
    assert SHARED_STEPS <= tally.MOST_EACH and MOST_STEPS <= tally.MOST_EACH
    assert exact._MOST + exact._LARGEST_CROWD * SHARED_STEPS < 2**63
    for half in (halves.HALF, exact._HALF):  # of each of 2^32 cells
        assert 2**32 * max(2**half - 1, tally.CAP >> half) < 2**63


def test_points_of_a_lattice_are_exact_in_floats() -> None:
    assert lattice.MOST_COLUMNS * (2 * lattice.REACH) ** 2 < 2**53  # moments.md, step 1
    lightest = lattice.LENGTH - (math.isqrt(lattice.MOST_COLUMNS - 1) + 1) / 2 - 2**-10
    assert lightest > lattice.LENGTH / 2  # else rows would be cut for want of room to round


def test_margins_cover_what_decimals_lose() -> None:
    # Logarithms of numbers down to 1e-308 cancel fewer than 20 digits.
    assert Fraction(10) ** (20 - conversion._PRECISE.prec) <= conversion._MARGIN
    # A chance down to 1e-30 is 1 less nearly 1, and times up to 2^20 rows: stability.md.
    lost = 10 + math.ceil(-stability._NEGLIGIBLE.log10())
    assert Fraction(10) ** (lost - stability._PRECISE.prec) <= stability._MARGIN - 1
    # The union bound stands in below that, and is an upper bound whatever its size.
    assert 0 < stability._FLOOR < Fraction(1, 10**999)


def test_every_ask_of_a_survey_has_its_bit() -> None:
    assert survey.MOST_ASKS < 63

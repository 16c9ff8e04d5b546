"""The closed forms are checked against sums over a lattice of gaps, which know only the score."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato.exact import Exact
from sfumato.mechanisms.joint import joint
from sfumato.postprocess.rank_error import RankError, Score
from sfumato.testing import metered, seeded

PITCH = 0.6


def lattice(score: Score):
    """Return the rank errors of first quartile and median at ε = 1, with their probabilities."""
    axis = np.arange(-30, 30 + PITCH / 2, PITCH)
    h1, h2, h3 = np.meshgrid(axis, axis, axis, indexing="ij")
    gaps = np.sort(np.stack([h1, h2, h3, -h1 - h2 - h3]), axis=0)
    if score == "balanced":
        exponent = (gaps[3] + gaps[2] - gaps[1] - gaps[0]) / 2
    else:
        exponent = np.abs(gaps).sum(axis=0) / 3
    weight = np.exp(-exponent)
    return h1, h1 + h2, weight / weight.sum()


@pytest.mark.parametrize("score", ["balanced", "published"])
def test_the_laws_are_those_of_the_scores(score: Score):
    quartile, median, chance = lattice(score)
    error = RankError(1.0, score)
    assert error.quartile_mean == pytest.approx(float((abs(quartile) * chance).sum()), rel=0.02)
    assert error.median_mean == pytest.approx(float((abs(median) * chance).sum()), rel=0.02)
    for radius in (0.5, 2.1, 5.1, 8.1):  # half-way between two points of the lattice
        off = PITCH * (round(radius / PITCH - 0.5) + 0.5)
        beyond = [float(chance[abs(rank) > off].sum()) for rank in (quartile, median)]
        assert error.quartile_miss(off) == pytest.approx(beyond[0], rel=0.05, abs=0.003)
        assert error.median_miss(off) == pytest.approx(beyond[1], rel=0.05, abs=0.003)


def test_the_lattice_tells_the_scores_apart():
    quartile, median, chance = lattice("published")
    error = RankError(1.0, "balanced")
    assert error.quartile_mean < 0.8 * float((abs(quartile) * chance).sum())
    assert error.median_mean < 0.8 * float((abs(median) * chance).sum())


@pytest.mark.parametrize("score", ["balanced", "published"])
def test_a_radius_holds_as_often_as_it_says(score: Score):
    error = RankError(0.3, score)
    for level in (0.5, 0.95, 0.999):
        assert error.median_miss(error.median_radius(level)) == pytest.approx(1 - level)
        assert error.quartile_miss(error.quartile_radius(level)) == pytest.approx(1 - level)
    assert error.median_miss(0) == pytest.approx(1) == error.quartile_miss(0)


def test_twice_the_budget_halves_every_error():
    once, twice = RankError(0.4), RankError(0.8)
    assert once.median_radius(0.95) == pytest.approx(2 * twice.median_radius(0.95))
    assert once.quartile_mean == 2 * twice.quartile_mean


@pytest.mark.parametrize("score", ["balanced", "published"])
def test_the_mechanism_errs_as_foretold(score: Score):
    counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.full((400, 1000), 4))
    levels = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    with seeded(3):
        cells = metered(joint, counts, levels=levels, epsilon=Fraction(1, 10), score=score).values
    observed = abs(4 * (cells + 0.5) - [1000, 2000, 3000]).mean(axis=0)
    error = RankError(0.1, score)
    foretold = np.array([error.quartile_mean, error.median_mean, error.quartile_mean])
    assert (abs(observed / foretold - 1) < 0.2).all()

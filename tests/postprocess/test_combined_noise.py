"""The law of combined noise is exact, and its weights lose nothing that could be kept."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.postprocess.combined_noise import (
    MOST_TERMS,
    CombinedNoise,
    NoiseTerm,
    choose_weights,
    combine_noise,
    match_scale,
)
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost

SAMPLES = [
    ((1, "laplace", 2.0), (1, "laplace", 2.0)),
    ((3, "laplace", 1.5), (1, "gaussian", 4.0)),
    ((5, "gaussian", 0.7), (2, "gaussian", 3.3)),
    ((1, "laplace", 0.2), (7, "laplace", 0.3)),
    ((2, "gaussian", 0.2), (3, "gaussian", 0.2), (4, "laplace", 1.0)),
]


def law(*terms) -> CombinedNoise:
    return CombinedNoise(tuple(NoiseTerm(*term) for term in terms))


def one(term: NoiseTerm) -> dict[int, float]:
    reach = math.ceil((60 if term.kind == "laplace" else 12) * term.scale) + 5
    weigh = {
        "laplace": lambda z: abs(z) / term.scale,
        "gaussian": lambda z: (z / term.scale) ** 2 / 2,
    }
    weights = {z: math.exp(-weigh[term.kind](z)) for z in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return {term.weight * z: weight / total for z, weight in weights.items()}


def listed(noise: CombinedNoise) -> dict[int, float]:
    """Add up every way in which the noises can fall."""
    sums = {0: 1.0}
    for term in noise.terms:
        more: dict[int, float] = {}
        for (place, mass), (z, part) in product(sums.items(), one(term).items()):
            more[place + z] = more.get(place + z, 0.0) + mass * part
        sums = more
    return sums


@pytest.mark.parametrize("terms", SAMPLES)
def test_the_law_is_that_of_all_ways_to_add_up(terms):
    noise, exact = law(*terms), listed(law(*terms))
    assert noise.variance == pytest.approx(sum(z * z * p for z, p in exact.items()), rel=1e-9)
    for radius in (0, 1, 2, 5, 13, 40):
        beyond = math.fsum(p for z, p in exact.items() if abs(z) > radius)
        assert 0 <= noise.miss(radius) - beyond < 2e-12


@pytest.mark.parametrize("terms", SAMPLES)
@pytest.mark.parametrize("cells", [1, 20, 10**6])
def test_the_radius_is_the_smallest_that_covers(terms, cells):
    noise = law(*terms)
    radius = noise.radius(0.95, cells=cells)
    assert noise.coverage(radius) ** cells >= 0.95 - 1e-9
    assert radius == 0 or noise.coverage(radius - 1) ** cells < 0.95


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [5e3, 2.0**14, 2.0**14 + 1, 2.0**30, 2.0**50])
def test_a_coarser_lattice_gives_nothing_away_but_a_hair(kind, scale):
    """Of continuous laws the tails are known; a lattice of thousands of steps is near them."""
    noise = law((1, kind, scale), (3, kind, scale / 4))
    deviation = math.sqrt(noise.variance)
    tails = {"laplace": laplace_tail, "gaussian": gaussian_tail}[kind]
    for far in (0.5, 1.0, 2.0, 3.0, 5.0):
        true = tails(far * deviation, scale, 3 * scale / 4)
        assert -1e-6 < noise.miss(round(far * deviation)) - true < 3e-3 * true + 1e-6


def laplace_tail(far: float, first: float, second: float) -> float:
    heavy, light = first**2 * math.exp(-far / first), second**2 * math.exp(-far / second)
    return (heavy - light) / (first**2 - second**2)


def gaussian_tail(far: float, first: float, second: float) -> float:
    return math.erfc(far / math.hypot(first, second) / math.sqrt(2))


def test_a_coarser_lattice_never_covers_less_than_it_states():
    """The same law, listed finely by hand and coarsely by the code."""
    noise = law((1, "laplace", 3000.0), (1, "laplace", 3000.0))
    assert noise._grain > 1
    q = math.exp(-1 / 3000)
    places = np.arange(200_000)
    # Of two equal Laplace noises: P(z) = ((1 − q)/(1 + q))² q^|z| (|z| + (1 + q²)/(1 − q²)).
    masses = ((1 - q) / (1 + q)) ** 2 * q**places * (places + (1 + q * q) / (1 - q * q))
    for radius in (0, 100, 1000, 7000, 12_000, 30_000):
        beyond = 2 * float(masses[radius + 1 :].sum())
        assert beyond <= noise.miss(radius) <= beyond * 1.002 + 1e-9


def test_draws_have_the_stated_variance():
    noise = law((3, "laplace", 1.5), (1, "gaussian", 4.0))
    drawn = noise.draw_sums(4, np.random.default_rng(1))
    assert drawn.var() / (4 * noise.variance) == pytest.approx(1, abs=0.03)


@given(st.floats(0.01, 1e12), st.floats(0.01, 1e12))
def test_rounded_weights_cost_next_to_no_accuracy(first, second):
    weights = choose_weights(first, second)
    whole = 2**weights.halvings
    assert weights.first + weights.second == whole
    variance = (weights.first**2 * first + weights.second**2 * second) / whole**2
    assert variance <= 1.0002 * first * second / (first + second)


def test_a_twin_with_swapped_weights_is_less_accurate():
    weights = choose_weights(1.0, 4.0)
    swapped = (weights.second**2 + 4 * weights.first**2) / 4**weights.halvings
    assert swapped > 3 * 0.8  # which is the least that could be had


def test_no_noise_has_weights_too():
    assert choose_weights(0.0, 0.0).halvings == 0
    assert choose_weights(0.0, 3.0).second == 0


def test_the_price_is_that_of_all_measurements():
    noise = law((1, "laplace", 2.0), (3, "laplace", 4.0))
    parts = [NoiseLaw("laplace", 2.0).cost(5), NoiseLaw("laplace", 4.0).cost(5)]
    assert noise.cost(5) == parts[0] + parts[1] + Cost.nothing()


GAUSSIAN = [(2.0, 2.0), (2.0, 3.0), (1.0, 10.0), (2.0**30, 1.7 * 2**30)]


@pytest.mark.parametrize("scales", GAUSSIAN)
def test_gaussian_noise_combines_without_loss(scales):
    noise = weighed("gaussian", *scales)
    assert noise.variance / noise.least_variance == pytest.approx(1, abs=2e-4)


@pytest.mark.parametrize(("ratio", "loss"), [(1, 2.0), (2, 1.8), (4, 1.4706), (50, 1.04)])
def test_laplace_noise_loses_up_to_a_factor_of_two(ratio, loss):
    noise = weighed("laplace", 2.0**20, ratio * 2.0**20)
    assert noise.variance / noise.least_variance == pytest.approx(loss, rel=2e-3)


def weighed(kind, first, second) -> CombinedNoise:
    laws = NoiseLaw(kind, first), NoiseLaw(kind, second)
    weights = choose_weights(laws[0].variance, laws[1].variance)
    noise = combine_noise(*laws, (weights.first, weights.second))
    assert noise is not None
    return noise


def test_noises_of_both_kinds_have_no_single_release_to_compare_with():
    assert law((1, "laplace", 2.0), (1, "gaussian", 2.0)).least_variance is None


def test_terms_are_few_and_have_weights():
    with pytest.raises(ValueError, match="two parts"):
        law((1, "laplace", 2.0))
    with pytest.raises(ValueError, match="weight"):
        law((1, "laplace", 2.0), (0, "laplace", 2.0))
    many = law(*(((1, "laplace", 2.0),) * MOST_TERMS))
    assert combine_noise(many, NoiseLaw("laplace", 2.0), (1, 1)) is None


@pytest.mark.parametrize("scale", [0.3, 2.0, 1e6])
def test_a_scale_matches_a_variance(scale):
    assert match_scale(NoiseLaw("laplace", scale).variance) == pytest.approx(scale)

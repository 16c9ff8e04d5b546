"""Two releases of one question become one, whose intervals, cost and guarantee are true."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import beta

import sfumato as sf
from releases.test_heatmap_release import EVERY, point
from releases.test_heatmap_release import release as heatmap
from releases.test_histogram_release import AGE, WARD, release
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import ReleaseError
from sfumato.postprocess.combined_noise import CombinedNoise, NoiseTerm
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document
from sfumato.releases.combining import combine
from sfumato.testing import city, measure_planned, seeded

OTHER = {"steps": (12, 1, 30)}
ROWS = PrivacyUnit.rows()


def gaussian(scale: float = 6.0, delta: float = 1e-6, **changes):
    return release(
        guarantee=Guarantee(1.0, delta, ROWS),
        cost=Cost.gaussian(1 / (2 * Fraction(scale) ** 2)),
        noise=NoiseLaw("gaussian", scale),
        **changes,
    )


def test_equal_measurements_are_averaged():
    both = combine(release(), release(**OTHER))
    assert both.counts.tolist() == [11, -1, 31.5]
    assert both.noise == CombinedNoise((NoiseTerm(1, "laplace", 2.0),) * 2)
    assert (both.step, both.steps) == (0.5, (22, -2, 63))


def test_the_less_noisy_one_weighs_more_by_inverse_variance():
    precise = gaussian(2.0, steps=(10, 10, 10))
    coarse = gaussian(2.0 * math.sqrt(3), steps=(14, 14, 14))
    both = combine(precise, coarse)
    assert both.counts.tolist() == [11, 11, 11]
    assert both.counts.tolist() == combine(coarse, precise).counts.tolist()


def test_costs_and_promises_add_up_and_can_be_loaded(tmp_path):
    both = combine(release(), release(**OTHER))
    assert both.cost == release().cost + release().cost
    assert (both.guarantee.epsilon, both.guarantee.delta) == (1.0, 0.0)
    assert sf.load(both.save(tmp_path / "both.json")) == both


def test_gaussian_promises_follow_from_the_summed_cost(tmp_path):
    both = combine(gaussian(), gaussian(**OTHER))
    assert both.cost.rho == 2 * gaussian().cost.rho
    assert both.guarantee.delta == 2e-6
    assert both.guarantee.epsilon < 2
    assert sf.load(both.save(tmp_path / "both.json")) == both


@pytest.mark.parametrize("scale", [0.6, 1.0, 4.0, 60.0, 2000.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-4])
def test_what_is_promised_is_believed_by_a_strict_reader(scale, delta):
    # Whatever the parts promise, the combination states what follows from its cost.
    both = combine(gaussian(scale, delta), gaussian(3 * scale, delta, **OTHER))
    assert document.read(both.to_dict()) == both


def test_noise_of_both_kinds_can_be_combined():
    both = combine(release(), gaussian(**OTHER))
    assert both.cost.epsilon is None
    assert document.read(both.to_dict()) == both


def test_a_twin_that_forgets_one_cost_is_not_believed():
    both = combine(release(), release(**OTHER))
    with pytest.raises(ReleaseError, match="changed by hand"):
        document.read(replace(both, cost=release().cost).to_dict())
    with pytest.raises(ReleaseError, match="changed by hand"):
        document.read(replace(both, guarantee=release().guarantee).to_dict())


def test_combinations_can_be_combined():
    three = combine(combine(release(), release(**OTHER)), release(steps=(5, 5, 5)))
    assert len(three.noise.terms) == 3
    assert three.noise.variance * three.step**2 == pytest.approx(8 / 3, rel=0.03)
    assert three.counts[0] == pytest.approx((10 + 12 + 5) / 3, rel=0.01)
    assert three.guarantee.epsilon == 1.5
    assert document.read(three.to_dict()) == three


def test_what_would_add_nothing_is_left_out_and_still_paid():
    coarse = release(noise=NoiseLaw("laplace", 2000.0), **OTHER)
    both = combine(release(), coarse)
    assert (both.steps, both.noise) == (release().steps, release().noise)
    assert both.cost == release().cost + coarse.cost
    assert document.read(both.to_dict()) == both


def test_a_simulated_part_makes_it_simulated():
    assert not combine(release(), release(private=False, **OTHER)).private
    assert combine(release(), release(**OTHER)).private


def test_the_caption_says_what_one_release_would_have_had():
    words = combine(release(), release(**OTHER)).caption()
    assert "Combined from 2 measurements" in words
    assert "deviation of 1.979 (1.357 in one at the summed cost)" in words
    assert "summed cost" not in combine(gaussian(), gaussian(**OTHER)).caption()


@pytest.mark.parametrize("stat", ["density", "proportion"])
def test_proportions_have_intervals_too(stat):
    parts = [release(stat=stat, steps=steps) for steps in ((100, 200, 300), (104, 190, 310))]
    wide, narrow = (each.uncertainty.pointwise for each in (parts[0], combine(*parts)))
    assert narrow.high[0] - narrow.low[0] < wide.high[0] - wide.low[0]


MANY = {"steps": (5,) * 6, "noise": NoiseLaw("laplace", 40.0)}
REFUSED = [
    (release(hue=WARD, **MANY), release(hue=WARD, **MANY), "one release twice"),
    (release(), release(x=replace(AGE, cells=4), steps=(1, 2, 3, 4)), "differ in x"),
    (release(), release(stat="density", **OTHER), "differ in stat"),
    (release(), release(hue=WARD, steps=(1, 2, 3, 4, 5, 6)), "differ in hue"),
    (
        release(),
        release(guarantee=Guarantee(0.5, 0.0, PrivacyUnit.users("a", max_rows=1)), **OTHER),
        "differ in unit",
    ),
    (release(), release(guarantee=Guarantee(0.5, 0.0, ROWS, 9), **OTHER), "differ in size"),
    (release(), heatmap(), "two questions"),
    (heatmap(), heatmap(noisy=(1,) * 7), "same squares"),
    (release(steps=(2**62,) * 3), release(steps=(2**62 + 1,) * 3), "64 bits"),
]


@pytest.mark.parametrize(
    ("first", "second", "words"), REFUSED, ids=[words for *_, words in REFUSED]
)
def test_two_questions_are_not_combined(first, second, words):
    with pytest.raises(ReleaseError, match=words):
        combine(first, second)


def test_equal_numbers_that_chance_may_make_are_two_releases():
    assert combine(release(), release()).counts.tolist() == release().counts.tolist()
    with pytest.raises(ReleaseError, match="one release twice"):
        combine(same := release(), same)


@pytest.mark.parametrize(("ask", "axis"), [(sf.quantiles, "x"), (sf.boxplot, "y")])
def test_chosen_numbers_are_not_averaged(ask, axis):
    asked = {axis: "age", "bounds": (0, 100), "budget": 1.0}
    pair = [ask(city(people=100), **asked) for _ in range(2)]
    with pytest.raises(ReleaseError, match="cannot be combined"):
        combine(*pair)


CELLS = {"x": "lon", "y": "lat", "resolution": 4, "outside": "edge"}
WINDOW = {"lon": (-30.1, -29.9), "lat": (44.94, 45.06)}


@pytest.mark.parametrize("top", [None, 0.25])
def test_maps_of_every_cell_are_combined_cell_by_cell(top, tmp_path):
    visits = sf.testing.checkins(people=300)
    pair = [
        sf.heatmap(visits, **CELLS, bounds=WINDOW, method="laplace", top=top, budget=budget)
        for budget in (1.0, 2.0)
    ]
    both = combine(*pair)
    assert (both.leaves.mass > 0).sum() <= (16 if top is None else 4)
    assert both.total == pytest.approx(float(both.leaves.mass.sum()))
    assert (both.noise.variance < pair[1].noise.variance).all()
    assert "Combined from 2 measurements" in both.caption()
    assert sf.load(both.save(tmp_path / "both.json")) == both
    assert both.save(tmp_path / "both.svg").stat().st_size > 500


def test_maps_of_one_level_are_combined_if_it_is_the_same():
    visits = sf.testing.checkins(people=400)
    levels: dict[int, list[sf.Release]] = {}
    while not any(len(found) == 2 for found in levels.values()):
        made = sf.heatmap(visits, **CELLS, bounds=WINDOW, method="dense", budget=1.0)
        levels.setdefault(made.leaves.mass.size, []).append(made)
    both = combine(*next(found for found in levels.values() if len(found) == 2))
    assert (both.leaves.mass >= 0).all()
    assert document.read(both.to_dict()) == both


def test_a_map_whose_noise_is_not_what_it_says_is_refused():
    both = combine(point(**EVERY, noisy=(7,)), point(**EVERY, noisy=(4,)))
    with pytest.raises(ValueError, match="as wide as it says"):
        replace(both, scale=(both.scale[0] / 2,))


DRAWS, CHANCE = 400, 1e-10
BINS = 25


def covered(pairs, swapped: bool = False) -> tuple[int, int, float]:
    """Return how many true counts intervals hold, of how many, and how many they promise."""
    truth = np.histogram([row["age"] for row in city(people=400).to_pylist()], BINS, (0, 100))[0]
    held = total = 0
    stated = 0.0
    for first, second in pairs:
        both = combine(first, second)
        if swapped:  # the law of the right weights, around the numbers of the wrong ones
            wrong = combine(replace(first, steps=second.steps), replace(second, steps=first.steps))
            both = replace(both, steps=wrong.steps)
        sure = both.uncertainty.pointwise
        held += int(((np.array(sure.low) <= truth) & (truth <= np.array(sure.high))).sum())
        total, stated = total + BINS, sure.coverage
    return held, total, stated


class Counted:
    """An engine that has counted already."""

    def __init__(self, exact):
        self._exact = exact

    def counts(self, keys, unit):
        return self._exact


@cache
def drawn_pairs(budgets):
    """Releases of one table, which is counted once."""
    chart, rows = sf.Histogram("age", bins=BINS), sf.PrivacyUnit.rows()
    plans = [chart.plan(sf.Domain(age=(0, 100)), rows, sf.Budget.of(each)) for each in budgets]
    counted = Counted(DuckEngine(city(people=400)).counts(list(plans[0].axes), rows))
    with seeded(7):
        return [
            tuple(measure_planned(chart, counted, plan) for plan in plans) for _ in range(DRAWS)
        ]


BUDGETS = {
    "laplace": (0.4, 1.0),
    "gaussian": (sf.Budget(1, 1e-6), sf.Budget(2.5, 1e-6)),
    "both": (0.4, sf.Budget(2.5, 1e-6)),
}


@pytest.mark.parametrize("budgets", BUDGETS.values(), ids=BUDGETS)
def test_intervals_cover_what_they_state_and_no_less(budgets):
    """Draws are seeded; the bounds are exact ones for 10,000 independent trials, at 1e-10."""
    held, total, stated = covered(drawn_pairs(budgets))
    assert stated >= 0.95
    least = beta.ppf(CHANCE, held, total - held + 1)
    most = beta.ppf(1 - CHANCE, held + 1, total - held)
    assert least <= stated <= most


@pytest.mark.parametrize("budgets", BUDGETS.values(), ids=BUDGETS)
def test_a_twin_with_swapped_weights_covers_less(budgets):
    held, total, stated = covered(drawn_pairs(budgets), swapped=True)
    assert beta.ppf(1 - CHANCE, held + 1, total - held) < stated

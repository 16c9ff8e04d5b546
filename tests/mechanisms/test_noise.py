"""The noise has the law that the proofs speak about, and says whether it is real."""

import math
import os
import subprocess
import sys
import threading
import traceback
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from mechanisms.branches import free_noise
from sfumato.errors import BudgetError, SfumatoError
from sfumato.mechanisms import meter, noise
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.noise import LARGEST_SCALE, check_scale
from sfumato.testing import metered

FAMILIES = ["laplace", "gaussian"]
WIDE = 3.0 * 2**30
# A wrong division in old OpenDP versions shows at 3 and 10, not at powers of two.
SCALES = [0.7, 2.0, 3.0, 10.0, WIDE]
SOURCES = ["real", "simulated"]
FAR = 6.1  # standard errors
MANY = 100_000


@pytest.fixture
def rare():
    """As rare as what is that far away: these tests are many."""
    return 1e-9


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_noise_has_its_scale_and_neither_a_tenth_less_nor_more(
    family, scale, source, draw, law
):
    draws = draw(family, scale, source)
    assert abs(law(family, scale).deviation(draws)) < FAR
    assert law(family, 0.9 * scale).deviation(draws) > FAR
    assert law(family, 1.1 * scale).deviation(draws) < -FAR


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", FAMILIES)
def test_draws_are_as_many_as_tell_a_scale_from_a_tenth_less_or_more(
    family, scale, factor, draw, law
):
    """But for a chance of one in a million; true noise is taken for wrong once in 10⁹ runs."""
    true, wrong = law(family, scale), law(family, factor * scale)
    power = 1 if family == "laplace" else 2
    size = draw(family, scale, "simulated").size
    spreads = [
        math.sqrt(each.moment(2 * power) - each.moment(power) ** 2) for each in (true, wrong)
    ]
    apart = abs(true.moment(power) - wrong.moment(power)) * math.sqrt(size) / spreads[1]
    assert apart - FAR > stats.norm.isf(1e-6) * spreads[0] / spreads[1]
    assert stats.norm.sf(FAR) < 1e-9


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_noise_fits_its_law_and_not_the_other_one(family, scale, source, draw, law, rare):
    draws = draw(family, scale, source)
    other = FAMILIES[1 - FAMILIES.index(family)]
    assert law(family, scale).fit(draws) > rare
    assert law(other, scale).fit(draws) < rare


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", FAMILIES)
def test_much_more_noise_has_its_law_and_its_scale(family, scale, source, draw, law, rare):
    draws = draw(family, scale, source, MANY)
    assert abs(law(family, scale).deviation(draws)) < FAR
    assert law(family, scale).fit(draws) > rare


@pytest.mark.parametrize("family", FAMILIES)
def test_rounded_continuous_noise_does_not_fit(family, law, rare):
    generator = np.random.default_rng(7)
    continuous = {"laplace": generator.laplace, "gaussian": generator.normal}[family]
    rounded = np.rint(continuous(scale=0.7, size=100_000)).astype(np.int64)
    assert law(family, 0.7).fit(rounded) < rare


@pytest.mark.parametrize("family", FAMILIES)
def test_wide_noise_uses_every_low_bit_and_single_precision_would_not(family, draw, rare):
    draws = draw(family, WIDE, "real")
    assert stats.chisquare(np.bincount(draws % 16, minlength=16)).pvalue > rare
    coarse = draws.astype(np.float32).astype(np.int64)
    assert stats.chisquare(np.bincount(coarse % 16, minlength=16)).pvalue < rare


@pytest.mark.parametrize("family", FAMILIES)
def test_cells_get_noise_of_their_own_in_the_shape_they_came_in(family):
    values = np.zeros((3, 1000), dtype=np.int64)
    noisy = metered(free_noise, values, family, 1e6).values
    assert noisy.shape == values.shape
    assert noisy.dtype == np.int64
    assert len(np.unique(noisy)) > 2900
    assert not values.any()


def test_blocks_do_not_repeat_their_noise():
    size = noise._BLOCK
    noisy = metered(free_noise, np.zeros(6 * size, dtype=np.int64), "laplace", 1e6).values
    for one, other in combinations(noisy.reshape(6, size), 2):
        assert (one[:500] == other[:500]).sum() < 10


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_counts_get_other_noise_each_time(family):
    counts = np.arange(5, dtype=np.int64)
    drawn = [tuple(metered(free_noise, counts, family, 1e9).values.tolist()) for _ in range(50)]
    assert len(set(drawn)) == 50


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_to_count_is_no_failure(family):
    assert metered(free_noise, np.zeros(0, dtype=np.int64), family, 1.0).values.size == 0


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", FAMILIES)
def test_sums_beyond_64_bits_stay_at_their_ends(family, source):
    ends = np.iinfo(np.int64)
    values = np.array([ends.max, ends.min] * 500)
    noisy = _add(values, family, 1e6, source)
    # Half of all noise points inwards, the other half would wrap around.
    assert (noisy[::2] > ends.max - 10**9).all()
    assert (noisy[1::2] < ends.min + 10**9).all()
    assert 100 < (noisy[::2] == ends.max).sum() < 400
    assert 100 < (noisy[1::2] == ends.min).sum() < 400


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [5e-324, 1e-3, LARGEST_SCALE])
def test_extreme_scales_are_drawn(family, scale, source):
    noisy = _add(np.zeros(400, dtype=np.int64), family, scale, source)
    if scale < 1:
        assert not noisy.any()
    else:
        assert 0.5 * scale < np.abs(noisy.astype(np.float64)).mean() < 1.5 * scale


@pytest.mark.parametrize(
    "scale", [0.0, -1.0, float("nan"), float("inf"), np.nextafter(LARGEST_SCALE, np.inf)]
)
def test_impossible_scales_are_refused(scale):
    with pytest.raises(BudgetError):
        check_scale(scale)
    with pytest.raises(BudgetError):
        metered(free_noise, np.zeros(1, dtype=np.int64), "laplace", scale)


def test_simulated_noise_is_repeatable_and_never_called_private():
    zeros = np.zeros(50, dtype=np.int64)
    found = []
    for _ in range(2):
        with simulated(np.random.default_rng(7)):
            found.append([metered(free_noise, zeros, family, 9.0) for family in FAMILIES])
    for first, second in zip(*found, strict=True):
        assert (first.values == second.values).all()
        assert not first.private


def test_real_noise_is_private_and_returns_after_a_simulation_that_failed():
    zeros = np.zeros(1, dtype=np.int64)
    assert metered(free_noise, zeros, "laplace", 1.0).private
    with pytest.raises(ZeroDivisionError), simulated(np.random.default_rng(7)):
        raise ZeroDivisionError
    assert metered(free_noise, zeros, "laplace", 1.0).private


def test_what_is_drawn_and_what_is_said_come_from_one_look(monkeypatch):
    """A generator that appears or disappears between two looks must not mislabel the noise."""

    class Flickering:
        looks = 0

        def get(self):
            self.looks += 1
            return np.random.default_rng(7) if self.looks % 2 else None

    monkeypatch.setattr(meter, "_simulation", flickering := Flickering())
    assert not metered(free_noise, np.zeros(1, dtype=np.int64), "laplace", 1.0).private
    assert flickering.looks == 1


def test_a_thread_started_in_a_simulation_draws_real_noise():
    found = []
    zeros = np.zeros(1, dtype=np.int64)
    with simulated(np.random.default_rng(7)):
        thread = threading.Thread(
            target=lambda: found.append(metered(free_noise, zeros, "laplace", 1.0).private)
        )
        thread.start()
        thread.join()
        assert not metered(free_noise, zeros, "laplace", 1.0).private
    assert found == [True]


def test_a_failing_sampler_shows_no_true_count(monkeypatch):
    def failing(family, scale):
        def draw(values):
            raise ValueError(f"{values[0]} is not representable")

        return draw

    monkeypatch.setattr(noise, "_make_measurement", failing)
    with pytest.raises(SfumatoError) as caught:
        metered(free_noise, np.array([7_654_321]), "laplace", 1.0)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert "7654321" not in "".join(traceback.format_exception(caught.value))


def test_a_chained_failure_would_have_shown_the_count():
    """The twin: OpenDP does quote its input, and `from None` still carries it."""

    def careless():
        try:
            noise._make_measurement("laplace", 1.0)([2**63])
        except ValueError:
            raise SfumatoError("What.", "Why.", "Next.") from None

    with pytest.raises(SfumatoError) as caught:
        careless()
    assert str(2**63) in str(caught.value.__context__)


FORKING = """
import os, numpy as np
from sfumato.exact import Exact
from sfumato.mechanisms.laplace import laplace
from sfumato.testing import metered
def draw():
    zeros = Exact(1, 1, 1.0, np.zeros(5, dtype=np.int64))
    return metered(laplace, zeros, scale=1e9).values.tolist()
draw()
child = os.fork()
drawn = draw()
if child:
    os.waitpid(child, 0)  # two who print at once may print between each other
print(drawn, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_does_not_repeat_its_parent():
    answer = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, check=True
    )
    child, parent = answer.stdout.splitlines()
    assert child != parent


def test_noise_needs_no_opendp_until_it_is_drawn():
    code = (
        "import sys, sfumato.mechanisms.laplace, sfumato.mechanisms.gaussian, "
        "sfumato.mechanisms.stability; print('opendp' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"


def _add(values, family, scale, source):
    if source == "real":
        return metered(free_noise, values, family, scale).values
    with simulated(np.random.default_rng(7)):
        return metered(free_noise, values, family, scale).values

"""Sums of outer products cost what they say: every small table, every neighbour, both ways."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError
from sfumato.exact import Exact
from sfumato.mechanisms import moments
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.moments import add_moment_noise, off_diagonal_scale
from sfumato.privacy.budget import Cost
from sfumato.testing import metered

CONSTANT = 1
LONGEST = 3  # of (1, a, b) with |a|, |b| <= 1
ROWS = [(CONSTANT, *row) for row in product([-1, 0, 1], repeat=2)]
TABLES = [table for size in range(3) for table in combinations_with_replacement(ROWS, size)]
SHARES = 4
ORDERS = [Decimal("1.5"), Decimal(2), Decimal(9)]
CLOSE = Decimal(2) ** -48
RHO = Fraction(1, 8)

pytestmark = pytest.mark.usefixtures("precise")


def _units(kind):
    """Every unit of each kind, as rows and their weights, and the most that one may weigh."""
    few = [unit for size in (1, 2) for unit in combinations_with_replacement(ROWS, size)]
    match kind:
        case "row":
            return 1, [[(row, 1)] for row in ROWS]
        case "capped":
            return 2, [[(row, 1) for row in unit] for unit in few]
        case "shared":
            return SHARES, [[(row, SHARES // len(unit)) for row in unit] for unit in few]


KINDS = ["row", "capped", "shared"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_neighbours_diverge_by_more_than_promised_and_some_by_as_much(kind, monkeypatch):
    weight, units = _units(kind)
    squared = (weight * LONGEST) ** 2
    scale = gaussian_scale(squared, RHO)
    law = _laws(monkeypatch, scale, squared)
    price = _decimal(metered(add_moment_noise, _exact([], squared), scale=scale).cost.rho)
    assert price <= _decimal(RHO)
    for order in ORDERS:
        assert _largest_divergence(law, units, order) <= order * price
    assert _largest_divergence(law, units, Decimal(2)) >= 2 * price * (1 - CLOSE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_enumeration_rejects_half_the_noise_off_the_diagonal(kind, monkeypatch):
    weight, units = _units(kind)
    squared = (weight * LONGEST) ** 2
    scale = gaussian_scale(squared, RHO)
    monkeypatch.setattr(moments, "off_diagonal_scale", lambda scale: scale / 2)
    law = _laws(monkeypatch, scale, squared)
    assert _largest_divergence(law, units, Decimal(2)) > 2 * _decimal(RHO)


@pytest.mark.parametrize("kind", KINDS)
def test_the_enumeration_rejects_off_diagonals_that_are_counted_once(kind, monkeypatch):
    """The twin that takes the norm of what is released for the norm of the matrix."""
    weight, units = _units(kind)
    once = max(sum(int(each) ** 2 for each in _sums(unit)[np.triu_indices(3)]) for unit in units)
    assert once < (weight * LONGEST) ** 2
    law = _laws(monkeypatch, gaussian_scale(once, RHO), once)
    assert _largest_divergence(law, units, Decimal(2)) > 2 * _decimal(RHO)


def test_the_enumeration_rejects_a_weight_that_every_row_has_for_itself(monkeypatch):
    """The twin that charges two rows of a user as one."""
    _, units = _units("capped")
    law = _laws(monkeypatch, gaussian_scale(LONGEST**2, RHO), LONGEST**2)
    assert _largest_divergence(law, units, Decimal(2)) > 2 * _decimal(RHO)


@given(st.floats(5e-324, 2.0**55))
def test_the_scale_off_the_diagonal_is_the_smallest_that_is_enough(scale):
    least = Fraction(scale) ** 2
    found = off_diagonal_scale(scale)
    assert 2 * Fraction(found) ** 2 >= least > 2 * Fraction(math.nextafter(found, 0)) ** 2


def test_a_root_rounded_to_the_nearest_float_would_be_too_small_somewhere():
    """The twin: half of all quotients are rounded down."""
    scales = [float(n) for n in range(1, 50)]
    assert any(2 * Fraction(s / math.sqrt(2)) ** 2 < Fraction(s) ** 2 for s in scales)
    assert any(2 * Fraction(s * math.sqrt(0.5)) ** 2 < Fraction(s) ** 2 for s in scales)


def test_real_noise_has_the_two_scales_and_is_mirrored(law):
    scale = 30.0
    noise = np.array([metered(add_moment_noise, _exact(), scale=scale).values for _ in range(400)])
    assert (noise == noise.transpose(0, 2, 1)).all()
    diagonal, beside = noise[:, range(3), range(3)], noise[:, [0, 0, 1], [1, 2, 2]]
    wide, narrow = law("gaussian", scale), law("gaussian", off_diagonal_scale(scale))
    assert abs(wide.deviation(diagonal)) < 6 < abs(narrow.deviation(diagonal))
    assert abs(narrow.deviation(beside)) < 6 < abs(wide.deviation(beside))
    # Along (1, 1, 1)/√3, which is no axis, the noise spreads as far as along one.
    along = noise.sum(axis=(1, 2)) / 3
    assert abs((along**2).mean() / scale**2 - 1) < 6 * math.sqrt(2 / 400)


def test_only_the_upper_triangle_is_read_and_it_stays_where_it_was():
    values = np.arange(16).reshape(4, 4) * 10**6
    with simulated(np.random.default_rng(7)):
        noisy = metered(add_moment_noise, _exact(values), scale=0.01)
    upper = np.triu(values)
    assert (noisy.values == upper + np.triu(values, 1).T).all()


def test_the_cost_is_that_of_the_scale_in_use():
    noisy = metered(add_moment_noise, _exact(squared=36), scale=6.0)
    assert noisy.cost == Cost.gaussian(Fraction(1, 2))
    assert noisy.private
    assert noisy.values.dtype == np.int64


def test_simulated_sums_cost_the_same_and_are_not_private():
    with simulated(np.random.default_rng(7)):
        noisy = metered(add_moment_noise, _exact(squared=36), scale=6.0)
    assert noisy.cost == Cost.gaussian(Fraction(1, 2))
    assert not noisy.private


@pytest.mark.parametrize("scale", [0.0, -2.0, float("nan"), float("inf"), 2.0**56])
def test_a_scale_that_cannot_be_is_refused(scale):
    with pytest.raises(BudgetError):
        metered(add_moment_noise, _exact(), scale=scale)


def _decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _sums(weighed):
    """The sum of outer products of rows with weights."""
    return sum((w * np.outer(v, v) for v, w in weighed), np.zeros((3, 3), dtype=np.int64))


def _exact(values=(), squared=9):
    matrix = np.asarray(values if len(values) else np.zeros((3, 3)), dtype=np.int64)
    return Exact(math.isqrt(squared) * len(matrix), squared, 1.0, matrix)


def _laws(monkeypatch, scale, squared):
    """What each small table is turned into: where every released integer is centred, how widely."""

    def centres_and_scales(receipt, values, family, scale):
        asked.extend((int(value), float(scale)) for value in values)
        assert family == "gaussian"
        return values

    asked: list[tuple[int, float]] = []

    @cache
    def law(entries):
        asked.clear()
        with monkeypatch.context() as patch:
            patch.setattr(moments, "add_noise", centres_and_scales)
            metered(add_moment_noise, _exact(np.reshape(entries, (3, 3)), squared), scale=scale)
        return tuple(asked)

    return lambda sums: law(tuple(sums.ravel().tolist()))


def _largest_divergence(law, units, order):
    """The largest Rényi divergence over all small tables and neighbours, in both directions."""
    one = cache(lambda shift, scale: _divergence(shift, scale, order))
    largest = Decimal(0)
    for table in TABLES:
        before = _sums([(row, 1) for row in table])
        for unit in units:
            pairs = list(zip(law(before), law(before + _sums(unit)), strict=True))
            assert all(a[1] == b[1] for a, b in pairs)
            for sign in (1, -1):
                largest = max(largest, sum(one(sign * (b[0] - a[0]), a[1]) for a, b in pairs))
    return largest


def _divergence(shift, scale, order):
    """The Rényi divergence between the noise and itself moved by `shift`, outcome by outcome."""
    reach = math.ceil(14 * scale + float(order) * abs(shift))
    spread = 2 * Decimal(scale) ** 2
    outcomes = range(-reach - abs(shift), reach + abs(shift) + 1)
    weights = {z: (-(Decimal(z) ** 2) / spread) for z in outcomes}
    total = sum(map(Decimal.exp, weights.values())).ln()
    terms = (
        (order * weights[z] + (1 - order) * weights[z - shift] - total).exp()
        for z in range(-reach, reach + 1)
    )
    return sum(terms).ln() / (order - 1)

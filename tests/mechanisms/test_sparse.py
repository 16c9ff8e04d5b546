"""Counts of occupied cells: the threshold, its worst case, and what an attacker can get."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms import sparse
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.sparse import sparse_delta, sparse_threshold, threshold_counts
from sfumato.privacy.budget import Cost, epsilon_of
from sfumato.privacy.guarantee import MOST_MAX_ROWS, PrivacyUnit
from sfumato.testing import metered

ROUNDING = Fraction(1, 10**9)
# Few rows and little noise are worst together, many rows in much noise are worst apart.
SETTINGS = [
    (1, 1.0, Fraction(1, 1000)),
    (1, 2.5, Fraction(1, 20)),
    (2, 0.8, Fraction(1, 100)),
    (2, 4.0, Fraction(1, 20)),
    (3, 1.0, Fraction(1, 1000)),
    (3, 6.0, Fraction(1, 20)),
]
CELLS = 4  # two cells in each of two groups
# Reaching far enough that what lies beyond is below 10^-14.
FAR = 8


@cache
def tail(least, scale):
    """P(Z >= least), from the definition of the noise, whoever asks first."""
    with localcontext() as context:
        context.prec = 50
        return _tail(least, scale)


def _tail(least, scale):
    with_fifty = math.ceil(16 * scale) + 16
    terms = {z: (-(Decimal(z) ** 2) / (2 * Decimal(scale) ** 2)).exp() for z in range(with_fifty)}
    mass = 2 * sum(terms.values()) - 1
    if least < 1:
        return 1 - tail(1 - least, scale)
    above = (
        -(Decimal(z) ** 2) / (2 * Decimal(scale) ** 2) for z in range(least, least + with_fifty)
    )
    return sum(map(Decimal.exp, above)) / mass


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("rows", [1, 2, 3, 8])
@pytest.mark.parametrize("scale", [0.5, 1.0, 2.5, 70.0])
@pytest.mark.parametrize("above", [1, 6])
def test_no_split_of_a_unit_is_worse_than_the_two_we_look_at(rows, scale, above):
    threshold = rows + above
    worst = max(
        1 - math.prod(1 - tail(threshold - w, scale) for w in split)
        for total in range(1, rows + 1)
        for split in _splits(total)
    )
    claimed = _decimal(sparse_delta(rows, scale, threshold))
    assert worst <= claimed <= worst * Decimal("1.001")


def test_each_of_the_two_splits_is_the_worst_somewhere():
    """The twin: looking at one split alone would promise too little somewhere."""
    together = apart = False
    for rows, scale, delta in SETTINGS:
        threshold = sparse_threshold(rows, scale, delta)
        claimed = sparse_delta(rows, scale, threshold)
        together |= 1 - (1 - Fraction(tail(threshold - 1, scale))) ** rows < claimed * Fraction(0.9)
        apart |= Fraction(tail(threshold - rows, scale)) < claimed * Fraction(0.9)
    assert together
    assert apart


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("scale", [0.05, 1.0, 1.4, 64.0, 65.0, 129.0])
@pytest.mark.parametrize("scales", [0, 0.3, 1, 3, 6, 20])
def test_a_tail_is_bounded_from_above_and_hardly_above_the_truth(scale, scales):
    least = max(1, round(scales * scale))
    claimed = _decimal(sparse_delta(1, scale, least + 1))
    truth = tail(least, scale)
    assert truth <= claimed
    assert claimed <= max(truth * Decimal("1.0005"), Decimal("1.1e-1000"))


@pytest.mark.parametrize("scale", [1e4, 1e7, 2.0**40, 2.0**55])
@pytest.mark.parametrize("scales", [0, 0.5, 1, 3, 6, 20])
def test_the_bound_is_as_tight_where_no_sum_could_be_taken(scale, scales):
    """The midpoint rule is exact here to one part in the scale squared, and 400 of those."""
    least = max(1, round(scales * scale))
    truth = stats.norm.sf((least - 0.5) / scale)
    assert truth * (1 - 1e-5) <= sparse_delta(1, scale, least + 1) <= truth * 1.0005


@settings(max_examples=20)
@given(
    rows=st.integers(1, 10_000),
    scale=st.floats(1e-3, 1e9),
    delta=st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 2)),
)
def test_the_threshold_is_the_smallest_that_keeps_delta(rows, scale, delta):
    threshold = sparse_threshold(rows, scale, delta)
    assert sparse_delta(rows, scale, threshold) <= delta < sparse_delta(rows, scale, threshold - 1)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_up_to_one_half_no_threshold_within_reach_of_one_unit_would_do(rows):
    """Which is why the search begins above the rows of a unit."""
    for threshold in range(1, rows + 1):
        assert tail(threshold - rows, 50.0) > Decimal("0.5")
    assert sparse_threshold(rows, 50.0, Fraction(1, 2)) > rows


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_a_units_own_cells_show_as_often_as_charged_and_never_oftener(
    rows, scale, delta, neighbours, monkeypatch
):
    threshold = sparse_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    laws = _laws(threshold, scale, monkeypatch)
    # Whatever the ε, a cell that is empty in one table and shown in the other tells them apart.
    worst = _worst_delta(neighbours, rows, threshold, laws, 60.0)
    assert worst <= spent.delta * (1 + ROUNDING)
    assert spent.delta <= min(delta, worst * Fraction(1001, 1000))


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_the_enumeration_rejects_a_threshold_that_is_one_too_low(
    rows, scale, delta, neighbours, monkeypatch
):
    threshold = sparse_threshold(rows, scale, delta)
    laws = _laws(threshold - 1, scale, monkeypatch)
    assert _worst_delta(neighbours, rows, threshold, laws, 60.0) > delta


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_neighbours_are_told_apart_by_no_more_than_epsilon_and_delta(
    rows, scale, delta, neighbours, monkeypatch
):
    """The whole answer, both ways: what ρ is worth in (ε, δ₀), and δ on top."""
    threshold = sparse_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    laws = _laws(threshold, scale, monkeypatch)
    for rest in (Fraction(1, 10), Fraction(1, 1000)):
        epsilon = float(epsilon_of(spent.rho, rest))
        worst = _worst_delta(neighbours, rows, threshold, laws, epsilon)
        assert worst <= spent.delta + rest


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_old_cells_alone_stay_within_the_concentrated_price(
    rows, scale, delta, neighbours, monkeypatch
):
    """The two parts of equal weight that δ-approximate zCDP asks for, in both directions."""
    threshold = sparse_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    laws = _laws(threshold, scale, monkeypatch)
    hidden = min(
        math.prod(laws[b][0] for a, b in changes if a == 0)
        for changes in _changes(neighbours, rows, threshold)
    )
    assert hidden >= 1 - spent.delta * (1 + ROUNDING)
    largest = _largest_divergence(neighbours, rows, threshold, laws)
    assert Fraction(0.999) * spent.rho < largest <= spent.rho * (1 + ROUNDING)


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_the_enumeration_rejects_half_the_noise(rows, scale, delta, neighbours, monkeypatch):
    threshold = sparse_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    laws = _laws(threshold, scale / 2, monkeypatch)
    assert _largest_divergence(neighbours, rows, threshold, laws) > spent.rho
    rest = Fraction(1, 1000)
    epsilon = float(epsilon_of(spent.rho, rest))
    assert _worst_delta(neighbours, rows, threshold, laws, epsilon) > spent.delta + rest


def test_the_tail_of_the_normal_law_gives_thresholds_that_are_too_low():
    """A twin that is in use elsewhere: T = 1 + σ z, rounded up."""
    broken = 0
    for tenths in range(10, 100):
        scale, delta = tenths / 10, Fraction(1, 10**6)
        threshold = math.ceil(1 + scale * stats.norm.isf(float(delta)))
        broken += sparse_delta(1, scale, threshold) > delta
    assert 30 < broken < 60


@pytest.mark.parametrize(("rows", "threshold"), [(1, 6), (3, 8)])
def test_real_draws_show_a_units_own_cells_as_often_as_promised(rows, threshold, interval):
    scale = 3.0
    promised = sparse_delta(rows, scale, threshold)
    low, high = interval(*_exposed(rows, scale, threshold))
    assert low <= promised <= high
    assert 0.01 < promised < 0.07


@pytest.mark.parametrize(("rows", "threshold"), [(1, 6), (3, 8)])
def test_real_draws_expose_a_threshold_that_is_one_too_low(rows, threshold, interval):
    scale = 3.0
    low, _ = interval(*_exposed(rows, scale, threshold - 1))
    assert low > sparse_delta(rows, scale, threshold)


def test_the_charge_follows_the_threshold_in_use():
    threshold = sparse_threshold(2, 2.0, Fraction(1, 1000))
    planned = Cost(None, Fraction(1, 2), Fraction(1, 1000))
    assert _cost(2, 2.0, threshold).within(planned)
    assert not _cost(2, 2.0, threshold - 1).within(planned)
    assert not _cost(2, 1.9, threshold).within(planned)
    assert _cost(2, 2.0, 2).delta == 1


def test_counts_below_the_threshold_are_hidden_and_others_shown_with_their_noise(monkeypatch):
    monkeypatch.setattr(sparse, "add_noise", lambda receipt, n, f, s: n + 7)
    exact = _exact([[[0, 1], [2, 3]], [[4, 0], [5, 100]]])
    noisy = metered(threshold_counts, exact, scale=2.0, threshold=10)
    assert noisy.values.tolist() == [[[0, 0], [0, 10]], [[11, 0], [12, 107]]]


def test_a_cell_without_rows_is_never_shown():
    empty = _exact(np.zeros((5, 20, 20)))
    noisy = metered(threshold_counts, empty, scale=1e6, threshold=2)
    assert noisy.values.shape == (5, 20, 20)
    assert not noisy.values.any()
    assert noisy.cost == _cost(1, 1e6, 2)


@pytest.mark.parametrize("occupied", [0, 1, 100])
def test_as_many_numbers_are_drawn_however_many_cells_are_occupied(occupied, monkeypatch):
    drawn = []

    def spy(receipt, values, family, scale):
        drawn.append((values.size, family, scale))
        return values

    monkeypatch.setattr(sparse, "add_noise", spy)
    metered(threshold_counts, _exact(np.arange(100) < occupied), scale=2.0, threshold=20)
    assert drawn == [(100, "gaussian", 2.0)]


def test_simulated_counts_are_not_private_and_leave_the_table_as_it_was():
    counts = np.array([99, 0])
    with simulated(np.random.default_rng(7)):
        noisy = metered(threshold_counts, _exact(counts), scale=1.0, threshold=9)
    assert not noisy.private
    assert noisy.values[0] > 9
    assert counts.tolist() == [99, 0]
    assert metered(threshold_counts, _exact(counts), scale=1.0, threshold=9).private


def test_shared_weights_are_refused_in_plan_and_measurement():
    unit = PrivacyUnit.users("user_id")
    with pytest.raises(DomainError, match="max_rows"):
        sparse_threshold(unit.weight, 2.0**31, Fraction(1, 10**6))
    for weight in (unit.weight, 3):
        exact = Exact(weight, weight**2, unit.step, np.array([2**40]))
        with pytest.raises(DomainError, match="max_rows") as caught:
            metered(threshold_counts, exact, scale=2.0**31, threshold=2**36)
        assert str(2**40) not in str(caught.value)


@pytest.mark.parametrize("rows", [0, -1, MOST_MAX_ROWS + 1])
def test_rows_that_cannot_be_are_refused(rows):
    with pytest.raises(DomainError):
        sparse_threshold(rows, 1.0, Fraction(1, 10**6))


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 10**301)])
def test_a_delta_that_promises_nothing_or_too_much_is_refused(delta):
    with pytest.raises(BudgetError):
        sparse_threshold(1, 1.0, delta)


@pytest.mark.parametrize("scale", [0.0, float("nan"), float("inf"), 2.0**56])
def test_a_scale_that_cannot_be_is_refused(scale):
    with pytest.raises(BudgetError):
        sparse_threshold(1, scale, Fraction(1, 10**6))
    with pytest.raises(BudgetError):
        metered(threshold_counts, _exact([5]), scale=scale, threshold=20)


@pytest.mark.parametrize("rows", [1, MOST_MAX_ROWS])
@pytest.mark.parametrize("scale", [5e-324, 1e-9, 1.0, 2.0**55])
def test_extremes_have_a_threshold(rows, scale):
    delta = Fraction(1, 10**300)
    threshold = sparse_threshold(rows, scale, delta)
    assert threshold > rows
    assert 0 < sparse_delta(rows, scale, threshold) <= delta < 1 / Fraction(10**299)


def _exact(counts, rows=1):
    return Exact(rows, rows**2, 1.0, np.array(counts, dtype=np.int64))


def _cost(rows, scale, threshold):
    return metered(threshold_counts, _exact([], rows), scale=scale, threshold=threshold).cost


def _decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _splits(total, largest=None):
    """All ways to write `total` as a sum of positive integers."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        yield from ((first, *rest) for rest in _splits(total - first, first))


def _laws(threshold, scale, monkeypatch):
    """The law of what is released of each count: the chance of 0, of `threshold`, and upwards.

    It is read off what the code does with every possible noise.
    """
    top = threshold + 8 + math.ceil(FAR * scale)
    reach = np.arange(-top, top + 1)
    chances = np.array([float(tail(int(z), scale) - tail(int(z) + 1, scale)) for z in reach])
    laws = {}
    with monkeypatch.context() as patch:
        patch.setattr(sparse, "add_noise", lambda receipt, n, f, s: n + reach)
        for count in range(threshold + 5):
            exact = _exact(np.full(reach.size, count))
            shown = metered(threshold_counts, exact, scale=scale, threshold=threshold).values
            assert ((shown == 0) | (shown >= threshold)).all()
            place = np.where(shown == 0, 0, np.minimum(shown, top) - threshold + 1)
            laws[count] = np.bincount(place, chances, minlength=top - threshold + 2)
    return laws


def _changes(neighbours, rows, threshold):
    """How the cells that change do so, for all neighbours; cells that do not tell nothing."""
    tables = neighbours(CELLS, [0, 1, threshold - 1, threshold], rows)
    return {
        tuple(sorted((a, b) for a, b in zip(one, other, strict=True) if a != b))
        for one, other in tables
    }


def _worst_delta(neighbours, rows, threshold, laws, epsilon):
    """The largest sum of max(0, P - e^ε Q) over the outcomes, for all neighbours both ways."""
    worst = 0.0
    for changes in _changes(neighbours, rows, threshold):
        without, within = (
            reduce(np.multiply.outer, [laws[pair[side]] for pair in changes]) for side in (0, 1)
        )
        for here, there in ((without, within), (within, without)):
            worst = max(worst, float(np.maximum(here - math.exp(epsilon) * there, 0).sum()))
    return Fraction(worst)


def _largest_divergence(neighbours, rows, threshold, laws):
    """The largest D_α/α of the cells that were occupied before, over some orders α, both ways."""
    largest = 0.0
    for changes in _changes(neighbours, rows, threshold):
        for order in (1.5, 2.0, 6.0):
            for one, other in ((0, 1), (1, 0)):
                divergence = sum(
                    _divergence(laws[pair[one]], laws[pair[other]], order)
                    for pair in changes
                    if pair[0] > 0
                )
                largest = max(largest, divergence / order)
    return Fraction(largest)


def _divergence(p, q, order):
    """The Rényi divergence between two laws, outcome by outcome."""
    both = (p > 0) & (q > 0)
    terms = np.exp(order * np.log(p[both]) + (1 - order) * np.log(q[both]))
    return math.log(terms.sum()) / (order - 1)


def _exposed(rows, scale, threshold):
    """How many of many units have a cell shown that they alone opened, at the worst split."""
    split = (1,) * rows
    if tail(threshold - rows, scale) > 1 - (1 - tail(threshold - 1, scale)) ** rows:
        split = (rows,)
    units = 40_000 // len(split)
    shown = metered(
        threshold_counts, _exact([split] * units, rows), scale=scale, threshold=threshold
    ).values
    return int(shown.any(axis=1).sum()), units

"""Private categories: the threshold, its worst case, and what an attacker can get."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms import stability
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.stability import (
    stability_delta,
    stability_threshold,
    threshold_categories,
)
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import MOST_MAX_ROWS, PrivacyUnit
from sfumato.testing import metered
from telling.enumerated.names import decimal, named, show_chances, worst_delta

TIGHT = Decimal("1e-25")
# Few rows at a large ε are worst together, many at a small ε are worst apart.
SETTINGS = [
    (1, 1.0, Fraction(1, 1000)),
    (1, 3.0, Fraction(1, 20)),
    (2, 2.0, Fraction(1, 20)),
    (2, 0.4, Fraction(1, 10**6)),
    (3, 3.0, Fraction(1, 20)),
    (3, 0.5, Fraction(1, 50)),
]

pytestmark = pytest.mark.usefixtures("precise")


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 20.0])
@pytest.mark.parametrize("above", [1, 2, 10])
def test_no_split_of_a_unit_is_worse_than_the_two_we_look_at(rows, scale, above, laplace_tail):
    threshold = rows + above
    worst = max(
        1 - math.prod(1 - laplace_tail(threshold - w, scale) for w in split)
        for total in range(1, rows + 1)
        for split in _splits(total)
    )
    claimed = decimal(stability_delta(rows, scale, threshold))
    assert worst <= claimed <= worst * (1 + 3 * Decimal("1e-30"))


def test_each_of_the_two_splits_is_the_worst_somewhere(laplace_tail):
    """The twin: looking at one split alone would promise too little somewhere."""
    together = apart = False
    for rows, scale, delta in SETTINGS:
        threshold = stability_threshold(rows, scale, delta)
        claimed = decimal(stability_delta(rows, scale, threshold))
        together |= 1 - (1 - laplace_tail(threshold - 1, scale)) ** rows < claimed * Decimal("0.9")
        apart |= laplace_tail(threshold - rows, scale) < claimed * Decimal("0.9")
    assert together
    assert apart


@given(
    rows=st.integers(1, 10_000),
    scale=st.floats(1e-3, 1e9),
    delta=st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 2)),
)
def test_the_threshold_is_the_smallest_that_keeps_delta(rows, scale, delta):
    threshold = stability_threshold(rows, scale, delta)
    assert (
        stability_delta(rows, scale, threshold)
        <= delta
        < stability_delta(rows, scale, threshold - 1)
    )


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_up_to_one_half_no_threshold_within_reach_of_one_unit_would_do(rows, laplace_tail):
    """Which is why the search begins above the rows of a unit."""
    for threshold in range(1, rows + 1):
        assert laplace_tail(threshold - rows, 50.0) > Decimal("0.5")
    assert stability_threshold(rows, 50.0, Fraction(1, 2)) > rows


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_no_neighbours_are_told_apart_by_more_than_epsilon_and_delta(rows, scale, delta):
    threshold = stability_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    shows = show_chances(threshold, scale)
    worst = worst_delta(rows, threshold, shows, spent.epsilon)
    assert worst <= decimal(spent.delta) <= decimal(delta)
    # What is charged is not merely enough but needed, and so is ε.
    assert worst >= decimal(spent.delta) * (1 - TIGHT)
    assert worst_delta(rows, threshold, shows, spent.epsilon / 2) > decimal(delta)


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_the_enumeration_rejects_a_threshold_that_is_one_too_low(rows, scale, delta):
    threshold = stability_threshold(rows, scale, delta)
    shows = show_chances(threshold - 1, scale)
    epsilon = _cost(rows, scale, threshold).epsilon
    assert worst_delta(rows, threshold, shows, epsilon) > decimal(delta)


def test_the_tail_of_the_continuous_law_gives_thresholds_that_are_too_low():
    """A twin that is in use elsewhere: T = 1 + s ln(1/2δ), rounded up."""
    broken = 0
    for tenths in range(10, 100):
        scale, delta = tenths / 10, Fraction(1, 10**6)
        threshold = math.ceil(1 + scale * math.log(1 / (2 * float(delta))))
        broken += stability_delta(1, scale, threshold) > delta
    assert 30 < broken < 60


@pytest.mark.parametrize(("rows", "scale", "delta"), SETTINGS)
def test_old_cells_alone_stay_within_the_concentrated_price(rows, scale, delta, neighbours):
    """The two parts of equal weight that δ-approximate zCDP asks for, in both directions."""
    threshold = stability_threshold(rows, scale, delta)
    spent = _cost(rows, scale, threshold)
    shows = show_chances(threshold, scale)
    largest = Decimal(0)
    for before, after in neighbours(3, [0, 1, threshold - 1, threshold], rows):
        hidden = math.prod(1 - shows[b] for a, b in zip(before, after, strict=True) if a == 0)
        assert hidden >= 1 - decimal(spent.delta)
        old = [(shows[a], shows[b]) for a, b in zip(before, after, strict=True) if a > 0]
        for order in (Decimal(2), Decimal(16)):
            for pairs in (old, [(b, a) for a, b in old]):
                divergence = sum((_bernoulli(a, b, order) for a, b in pairs), Decimal(0))
                largest = max(largest, divergence / order)
    assert 0 < largest <= decimal(spent.rho)


@pytest.mark.parametrize(("rows", "threshold"), [(1, 9), (3, 12)])
def test_real_draws_show_a_units_own_cells_as_often_as_promised(rows, threshold, interval):
    scale = 3.0
    promised = stability_delta(rows, scale, threshold)
    low, high = interval(*_exposed(rows, scale, threshold))
    assert low <= promised <= high
    assert 0.04 < promised < 0.05


@pytest.mark.parametrize(("rows", "threshold"), [(1, 9), (3, 12)])
def test_real_draws_expose_a_threshold_that_is_one_too_low(rows, threshold, interval):
    scale = 3.0
    low, _ = interval(*_exposed(rows, scale, threshold - 1))
    assert low > stability_delta(rows, scale, threshold)


def test_the_charge_follows_the_threshold_in_use():
    threshold = stability_threshold(2, 2.0, Fraction(1, 1000))
    planned = Cost.pure(Fraction(1), delta=Fraction(1, 1000))
    assert _cost(2, 2.0, threshold).within(planned)
    assert not _cost(2, 2.0, threshold - 1).within(planned)
    assert not _cost(2, 1.9, threshold).within(planned)
    assert _cost(2, 2.0, 2).delta == 1


def test_labels_come_sorted_whatever_order_the_engine_had():
    counts = {"pear": 900, "Apple": 800, "äpfel": 700, "fig": 5, "plum": 5, "kiwi": 6}
    found = set()
    for order in (sorted(counts), sorted(counts, reverse=True), list(counts)):
        exact = named([counts[label] for label in order], order)
        with simulated(np.random.default_rng(7)):
            found.add(metered(threshold_categories, exact, scale=2.0, threshold=6).values)
    assert len(found) == 1
    (labels,) = found
    assert labels == tuple(sorted(labels))
    assert {"Apple", "pear", "äpfel"} <= set(labels)


def test_every_occupied_cell_gets_a_draw_and_no_other(monkeypatch):
    asked = []

    def spy(receipt, values, family, scale):
        asked.append((values.tolist(), family, scale))
        return values

    monkeypatch.setattr(stability, "add_noise", spy)
    exact = named([1, 0, 50, 10**9], ["d", "c", "b", "a"])
    found = metered(threshold_categories, exact, scale=2.0, threshold=50)
    assert asked == [([10**9, 50, 1], "laplace", 2.0)]
    assert found.values == ("a", "b")


def test_a_cell_without_rows_is_never_shown():
    exact = named([0] * 500, [f"{i}" for i in range(500)])
    assert metered(threshold_categories, exact, scale=1e6, threshold=2).values == ()


def test_an_empty_table_has_no_categories_and_costs_the_same():
    empty = metered(threshold_categories, named([], []), scale=2.0, threshold=20)
    assert empty.values == ()
    assert empty.private
    assert empty.cost == _cost(1, 2.0, 20)


def test_simulated_categories_are_not_private():
    with simulated(np.random.default_rng(7)):
        found = metered(threshold_categories, named([99], ["a"]), scale=1.0, threshold=9)
    assert found.values == ("a",)
    assert not found.private


def test_shared_weights_are_refused_in_plan_and_measurement():
    unit = PrivacyUnit.users("user_id")
    with pytest.raises(DomainError, match="max_rows"):
        stability_threshold(unit.weight, 2.0**31, Fraction(1, 10**6))
    exact = Exact(unit.weight, unit.weight**2, unit.step, np.array([2**40]), ("CANARY",))
    with pytest.raises(DomainError, match="max_rows") as caught:
        metered(threshold_categories, exact, scale=2.0**31, threshold=2**36)
    assert "CANARY" not in str(caught.value)
    light = Exact(3, 9, unit.step, np.array([2**40]), ("CANARY",))
    with pytest.raises(DomainError, match="max_rows"):
        metered(threshold_categories, light, scale=2.0**31, threshold=2**36)


@pytest.mark.parametrize("rows", [0, -1, MOST_MAX_ROWS + 1])
def test_rows_that_cannot_be_are_refused(rows):
    with pytest.raises(DomainError):
        stability_threshold(rows, 1.0, Fraction(1, 10**6))


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 10**301)])
def test_a_delta_that_promises_nothing_or_too_much_is_refused(delta):
    with pytest.raises(BudgetError):
        stability_threshold(1, 1.0, delta)


@pytest.mark.parametrize("scale", [0.0, float("nan"), float("inf"), 2.0**56])
def test_a_scale_that_cannot_be_is_refused(scale):
    with pytest.raises(BudgetError):
        stability_threshold(1, scale, Fraction(1, 10**6))
    with pytest.raises(BudgetError):
        metered(threshold_categories, named([5], ["a"]), scale=scale, threshold=20)


def test_a_threshold_beyond_all_tables_is_refused():
    with pytest.raises(BudgetError):
        stability_threshold(1, 2.0**55, Fraction(1, 10**300))


@pytest.mark.parametrize("rows", [1, MOST_MAX_ROWS])
@pytest.mark.parametrize("scale", [5e-324, 1e-9, 1.0, 2.0**50])
def test_extremes_have_a_threshold(rows, scale):
    delta = Fraction(1, 10**300)
    threshold = stability_threshold(rows, scale, delta)
    assert threshold > rows
    assert 0 < stability_delta(rows, scale, threshold) <= delta


def _cost(rows, scale, threshold):
    return metered(threshold_categories, named([], [], rows), scale=scale, threshold=threshold).cost


def _splits(total, largest=None):
    """All ways to write `total` as a sum of positive integers."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        yield from ((first, *rest) for rest in _splits(total - first, first))


def _bernoulli(p, q, order):
    """The Rényi divergence between two coins."""
    sides = ((p, q), (1 - p, 1 - q))
    return sum((order * a.ln() + (1 - order) * b.ln()).exp() for a, b in sides).ln() / (order - 1)


def _exposed(rows, scale, threshold):
    """How many of many units have a cell shown that they alone opened, at the worst split."""
    units = 60_000 // rows
    labels = [f"{unit}/{row}" for unit in range(units) for row in range(rows)]
    exact = named([1] * len(labels), labels, rows)
    shown = metered(threshold_categories, exact, scale=scale, threshold=threshold).values
    return len({label.split("/")[0] for label in shown}), units

"""The divergences of `renyi.md`, against sums over all outcomes and against 200 digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.privacy.renyi import afford_pure, afford_range, diverge_laplace, diverge_range

Laplace = Callable[[Fraction, Fraction, int], Fraction]
Range = Callable[[Fraction, Fraction], Fraction]
Law = Sequence[float | Fraction]

MANY = Context(prec=250, Emin=-(10**17), Emax=10**17)
SOME_DIGITS = Context(prec=40)
ORDERS = [Fraction(each) for each in ("1.000001", "1.1", "3/2", "2", "23.3", "300")]
EPSILONS = [Fraction(each) for each in ("0.05", "0.3", "1", "4", "20")]
ODD_ORDERS = [1 + Fraction(10) ** power for power in (-6, -3, -1, 0, 1, 3, 6, 9, 12)]
ODD_EPSILONS = [Fraction(10) ** power for power in (-300, -100, -13, -12, -11, -6, -2, 0, 1, 3, 5)]
ODD_EPSILONS += [Fraction(10) ** 12, Fraction(1, 3), Fraction(1, 10**12) * Fraction(999, 1000)]
ODD_STEPS = [1, 2, 3, 1000, 2**30, 2**60]


def decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


# --- Truths, each found in another way than the library's --------------------------------------


@cache
def sum_over_lattice(order: Fraction, epsilon: Fraction, steps: int) -> Decimal:
    """The divergence of two shifted laws on the integers, outcome by outcome.

    What lies beyond 10⁻³² of either law is left out, which makes the sum smaller.
    """
    with localcontext(Context(prec=50)):
        a, step = decimal(order), decimal(epsilon) / steps
        reach = int(75 / step) + 1
        norm = (1 + (-step).exp()) / (1 - (-step).exp())
        logs = (a * abs(k) + (1 - a) * abs(k - steps) for k in range(-reach, steps + reach + 1))
        return (sum((-step * each).exp() for each in logs) / norm).ln() / (a - 1)


def laplace_truth(order: Fraction, epsilon: Fraction, steps: int) -> Decimal:
    """The same sum with its geometric parts closed, to as many digits as the context has.

    Below the centres the ratio is e^ε, above them e^−ε, and between them it falls step by step.
    """
    a, e = decimal(order), decimal(epsilon)
    step = e / steps
    decay, fall = (-step).exp(), (-(2 * a - 1) * step).exp()
    between = fall * (1 - (-(2 * a - 1) * step * (steps - 1)).exp()) / (1 - fall)
    ends = 1 + (-(2 * a - 1) * e).exp()
    return e + ((ends + (1 - decay) * between) / (1 + decay)).ln() / (a - 1)


def pair_truth(order: Fraction, epsilon: Fraction, top: Decimal) -> Decimal:
    """The divergence of two laws on two outcomes whose log-ratios are `top` and `top` − ε."""
    a, e = decimal(order), decimal(epsilon)
    first = ((-top).exp() - (-e).exp()) / (1 - (-e).exp())  # its weight under the second law
    return (a * top + (first + (1 - first) * (-a * e).exp()).ln()) / (a - 1)


def worst_top(order: Fraction, epsilon: Fraction) -> Decimal:
    """The larger log-ratio t at which `pair_truth`, the log of e^(αt)(A + B e^−t), peaks."""
    a, e = decimal(order), decimal(epsilon)
    rising, falling = 1 - (-a * e).exp(), (-e).exp() - (-a * e).exp()
    return ((a - 1) * rising / (a * falling)).ln()


def range_truth(order: Fraction, epsilon: Fraction) -> Decimal:
    return pair_truth(order, epsilon, worst_top(order, epsilon))


def compare(claimed: Fraction, truth: Decimal) -> Fraction:
    """By how much of itself a claim is above the truth."""
    exact = Fraction(truth)
    return (claimed - exact) / exact


# --- Laplace noise -----------------------------------------------------------------------------


def lattice_gaps(diverge: Laplace) -> Iterator[Fraction]:
    for order, epsilon in product(ORDERS, EPSILONS[1:4]):
        for steps in range(1, 6):
            yield compare(diverge(order, epsilon, steps), sum_over_lattice(order, epsilon, steps))


def test_laplace_noise_diverges_as_the_sum_over_the_lattice_says() -> None:
    gaps = list(lattice_gaps(diverge_laplace))
    assert min(gaps) >= 0
    assert max(gaps) < Fraction(1, 10**20)


def growing_ratios(order: Fraction, epsilon: Fraction) -> Fraction:
    """Randomised response, of which the less likely answer is forgotten."""
    with localcontext(SOME_DIGITS):
        e = decimal(epsilon)
        return Fraction(e - (1 + (-e).exp()).ln() / (decimal(order) - 1))


TWINS: dict[str, Laplace] = {
    "one step more": lambda a, e, steps: diverge_laplace(a, e, steps + 1),
    "as if continuous": lambda a, e, _: diverge_laplace(a, e, 2**60),
    "an order less": lambda a, e, steps: diverge_laplace(1 + (a - 1) / 2, e, steps),
    "ratios of a range": lambda a, e, _: diverge_range(a, e),
    "ρ of a range": lambda a, e, _: a * e**2 / 8,
    "without the ratios that shrink": lambda a, e, _: growing_ratios(a, e),
}


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
def test_a_price_below_that_of_the_lattice_is_caught(twin: Laplace) -> None:
    assert min(lattice_gaps(twin)) < 0


def test_a_coarser_lattice_costs_more() -> None:
    for order, epsilon in product(ORDERS, EPSILONS):
        prices = [diverge_laplace(order, epsilon, steps) for steps in (*range(1, 30), 10**3, 2**60)]
        assert all(coarse >= fine for coarse, fine in pairwise(prices))
        assert prices[0] > prices[-1]


def test_more_noise_costs_less_and_a_higher_order_more() -> None:
    for diverge in (pure, three_steps, diverge_range):
        for order in ORDERS:
            prices = [diverge(order, Fraction(each, 40)) for each in range(1, 400)]
            assert all(low < high for low, high in pairwise(prices))
        for epsilon in EPSILONS:
            prices = [diverge(order, epsilon) for order in ORDERS]
            assert all(low < high for low, high in pairwise(prices))


def pure(order: Fraction, epsilon: Fraction) -> Fraction:
    return diverge_laplace(order, epsilon, 1)


def three_steps(order: Fraction, epsilon: Fraction) -> Fraction:
    return diverge_laplace(order, epsilon, 3)


# --- Any pair of laws --------------------------------------------------------------------------


def compositions(whole: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (whole,)
        return
    for first in range(1, whole - parts + 2):
        yield from ((first, *rest) for rest in compositions(whole - first, parts - 1))


def pairs() -> Iterator[tuple[Law, Law]]:
    """All pairs of laws in eighths on three outcomes, in eighths on four, in sevenths on five."""
    for whole, parts in ((8, 3), (8, 4), (7, 5)):
        laws = [tuple(Fraction(n, whole) for n in each) for each in compositions(whole, parts)]
        yield from ((p, q) for p, q in product(laws, laws) if p != q)


def divergence(order: float, p: Law, q: Law) -> float:
    total = sum(float(x) ** order * float(y) ** (1 - order) for x, y in zip(p, q, strict=True))
    return math.log(total) / (order - 1)


def log_ratios(p: Law, q: Law) -> list[float]:
    return [math.log(x / y) for x, y in zip(p, q, strict=True)]


def upwards(amount: float) -> Fraction:
    """A number of few digits just above, so that prices are worked out once for many laws."""
    return Fraction(math.ceil(amount * 10**12), 10**12)


SOME = [Fraction("1.1"), Fraction(2), Fraction(17)]


def pair_gaps(diverge: Range, spread: Callable[[list[float]], float]) -> Iterator[float]:
    """How far above the divergence of each pair the price of its worst log-ratios is."""
    for p, q in pairs():
        epsilon = upwards(spread(log_ratios(p, q)))
        for order in SOME:
            yield float(diverge(order, epsilon)) - divergence(float(order), p, q)


def reach(ratios: list[float]) -> float:
    return max(map(abs, ratios))


def span(ratios: list[float]) -> float:
    return max(ratios) - min(ratios)


@pytest.mark.parametrize(("diverge", "spread"), [(pure, reach), (diverge_range, span)])
def test_no_pair_of_laws_diverges_by_more_than_the_worst_of_its_kind(
    diverge: Range, spread: Callable[[list[float]], float]
) -> None:
    gaps = list(pair_gaps(diverge, spread))
    assert min(gaps) > -1e-12
    assert min(gaps) < 1e-2  # a pair near the worst is among them


@cache
def reversed_worst(order: Fraction, epsilon: Fraction) -> Fraction:
    """The worst pair of a range, of which only the other direction is looked at."""
    with localcontext(SOME_DIGITS):
        back = decimal(epsilon) - worst_top(order, epsilon)
        return Fraction(pair_truth(order, epsilon, back))


@cache
def half_way(order: Fraction, epsilon: Fraction) -> Fraction:
    """The pair of a range that is its own mirror image, as if it were the worst."""
    with localcontext(SOME_DIGITS):
        return Fraction(pair_truth(order, epsilon, decimal(epsilon) / 2))


@pytest.mark.parametrize(
    ("twin", "spread"),
    [
        (three_steps, reach),
        (diverge_range, reach),
        (reversed_worst, span),
        (half_way, span),
        (lambda a, e: diverge_range(1 + (a - 1) / 2, e), span),
    ],
)
def test_a_price_that_some_pair_of_laws_exceeds_is_caught(
    twin: Range, spread: Callable[[list[float]], float]
) -> None:
    assert min(pair_gaps(twin, spread)) < -1e-6


weights = st.lists(st.floats(1e-3, 1), min_size=3, max_size=5)


@settings(max_examples=300)
@given(weights, st.lists(st.floats(0, 1), min_size=5, max_size=5), st.floats(0.01, 10), st.data())
def test_no_random_pair_within_a_range_diverges_by_more(
    masses: list[float], tilts: list[float], epsilon: float, data: st.DataObject
) -> None:
    order = data.draw(st.floats(1.01, 60))
    q = [mass / sum(masses) for mass in masses]
    tilted = [mass * math.exp(epsilon * tilt) for mass, tilt in zip(q, tilts, strict=False)]
    p = [mass / sum(tilted) for mass in tilted]
    worst = max(divergence(order, p, q), divergence(order, q, p))
    assert worst <= float(diverge_range(Fraction(order), Fraction(epsilon))) * (1 + 1e-9) + 1e-12
    reached = max(abs(math.log(x / y)) for x, y in zip(p, q, strict=True))
    assert worst <= float(pure(Fraction(order), Fraction(reached))) * (1 + 1e-9) + 1e-12


def highest(order: Fraction, epsilon: Fraction) -> Decimal:
    """The most that a pair of this range diverges by, found by halving an interval of pairs."""
    low, high = Decimal(0), decimal(epsilon)
    for _ in range(120):
        third = (high - low) / 3
        left, right = (pair_truth(order, epsilon, at) for at in (low + third, high - third))
        low, high = (low + third, high) if left < right else (low, high - third)
    return pair_truth(order, epsilon, low)


def test_a_range_diverges_as_its_worst_pair_of_two_outcomes_does() -> None:
    with localcontext(Context(prec=60)):
        for order, epsilon in product(ORDERS, EPSILONS):
            gap = compare(diverge_range(order, epsilon), highest(order, epsilon))
            assert 0 <= gap < Fraction(1, 10**20)


# --- A unit that is spread ---------------------------------------------------------------------


def partitions(whole: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    if whole == 0:
        yield ()
    for first in range(min(whole, most or whole), 0, -1):
        yield from ((first, *rest) for rest in partitions(whole - first, first))


def laplace_outcomes(step: float, steps: int) -> list[tuple[float, float]]:
    """Both laws of noise shifted by some steps, of which the ends are told from each other alone.

    Beyond the centres the ratio of the laws does not change, so that nothing is lost.
    """
    decay = math.exp(-step)
    norm, end = (1 + decay) / (1 - decay), 1 / (1 - decay)
    far = decay**steps * end
    inner = [(decay**place, decay ** (steps - place)) for place in range(1, steps)]
    return [(x / norm, y / norm) for x, y in [(end, far), (far, end), *inner]]


def spread_divergence(order: float, step: float, parts: Iterable[int]) -> float:
    """The divergence of noise in several cells, over all outcomes of all cells together."""
    total = 0.0
    for cells in product(*(laplace_outcomes(step, steps) for steps in parts)):
        p, q = (math.prod(side) for side in zip(*cells, strict=True))
        total += p**order * q ** (1 - order)
    return math.log(total) / (order - 1)


def spread_gaps(price: Callable[[Fraction, Fraction, int], Fraction]) -> Iterator[float]:
    """How far a unit in one cell is priced above one that is spread, in every way there is."""
    for step in (Fraction(1, 20), Fraction(1, 2), Fraction(2)):
        for order in (Fraction("1.1"), Fraction(2), Fraction(20)):
            for whole in range(1, 9):
                paid = float(price(order, step * whole, whole))
                for parts in partitions(whole):
                    spread = spread_divergence(float(order), float(step), parts)
                    yield (paid - spread) / paid


def test_a_unit_spread_over_cells_never_costs_more_than_one_in_a_single_cell() -> None:
    assert min(spread_gaps(diverge_laplace)) > -1e-9


def average_cell(order: Fraction, epsilon: Fraction, steps: int) -> Fraction:
    """The price as if all steps were taken one by one."""
    return steps * diverge_laplace(order, epsilon / steps, 1)


def test_a_price_that_forgets_who_is_all_in_one_cell_is_caught() -> None:
    assert min(spread_gaps(average_cell)) < -0.01


FAMILIES: dict[str, Range] = {
    "pure": pure,
    "a lattice of three steps": three_steps,
    "nearly continuous": lambda a, e: diverge_laplace(a, e, 2**40),
    "range": diverge_range,
}


@pytest.mark.parametrize("diverge", FAMILIES.values(), ids=FAMILIES)
def test_two_parts_never_cost_more_than_both_at_once(diverge: Range) -> None:
    amounts = [Fraction(each) for each in ("0.001", "0.05", "0.2", "0.7", "1.5", "4", "11", "30")]
    for order in ORDERS:
        for one, other in product(amounts, amounts):
            parts = diverge(order, one) + diverge(order, other)
            assert parts <= diverge(order, one + other) + Fraction(1, 10**39)


def test_a_price_by_the_root_is_caught() -> None:
    """A price that grows more slowly than its ε would make two parts dearer than the whole."""

    def root(order: Fraction, epsilon: Fraction) -> Fraction:
        return pure(order, Fraction(math.sqrt(epsilon)))

    assert 2 * root(Fraction(2), Fraction(2)) > root(Fraction(2), Fraction(4))


def test_noise_of_several_scales_costs_no_more_than_the_sum_of_its_epsilons() -> None:
    for order, steps in product(ORDERS, (1, 2, 5, 2**30)):
        for one, other in product(EPSILONS, EPSILONS):
            parts = diverge_laplace(order, one, steps) + diverge_laplace(order, other, steps)
            assert parts <= diverge_laplace(order, one + other, steps) + Fraction(1, 10**39)


# --- Over orders -------------------------------------------------------------------------------

DENSE = [1 + Fraction(f"{10 ** (step / 12):.6e}") for step in range(-72, 73)]


def rises(diverge: Range) -> Iterator[Fraction]:
    """By how much of itself the divergence over the order rises from one order to the next."""
    for epsilon in (Fraction(each) for each in ("0.001", "0.03", "0.3", "1", "2", "5", "15", "40")):
        ratios = [diverge(order, epsilon) / order for order in DENSE]
        yield from ((high - low) / low for low, high in pairwise(ratios))


@pytest.mark.parametrize("diverge", FAMILIES.values(), ids=FAMILIES)
def test_the_divergence_over_the_order_never_rises(diverge: Range) -> None:
    assert max(rises(diverge)) <= Fraction(1, 10**25)


@pytest.mark.parametrize(
    "twin",
    [
        lambda a, e: pure(2 * a - 1, e),
        lambda a, e: diverge_range(2 * a - 1, e),
        lambda a, e: a * min(e, a * e**2 / 8),
    ],
)
def test_a_price_at_another_order_that_rises_is_caught(twin: Range) -> None:
    assert max(rises(twin)) > Fraction(1, 100)


@settings(max_examples=300)
@given(st.floats(-5, 5), st.floats(1e-4, 3), st.floats(-5, 2))
def test_the_divergence_of_a_range_over_the_order_never_rises_anywhere(
    place: float, factor: float, size: float
) -> None:
    low = 1 + Fraction(10**place)
    high = 1 + (low - 1) * (1 + Fraction(factor))
    epsilon = Fraction(10**size)
    for diverge in FAMILIES.values():
        assert diverge(high, epsilon) / high <= diverge(low, epsilon) / low + Fraction(1, 10**35)


def hat(x: float, start: float, knee: float, end: float) -> float:
    """The law whose density rises from `start` to `knee` and falls to `end`, in straight lines."""
    if not start < x < end:
        return 0.0
    rise = (x - start) / (knee - start) if x < knee else (end - x) / (end - knee)
    return 2 * rise / (end - start)


def widen(x: float, start: float, knee: float, end: float) -> float:
    """How fast the chance to be above x grows with `end`."""
    h, s = end - start, knee - start
    if x <= start or x >= end:
        return 0.0
    if x < knee:
        return (x - start) ** 2 / (s * h**2)
    left = end - x
    return 2 * left / (h * (h - s)) - left**2 * (2 * h - s) / (h * (h - s)) ** 2


@settings(max_examples=500)
@given(st.floats(0.05, 0.95), st.floats(0.02, 0.98))
def test_the_inequality_by_which_the_range_is_proven_holds_at_every_point(
    knee: float, start: float
) -> None:
    """Hats that are widened, and moved so far that they would stay best, get less near 0.

    This is the step of `renyi.md` in which a curve that is even and falls on both sides is met
    by the law of a hat. Where no shift could be best already, nothing is claimed.
    """
    h, s, b = 1.0, knee, start
    left_of_zero = s <= b
    if (left_of_zero and h - b < b) or (not left_of_zero and b < h - b):
        return
    kappa = (h - b) * (2 * h - s) / (h * (h - s)) - 1 if left_of_zero else -b / h
    place = (-b, s - b, h - b)
    for x in (i / 200 for i in range(1, 201)):
        moved = kappa * (hat(x, *place) - hat(-x, *place))
        assert widen(x, *place) - widen(-x, *place) + moved >= -1e-9


# --- Digits and extremes -----------------------------------------------------------------------


def laplace_digit_gaps(diverge: Laplace) -> Iterator[tuple[Fraction, Fraction]]:
    """The price less the truth, and what it may be above it, where both are of usual size."""
    with localcontext(MANY):
        for order, epsilon, steps in product(ORDERS, EPSILONS, (1, 2, 7, 10**6)):
            truth = Fraction(laplace_truth(order, epsilon, steps))
            yield diverge(order, epsilon, steps) - truth, truth


def range_digit_gaps(diverge: Range) -> Iterator[tuple[Fraction, Fraction]]:
    with localcontext(MANY):
        for order, epsilon in product(ORDERS, EPSILONS):
            truth = Fraction(range_truth(order, epsilon))
            yield diverge(order, epsilon) - truth, truth


def test_prices_are_rounded_up_and_by_hardly_anything() -> None:
    gaps = [*laplace_digit_gaps(diverge_laplace), *range_digit_gaps(diverge_range)]
    assert all(0 < gap < Fraction(1, 10**38) * (1 + truth) for gap, truth in gaps)


def test_prices_rounded_down_are_caught() -> None:
    grain = Fraction(1, 10**40)
    laplace = laplace_digit_gaps(lambda *asked: diverge_laplace(*asked) - grain)
    ranges = range_digit_gaps(lambda *asked: diverge_range(*asked) - grain)
    assert min(laplace)[0] < 0
    assert min(ranges)[0] < 0


@pytest.mark.parametrize("order", ODD_ORDERS, ids=float)
def test_no_amount_is_too_odd_to_be_priced_safely(order: Fraction) -> None:
    for epsilon in ODD_EPSILONS:
        # Of a small ε only the square is seen.
        with localcontext(MANY, prec=MANY.prec + 2 * len(str(epsilon.denominator))):
            for steps in ODD_STEPS:
                price = diverge_laplace(order, epsilon, steps)
                assert 0 < price <= min(epsilon, order * epsilon**2 / 2)
                assert price >= Fraction(laplace_truth(order, epsilon, steps)) * (1 - ROUGH)
            price = diverge_range(order, epsilon)
            assert 0 < price <= min(epsilon, order * epsilon**2 / 8)
            assert price >= Fraction(range_truth(order, epsilon)) * (1 - ROUGH)


ROUGH = Fraction(1, 10**60)  # what cancellation leaves of the truth itself at 250 digits


@pytest.mark.parametrize(
    ("afford", "diverge"), [(afford_pure, pure), (afford_range, diverge_range)]
)
def test_what_is_affordable_costs_no_more_than_the_amount_and_almost_as_much(
    afford: Range, diverge: Range
) -> None:
    amounts = [Fraction(each) for each in ("1e-300", "1e-24", "1e-9", "0.003", "0.2", "1", "90")]
    for order, amount in product([*ORDERS, Fraction(10**5)], amounts):
        epsilon = afford(order, amount)
        assert Fraction(float(epsilon)) == epsilon
        if order * epsilon < 49_999:  # beyond that the price is ε itself, and jumps there
            assert amount * (1 - Fraction(1, 10**8)) < diverge(order, epsilon)
        assert diverge(order, epsilon) <= amount
        assert diverge(order, epsilon * (1 + Fraction(1, 10**8))) > amount


@pytest.mark.parametrize("afford", [afford_pure, afford_range])
def test_nothing_buys_nothing(afford: Range) -> None:
    assert afford(Fraction(20), Fraction(0)) == 0
    assert afford(Fraction(20), Fraction(-1)) == 0


def test_an_allowance_by_rho_is_caught() -> None:
    """ε = √(2r/α), as ledgers counted before, leaves much of the amount unspent."""
    order, amount = Fraction(20), Fraction(1, 2)
    epsilon = Fraction(math.sqrt(2 * amount / order))
    assert pure(order, epsilon) < amount * Fraction(9, 10)
    more = afford_pure(order, amount) * (1 + Fraction(1, 10**8))
    assert pure(order, more) > amount

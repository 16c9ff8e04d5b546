"""`Budget` and `Cost`: amounts of privacy, exact, and never rounded in their own favour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from sys import float_info
from typing import Literal

from sfumato.errors import BudgetError, Setting, Spending
from sfumato.privacy.renyi import TRAPS, diverge_laplace, diverge_range

_LARGEST = Fraction(float_info.max)


def to_fraction(amount: float) -> Fraction:
    """Return the number a person means by a float: 0.1 is one tenth.

    Ten charts at ε = 0.1 then fit a budget of 1, as everyone expects. Noise scales are computed
    from the fraction and rounded up, so nothing is lost by reading it this way.

    Examples
    --------
    >>> to_fraction(0.1) * 10
    Fraction(1, 1)
    """
    return Fraction(repr(float(amount)))


def float_above(amount: Fraction) -> float:
    """Return the smallest float that is at least `amount`, which may be infinity."""
    if amount > _LARGEST:
        return math.inf
    nearest = float(amount)
    return nearest if Fraction(nearest) >= amount else math.nextafter(nearest, math.inf)


def float_below(amount: Fraction) -> float:
    """Return the largest float that is at most `amount`."""
    return -float_above(-amount)


def plain_above(amount: Fraction) -> float:
    """Return the smallest float that means at least `amount` when it is read by `to_fraction`.

    Examples
    --------
    >>> plain_above(Fraction(1, 10**7))
    1e-07
    """
    if amount > _LARGEST:
        return math.inf
    nearest = float(amount)
    return nearest if to_fraction(nearest) >= amount else math.nextafter(nearest, math.inf)


def format_amount(amount: Fraction, *, up: bool, digits: int = 4) -> str:
    """Write `amount` in a few digits, rounded up (what is spent) or down (what is left).

    Examples
    --------
    >>> format_amount(Fraction(1, 3), up=True), format_amount(Fraction(1, 3), up=False)
    ('0.3334', '0.3333')
    """
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return f"{float(short):.{digits}g}"


LossFamily = Literal["exponential", "laplace"]


@dataclass(frozen=True, order=True)
class Loss:
    """What one kind of noise costs at every order, more exactly than its ρ says.

    Parameters
    ----------
    family
        Discrete Laplace noise, or the exponential mechanism, whose log-ratios span ε.
    epsilon
        Its pure ε.
    steps
        For Laplace noise, how many steps of the lattice one unit shifts it by. One step is the
        worst of all mechanisms with this ε.
    times
        How often it occurs.
    """

    family: LossFamily
    epsilon: Fraction
    steps: int = 1
    times: int = 1

    def __post_init__(self) -> None:
        if min(self.steps, self.times) < 1 or not _is_amount(self.epsilon):
            raise BudgetError(
                "A loss has an ε of at least 0, and occurs so many times, in so many steps.",
                "A negative one would refund what was spent.",
                "Write Cost.pure(Fraction(1, 10)).",
            )

    @property
    def rho(self) -> Fraction:
        """What all of them are in zero-concentrated privacy."""
        return self.times * self.epsilon**2 / (2 if self.family == "laplace" else 8)

    def diverge(self, order: Fraction) -> Fraction:
        """Return the Rényi divergence of all of them at `order`, rounded up (`renyi.md`)."""
        if self.family == "laplace":
            return self.times * diverge_laplace(order, self.epsilon, self.steps)
        return self.times * diverge_range(order, self.epsilon)


def _merge_losses(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Return losses of which no two are the same, in rising order."""
    counts: Counter[Loss] = Counter()
    for loss in losses:
        counts[replace(loss, times=1)] += loss.times
    return tuple(sorted(replace(loss, times=times) for loss, times in counts.items()))


@dataclass(frozen=True)
class Cost:
    """The cost of a release; costs add up.

    Parameters
    ----------
    epsilon
        Pure ε, or None for a mechanism without one (Gaussian noise).
    rho
        Zero-concentrated privacy.
    delta
        The probability that a threshold fails, over and above what ε and ρ say.
    losses
        What is known more exactly of parts of ε and ρ.

    Examples
    --------
    >>> Cost.pure(Fraction(1, 2))
    Cost(ε = 0.5, ρ = 0.125)
    """

    epsilon: Fraction | None
    rho: Fraction
    delta: Fraction = Fraction(0)
    losses: tuple[Loss, ...] = ()

    def __post_init__(self) -> None:
        epsilon = Fraction(0) if self.epsilon is None else self.epsilon
        if not all(map(_is_amount, (epsilon, self.rho, self.delta))):
            raise BudgetError(
                "A cost is made of fractions of at least 0.",
                "A negative one would refund what was spent, and a rounded one would not add up.",
                "Write Cost.pure(Fraction(1, 10)).",
            )
        known = sum(loss.times * loss.epsilon for loss in self.losses)
        if self.unexplained < 0 or (self.epsilon is not None and known > self.epsilon):
            raise BudgetError(
                "The losses in a cost come to more than the cost.",
                "What they add up to must be paid.",
                "Write Cost.pure(Fraction(1, 10)), which needs none.",
            )

    def __repr__(self) -> str:
        return f"Cost({self})"

    def __str__(self) -> str:
        parts = [] if self.epsilon is None else [f"ε = {format_amount(self.epsilon, up=True)}"]
        parts += [f"ρ = {format_amount(self.rho, up=True)}"]
        parts += [f"δ = {format_amount(self.delta, up=True)}"] if self.delta else []
        return ", ".join(parts)

    @classmethod
    def nothing(cls) -> Cost:
        """Cost nothing at all."""
        return cls(Fraction(0), Fraction(0))

    @classmethod
    def pure(cls, epsilon: Fraction, *, delta: Fraction = Fraction(0)) -> Cost:
        """Return the cost of any ε-DP mechanism: ρ = ε²/2 (Bun and Steinke 2016, Prop. 1.4)."""
        return cls.laplace(epsilon, 1, delta=delta)

    @classmethod
    def laplace(cls, epsilon: Fraction, steps: int, *, delta: Fraction = Fraction(0)) -> Cost:
        """Return the cost of discrete Laplace noise where one unit moves `steps` steps.

        Answers with noise of several scales whose ε add up to this one cost no more.
        """
        return cls._of(Loss("laplace", epsilon, steps), delta)

    @classmethod
    def exponential(cls, epsilon: Fraction) -> Cost:
        """Return the cost of an exponential mechanism: ρ = ε²/8 (Cesar, Rogers 2021, Lemma 3.2)."""
        return cls._of(Loss("exponential", epsilon), Fraction(0))

    @classmethod
    def gaussian(cls, rho: Fraction) -> Cost:
        """Return the cost of Gaussian noise, which has no pure ε."""
        return cls(None, rho)

    @classmethod
    def _of(cls, loss: Loss, delta: Fraction) -> Cost:
        return cls(loss.epsilon, loss.rho, delta, (loss,) if loss.epsilon else ())

    def __add__(self, other: Cost) -> Cost:
        whole = None
        if self.epsilon is not None and other.epsilon is not None:
            whole = self.epsilon + other.epsilon
        losses = _merge_losses(self.losses + other.losses)
        return Cost(whole, self.rho + other.rho, self.delta + other.delta, losses)

    @classmethod
    def sum(cls, costs: Iterable[Cost]) -> Cost:
        """Add up costs, many of them as fast as few."""
        every = list(costs)
        pure = [cost.epsilon for cost in every if cost.epsilon is not None]
        epsilon = sum(pure, Fraction(0)) if len(pure) == len(every) else None
        rho, delta = (
            sum((getattr(cost, name) for cost in every), Fraction(0)) for name in ("rho", "delta")
        )
        return cls(
            epsilon, rho, delta, _merge_losses(loss for cost in every for loss in cost.losses)
        )

    def diverge(self, order: Fraction) -> Fraction:
        """Return the Rényi divergence at `order`, rounded up: exact for Gaussian noise.

        Examples
        --------
        >>> half = Cost.pure(Fraction(1, 2))
        >>> float(half.diverge(Fraction(2))) < 2 * half.rho
        True
        """
        known = sum((loss.diverge(order) for loss in self.losses), Fraction(0))
        return known + order * self.unexplained

    @property
    def unexplained(self) -> Fraction:
        """The part of ρ that no loss explains: all of it for Gaussian noise."""
        return self.rho - sum(loss.rho for loss in self.losses)

    def within(self, other: Cost, order: Fraction | None = None) -> bool:
        """Tell whether this cost is at most `other` in every currency, also at this order."""
        cheap = other.epsilon is None or (
            self.epsilon is not None and self.epsilon <= other.epsilon
        )
        cheap = cheap and self.rho <= other.rho and self.delta <= other.delta
        return cheap and (order is None or self.diverge(order) <= other.diverge(order))


def _is_amount(amount: object) -> bool:
    return isinstance(amount, Fraction) and amount >= 0


_MARGIN = Fraction(1, 10**30)
_PRECISE = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=TRAPS)


@dataclass(frozen=True)
class Conversion:
    """An order α, and the divergence R there that implies (ε, δ)-DP.

    It is the order at which ρ-zCDP, whose divergence is αρ, is converted best.
    """

    order: Fraction
    limit: Fraction

    @property
    def rho(self) -> Fraction:
        """The ρ whose divergence at this order is the limit."""
        return self.limit / self.order


@cache
def convert(epsilon: Fraction, delta: Fraction) -> Conversion | None:
    """Return the order at which the largest ρ implies (ε, δ)-DP; None where no ρ does.

    Examples
    --------
    >>> best = convert(Fraction(1), Fraction(1, 10**6))
    >>> round(float(best.order), 1), round(float(best.rho), 4)
    (22.0, 0.0244)
    """
    if delta <= 0:
        return None
    log_delta = _log(delta)
    alpha = _find_minimum(lambda a: -(float(epsilon) + _rough_slack(a, float(log_delta))) / a)
    rho = (epsilon + _slack(alpha, log_delta)) / Fraction(alpha)
    rho = Fraction(float_below(max(Fraction(0), rho)))
    return Conversion(Fraction(alpha), Fraction(alpha) * rho) if rho else None


def implies(order: Fraction, limit: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether we can prove that a divergence of `limit` at `order` implies (ε, δ)-DP."""
    alpha = float(order)  # an order that is no float was not made by us
    if delta <= 0 or Fraction(alpha) != order or alpha <= 1:
        return limit == 0
    return limit <= epsilon + _slack(alpha, _log(delta))


def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest ρ we can prove to imply (ε, δ)-DP; none without a δ.

    Examples
    --------
    >>> round(float(rho_within(Fraction(1), Fraction(1, 10**6))), 4)
    0.0244
    """
    best = convert(epsilon, delta)
    return Fraction(0) if best is None else best.rho


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest ε we can prove for ρ-zCDP at this δ."""
    return prove_epsilon(Cost.gaussian(rho), delta)


@cache
def prove_epsilon(cost: Cost, delta: Fraction) -> Fraction:
    """Return the smallest ε we can prove at this δ for a cost that is known in advance.

    The δ of the cost itself comes on top. No order is fixed here: a ledger, whose charges are not
    known in advance, has to choose one.
    """
    if cost.rho == 0:
        return Fraction(0)
    log_delta = _log(delta)

    def rough(alpha: float) -> float:
        return float(cost.diverge(Fraction(alpha))) - _rough_slack(alpha, float(log_delta))

    alpha = _find_minimum(rough)
    epsilon = cost.diverge(Fraction(alpha)) - _slack(alpha, log_delta)
    proven = Fraction(float_above(max(Fraction(0), epsilon)))
    return proven if cost.epsilon is None else min(proven, cost.epsilon)


def _slack(alpha: float, log_delta: Decimal) -> Fraction:
    """Return at most (ln δ + ln(α − 1) − α ln(1 − 1/α)) / (α − 1)."""
    with localcontext(_PRECISE):
        a = Decimal(alpha)
        value = (log_delta + (a - 1).ln() - a * ((a - 1) / a).ln()) / (a - 1)
        return Fraction(value) - _MARGIN * (1 + abs(Fraction(value)))


def _rough_slack(alpha: float, log_delta: float) -> float:
    return (log_delta + math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)) / (alpha - 1)


def _log(delta: Fraction) -> Decimal:
    with localcontext(_PRECISE):
        return (Decimal(delta.numerator) / Decimal(delta.denominator)).ln()


def _find_minimum(objective: Callable[[float], float]) -> float:
    """Return an α > 1 near the least of `objective`, by refining a grid in ln(α − 1)."""
    low, high = math.log(1e-6), math.log(1e12)
    best = 0.0
    for _ in range(8):
        step = (high - low) / 40
        points = [low + step * i for i in range(41)]
        best = min(points, key=lambda point: objective(1 + math.exp(point)))
        low, high = best - step, best + step
    return 1 + math.exp(best)


LARGEST_EPSILON = 1e12
"""Far beyond any guarantee; larger numbers would overflow when the guarantee is restated."""

WEAK_EPSILON = 10.0
"""A larger ε protects little, and is granted only to whoever says so."""

WEAK_DELTA = 1e-3
"""So does a δ that is not below this."""


@dataclass(frozen=True)
class Budget:
    """An upper limit on privacy loss: pure ε, or ε with a small probability δ.

    Parameters
    ----------
    epsilon
        The largest privacy loss.
    delta
        The probability with which ε may be exceeded. There is no default but none at all.
    reserve
        The part of δ kept for thresholds (`sfumato.private`); the rest pays for the tight
        conversion of Gaussian noise. Half of δ unless you say otherwise.
    weak
        Allow a guarantee that protects little: an ε above 10, or a δ of 0.001 or more. Every
        figure then says so.

    Examples
    --------
    >>> Budget(epsilon=1)
    Budget(epsilon=1.0)
    >>> Budget(epsilon=2, delta=1e-6).pure
    False
    >>> Budget(epsilon=100)
    Traceback (most recent call last):
    ...
    sfumato.errors.BudgetError: Budget(epsilon=100) protects little: ε = 100 is above 10. ...
    """

    epsilon: float
    delta: float = 0.0
    reserve: float | None = None
    weak: bool = field(default=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _read_number(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", _read_number(self.delta, "delta"))
        if self.reserve is not None:
            object.__setattr__(self, "reserve", _read_number(self.reserve, "reserve"))
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            raise BudgetError(
                (Setting("epsilon", self.epsilon), " must be a finite number above 0."),
                "It bounds what anyone can learn about one person.",
                ("Write ", Spending(1), "."),
            )
        if not 0 <= self.delta < 1:
            raise BudgetError(
                (Setting("delta", self.delta), " must be at least 0 and below 1."),
                "It is the probability that the guarantee fails; choose it far below 1 / (number "
                "of people).",
                ("Write ", Spending(1, 1e-6), "."),
            )
        if self.reserve is not None and not 0 <= self.reserve <= self.delta:
            raise BudgetError(
                (Setting("reserve", self.reserve), " must lie between 0 and delta."),
                "It is the part of δ kept for thresholds.",
                "Leave it out, or write a smaller one.",
            )
        object.__setattr__(self, "weak", self.weak is True)
        if not self.weak and (why := explain_weakness(self.epsilon, self.delta)):
            raise BudgetError(
                (self.spelled, f" protects little: {why}."),
                "Whoever sees the chart could become nearly sure of what one person's rows say.",
                ("Spend less, or write that you mean it: ", replace(self.spelled, weak=True), "."),
            )

    @property
    def spelled(self) -> Spending:
        """How it is typed, for errors that quote it."""
        return Spending(self.epsilon, self.delta, self.reserve, self.weak)

    def __repr__(self) -> str:
        parts = [f"epsilon={self.epsilon!r}"]
        parts += [f"delta={self.delta!r}"] if self.delta else []
        parts += [] if self.reserve is None else [f"reserve={self.reserve!r}"]
        parts += ["weak=True"] if self.weak else []
        return f"Budget({', '.join(parts)})"

    @classmethod
    def of(cls, spelling: Budget | float) -> Budget:
        """Read a budget from a bare number, which is pure ε."""
        return spelling if isinstance(spelling, Budget) else cls(_read_number(spelling, "epsilon"))

    @property
    def pure(self) -> bool:
        """Whether no failure probability is allowed."""
        return self.delta == 0

    @property
    def threshold_delta(self) -> Fraction:
        """The part of δ that thresholds may spend."""
        return to_fraction(self.delta) / 2 if self.reserve is None else to_fraction(self.reserve)

    @property
    def rho(self) -> Fraction:
        """The zero-concentrated privacy this budget buys; none where δ is zero."""
        return rho_within(
            to_fraction(self.epsilon),
            to_fraction(self.delta) - self.threshold_delta,
        )


def explain_weakness(epsilon: float, delta: float) -> str:
    """Say why a guarantee protects little, or nothing where it does not.

    Examples
    --------
    >>> explain_weakness(100.0, 0.5)
    'ε = 100 is above 10, δ = 0.5 is not below 0.001'
    """
    high = f"ε = {format_amount(to_fraction(epsilon), up=True)} is above {WEAK_EPSILON:g}"
    likely = f"δ = {format_amount(to_fraction(delta), up=True)} is not below {WEAK_DELTA:g}"
    return ", ".join([high] * (epsilon > WEAK_EPSILON) + [likely] * (delta >= WEAK_DELTA))


def _read_number(value: object, name: str) -> float:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        pass
    raise BudgetError(
        f"{name} must be a number.",
        "Privacy is spent in exact amounts.",
        ("Write ", Spending(1), "."),
    )

"""`Share`: a part of what a ledger has, and `Grant`: what one chart may spend of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational

from sfumato.errors import BudgetError, Worded
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import (
    Budget,
    Cost,
    convert,
    epsilon_of,
    format_amount,
    plain_above,
    rho_within,
    to_fraction,
)
from sfumato.privacy.currency import PURE, Concentrated, Currency, Renyi

_ROUNDING = Fraction(1, 10**6)
_DUST = Fraction(1, 10**8)  # what rounding leaves of a ledger that is spent, and more


@dataclass(frozen=True, repr=False)
class Grant(Budget):
    """What one chart may spend, in the currency of the ledger that pays for it.

    Parameters
    ----------
    amount
        So much of the currency.
    converted
        The part of δ that the guaranteed ε needs; the rest is for thresholds.
    kept
        The δ that thresholds may take of the ledger's reserve.
    """

    amount: Fraction = Fraction(0)
    currency: Currency = PURE
    converted: Fraction = Fraction(0)
    kept: Fraction = Fraction(0)

    @property
    def threshold_delta(self) -> Fraction:
        """The part of δ that thresholds may spend: exact, where δ itself was rounded up."""
        return self.kept

    def allot(self, thresholds: Fraction) -> tuple[Fraction, Currency]:
        """Return what noise may spend besides thresholds of this δ."""
        left = to_fraction(self.delta) - thresholds
        if self.currency == PURE or left >= self.converted:
            return self.amount, self.currency
        # Thresholds that take more than their part leave less δ to convert with.
        rho = min(self.currency.rho(self.amount), rho_within(to_fraction(self.epsilon), left))
        return _amount_of(self.currency, rho), self.currency


def allot(budget: Budget, thresholds: Fraction = Fraction(0)) -> tuple[Fraction, Currency]:
    """Return what a chart's noise may spend besides thresholds of this δ, and in which currency.

    Examples
    --------
    >>> allot(Budget(0.5))
    (Fraction(1, 2), Pure())
    """
    if isinstance(budget, Grant):
        return budget.allot(thresholds)
    if budget.pure:
        return to_fraction(budget.epsilon), PURE
    kept = to_fraction(plain_above(thresholds))
    best = convert(to_fraction(budget.epsilon), to_fraction(budget.delta) - kept)
    return (Fraction(0), Concentrated()) if best is None else (best.limit, Renyi(best.order))


@dataclass(frozen=True)
class Share:
    """A part of what a ledger has, in its own currency; it can be divided and spent.

    Parameters
    ----------
    rule
        The rule of the ledger.
    epsilon
        Pure ε, which charts with pure noise may spend; None where Gaussian noise has closed it.
    amount
        So much of the rule's currency.
    delta
        The δ for thresholds.

    Examples
    --------
    >>> whole = Share.whole(PrivacyFilter.of(Budget(1, 1e-6)))
    >>> whole
    Share(ε = 1, δ = 1e-06)
    >>> whole / 4
    Share(ε = 0.4787, δ = 6.25e-07)
    """

    rule: PrivacyFilter
    epsilon: Fraction | None
    amount: Fraction
    delta: Fraction

    @classmethod
    def whole(cls, rule: PrivacyFilter) -> Share:
        """Return all that a ledger began with."""
        return cls(rule, rule.epsilon, rule.limit, rule.reserve)

    @classmethod
    def remaining(cls, rule: PrivacyFilter, spent: Cost) -> Share:
        """Return what is left after `spent`."""
        none = Fraction(0)
        epsilon = None if spent.epsilon is None else max(none, rule.epsilon - spent.epsilon)
        amount = max(none, rule.limit - rule.price(spent))
        return cls(rule, epsilon, amount, max(none, rule.reserve - spent.delta))

    @property
    def rho(self) -> Fraction:
        """The ρ of the Gaussian noise it buys."""
        return self.rule.currency.rho(self.amount)

    def __mul__(self, factor: object) -> Share:
        part = _read_factor(factor)
        epsilon = None if self.epsilon is None else self.epsilon * part
        return replace(self, epsilon=epsilon, amount=self.amount * part, delta=self.delta * part)

    __rmul__ = __mul__

    def __truediv__(self, parts: object) -> Share:
        return self * (1 / _read_factor(parts))

    def __repr__(self) -> str:
        return f"Share({self})"

    def __str__(self) -> str:
        if not (self.proven_epsilon or self.epsilon):
            return "nothing"
        if not self.proven_epsilon:
            return f"ε = {format_amount(self.epsilon or Fraction(0), up=False)}"
        delta = format_amount(self.rule.converted_delta + self.delta, up=False)
        return f"ε = {self._word_epsilon()}, δ = {delta}"

    def _word_epsilon(self) -> str:
        """Return an ε of four digits for which, when it is typed, this share is enough."""
        converted = self.rule.converted_delta
        nearest = format_amount(Fraction(self.proven_epsilon) * (1 - _ROUNDING), up=False)
        for digits in (str(self.proven_epsilon), nearest):
            if rho_within(to_fraction(float(digits)), converted) <= self.rho:
                return f"{float(digits):.4g}"
        return format_amount(Fraction(float(nearest)) * (1 - _ROUNDING), up=False)

    def grant(self) -> Grant:
        """Return what a chart may spend that is given all of this share.

        It guarantees what its amount proves at the δ of the whole ledger.
        """
        if self.amount > self.rule.limit or (self.epsilon or 0) > self.rule.epsilon:
            raise BudgetError(
                "This is more than the ledger began with.",
                "All charts together must stay within the budget.",
                ("Write ", Worded("session.remaining / 4", in_shell="--epsilon 0.25"), "."),
            )
        if self.proven_epsilon:
            return self._grant_amount()
        if self.epsilon:
            return _grant_epsilon(self.epsilon, self.rule.budget.weak)
        raise BudgetError(
            "Nothing is left to spend.",
            "All charts together must stay within the budget.",
            "Draw a saved release again: drawing is free.",
        )

    @property
    def proven_epsilon(self) -> float:
        """The ε that the amount proves at the δ of the whole ledger; 0 where it buys nothing."""
        if self.amount <= self.rule.limit * _DUST:
            return 0.0
        # Rounded up to a few digits, which also covers the rounding of the way back.
        proven = format_amount(epsilon_of(self.rho, self.rule.converted_delta), up=True)
        return min(float(proven), self.rule.budget.epsilon)

    def _grant_amount(self) -> Grant:
        rule = self.rule
        return Grant(
            self.proven_epsilon,
            plain_above(rule.converted_delta + self.delta),
            weak=True,
            amount=self.amount,
            currency=rule.currency,
            converted=rule.converted_delta,
            kept=self.delta,
        )


def grant(rule: PrivacyFilter, asked: Budget | Share | float) -> Budget:
    """Return what a chart may spend under a ledger's rule, for what was typed.

    An ε with a δ is converted with the ledger's split of δ, so that a chart of the whole budget
    fills the ledger exactly.

    Examples
    --------
    >>> rule = PrivacyFilter.of(Budget(1, 1e-6))
    >>> grant(rule, Budget(1, 1e-6)).amount == rule.limit
    True
    """
    if isinstance(asked, Share):
        if asked.rule != rule:
            raise BudgetError(
                "This is a share of another ledger.",
                "What one ledger has left says nothing about another.",
                (
                    "Take it from the session that draws the chart: ",
                    Worded("session.remaining / 4", in_shell="--epsilon 0.25"),
                    ".",
                ),
            )
        return asked.grant()
    budget = Budget.of(asked)
    if budget.pure or rule.limit == 0 or isinstance(budget, Grant):
        return budget
    converted = _convert_budget(rule, budget)
    # More than the ledger has is planned by itself, and refused by the ledger.
    return converted if converted.amount <= rule.limit else budget


def find_pure(rule: PrivacyFilter, spent: Cost) -> Fraction:
    """Return the most pure ε that one chart could still have."""
    left = Share.remaining(rule, spent)
    return max(left.epsilon or Fraction(0), rule.currency.pure(left.amount))


def _convert_budget(rule: PrivacyFilter, budget: Budget) -> Grant:
    delta, whole = to_fraction(budget.delta), to_fraction(rule.budget.delta)
    split = delta * rule.converted_delta / whole
    if budget.reserve is not None:
        split = delta - budget.threshold_delta
    converted = min(split, rule.converted_delta)
    rho = rho_within(to_fraction(budget.epsilon), converted)
    return Grant(
        budget.epsilon,
        budget.delta,
        budget.reserve,
        weak=budget.weak,
        amount=_amount_of(rule.currency, rho),
        currency=rule.currency,
        converted=converted,
        kept=delta - converted,
    )


def _amount_of(currency: Currency, rho: Fraction) -> Fraction:
    amount = currency.price(Cost.gaussian(rho))
    return Fraction(0) if amount is None else amount


def _grant_epsilon(epsilon: Fraction, weak: bool) -> Grant:
    return Grant(plain_above(epsilon), weak=weak, amount=epsilon, currency=PURE)


def _read_factor(factor: object) -> Fraction:
    if isinstance(factor, Rational) and Fraction(factor) > 0:
        return Fraction(factor)
    if isinstance(factor, float) and 0 < factor < math.inf:
        return to_fraction(factor)
    raise BudgetError(
        "A share is divided, or multiplied, by a number above 0.",
        "It is an amount of privacy.",
        ("Write ", Worded("session.remaining / 4", in_shell="--epsilon 0.25"), "."),
    )

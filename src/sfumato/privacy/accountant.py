"""Whether a charge fits a budget, and why not. The argument stands in `accountant.md`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import BudgetError, Spending
from sfumato.privacy.budget import (
    Budget,
    Cost,
    convert,
    format_amount,
    implies,
    plain_above,
    prove_epsilon,
    to_fraction,
)
from sfumato.privacy.currency import Concentrated, Renyi


@dataclass(frozen=True)
class PrivacyFilter:
    """The rule by which a ledger admits charges, fixed when the ledger is created.

    Parameters
    ----------
    budget
        What everything together guarantees. Part of its δ is kept for thresholds.
    currency
        What is counted besides pure ε.
    limit
        How much of it may be spent.

    Examples
    --------
    >>> rule = PrivacyFilter.of(Budget(1, 1e-6))
    >>> spent = Cost.pure(Fraction(1, 4))
    >>> rule.admits(spent, Cost.gaussian(Fraction(1, 100)))
    True
    """

    budget: Budget
    currency: Concentrated | Renyi
    limit: Fraction

    @classmethod
    def of(cls, budget: Budget) -> PrivacyFilter:
        """Choose the order at which what δ is left by thresholds is converted best."""
        best = convert(to_fraction(budget.epsilon), _converted_delta(budget))
        if best is None:
            return cls(budget, Concentrated(), Fraction(0))
        return cls(budget, Renyi(best.order), best.limit)

    @classmethod
    def concentrated(cls, budget: Budget) -> PrivacyFilter:
        """Return the rule of version 0.1, which counts ρ."""
        return cls(budget, Concentrated(), budget.rho)

    @property
    def order(self) -> Fraction | None:
        """The order of the divergences that are counted; None where ρ is."""
        return self.currency.order if isinstance(self.currency, Renyi) else None

    def word(self, amount: Fraction) -> str:
        """Say an amount of the currency."""
        words = f"{self.currency.name} = {format_amount(amount, up=True)}"
        if self.order is None:
            return words
        return f"{words} at Rényi order {format_amount(self.order, up=False, digits=3)}"

    @property
    def keeps_its_promise(self) -> bool:
        """Whether the limit implies the guarantee; a file might say otherwise."""
        if self.order is None:
            return self.limit <= self.budget.rho
        whole = self.limit > 0 and self.order > 1
        return whole and implies(self.order, self.limit, self.epsilon, self.converted_delta)

    @property
    def epsilon(self) -> Fraction:
        """The most pure ε."""
        return to_fraction(self.budget.epsilon)

    @property
    def reserve(self) -> Fraction:
        """The δ that thresholds may spend."""
        return self.budget.threshold_delta

    @property
    def converted_delta(self) -> Fraction:
        """The δ that pays for the conversion of the currency to ε."""
        return _converted_delta(self.budget)

    def admits(self, spent: Cost, cost: Cost) -> bool:
        """Tell whether `cost` may be charged after `spent`.

        Either every charge has an ε and they sum to at most the budget's, or their amounts in the
        currency sum to at most the limit. Thresholds share the reserve of δ on both sides.

        Privacy
        -------
        All mechanisms admitted in this way are together (ε, δ)-DP, also when each is chosen, and
        priced, after looking at the answers of those before it.
        """
        total = spent + cost
        if total.delta > self.reserve:
            return False
        by_epsilon = total.epsilon is not None and total.epsilon <= self.epsilon
        return by_epsilon or self.price(total) <= self.limit

    def choose_measure(self, spent: Cost) -> Callable[[Cost], Fraction]:
        """Return what tells the part of all that a cost takes, where `spent` takes least."""
        parts: list[Callable[[Cost], Fraction]] = []
        if spent.epsilon is not None:
            parts.append(lambda cost: (cost.epsilon or 0) / self.epsilon)
        if self.limit:
            parts.append(lambda cost: self.price(cost) / self.limit)
        return min(parts, key=lambda part: part(spent))

    def price(self, cost: Cost) -> Fraction:
        """Return a cost in the currency."""
        return self.currency.price(cost)


def proves(cost: Cost, epsilon: float, delta: float) -> bool:
    """Tell whether a cost that is known in advance implies (ε, δ)-DP, as far as we can prove.

    Examples
    --------
    >>> proves(Cost.pure(Fraction(1)), 1.0, 0.0), proves(Cost.pure(Fraction(1)), 0.9, 0.0)
    (True, False)
    """
    reserve = plain_above(cost.delta)
    if reserve > delta:
        return False
    promised = PrivacyFilter.of(Budget(epsilon, delta, reserve=reserve, weak=True))
    if promised.admits(Cost.nothing(), cost):
        return True
    # Some other order may prove it, if the one that suits Gaussian noise best does not.
    left = promised.converted_delta
    return left > 0 and prove_epsilon(cost, left) <= promised.epsilon


def _converted_delta(budget: Budget) -> Fraction:
    return to_fraction(budget.delta) - budget.threshold_delta


_LIMIT = "All charts together must stay within the budget."
_DRAWING = ", or draw a saved release again: drawing is free."
_ADVICE = f"Ask for less{_DRAWING}"


def make_refusal(
    label: str, rule: PrivacyFilter, spent: Cost, cost: Cost, largest: Spending | None = None
) -> BudgetError:
    """Return the error for a `cost` that the rule refused, in the currency nearest to fitting.

    Parameters
    ----------
    largest
        The most that would fit, as it is typed, if that is known.
    """
    if (spent + cost).delta > rule.reserve:
        return _explain_reserve(label, rule.budget, spent, cost)
    fits = _list_overspending(rule, spent, cost)
    if not fits:
        return _explain_missing_delta(label, rule.budget)
    advice = _ADVICE if largest is None else ("Ask for at most ", largest, _DRAWING)
    return BudgetError(f"{label} costs {min(fits)[1]}", _LIMIT, advice)


def _list_overspending(rule: PrivacyFilter, spent: Cost, cost: Cost) -> list[tuple[Fraction, str]]:
    """Return in each currency how much of the limit would be spent, and that in words."""
    fits: list[tuple[Fraction, str]] = []
    if cost.epsilon is not None and spent.epsilon is not None:
        share = (spent.epsilon + cost.epsilon) / rule.epsilon
        words = f"ε = {format_amount(cost.epsilon, up=True)}"
        fits.append((share, _compare(words, spent.epsilon, rule.epsilon)))
    if rule.limit > 0:
        words = _compare(rule.word(rule.price(cost)), rule.price(spent), rule.limit)
        fits.append((rule.price(spent + cost) / rule.limit, words))
    return fits


def _compare(cost: str, spent: Fraction, limit: Fraction) -> str:
    return (
        f"{cost}, but {format_amount(spent, up=True)} of {format_amount(limit, up=True)} is spent."
    )


def _explain_reserve(label: str, budget: Budget, spent: Cost, cost: Cost) -> BudgetError:
    price, kept = (
        format_amount(cost.delta, up=True),
        format_amount(budget.threshold_delta, up=False),
    )
    if budget.threshold_delta == 0:
        return BudgetError(
            (f"{label} costs δ = {price} for its threshold, but ", budget.spelled, " keeps none."),
            "A threshold fails with a small probability.",
            "Declare the categories, or begin a ledger whose budget has a delta.",
        )
    return BudgetError(
        f"{label} costs δ = {price}, but {format_amount(spent.delta, up=True)} of the {kept} kept "
        "for thresholds is spent.",
        _LIMIT,
        _ADVICE,
    )


def _explain_missing_delta(label: str, budget: Budget) -> BudgetError:
    return BudgetError(
        (f"{label} uses Gaussian noise, which needs δ, but ", budget.spelled, " has none for it."),
        "The guarantee of Gaussian noise fails with a small probability.",
        "Ask for Laplace noise, or begin a ledger whose budget has a delta.",
    )

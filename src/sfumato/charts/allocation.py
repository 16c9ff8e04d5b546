"""How a chart's budget is allocated: the noise a share of it buys, and private searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Categories
from sfumato.engines.columns import read_value
from sfumato.engines.engine import Engine
from sfumato.errors import (
    SHARED,
    BudgetError,
    CategoriesOf,
    DomainError,
    PrivateSearch,
    ProtectedUsers,
    abbreviate,
)
from sfumato.exact import Exact
from sfumato.grid import MOST_FOUND, Key, Labels
from sfumato.mechanisms.gaussian import gaussian, gaussian_scale
from sfumato.mechanisms.laplace import laplace, laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.stability import stability_threshold, threshold_categories
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget, Cost, to_fraction
from sfumato.privacy.currency import PURE, Currency
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.share import allot
from sfumato.private_search import Private


@dataclass(frozen=True)
class Allocation:
    """An amount of pure ε or, where the budget has a δ, of what its ledger counts."""

    amount: Fraction
    currency: Currency = PURE

    @classmethod
    def of(cls, budget: Budget, thresholds: Fraction = Fraction(0)) -> Allocation:
        """Return all of a chart's budget, less the δ that its thresholds take."""
        if not budget.pure and thresholds >= to_fraction(budget.delta):
            raise BudgetError(
                "The private search for categories takes all of the chart's δ.",
                "Gaussian noise needs some of it too.",
                ("Ask for a smaller one: ", PrivateSearch(delta=1e-7), "."),
            )
        return cls(*allot(budget, thresholds))

    @property
    def pure(self) -> bool:
        """Whether it is an amount of pure ε, which buys Laplace noise."""
        return self.currency == PURE

    def part(self, share: Fraction) -> Allocation:
        """Return a share of this portion."""
        return Allocation(self.amount * share, self.currency)

    @property
    def rho(self) -> Fraction:
        """What Gaussian noise may spend."""
        return self.currency.rho(self.amount)

    @property
    def epsilon(self) -> Fraction:
        """What a mechanism with pure privacy may spend."""
        return self.currency.pure(self.amount)

    @property
    def choice(self) -> Fraction:
        """What an exponential mechanism may spend."""
        return self.currency.choice(self.amount)

    def cost(self, weight: int) -> Cost:
        """Return what the ledger is charged when noise on such sums spends this portion."""
        return Cost.laplace(self.amount, weight) if self.pure else Cost.gaussian(self.rho)

    def law(self, weight: int) -> NoiseLaw:
        """Return the noise to add to sums that one unit can move by `weight` steps."""
        if self.pure:
            return NoiseLaw("laplace", laplace_scale(weight, self.amount))
        return NoiseLaw("gaussian", gaussian_scale(weight**2, self.rho))


def add_noise(meter: Meter, exact: Exact, law: NoiseLaw) -> NDArray[np.int64]:
    """Add noise of the planned law.

    Privacy
    -------
    As `sfumato.mechanisms.laplace` and `sfumato.mechanisms.gaussian` state.
    """
    if law.kind == "laplace":
        return laplace(meter, exact, scale=law.scale)
    return gaussian(meter, exact, scale=law.scale)


@dataclass(frozen=True)
class CategorySearch:
    """A planned search: only categories whose noisy count reaches `threshold` are shown."""

    column: str
    unit: PrivacyUnit
    scale: float
    threshold: int
    cost: Cost

    @property
    def cells(self) -> int:
        """The most cells the answer may add to a chart."""
        return MOST_FOUND

    @property
    def line(self) -> tuple[str, str]:
        """What a plan says of it: how many rows a category needs to be shown."""
        return (
            f"smallest {abbreviate(self.column)}",
            f"about {self.threshold:,} rows (smaller: left out)",
        )

    @classmethod
    def plan(
        cls, column: str, unit: PrivacyUnit, asked: Private, whole: Allocation
    ) -> CategorySearch:
        """Plan a search that spends the asked share of the chart's portion."""
        if unit.shared:
            raise DomainError(
                f"The categories of {column!r} cannot be searched for while each {unit.called} "
                "counts once.",
                "One person could add any number of categories.",
                ("Declare them, or write ", ProtectedUsers(unit.columns, 20), "."),
            )
        if asked.within is not None:
            raise DomainError(
                f"Limits are for a search for bounds, but {column!r} is searched for categories.",
                "A limit without effect would look like a guarantee.",
                ("Leave them out: ", CategoriesOf(column, PrivateSearch(delta=1e-6)), "."),
            )
        epsilon = whole.part(to_fraction(asked.usual_share)).epsilon
        scale = laplace_scale(unit.weight, epsilon)
        delta = _read_delta(column, asked)
        threshold = stability_threshold(unit.weight, scale, delta)
        return cls(column, unit, scale, threshold, Cost.pure(epsilon, delta=delta))

    def run(self, engine: Engine, meter: Meter) -> Labels:
        """Ask for the categories.

        Privacy
        -------
        As `sfumato.mechanisms.stability` states, at the planned cost.
        """
        exact = engine.occupied(self.column, self.unit)
        found = threshold_categories(meter, exact, scale=self.scale, threshold=self.threshold)
        kind = engine.schema().kind(self.column)
        values = sorted(read_value(label, kind) for label in found)
        return Labels(self.column, Categories(tuple(values[:MOST_FOUND])))


def run_searches(
    engine: Engine, meter: Meter, axes: Sequence[Key | CategorySearch | None]
) -> tuple[Key | None, ...]:
    """Run every search there is among the axes of a chart; all categories are public then.

    Privacy
    -------
    Each search spends its planned cost; axes that are public already cost nothing.
    """
    return tuple(
        axis.run(engine, meter) if isinstance(axis, CategorySearch) else axis for axis in axes
    )


def divide_budget(
    budget: Budget,
    asked: Mapping[str, Private],
    unit: PrivacyUnit,
    *,
    taken: Fraction = Fraction(0),
    thresholds: Fraction = Fraction(0),
) -> BudgetDivision:
    """Plan a search for each column asked for.

    A share of the budget may be `taken` for something else, and a δ for other `thresholds`.
    """
    delta = sum((_read_delta(column, request) for column, request in asked.items()), thresholds)
    whole = Allocation.of(budget, delta)
    share = sum((to_fraction(request.usual_share) for request in asked.values()), taken)
    if share >= 1:
        raise DomainError(
            "The private searches take all of the chart's budget.",
            "Nothing would be left for the chart itself.",
            ("Give them smaller shares: ", SHARED, "."),
        )
    searches = {
        column: CategorySearch.plan(column, unit, request, whole)
        for column, request in asked.items()
    }
    return BudgetDivision(whole, searches, whole.part(1 - share))


@dataclass(frozen=True)
class BudgetDivision:
    """A chart's whole budget, its searches by column, and what is left for the chart itself."""

    whole: Allocation
    searches: dict[str, CategorySearch]
    left: Allocation

    @property
    def cost(self) -> Cost:
        """What all searches cost."""
        return sum((search.cost for search in self.searches.values()), Cost.nothing())


def _read_delta(column: str, asked: Private) -> Fraction:
    if asked.delta is None:
        raise DomainError(
            f"The private search for categories of {column!r} needs a δ.",
            "It is the probability of showing a category that only one person has.",
            ("Write ", CategoriesOf(column, PrivateSearch(delta=1e-6)), "."),
        )
    return to_fraction(asked.delta)

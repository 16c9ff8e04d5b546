"""`Search`: a private search for the categories of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.asking import Private
from sfumato.charts.portion import Portion
from sfumato.domain import Categories
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError
from sfumato.grid import MOST_FOUND, Key, Labels
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.stability import occupied_categories, stability_threshold
from sfumato.phrases import SHARED, CategoriesOf, PrivateSearch, ProtectedUsers
from sfumato.privacy.budget import Budget, Cost, exactly
from sfumato.privacy.guarantee import PrivacyUnit


@dataclass(frozen=True)
class Search:
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

    @classmethod
    def plan(cls, column: str, unit: PrivacyUnit, asked: Private, whole: Portion) -> Search:
        """Price a search that spends the asked share of the chart's portion."""
        if unit.shared:
            raise DomainError(
                f"The categories of {column!r} cannot be searched for while each {unit.column} "
                "counts once.",
                "One person could open any number of categories.",
                ("Declare them, or write ", ProtectedUsers(unit.column, 20), "."),
            )
        if asked.within is not None:
            raise DomainError(
                f"Limits are for a search for bounds, but {column!r} is searched for categories.",
                "A limit without effect would look like a promise.",
                ("Leave them out: ", CategoriesOf(column, PrivateSearch(delta=1e-6)), "."),
            )
        epsilon = whole.part(exactly(asked.usual_share)).epsilon
        scale = laplace_scale(unit.weight, epsilon)
        delta = _delta(column, asked)
        threshold = stability_threshold(unit.weight, scale, delta)
        return cls(column, unit, scale, threshold, Cost.pure(epsilon, delta=delta))

    def run(self, engine: Engine, meter: Meter) -> Labels:
        """Ask for the categories.

        Privacy
        -------
        As `sfumato.mechanisms.stability` states, at the planned cost.
        """
        exact = engine.occupied(self.column, self.unit)
        found = occupied_categories(meter, exact, scale=self.scale, threshold=self.threshold)
        return Labels(self.column, Categories(found[:MOST_FOUND]))


def settle(
    engine: Engine, meter: Meter, axes: Sequence[Key | Search | None]
) -> tuple[Key | None, ...]:
    """Run every search there is among the axes of a chart; all categories are public then.

    Privacy
    -------
    Each search spends its planned cost; axes that are public already cost nothing.
    """
    return tuple(axis.run(engine, meter) if isinstance(axis, Search) else axis for axis in axes)


def divide(
    budget: Budget,
    asked: Mapping[str, Private],
    unit: PrivacyUnit,
    *,
    taken: Fraction = Fraction(0),
    thresholds: Fraction = Fraction(0),
) -> Division:
    """Price a search for each column asked for.

    A share of the budget may be `taken` for something else, and a δ for other `thresholds`.
    """
    delta = sum((_delta(column, request) for column, request in asked.items()), thresholds)
    whole = Portion.of(budget, delta)
    share = sum((exactly(request.usual_share) for request in asked.values()), taken)
    if share >= 1:
        raise DomainError(
            "The private searches take all of the chart's budget.",
            "Nothing would be left for the chart itself.",
            ("Give them smaller shares: ", SHARED, "."),
        )
    searches = {
        column: Search.plan(column, unit, request, whole) for column, request in asked.items()
    }
    return Division(whole, searches, whole.part(1 - share))


@dataclass(frozen=True)
class Division:
    """A chart's whole budget, its searches by column, and what is left for the chart itself."""

    whole: Portion
    searches: dict[str, Search]
    left: Portion

    @property
    def cost(self) -> Cost:
        """What all searches cost."""
        return sum((search.cost for search in self.searches.values()), Cost.nothing())


def _delta(column: str, asked: Private) -> Fraction:
    if asked.delta is None:
        raise DomainError(
            f"The private search for categories of {column!r} needs a δ.",
            "It is the chance that a category held by one person alone is shown.",
            ("Write ", CategoriesOf(column, PrivateSearch(delta=1e-6)), "."),
        )
    return exactly(asked.delta)

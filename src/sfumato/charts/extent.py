"""`Extent`: a private search for the bounds of a column."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.asking import Private
from sfumato.charts.ladder import signed_ladder
from sfumato.charts.portion import Portion
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Edges
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.threshold import extremes, threshold_scale
from sfumato.phrases import YEAR, BoundsOf, PrivateSearch, Setting
from sfumato.privacy.budget import Cost, exactly
from sfumato.privacy.guarantee import PrivacyUnit

MARGIN = 1.5
"""By how many of their widths found bounds are widened: if a box is inside, its fences are too."""

_EARLY = 0.001

_BOX = 4  # a quartile is inside what was found where so many times as many units are there


@dataclass(frozen=True)
class Extent:
    """A planned search: bounds that leave about `least` steps of weight beyond either end.

    Parameters
    ----------
    key
        The public cells that the search counts in.
    epsilon
        What it may spend.
    least
        Where a walk from outside stops: the weight at which the part that it has passed is taken
        for data and not for noise. Noise alone reaches it in one of a thousand searches.
    """

    key: Edges
    unit: PrivacyUnit
    epsilon: Fraction
    least: int
    cost: Cost

    @property
    def column(self) -> str:
        """The column whose bounds are searched for."""
        return self.key.column

    @property
    def beyond(self) -> float:
        """About how many units lie beyond either end before it is widened."""
        return self.least * self.unit.step

    @property
    def succeeds_from(self) -> float:
        """About how many units a search needs, for the quartiles to lie within what it finds.

        With fewer it may find nothing, or bounds that are too narrow.
        """
        return _BOX * self.beyond

    @classmethod
    def plan(
        cls,
        column: str,
        unit: PrivacyUnit,
        asked: Private,
        whole: Portion,
        *,
        parsed: bool = False,
    ) -> Extent:
        """Price a search that spends the asked share of the chart's portion."""
        if asked.delta is not None:
            raise DomainError(
                f"The private search for bounds of {column!r} takes no δ.",
                "It shows marks of a public ladder and no value of anyone, so there is no chance "
                "to pay for.",
                (
                    "Write ",
                    Setting("bounds", PrivateSearch()),
                    "; a δ is for searches for categories.",
                ),
            )
        limits = replace(asked.limits, parsed=parsed)
        key = Edges(column, limits, signed_ladder(limits))
        epsilon = whole.part(exactly(asked.bounds_share)).epsilon
        scale = threshold_scale(unit.weight, Fraction(0), epsilon)
        return cls(key, unit, epsilon, _least(scale, key.cells), Cost.pure(epsilon))

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        units = "people" if self.unit.shared else "rows"
        enough = f"succeeds from about {about(self.succeeds_from)} {units}"
        return [("search for bounds", f"ε = {float(self.epsilon):.3g}, {enough}")]

    def check(self, schema: Schema) -> None:
        """Refuse a table that cannot answer, before anything is charged."""
        if schema.kind(self.column) == "time":
            raise SourceError(
                f"Column {self.column!r} holds dates, and bounds are searched for among numbers "
                "only.",
                "Around which date to search would have to be read from the data.",
                ("Declare its range: ", BoundsOf(self.column, ends=YEAR), "."),
            )
        schema.check([self.key], self.unit)

    def run(self, engine: Engine, meter: Meter) -> FoundBounds:
        """Ask for the bounds.

        Privacy
        -------
        As `sfumato.mechanisms.threshold.extremes` states, at no more than the planned cost. There
        is an answer for every table.
        """
        exact = engine.counts([self.key], self.unit)
        rungs = np.arange(self.key.cells)
        chosen = extremes(meter, exact, ladder=rungs, least=self.least, epsilon=self.epsilon)
        lower, upper = chosen[0].tolist()
        bounds, limits = self._bounds(lower, upper), self.key.bounds
        return FoundBounds(
            bounds,
            found=upper > 0,
            cut=(bounds.lower > limits.lower, bounds.upper < limits.upper),
        )

    def _bounds(self, lower: int, upper: int) -> Bounds:
        limits, edges = self.key.bounds, self.key.values
        if upper == 0:
            return limits  # nothing was found, so nothing is known
        margin = MARGIN * (edges[upper + 1] - edges[lower])
        return replace(
            limits,
            lower=max(limits.lower, edges[lower] - margin),
            upper=min(limits.upper, edges[upper + 1] + margin),
        )


@dataclass(frozen=True)
class FoundBounds:
    """Bounds that are public now, declared or found.

    Parameters
    ----------
    found
        False where a search found nothing: the bounds are then its public limits.
    cut
        Whether values may lie beyond the lower and the upper bound that no declaration puts there.
    """

    bounds: Bounds
    found: bool = True
    cut: tuple[bool, bool] = (False, False)


def about(number: float) -> str:
    """Print two digits of a number.

    Examples
    --------
    >>> about(1234.5), about(47.3), about(2.53)
    ('1,200', '47', '2.5')
    """
    return f"{float(f'{number:.2g}'):,.{0 if number >= 10 else 1}f}"


def _least(scale: float, rungs: int) -> int:
    """Return the weight that noise reaches at no rung without weight, but in few searches.

    One rung does with probability q^least / (1 + q), where q = exp(−1/scale).
    """
    return math.ceil(scale * math.log(rungs / (_EARLY * (1 + math.exp(-1 / scale)))))

"""`WindowSearch`: the window of a map that nobody declared, found with a share of the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import numpy as np

from sfumato.charts.allocation import Allocation
from sfumato.charts.values import BoundsSearch, make_signed_ladder
from sfumato.domain import Bounds, Domain
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError, PrivateSearch, Setting
from sfumato.grid import Edges, Grid
from sfumato.mechanisms.laplace import laplace, laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private

MARGIN = 2.0
"""By how many of its widths a found side is widened at either end.

A window that is ten times too wide costs a map hardly anything, one that is too narrow most of it.
"""

_EARLY = 0.01
_SECOND = Fraction(1, 5)  # of a search, for the count of a cell where walks have met
_MANY = 2  # times the weight at which a walk stops
_EVEN = 2**10
_NEAR = 2.0  # even cells on either side of zero are cut as finely as numbers are

Asked = Private | Mapping[str, Private] | None


def read_searches(bounds: object, columns: tuple[str, str]) -> Asked:
    """Return what is searched for, or refuse what asks for no window."""
    nothing: Mapping[str, object] = {}
    named = cast(Mapping[str, object], bounds) if isinstance(bounds, Mapping) else nothing
    known = all(isinstance(each, Private) and name in columns for name, each in named.items())
    if not isinstance(bounds, Private | Mapping | None) or not known:
        raise DomainError(
            "The bounds of a heatmap ask for private searches of its two columns, and nothing "
            "else.",
            "What is public about a column holds for all charts of a table.",
            ("Declare it, or write ", Setting("bounds", PrivateSearch()), "."),
        )
    return dict(cast(Mapping[str, Private], bounds)) if named else cast("Private | None", bounds)


def list_searches(asked: Asked, columns: tuple[str, str]) -> dict[str, Private]:
    """Return the search for each column, with the share that is its own.

    What is said once for both is divided between them; so is a quarter, where no share is said.
    """
    if asked is None:
        return {}
    both = isinstance(asked, Private)
    searches = dict.fromkeys(columns, asked) if both else dict(asked)
    parts = {name: 2 if both or each.share is None else 1 for name, each in searches.items()}
    return {
        name: replace(each, share=float(to_fraction(each.bounds_share) / parts[name]))
        for name, each in searches.items()
    }


def total_share(searches: Mapping[str, Private]) -> Fraction:
    """Return the share of the budget that all searches take."""
    return sum((to_fraction(each.bounds_share) for each in searches.values()), Fraction(0))


@dataclass(frozen=True)
class FoundSide:
    """One side of a window, and whether a search for it found anything."""

    bounds: Bounds
    found: bool = True


@dataclass(frozen=True)
class WindowSearch:
    """A planned search for one side of a window.

    It walks from both ends of the public limits until some people lie behind, as the search for
    bounds of a boxplot does, over a ladder that is even where numbers are far from zero: places
    have no natural scale. Where the walks meet, either nearly all lie in one cell, or there are
    too few to tell: a noisy count of that cell decides.

    Parameters
    ----------
    scale
        The scale of the Laplace noise on that count, in steps.
    cost
        What both may spend.
    """

    walk: BoundsSearch
    scale: float
    cost: Cost

    @classmethod
    def plan(
        cls,
        column: str,
        domain: Domain,
        unit: PrivacyUnit,
        asked: Private,
        whole: Allocation,
        *,
        side: int,
    ) -> WindowSearch:
        """Plan a search that spends the asked share of the chart's portion.

        Parameters
        ----------
        side
            How many cells a side of the map has, which every window that is found must have room
            for.
        """
        share = to_fraction(asked.bounds_share)
        first = replace(asked, share=float((1 - _SECOND) * share))
        walk = BoundsSearch.plan(column, unit, first, whole, domain.typed(column))
        key = Edges(column, walk.key.bounds, make_window_ladder(walk.key.bounds, side))
        epsilon = whole.part(share - to_fraction(first.bounds_share)).epsilon
        scale = laplace_scale(unit.weight, epsilon)
        cost = walk.cost + Cost.laplace(epsilon, unit.weight)
        return cls(walk.over(key, early=_EARLY), scale, cost)

    @property
    def column(self) -> str:
        """The column that is searched."""
        return self.walk.column

    @property
    def limits(self) -> Bounds:
        """The public range in which it is searched."""
        return self.walk.key.bounds

    def run(self, engine: Engine, meter: Meter) -> FoundSide:
        """Find the side.

        Privacy
        -------
        As `BoundsSearch.run` and `sfumato.mechanisms.laplace`, one after the other, at no more than
        the planned cost: which cell is counted follows from what the walks released, and the
        window from both. There is an answer for every table.
        """
        lower, upper = self.walk.choose(engine, meter)
        if upper == 0 or (lower == upper and not self._holds_many(upper, engine, meter)):
            return FoundSide(self.limits, found=False)
        edges, limits = self.walk.key.values, self.limits
        margin = MARGIN * (edges[upper + 1] - edges[lower])
        low = max(limits.lower, edges[lower] - margin)
        high = min(limits.upper, edges[upper + 1] + margin)
        return FoundSide(replace(limits, lower=low, upper=high, step=None))

    def _holds_many(self, cell: int, engine: Engine, meter: Meter) -> bool:
        key = self.walk.key
        alone = Edges(key.column, key.bounds, key.values[cell : cell + 2])
        exact = engine.counts([alone], self.walk.unit)
        return int(laplace(meter, exact, scale=self.scale)[0]) >= _MANY * self.walk.least


def make_window_ladder(limits: Bounds, side: int) -> tuple[float, ...]:
    """Return edges that are even, and around zero as fine as those of numbers of unknown size.

    Every cell has room for a map of so many cells a side.

    Examples
    --------
    >>> ladder = make_window_ladder(Bounds(-180, 180), 256)
    >>> len(ladder), round(float(max(np.diff(ladder))), 2)
    (1141, 0.35)
    """
    even = _EVEN
    while even > 1:
        edges = _make_edges(limits, even)
        if _has_room(edges, side):
            return edges
        even //= 2
    return limits.lower, limits.upper


def _make_edges(limits: Bounds, even: int) -> tuple[float, ...]:
    whole = Grid("", replace(limits, step=None), even).edges
    step = limits.width / even
    low, high = max(limits.lower, -_NEAR * step), min(limits.upper, _NEAR * step)
    if limits.time or high - low < step:
        return tuple(whole.tolist())
    near = make_signed_ladder(Bounds(low, high))
    apart = (whole < low - step / 2) | (whole > high + step / 2)
    apart |= (whole == limits.lower) & (low > limits.lower)
    apart |= (whole == limits.upper) & (high < limits.upper)
    return tuple(sorted({*near, *whole[apart].tolist()}))


def _has_room(edges: tuple[float, ...], side: int) -> bool:
    ends = np.abs(np.array(edges))
    finest = np.spacing(np.maximum(ends[1:], ends[:-1]))
    return bool((np.diff(edges) / side >= 32 * finest).all()) and math.isfinite(edges[-1])

"""`Analysis`: the planned search for principal components. The argument is in `analysis.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.asking import Private
from sfumato.charts.components.centre import (
    MEDIAN,
    QUARTILES,
    Centre,
    FoundCentre,
    least_scales,
)
from sfumato.charts.components.reach import Reach, rungs
from sfumato.charts.components.summing import Summing
from sfumato.charts.portion import Portion
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.lattice import LENGTH, REACH, Distance, Lattice, Point
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.principal import principal, scree_radius
from sfumato.privacy.budget import Cost, exactly
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.pca.moments import NoisyMoments

CENTRE, RADIUS, SPREAD = Fraction(10, 100), Fraction(4, 100), Fraction(20, 100)
"""What the medians, the radius and the variances take of an analysis; directions take the rest."""

LEVEL = Fraction(98, 100)
"""The share of rows that are not cut when directions are looked for."""

BESIDE_DIRECTIONS, BESIDE_SPREAD = LENGTH // 4, 3 * LENGTH // 8
"""What stands before each row, so that the number of rows and their sum are found as well."""

_RATIO = 2 ** (1 / 8)
_NARROWEST = 2.0**-12  # of the farthest distance


@dataclass(frozen=True)
class Analysis:
    """Planned principal components of several columns.

    Parameters
    ----------
    scales
        What one unit is worth in each column; None where quartiles are to tell.
    reach
        The search for the length at which rows are cut.
    directions, spread
        The sums that directions, and then variances along them, follow from.
    """

    columns: tuple[str, ...]
    bounds: tuple[Bounds, ...]
    scales: tuple[float, ...] | None
    unit: PrivacyUnit
    centre: Centre
    reach: Reach
    directions: Summing
    spread: Summing

    @classmethod
    def plan(
        cls,
        columns: Sequence[str],
        bounds: Sequence[Bounds],
        scales: tuple[float, ...] | Private,
        unit: PrivacyUnit,
        portion: Portion,
    ) -> Analysis:
        """Divide a portion, or refuse one that is too small. Knows public facts only."""
        given = None if isinstance(scales, Private) else scales
        # What has no lattice is refused here, also with the smallest scales that may be found.
        Lattice(tuple(columns), tuple(bounds), given or least_scales(bounds))
        asked = exactly(scales.usual_share) if isinstance(scales, Private) else Fraction(0)
        rest, levels = 1 - asked, QUARTILES if given is None else MEDIAN
        directions = 1 - CENTRE - RADIUS - SPREAD
        return cls(
            tuple(columns),
            tuple(bounds),
            given,
            unit,
            Centre.plan(columns, bounds, levels, portion.part(asked + CENTRE * rest)),
            Reach.plan(LEVEL, portion.part(RADIUS * rest)),
            Summing.plan(BESIDE_DIRECTIONS, unit, portion.part(directions * rest)),
            Summing.plan(BESIDE_SPREAD, unit, portion.part(SPREAD * rest)),
        )

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        return self.centre.cost + self.reach.cost + self.directions.cost + self.spread.cost

    def run(self, engine: Engine, meter: Meter) -> Analysed:
        """Find the centre, the radius, the directions, and the variances along them.

        Privacy
        -------
        Four releases, each the answer to one question that the releases before have made public:
        their costs add up. What is computed between them is computed from releases alone.
        """
        centre = self.centre.find(engine, meter, self.unit)
        lattice = self._lattice(centre)
        middle = lattice.nearest(lattice.scaled(centre.medians.tolist()))
        key = Distance(lattice, "distance", middle, (), _ladder(lattice))
        reach = self.reach.find(engine, meter, key, self.unit)
        first = self.directions.run(engine, meter, lattice, middle, reach)
        found = principal(first.sums(lattice))
        origin = lattice.nearest(np.array(middle) * lattice.unit + found.mean)
        wider = scree_radius(
            found,
            radius=reach,
            farthest=lattice.farthest,
            noise=self.spread.noise,
            beyond=self.reach.beyond,
        )
        second = self.spread.run(engine, meter, lattice, origin, wider)
        return Analysed(
            lattice,
            middle,
            first,
            second,
            origin,
            tuple(_whole(direction) for direction in found.directions),
        )

    def _lattice(self, centre: FoundCentre) -> Lattice:
        scales = centre.scales(self.bounds) if self.scales is None else self.scales
        return Lattice(self.columns, self.bounds, scales)


@dataclass(frozen=True, eq=False)
class Analysed:
    """Principal components that are public now."""

    lattice: Lattice
    centre: Point
    directions: NoisyMoments
    spread: NoisyMoments
    origin: Point
    vectors: tuple[Point, ...]


def _ladder(lattice: Lattice) -> tuple[float, ...]:
    farthest = lattice.farthest
    return rungs(max(_NARROWEST * farthest, lattice.unit), farthest, _RATIO)


def _whole(direction: NDArray[np.float64]) -> Point:
    return tuple(np.rint(direction * REACH).astype(np.int64).tolist())

"""`Analysis`: the planned search for principal components. The argument is in `analysis.md`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError, Worded
from sfumato.grid import Grid
from sfumato.lattice import LENGTH, REACH, DistanceCells, Lattice, Moments, Point, moment_weight
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.joint import compute_usable_epsilon, joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.moments import add_moment_noise
from sfumato.postprocess.principal import find_components, scree_radius
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pca.moments import NoisyMoments

MEDIAN = (Fraction(1, 2),)
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))

_CELLS = 2**12
_DOUBT = 8  # times 1/ε: how many units the crowd has
_NORMAL = 1.349  # standard deviations between the quartiles of a normal law


@dataclass(frozen=True)
class Centre:
    """Planned medians of all columns, or quartiles where scales are asked for.

    A public crowd stands evenly spread over the bounds of each column. Among few rows, whose
    median noise would put anywhere, it draws the answer to the middle.

    Parameters
    ----------
    grids
        The public cells of each column.
    levels
        Which quantiles of each are chosen.
    epsilon
        What the choice for one column may spend.
    """

    grids: tuple[Grid, ...]
    levels: tuple[Fraction, ...]
    epsilon: Fraction

    @classmethod
    def plan(
        cls,
        columns: Sequence[str],
        bounds: Sequence[Bounds],
        levels: tuple[Fraction, ...],
        portion: Allocation,
    ) -> Centre:
        """Divide a portion among all columns: one unit lies in each of them."""
        grids = [Grid(*pair, _CELLS) for pair in zip(columns, bounds, strict=True)]
        epsilon = portion.part(Fraction(1, len(grids))).choice
        compute_usable_epsilon(
            epsilon, 1
        )  # refuses a part so small that rounding alone would cost as much
        return cls(tuple(grids), levels, epsilon)

    @property
    def cost(self) -> Cost:
        """What all columns spend together."""
        return sum((Cost.exponential(self.epsilon) for _ in self.grids), Cost.nothing())

    @property
    def crowd(self) -> int:
        """How many units the crowd has; beyond 2³⁰ nothing could be found in any case."""
        return min(math.ceil(_DOUBT / float(self.epsilon)), 2**30)

    def find(self, engine: Engine, meter: Meter, unit: PrivacyUnit) -> FoundCentre:
        """Choose the quantiles of each column.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states, once for each column. One unit may move the counts
        of every column, so their costs add up.
        """
        crowd = np.diff(np.arange(_CELLS + 1) * self.crowd // _CELLS)
        levels, epsilon = self.levels, self.epsilon
        chosen = [
            joint(
                meter,
                exact.reshape_by_group().with_pseudocounts(crowd),
                levels=levels,
                epsilon=epsilon,
            )
            for exact in engine.marginals(self.grids, unit)
        ]
        cells = np.array([each[0] for each in chosen], dtype=np.float64)
        lowers = np.array([[grid.bounds.lower] for grid in self.grids])
        widths = np.array([[grid.bounds.width] for grid in self.grids])
        return FoundCentre(lowers + (cells + 0.5) * (widths / _CELLS))


@dataclass(frozen=True, eq=False)
class FoundCentre:
    """Quantiles that are public now: ``values[column, level]``, in the columns' own units."""

    values: NDArray[np.float64]

    @property
    def medians(self) -> NDArray[np.float64]:
        """The middle of each column."""
        return self.values[:, self.values.shape[1] // 2]

    def scales(self, bounds: Sequence[Bounds]) -> tuple[float, ...]:
        """Return what stands for a standard deviation: the quartiles' distance over 1.349.

        A column whose quartiles cannot be told apart is measured by half its range.
        """
        apart = (self.values[:, -1] - self.values[:, 0]) / _NORMAL
        halves = np.array([each.width / 2 for each in bounds])
        return tuple(np.where(apart > least_scales(bounds), apart, halves).tolist())


def least_scales(bounds: Sequence[Bounds]) -> tuple[float, ...]:
    """Return what quartiles must at least be apart to be told from each other."""
    return tuple(2 * each.width / _CELLS for each in bounds)


DOUBT = 20.0
"""How many rows times ε lie beyond the answer at least: what none reaches has a weight of e⁻¹⁰."""


@dataclass(frozen=True)
class RadiusSearch:
    """A planned quantile of distances.

    A public crowd stands at distance zero. It is so large that about `doubt`/ε rows lie beyond the
    answer where there are few, and a share 1 - `level` of them where there are many. Without it
    the quantile of few rows would be one of them, or anywhere in the void behind the last.

    Parameters
    ----------
    level
        Which share of rows, and of the crowd, lies within.
    """

    level: Fraction
    epsilon: Fraction
    doubt: float = DOUBT

    @classmethod
    def plan(cls, level: Fraction, portion: Allocation, doubt: float = DOUBT) -> RadiusSearch:
        """Plan one choice with a portion."""
        epsilon = portion.choice
        compute_usable_epsilon(
            epsilon, 1
        )  # refuses a part so small that rounding alone would cost as much
        return cls(level, epsilon, doubt)

    @property
    def cost(self) -> Cost:
        """What the choice spends."""
        return Cost.exponential(self.epsilon)

    @property
    def beyond(self) -> float:
        """About how many units lie beyond the answer, however few there are."""
        return self.doubt / float(self.epsilon)

    @property
    def crowd(self) -> int:
        """How many units the crowd has."""
        return math.ceil(self.beyond / float(1 - self.level))

    def find(self, engine: Engine, meter: Meter, key: DistanceCells, unit: PrivacyUnit) -> float:
        """Choose the rung of the ladder that the quantile does not exceed, in scaled units.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states. The answer is an edge of a public ladder, so it is
        finite and above zero whatever the data.
        """
        crowd = np.zeros(key.cells, dtype=np.int64)
        crowd[0] = self.crowd
        exact = engine.counts([key], unit).reshape_by_group().with_pseudocounts(crowd)
        chosen = joint(meter, exact, levels=[self.level], epsilon=self.epsilon)
        return key.edges[int(chosen[0, 0]) + 1]


def make_ladder(smallest: float, largest: float, ratio: float) -> tuple[float, ...]:
    """Return 0 and distances from `smallest` to `largest` that grow by `ratio` or a little more.

    Examples
    --------
    >>> make_ladder(1.0, 8.0, 2.0)
    (0.0, 1.0, 2.0, 4.0, 8.0)
    """
    if not smallest < largest:
        return 0.0, largest
    count = max(1, math.floor(math.log(largest / smallest) / math.log(ratio) + 1e-9))
    step = (largest / smallest) ** (1 / count)
    return (0.0, *(smallest * step**index for index in range(count)), largest)


_ROOM = 2**61


@dataclass(frozen=True)
class MomentSum:
    """A planned sum of outer products.

    Parameters
    ----------
    constant
        What stands before each row, so that rows are counted and summed as well.
    scale
        The scale of the noise on the diagonal, in integer steps.
    """

    constant: int
    unit: PrivacyUnit
    scale: float

    @classmethod
    def plan(cls, constant: int, unit: PrivacyUnit, portion: Allocation) -> MomentSum:
        """Plan one sum with a portion, or refuse one that is too small."""
        scale = gaussian_scale(_l2_squared(constant, unit), portion.rho)
        return cls(constant, unit, scale)

    @property
    def cost(self) -> Cost:
        """What the sum spends."""
        squared = _l2_squared(self.constant, self.unit)
        return Cost.gaussian(squared / (2 * Fraction(self.scale) ** 2))

    @property
    def noise(self) -> float:
        """The noise on a second moment, as so many units of rows of full length."""
        return self.scale / (moment_weight(self.unit) * LENGTH**2)

    def run(
        self, engine: Engine, meter: Meter, lattice: Lattice, origin: Point, distance: float
    ) -> NoisyMoments:
        """Sum outer products of rows about a point, cut where they are longer than a distance.

        Privacy
        -------
        As `sfumato.mechanisms.moments` states, at the planned cost.
        """
        # A distance below one step would have every row cut to less than the lattice can tell.
        moments = Moments(lattice, origin, max(1.0, distance / lattice.unit), self.constant)
        exact = engine.gram(moments, self.unit)
        noisy = add_moment_noise(meter, exact, scale=self.scale)
        _check_room(noisy)
        return NoisyMoments(
            origin=origin,
            radius=moments.radius,
            constant=self.constant,
            scale=self.scale,
            step=exact.step,
            matrix=tuple(noisy[np.triu_indices(moments.size)].tolist()),
        )


def _check_room(noisy: NDArray[np.int64]) -> None:
    """Withhold sums that may have been cut where 64 bits end; what decides it is public now.

    Noise is far below 2⁶¹, so that no sum which reached `CAP` passes.
    """
    if np.abs(noisy).max() >= _ROOM:
        raise DomainError(
            "The table has more people than components can be summed for.",
            "Their sums would end at 2^62 and the components be wrong, so nothing is released.",
            (
                "Let one row of each count: ",
                Worded("PrivacyUnit.users(column, max_rows=1)", in_shell="--unit COLUMN:1"),
                ".",
            ),
        )


def _l2_squared(constant: int, unit: PrivacyUnit) -> int:
    return (moment_weight(unit) * (constant**2 + LENGTH**2)) ** 2


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
    reach: RadiusSearch
    directions: MomentSum
    spread: MomentSum

    @classmethod
    def plan(
        cls,
        columns: Sequence[str],
        bounds: Sequence[Bounds],
        scales: tuple[float, ...] | Private,
        unit: PrivacyUnit,
        portion: Allocation,
    ) -> Analysis:
        """Divide a portion, or refuse one that is too small. Knows public facts only."""
        given = None if isinstance(scales, Private) else scales
        # What has no lattice is refused here, also with the smallest scales that may be found.
        Lattice(tuple(columns), tuple(bounds), given or least_scales(bounds))
        asked = to_fraction(scales.usual_share) if isinstance(scales, Private) else Fraction(0)
        rest, levels = 1 - asked, QUARTILES if given is None else MEDIAN
        directions = 1 - CENTRE - RADIUS - SPREAD
        return cls(
            tuple(columns),
            tuple(bounds),
            given,
            unit,
            Centre.plan(columns, bounds, levels, portion.part(asked + CENTRE * rest)),
            RadiusSearch.plan(LEVEL, portion.part(RADIUS * rest)),
            MomentSum.plan(BESIDE_DIRECTIONS, unit, portion.part(directions * rest)),
            MomentSum.plan(BESIDE_SPREAD, unit, portion.part(SPREAD * rest)),
        )

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        return self.centre.cost + self.reach.cost + self.directions.cost + self.spread.cost

    def run(self, engine: Engine, meter: Meter) -> FoundComponents:
        """Find the centre, the radius, the directions, and the variances along them.

        Privacy
        -------
        Four releases, each the answer to one question that the releases before have made public:
        their costs add up. What is computed between them is computed from releases alone.
        """
        centre = self.centre.find(engine, meter, self.unit)
        lattice = self._lattice(centre)
        middle = lattice.nearest(lattice.scaled(centre.medians.tolist()))
        key = DistanceCells(lattice, "distance", middle, (), _make_ladder(lattice))
        reach = self.reach.find(engine, meter, key, self.unit)
        first = self.directions.run(engine, meter, lattice, middle, reach)
        found = find_components(first.sums(lattice))
        origin = lattice.nearest(np.array(middle) * lattice.unit + found.mean)
        wider = scree_radius(
            found,
            radius=reach,
            farthest=lattice.farthest,
            noise=self.spread.noise,
            beyond=self.reach.beyond,
        )
        second = self.spread.run(engine, meter, lattice, origin, wider)
        return FoundComponents(
            lattice,
            middle,
            first,
            second,
            origin,
            tuple(_round_direction(direction) for direction in found.directions),
        )

    def _lattice(self, centre: FoundCentre) -> Lattice:
        scales = centre.scales(self.bounds) if self.scales is None else self.scales
        return Lattice(self.columns, self.bounds, scales)


@dataclass(frozen=True, eq=False)
class FoundComponents:
    """Principal components that are public now."""

    lattice: Lattice
    centre: Point
    directions: NoisyMoments
    spread: NoisyMoments
    origin: Point
    vectors: tuple[Point, ...]


def _make_ladder(lattice: Lattice) -> tuple[float, ...]:
    farthest = lattice.farthest
    return make_ladder(max(_NARROWEST * farthest, lattice.unit), farthest, _RATIO)


def _round_direction(direction: NDArray[np.float64]) -> Point:
    return tuple(np.rint(direction * REACH).astype(np.int64).tolist())

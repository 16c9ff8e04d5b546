"""`Analysis`: the planned search for principal components. The argument is in `analysis.md`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError, Worded
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.lattice import LENGTH, REACH, DistanceCells, Lattice, Moments, Point, moment_weight
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.joint import compute_usable_epsilon, joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.moments import add_moment_noise
from sfumato.postprocess.length_tail import LEVEL, choose_length
from sfumato.postprocess.principal import find_components
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pca.moments import NoisyMoments

DOUBT = 20.0
"""How many rows times ε lie beyond the answer at least: what none reaches has a weight of e⁻¹⁰."""

_SPREAD = 16.0  # the same for scales, where a wrong one costs less: a weight of e⁻⁸


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

    def choose(self, meter: Meter, exact: Exact, rungs: int) -> int:
        """Choose among rungs that rise, of which the crowd stands on the first.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states.
        """
        crowd = np.zeros(rungs, dtype=np.int64)
        crowd[0] = self.crowd
        levels, among = [self.level], exact.with_pseudocounts(crowd)
        return int(joint(meter, among, levels=levels, epsilon=self.epsilon)[0, 0])

    def find(self, engine: Engine, meter: Meter, key: DistanceCells, unit: PrivacyUnit) -> float:
        """Choose the rung of the ladder that the quantile does not exceed, in scaled units.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states. The answer is an edge of a public ladder, so it is
        finite and above zero whatever the data.
        """
        exact = engine.counts([key], unit).reshape_by_group()
        return key.edges[self.choose(meter, exact, key.cells) + 1]


MEDIAN = Fraction(1, 2)

_CELLS = 2**12
_DOUBT = 8  # times 1/ε: how many units the crowd has
_COLLAPSED = 10  # a fiftieth of the rows, as far out as bounds let them, deviate by 1/7 of a range


@dataclass(frozen=True)
class Centre:
    """Planned medians of all columns, and how far rows lie from each where scales are asked for.

    A public crowd stands evenly spread over the bounds of each column. Among few rows, whose
    median noise would put anywhere, it draws the answer to the middle.

    Parameters
    ----------
    grids
        The public cells of each column.
    epsilon
        What the choice for one column may spend.
    spread
        The search in each column for the distance from its median; None where scales are given.
    """

    grids: tuple[Grid, ...]
    epsilon: Fraction
    spread: RadiusSearch | None

    @classmethod
    def plan(
        cls,
        columns: Sequence[str],
        bounds: Sequence[Bounds],
        portion: Allocation,
        spread: Allocation | None = None,
    ) -> Centre:
        """Divide a portion, and one for scales, among all columns: one unit lies in each."""
        grids = [Grid(*pair, _CELLS) for pair in zip(columns, bounds, strict=True)]
        each = Fraction(1, len(grids))
        epsilon = portion.part(each).choice
        compute_usable_epsilon(
            epsilon, 1
        )  # refuses a part so small that rounding alone would cost as much
        search = None if spread is None else RadiusSearch.plan(LEVEL, spread.part(each), _SPREAD)
        return cls(tuple(grids), epsilon, search)

    @property
    def cost(self) -> Cost:
        """What all columns spend together."""
        column = Cost.exponential(self.epsilon)
        column += Cost.nothing() if self.spread is None else self.spread.cost
        return sum((column for _ in self.grids), Cost.nothing())

    @property
    def crowd(self) -> int:
        """How many units the crowd has; beyond 2³⁰ nothing could be found in any case."""
        return min(math.ceil(_DOUBT / float(self.epsilon)), 2**30)

    def find(self, engine: Engine, meter: Meter, unit: PrivacyUnit) -> FoundCentre:
        """Choose the median of each column, and then how far rows lie from it.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states, once or twice for each column. One unit may move the
        counts of every column, so their costs add up. How cells are merged for the second choice
        follows from the first, which is public by then.
        """
        asked = engine.marginals([[grid] for grid in self.grids], unit)
        exacts = [each.reshape_by_group() for each in asked]
        crowd = np.diff(np.arange(_CELLS + 1) * self.crowd // _CELLS)
        cells = [
            int(joint(meter, exact, levels=[MEDIAN], epsilon=self.epsilon)[0, 0])
            for exact in (each.with_pseudocounts(crowd) for each in exacts)
        ]
        lowers = np.array([grid.bounds.lower for grid in self.grids])
        steps = np.array([grid.bounds.width for grid in self.grids]) / _CELLS
        medians = lowers + (np.array(cells) + 0.5) * steps
        if self.spread is None:
            return FoundCentre(medians, None)
        folded = [fold_cells(*pair) for pair in zip(exacts, cells, strict=True)]
        rungs = [self.spread.choose(meter, exact, len(RUNGS)) for exact in folded]
        return FoundCentre(medians, np.array([float(RUNGS[rung]) for rung in rungs]) * steps)


def _list_rungs() -> NDArray[np.int64]:
    """Return distances in cells, from none to all, that grow by 2^(1/8) where they can."""
    count = math.ceil(8 * math.log2(_CELLS))
    return np.unique(np.rint(2.0 ** (np.arange(count + 1) / 8)).astype(np.int64) - 1)


RUNGS = _list_rungs()
"""The public ladder of distances from a median, in cells: each rung is the last that belongs."""


def fold_cells(exact: Exact, middle: int) -> Exact:
    """Return counts of a column by the rung that their distance from a public cell lies on.

    Privacy
    -------
    As `Exact.merge_cells`: the cell and the ladder are public.
    """
    distances = np.abs(np.arange(_CELLS) - middle)
    return exact.merge_cells(np.searchsorted(RUNGS, distances), len(RUNGS))


@dataclass(frozen=True, eq=False)
class FoundCentre:
    """Medians that are public now, and how far most rows lie from them at most.

    Parameters
    ----------
    medians
        The middle of each column, in its own units.
    spreads
        The distance that about 98 % of the rows do not exceed, in the same units; None where it
        was not asked for.
    """

    medians: NDArray[np.float64]
    spreads: NDArray[np.float64] | None

    def scales(self, bounds: Sequence[Bounds]) -> tuple[float, ...]:
        """Return what stands for a standard deviation: that of a normal law with such a distance.

        A column that seems to have one value is measured by a tenth of its range: the few rows
        that differ deviate by no more, or by hardly more.
        """
        if self.spreads is None:
            raise ValueError("Nobody asked for scales.")
        ranges = np.array([each.width for each in bounds])
        normal = NormalDist().inv_cdf((1 + float(LEVEL)) / 2)
        apart = self.spreads > 0
        return tuple(np.where(apart, self.spreads / normal, ranges / _COLLAPSED).tolist())


def least_scales(bounds: Sequence[Bounds]) -> tuple[float, ...]:
    """Return the smallest scales that may be found."""
    return tuple(each.width / _CELLS / 4 for each in bounds)


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


CENTRE, RADIUS = Fraction(10, 100), Fraction(4, 100)
"""What the medians and the radius take of an analysis."""

SPREAD, HALF = Fraction(20, 100), (1 - CENTRE - RADIUS) / 2
"""What variances take: of components, and where correlations follow from them. Directions take the
rest."""

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
        What one unit is worth in each column; None where distances from its median are to tell.
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
        *,
        variances: Fraction = SPREAD,
    ) -> Analysis:
        """Divide a portion, or refuse one that is too small. Knows public facts only."""
        given = None if isinstance(scales, Private) else scales
        # What has no lattice is refused here, also with the smallest scales that may be found.
        Lattice(tuple(columns), tuple(bounds), given or least_scales(bounds))
        asked = to_fraction(scales.usual_share) if isinstance(scales, Private) else Fraction(0)
        rest, spread = 1 - asked, portion.part(asked) if given is None else None
        directions = 1 - CENTRE - RADIUS - variances
        return cls(
            tuple(columns),
            tuple(bounds),
            given,
            unit,
            Centre.plan(columns, bounds, portion.part(CENTRE * rest), spread),
            RadiusSearch.plan(LEVEL, portion.part(RADIUS * rest)),
            MomentSum.plan(BESIDE_DIRECTIONS, unit, portion.part(directions * rest)),
            MomentSum.plan(BESIDE_SPREAD, unit, portion.part(variances * rest)),
        )

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        return self.centre.cost + self.reach.cost + self.directions.cost + self.spread.cost

    @property
    def beyond(self) -> float:
        """About how many rows or people lie beyond the radius, however few there are."""
        return self.reach.beyond * (1 if self.unit.shared else self.unit.weight)

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
        wider = choose_length(
            first.sums(lattice),
            length=reach,
            beyond=self.beyond,
            farthest=lattice.farthest_from(origin),
            noise=self.spread.noise,
        )
        second = self.spread.run(engine, meter, lattice, origin, wider)
        return FoundComponents(
            lattice,
            middle,
            first,
            second,
            origin,
            tuple(_round_direction(direction) for direction in found.directions),
            self.beyond,
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
    beyond: float


def _make_ladder(lattice: Lattice) -> tuple[float, ...]:
    farthest = lattice.farthest
    return make_ladder(max(_NARROWEST * farthest, lattice.unit), farthest, _RATIO)


def _round_direction(direction: NDArray[np.float64]) -> Point:
    return tuple(np.rint(direction * REACH).astype(np.int64).tolist())

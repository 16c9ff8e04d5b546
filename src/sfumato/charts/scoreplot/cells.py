"""What a score plot counts in: the private frame, and the cells or squares that fill it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.heatmap.method import MeasuredMap, build_tree, find_unit_mass, make_measured_map
from sfumato.charts.pca.analysis import RadiusSearch, make_ladder
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError, ProtectedUsers
from sfumato.grid import Labels
from sfumato.lattice import DistanceCells, Projection, Question
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.sparse import sparse_threshold, threshold_counts
from sfumato.mechanisms.survey import Survey, surveys
from sfumato.plane import Plane
from sfumato.postprocess.density import rasterise
from sfumato.postprocess.haar import Estimate, choose_score_bins, estimate_masses
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.polya import decode_polya_tree
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.pca import PcaRelease

LEVEL = Fraction(985, 1000)
"""The share of rows that a frame is to hold before it is inflated."""

INFLATION = 1.2
"""By how much the frame is wider than the distance that was found (Jo et al., dppca)."""

_DOUBT = 12.0  # times 1/ε: how many rows lie beyond the frame at least
_BELOW, _ABOVE = 0.5, 3.0  # of the expected distance: where rungs are dense
_RATIO, _COARSE = 1.05, 2.0


@dataclass(frozen=True)
class ScoreWindow:
    """A planned window: a square around the released mean."""

    reach: RadiusSearch

    @classmethod
    def plan(cls, portion: Allocation) -> ScoreWindow:
        """Plan the search for its size."""
        return cls(RadiusSearch.plan(LEVEL, portion, _DOUBT))

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.reach.cost

    def find(
        self,
        engine: Engine,
        meter: Meter,
        pca: PcaRelease,
        unit: PrivacyUnit,
        *,
        axes: tuple[int, int],
        cells: tuple[int, int],
    ) -> FoundWindow:
        """Choose how far the scores reach.

        Privacy
        -------
        As `Reach.find` states: the one thing that is asked is how far most rows lie from the
        released mean, on a ladder made of released variances.
        """
        vectors = tuple(pca.vectors[axis - 1] for axis in axes)
        key = DistanceCells(
            pca.lattice, "distance", pca.origin, vectors, make_distance_ladder(pca, axes)
        )
        reach = INFLATION * self.reach.find(engine, meter, key, unit)
        bounds = Bounds(-reach, reach)
        x, y = (
            Projection(pca.lattice, f"PC{axis}", pca.origin, vector, bounds, count)
            for axis, vector, count in zip(axes, vectors, cells, strict=True)
        )
        return FoundWindow(x, y)


@dataclass(frozen=True)
class FoundWindow:
    """A window that is public now."""

    x: Projection
    y: Projection


def make_distance_ladder(pca: PcaRelease, axes: tuple[int, int]) -> tuple[float, ...]:
    """Return distances to choose from, dense where the released variances expect the answer.

    Were they dense everywhere, the many that nobody reaches would outweigh the few that fit where
    ε is small. Those far from what is expected are there for data that are not as variances say.
    """
    lattice = pca.lattice
    farthest, least = lattice.farthest, 16 * lattice.unit
    expected = math.sqrt(sum(max(float(pca.variances[axis - 1]), 0.0) for axis in axes))
    expected = min(max(expected, least / _BELOW), farthest / _ABOVE)
    dense = make_ladder(_BELOW * expected, _ABOVE * expected, _RATIO)
    below = make_ladder(least, _BELOW * expected, 2.0)[:-1] if least < _BELOW * expected else (0.0,)
    above = make_ladder(_ABOVE * expected, farthest, _COARSE)[2:]
    return (*below, *dense[1:], *above)


@dataclass(frozen=True, eq=False)
class Filled:
    """What lies where in a frame.

    Parameters
    ----------
    steps
        The noisy counts ``[group, row, column]`` as released, in integer steps; None where squares
        of other sizes were measured.
    masses
        What they are taken for, in rows or people, never below zero.
    """

    steps: NDArray[np.int64] | None
    masses: NDArray[np.float64]


class Filling(Protocol):
    """A planned way to fill a frame. Knows public facts only."""

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        ...

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in integer steps."""
        ...

    @property
    def threshold(self) -> int | None:
        """What a count must reach to be shown, if not all are."""
        ...

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        ...

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundWindow,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Ask for the frame's counts, or masses, of all groups.

        Privacy
        -------
        Spends at most `cost`, whatever the data, over all groups together.
        """
        ...


@dataclass(frozen=True)
class Noised:
    """Gaussian noise on every cell; ``"haar"`` then shrinks what noise alone could have made."""

    method: Estimate
    portion: Allocation
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        self.noise  # noqa: B018 - refuses a portion too small to buy any noise

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost(self.unit.weight)

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in integer steps."""
        return self.portion.law(self.unit.weight)

    @property
    def threshold(self) -> int | None:
        """Every count is shown."""
        return None

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        return choose_score_bins(people, self.noise.scale * self.unit.step)

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundWindow,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Count, add noise, and estimate.

        Privacy
        -------
        One query over all groups together, which one unit can move by its weight.
        """
        law = self.noise
        noisy = add_noise(meter, engine.counts(make_keys(frame, hue), unit), law)
        steps = stack_groups(noisy, frame)
        masses = estimate_masses(
            steps.astype(np.float64) * unit.step, law.scale * unit.step, self.method
        )
        return Filled(steps, masses)


@dataclass(frozen=True)
class Sparse:
    """Gaussian noise on the cells where anyone is; those that reach a threshold are shown."""

    portion: Allocation
    delta: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        if self.unit.shared:
            raise DomainError(
                f"Method 'sparse' cannot hide a {self.unit.called} whose rows share one weight.",
                "One person could fill any number of cells.",
                ("Leave the method out, or write ", ProtectedUsers(self.unit.columns, 20), "."),
            )
        self.threshold  # noqa: B018 - refuses a portion too small to buy one

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost(self.unit.weight) + Cost(Fraction(0), Fraction(0), self.delta)

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in rows."""
        return NoiseLaw("gaussian", gaussian_scale(self.unit.weight**2, self.portion.rho))

    @property
    def threshold(self) -> int | None:
        """What a noisy count must reach to be shown."""
        return sparse_threshold(self.unit.weight, self.noise.scale, self.delta)

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        return choose_score_bins(people, self.noise.scale)

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundWindow,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Count, add noise where anyone is, and show what reaches the threshold.

        Privacy
        -------
        As `sfumato.mechanisms.sparse` states, over all groups together.
        """
        exact = engine.counts(make_keys(frame, hue), unit)
        least = sparse_threshold(unit.weight, self.noise.scale, self.delta)
        noisy = threshold_counts(meter, exact, scale=self.noise.scale, threshold=least)
        steps = stack_groups(noisy, frame)
        masses = estimate_masses(steps.astype(np.float64), self.noise.scale, "sparse")
        return Filled(steps, masses)


def make_keys(frame: FoundWindow, hue: Labels | None) -> list[Question]:
    """Return what to count by: groups first, then rows, then columns."""
    plane: list[Question] = [frame.y, frame.x]
    return plane if hue is None else [hue, *plane]


def stack_groups(values: NDArray[np.int64], frame: FoundWindow) -> NDArray[np.int64]:
    """Return counts as ``[group, row, column]``, also where there are no groups."""
    return values.reshape(-1, frame.y.cells, frame.x.cells)


LEVELS = range(2, 7)
"""How often the frame is halved: from 4 squares a side to 64."""


@dataclass(frozen=True)
class ScorePyramid:
    """Gaussian noise on squares of several sizes, all decoded together.

    The heatmap's algorithm on scores, with noise that is priced in ρ: for the same ρ, Laplace noise
    would be larger. Every level has the same share, so that large squares, whose errors carry mass
    the farthest, are known best for what they hold.
    """

    portion: Allocation
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        self.noise  # noqa: B018 - refuses a portion too small to buy any noise

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost(self.unit.weight)

    @property
    def share(self) -> Fraction:
        """The ρ of each level."""
        return self.portion.rho / len(LEVELS)

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one square of any level, in integer steps."""
        return NoiseLaw("gaussian", gaussian_scale(self.unit.weight**2, self.share))

    @property
    def threshold(self) -> int | None:
        """Every square is looked at."""
        return None

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundWindow,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Map each group, and draw the squares in the cells of the frame.

        Privacy
        -------
        A unit's weight is bounded over the maps of all groups together, and the loss is a convex
        function of how it is divided: all maps cost what one costs (`mechanisms/survey.md`).
        """
        side = 2 ** LEVELS[-1]
        squares = replace(frame, x=replace(frame.x, cells=side), y=replace(frame.y, cells=side))
        plane = Plane(squares.x.grid, squares.y.grid)
        counts = engine.counts(make_keys(squares, hue), unit)
        asked = surveys(meter, counts, plane.levels, self.portion.rho, "gaussian")
        found = [self.map(each, plane, counts.step, find_unit_mass(counts)) for each in asked]
        pictures = [rasterise(each.leaves, (frame.x.cells, frame.y.cells)) for each in found]
        shape = len(found), frame.y.cells, frame.x.cells
        return Filled(None, np.array(pictures, dtype=np.float64).reshape(shape))

    def side(self, people: float) -> int:
        """Return how many cells a side to draw: as many as are measured, whatever there is."""
        del people
        return 2 ** LEVELS[-1]

    def map(self, survey: Survey, plane: Plane, step: float, unit: float) -> MeasuredMap:
        """Ask for all squares of every level, and decode them together.

        Privacy
        -------
        Every path from the frame to a cell is asked once on each level, for ρ in all; which
        squares are asked for is public.
        """
        for level in LEVELS:
            codes = np.arange(4**level, dtype=np.int64)
            survey.ask(np.full_like(codes, level), codes, self.share)
        tree = build_tree(survey, step)
        return make_measured_map(survey, plane, tree, decode_polya_tree(tree, unit))

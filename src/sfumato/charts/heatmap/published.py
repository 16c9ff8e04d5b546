"""Methods that others published: noise on every cell, or on all levels of a quadtree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.heatmap.method import (
    Integers,
    MeasuredMap,
    build_tree,
    find_unit_mass,
    make_measured_map,
    make_round,
)
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import NoisySquares, survey
from sfumato.plane import Plane, interleave
from sfumato.postprocess import polya, transport
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.transport import project_by_transport
from sfumato.privacy.budget import Cost
from sfumato.releases.heatmap.leaves import keep_fullest

MOST_CELLS = 2**20
"""How many cells may each carry noise of their own."""

ROOT = Fraction(1, 25)
"""The share of ε that the number of people takes, where a method needs to know it."""

_MOST_HALVINGS = 7


@dataclass(frozen=True)
class Laplace:
    """Add noise to every cell, and show what is above 0.

    Parameters
    ----------
    top
        Show only this fraction of all cells, those with the largest answers.
    """

    epsilon: Fraction
    top: float | None = None

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return Cost.pure(self.epsilon)

    @property
    def finest(self) -> Fraction:
        """The ε that the cells it shows are measured with."""
        return self.epsilon

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        return self.epsilon

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> MeasuredMap:
        """Ask for every cell once.

        Privacy
        -------
        One unit's weight is spread over cells that do not overlap: ε in all.
        """
        shape = plane.x.cells, plane.y.cells
        rows, columns = (axis.ravel() for axis in np.indices(shape[::-1], dtype=np.int64))
        codes = interleave(columns, rows)
        opened = survey(meter, exact, plane.levels, self.epsilon)
        asked = opened.ask(np.full_like(codes, plane.levels), codes, self.epsilon)
        masses = keep_fullest(asked.steps.astype(np.float64) * exact.step, self.top)
        leaves = Leaves(shape, columns, rows, np.ones_like(codes), masses)
        scale = np.full(len(codes), asked.scale)
        return MeasuredMap(leaves, asked.steps, scale)


@dataclass(frozen=True)
class Dense:
    """Measure the level whose squares hold about 1/ε people each.

    Appendix D of Ghazi et al. (arXiv:2211.13454), with the number of people measured, not known.
    """

    epsilon: Fraction

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return Cost.pure(self.epsilon)

    @property
    def finest(self) -> Fraction:
        """The ε that the squares it shows are measured with."""
        return self.epsilon * (1 - ROOT)

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        return self.epsilon * ROOT

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> MeasuredMap:
        """Ask for the whole, then for all squares of one level.

        Privacy
        -------
        The level follows from the first answer; a path is asked twice, for ε in all.
        """
        opened = survey(meter, exact, plane.levels, self.epsilon)
        whole = make_round(opened.ask([0], [0], self.epsilon * ROOT), exact.step)
        people = max(1.0, float(whole.value[0]) / find_unit_mass(exact) * float(self.epsilon))
        level = min(round(0.5 * np.log2(people)), _MOST_HALVINGS, plane.levels)
        codes = np.arange(4**level, dtype=np.int64)
        opened.ask(np.full_like(codes, level), codes, self.finest)
        tree = build_tree(opened, exact.step)
        values = tree.value[1, tree.places(level, codes)]
        masses = np.zeros(tree.size)
        masses[tree.places(level, codes)] = _project_nonnegative(values)
        return make_measured_map(opened, plane, tree, masses)


def _project_nonnegative(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put masses in Morton order on their grid, make them non-negative, and take them back."""
    side = int(np.sqrt(len(values)))
    rows, columns = np.indices((side, side), dtype=np.int64)
    order = interleave(columns, rows)
    masses = np.empty_like(values)
    masses[order] = project_by_transport(values[order])
    return masses


Decoder = Literal["lp", "bayes"]


@dataclass(frozen=True)
class HeatPyramid:
    """Measure squares level by level, only below the `width` heaviest of the level above.

    Parameters
    ----------
    width
        How many squares of each level are looked into: w in the paper.
    decay
        How much less ε each finer level gets: γ in the paper.
    decoder
        ``"lp"`` for the paper's linear program, ``"bayes"`` for the posterior mean of our own.
    """

    epsilon: Fraction
    levels: int
    width: int = 20
    decay: float = 2**-0.5
    decoder: Decoder = "lp"

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return Cost.pure(self.epsilon)

    @property
    def coarsest(self) -> int:
        """The first level that is measured: the last one with no more squares than `width`."""
        return min((self.width.bit_length() - 1) // 2, self.levels)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """What each level is measured with, from the coarsest on; together exactly ε."""
        parts = [Fraction(self.decay) ** depth for depth in range(self.levels - self.coarsest + 1)]
        return tuple(self.epsilon * part / sum(parts) for part in parts)

    @property
    def finest(self) -> Fraction:
        """The ε of the coarsest squares it may show; finer ones are measured with less."""
        return self.shares[0]

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        return self.shares[-1]

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> MeasuredMap:
        """Ask level by level, below the squares that seem heaviest, and decode.

        Privacy
        -------
        Noise is drawn for the squares that are looked at alone: those below squares with the
        largest answers so far, occupied or not. A path is asked once on every level, for ε in all.
        """
        opened = survey(meter, exact, plane.levels, self.epsilon)
        kept: list[tuple[int, Integers]] = []
        codes = np.arange(4**self.coarsest, dtype=np.int64)
        for level, share in enumerate(self.shares, self.coarsest):
            asked = opened.ask(np.full_like(codes, level), codes, share)
            heaviest = self._heaviest(asked)
            kept.append((level, heaviest))
            codes = (heaviest[:, None] * 4 + np.arange(4)).ravel()
        tree = build_tree(opened, exact.step)
        if self.decoder == "bayes":
            return make_measured_map(
                opened, plane, tree, polya.decode_polya_tree(tree, find_unit_mass(exact))
            )
        mask = np.zeros(tree.size, dtype=bool)
        for level, heaviest in kept:
            mask[tree.places(level, heaviest)] = True
        masses = transport.minimise_transport(tree, mask, self.levels)
        return make_measured_map(opened, plane, tree, masses)

    def _heaviest(self, asked: NoisySquares) -> Integers:
        """Return the squares with the largest answers, in the order of their codes."""
        order = np.argsort(asked.steps, kind="stable")[::-1]
        return np.sort(asked.code[order[: self.width]])

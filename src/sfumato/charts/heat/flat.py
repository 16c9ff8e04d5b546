"""Methods with one grid for the whole map: noise on every cell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.heat.method import Mapped, mapped, round_of, tree_of, unit_of
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import survey
from sfumato.plane import Plane, interleave
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.transport import nearest
from sfumato.privacy.budget import Cost

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

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> Mapped:
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
        masses = self._shown(asked.steps.astype(np.float64) * exact.step)
        leaves = Leaves(shape, columns, rows, np.ones_like(codes), masses)
        scale = np.full(len(codes), asked.scale)
        return Mapped(leaves, asked.steps, scale)

    def _shown(self, noisy: NDArray[np.float64]) -> NDArray[np.float64]:
        masses = np.maximum(noisy, 0.0)
        if self.top is not None:
            kept = max(1, round(self.top * len(masses)))
            masses[np.argsort(-noisy, kind="stable")[kept:]] = 0.0
        return masses


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

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> Mapped:
        """Ask for the whole, then for all squares of one level.

        Privacy
        -------
        The level follows from the first answer; a path is asked twice, for ε in all.
        """
        opened = survey(meter, exact, plane.levels, self.epsilon)
        whole = round_of(opened.ask([0], [0], self.epsilon * ROOT), exact.step)
        people = max(1.0, float(whole.value[0]) / unit_of(exact) * float(self.epsilon))
        level = min(round(0.5 * np.log2(people)), _MOST_HALVINGS, plane.levels)
        codes = np.arange(4**level, dtype=np.int64)
        opened.ask(np.full_like(codes, level), codes, self.finest)
        tree = tree_of(opened, exact.step)
        values = tree.value[1, tree.places(level, codes)]
        masses = np.zeros(tree.size)
        masses[tree.places(level, codes)] = _nearest(values)
        return mapped(opened, plane, tree, masses)


def _nearest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put masses in Morton order on their grid, make them non-negative, and take them back."""
    side = int(np.sqrt(len(values)))
    rows, columns = np.indices((side, side), dtype=np.int64)
    order = interleave(columns, rows)
    masses = np.empty_like(values)
    masses[order] = nearest(values[order])
    return masses

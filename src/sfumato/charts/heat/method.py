"""What every method of a heatmap has: a price, and a way to measure masses of squares."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import Asked, Survey
from sfumato.plane import Plane, apart
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.quadtree import Quadtree, Round, grown
from sfumato.privacy.budget import Cost

Integers = NDArray[np.int64]

MOST_SQUARES = 2**14
"""How many squares a method measures at most: noise takes as long to draw as rows to count."""


@dataclass(frozen=True, eq=False)
class Mapped:
    """A map cut into squares.

    Parameters
    ----------
    leaves
        The squares and their estimated masses, in rows or people.
    noisy, scale
        The last measurement of each square alone and the scale of its noise, in integer steps.
    """

    leaves: Leaves
    noisy: Integers
    scale: NDArray[np.float64]


class Method(Protocol):
    """A planned way to measure a map. Knows public facts only."""

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        ...

    @property
    def finest(self) -> Fraction:
        """The ε that the squares it shows are measured with."""
        ...

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        ...

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> Mapped:
        """Measure the masses of squares that together make up the window.

        Privacy
        -------
        Spends at most `cost`, whatever the data.
        """
        ...


def unit_of(exact: Exact) -> float:
    """Return the most that one person or row can add: the measure of what a crowd is.

    Privacy
    -------
    Reads the sensitivity and the worth of a step, which are public.
    """
    return exact.l1 * exact.step


def round_of(asked: Asked, step: float) -> Round:
    """Return an answer in rows or people."""
    value = asked.steps.astype(np.float64) * step
    return Round(asked.level, asked.code, value, 1 / (asked.scale * step))


def tree_of(survey: Survey, step: float) -> Quadtree:
    """Return all that a survey has answered, as one tree."""
    return grown([round_of(asked, step) for asked in survey.asked], survey.family)


def mapped(survey: Survey, plane: Plane, tree: Quadtree, masses: NDArray[np.float64]) -> Mapped:
    """Return the leaves of a tree with their masses, and the last measurement of each."""
    chosen = tree.leaves
    level, code = tree.level[chosen], tree.code[chosen]
    noisy = np.zeros(tree.size, dtype=np.int64)
    scale = np.zeros(tree.size)
    for asked in survey.asked:
        places = tree.places(asked.level, asked.code)
        noisy[places], scale[places] = asked.steps, asked.scale
    columns, rows = apart(code)
    span = np.int64(1) << (plane.levels - level)
    side = 2**plane.levels
    leaves = Leaves((side, side), columns * span, rows * span, span, masses[chosen])
    return Mapped(leaves, noisy[chosen], scale[chosen])

"""The public cells of a map: a grid over two columns, and what a row may weigh on it.

Cells are numbered in Morton order, the order of a quadtree: bit ``2j`` of a code is bit ``j`` of
the column, bit ``2j + 1`` that of the row. The four quarters of a square are then four codes in a
row, and a square of any level is a range of codes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import convert_to_float
from sfumato.errors import BoundsOf, DomainError, Setting
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

Codes = NDArray[np.int64]
Outside = Literal["drop", "edge"]

MOST_LEVELS = 20
"""How often a side can be halved: 2²⁰ cells a side."""

MOST_STEPS = 2**30
"""The most steps that one row may weigh."""


@dataclass(frozen=True)
class Plane:
    """Cells over a window of two columns.

    Parameters
    ----------
    x, y
        The public window, and how many cells lie along each side.
    outside
        What becomes of rows beyond the window: ``"drop"`` counts them nowhere, ``"edge"`` moves
        them to the nearer end. Either way they share the weight of their person.
    hue
        Groups that have a map each, one after the other in the order of the cells. Rows of no
        group are counted nowhere, as those beyond the window.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> window = Plane(Grid("lon", Bounds(-75, -73), 256), Grid("lat", Bounds(40, 41), 200))
    >>> window.levels
    8
    """

    x: Grid
    y: Grid
    outside: Outside = "drop"
    hue: Labels | None = None

    def __post_init__(self) -> None:
        if max(self.x.cells, self.y.cells) > 2**MOST_LEVELS:
            raise DomainError(
                f"A map has at most {2**MOST_LEVELS} cells along a side.",
                "Finer ones would hold nobody, and noise alone would be drawn.",
                ("Write ", Setting("resolution", 256), "."),
            )
        if self.cells > 4**MOST_LEVELS:
            raise DomainError(
                f"Maps of {self.groups} groups with so many cells have more than 2^40 together.",
                "Finer ones would hold nobody, and noise alone would be drawn.",
                ("Write ", Setting("resolution", 256), "."),
            )

    @property
    def groups(self) -> int:
        """How many maps there are."""
        return 1 if self.hue is None else self.hue.cells

    @property
    def cells(self) -> int:
        """How many cells all maps have together, each a square with a power of two a side."""
        return self.groups * 4**self.levels

    @property
    def levels(self) -> int:
        """How often the smallest square that holds all cells is halved down to one of them."""
        return (max(self.x.cells, self.y.cells) - 1).bit_length()


@dataclass(frozen=True)
class Weight:
    """A column that says how much each row weighs, from 0 to a public `most`.

    Examples
    --------
    >>> weight = Weight("visits", 1000.0)
    >>> weight.steps, weight.whole
    (1048576, 1048576000)
    """

    column: str
    most: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "most", convert_to_float(self.most))
        if not 1 / MOST_STEPS <= self.most <= MOST_STEPS:
            raise DomainError(
                f"The weight {self.column!r} needs a public upper bound from 2^-30 to 2^30.",
                "It limits what one row can add.",
                ("Declare it: ", BoundsOf(self.column, ends=(0, 100)), "."),
            )

    @property
    def steps(self) -> int:
        """How many integer steps a weight of 1 has: a power of two, so nothing is rounded twice."""
        _, exponent = math.frexp(MOST_STEPS / self.most)
        return 2 ** max(0, exponent - 1)

    @property
    def whole(self) -> int:
        """The most that one row can add, in steps."""
        return math.ceil(self.most * self.steps)


def influence(unit: PrivacyUnit, weight: Weight | None) -> tuple[int, float]:
    """Return the most that one unit can add to all cells together, in steps, and their worth.

    Examples
    --------
    >>> influence(PrivacyUnit.rows(), None), influence(PrivacyUnit.rows(), Weight("visits", 2.0))
    ((1, 1.0), (1073741824, 1.862645149230957e-09))
    """
    if unit.column is not None or weight is None:
        return unit.weight, unit.step
    return weight.whole, 1 / weight.steps


def interleave(columns: Codes, rows: Codes) -> Codes:
    """Return the Morton codes of cells.

    Examples
    --------
    >>> interleave(np.array([0, 1, 0, 1, 2]), np.array([0, 0, 1, 1, 0]))
    array([0, 1, 2, 3, 4])
    """
    return _spread_bits(columns) | (_spread_bits(rows) << 1)


def deinterleave(codes: Codes) -> tuple[Codes, Codes]:
    """Return the columns and rows of Morton codes.

    Examples
    --------
    >>> deinterleave(np.array([0, 1, 2, 3, 4]))
    (array([0, 1, 0, 1, 2]), array([0, 0, 1, 1, 0]))
    """
    return _gather_bits(codes), _gather_bits(codes >> 1)


# Each pair is a distance, and the bits that stand right once they were moved by it.
_MOVES = (
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)


def _spread_bits(numbers: Codes) -> Codes:
    spread = np.asarray(numbers, dtype=np.int64)
    for distance, mask in _MOVES:
        spread = (spread | (spread << distance)) & mask
    return spread


def _gather_bits(codes: Codes) -> Codes:
    gathered = np.asarray(codes, dtype=np.int64) & _MOVES[-1][1]
    masks = [mask for _, mask in _MOVES[-2::-1]] + [0x00000000FFFFFFFF]
    for (distance, _), mask in zip(reversed(_MOVES), masks, strict=True):
        gathered = (gathered | (gathered >> distance)) & mask
    return gathered

"""Rows of several columns as integer points, and what can be asked about them.

A row is moved to the nearest point of a public lattice before anything else is done with it. From
then on all is whole numbers: differences, squared lengths and projections are exact in 64-bit
floats, whatever the order they are added in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds, convert_to_float
from sfumato.errors import DomainError, Setting
from sfumato.grid import Edges, Grid, Key
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Areas

Point = tuple[int, ...]
"""One integer for each column."""

MOST_COLUMNS = 100
"""How many columns a lattice may have: squared lengths then stay below 2⁴⁹."""

REACH = 2**20
"""The largest coordinate of a point, and the length of a direction."""

LENGTH = 2**10
"""How long a row may be in a sum of outer products: 2⁴² rows then stay below 2⁶²."""

SHARES = 2**18
"""One person's whole weight in a sum of outer products, where its rows share it.

With it, 2²⁴ people stay below 2⁶². A person with more rows than this weighs nothing.
"""

_LARGEST_HALF = 2.0**100  # fourth powers of lengths, times 2⁶³ twice, then stay finite


@dataclass(frozen=True)
class Lattice:
    """Integer points that the rows of several columns are moved to.

    A column is measured from the middle of its bounds, in units of its scale.

    Parameters
    ----------
    columns, bounds
        The columns and their public ranges; values beyond are moved to the nearer end.
    scales
        What one unit is worth in each column; half the range where columns are to count alike.

    Examples
    --------
    >>> body = Lattice(("age", "weight"), (Bounds(0, 100), Bounds(0, 200)), (50.0, 100.0))
    >>> body.unit == 1 / REACH, body.factors[0] * 50
    (True, np.float64(1048576.0))
    """

    columns: tuple[str, ...]
    bounds: tuple[Bounds, ...]
    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "scales", tuple(map(convert_to_float, self.scales)))
        if not len(self.columns) == len(self.bounds) == len(self.scales):
            raise ValueError("Each column has one range and one scale.")
        if not 2 <= len(set(self.columns)) == len(self.columns) <= MOST_COLUMNS:
            raise DomainError(
                f"There must be from 2 to {MOST_COLUMNS} columns, each named once.",
                "The noise grows with every column.",
                ("Write ", Setting("columns", ["age", "weight", "height"]), "."),
            )
        if not all(0 < scale < math.inf for scale in self.scales):
            raise DomainError(
                "The scale of a column must be a finite number above 0.",
                "It says which distances count alike, and must not be read from the data.",
                (
                    "Leave scale out for half of each range, or write ",
                    Setting("scale", {"age": 20}),
                    ".",
                ),
            )
        counted = all(0 < each < math.inf for each in (self.farthest, *self.factors.tolist()))
        if not counted or not 1 / _LARGEST_HALF <= max(self.halves) <= _LARGEST_HALF:
            raise DomainError(
                "The bounds of a column are too wide or too narrow for its scale.",
                "Their squares would exceed the range of floats.",
                "Declare a scale that is nearer to the range, or leave scale out.",
            )

    def reorder(self, places: Sequence[int]) -> Lattice:
        """Return the same points with the columns in another order."""
        return Lattice(
            tuple(self.columns[place] for place in places),
            tuple(self.bounds[place] for place in places),
            tuple(self.scales[place] for place in places),
        )

    @cached_property
    def halves(self) -> tuple[float, ...]:
        """Half the range of each column, in its units."""
        pairs = zip(self.bounds, self.scales, strict=True)
        return tuple(bounds.width / 2 / scale for bounds, scale in pairs)

    @cached_property
    def unit(self) -> float:
        """What one step of the lattice is worth: a power of two, so nothing is rounded twice."""
        part, exponent = math.frexp(max(self.halves) / REACH)
        return math.ldexp(1.0, exponent - (part == 0.5))

    @cached_property
    def middles(self) -> NDArray[np.float64]:
        """Where each column is 0."""
        return np.array([bounds.lower + bounds.width / 2 for bounds in self.bounds])

    @cached_property
    def factors(self) -> NDArray[np.float64]:
        """How many steps of the lattice one of a column's own units is."""
        steps = [scale * self.unit for scale in self.scales]
        return np.array([1 / step if step else math.inf for step in steps])

    @cached_property
    def corners(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The points of the lower and of the upper bounds, which no other lies beyond."""
        ends = [(bounds.lower, bounds.upper) for bounds in self.bounds]
        steps = (np.array(ends).T - self.middles) * self.factors
        lowest, highest = np.clip(np.rint(steps), -REACH, REACH)
        return lowest, highest

    @property
    def farthest(self) -> float:
        """The largest distance between two points, in scaled units."""
        return 2 * math.hypot(*self.halves)

    def farthest_from(self, origin: Sequence[int]) -> float:
        """Return the largest distance of a row from a point, in scaled units."""
        corners = np.abs(np.array(self.corners) - np.array(origin))
        return float(np.linalg.norm(corners.max(axis=0))) * self.unit

    def scaled(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Return where values of the columns lie from the middle, in scaled units."""
        return (np.asarray(values, dtype=np.float64) - self.middles) / np.array(self.scales)

    def nearest(self, scaled: NDArray[np.float64]) -> Point:
        """Return the point of the lattice that is nearest to a place in scaled units."""
        steps = np.rint(scaled / self.unit).clip(-REACH, REACH)
        return tuple(steps.astype(np.int64).tolist())


@dataclass(frozen=True)
class Projection:
    """Equal cells along a direction through the points of a lattice.

    Parameters
    ----------
    name
        What the direction is called, such as ``"PC1"``.
    origin
        The point whose projection is 0.
    vector
        The direction: whole numbers of which `REACH` is a length of 1.
    bounds, cells
        The public range, in scaled units, and how many cells it has; rows beyond are counted in
        the cells at its ends.
    """

    lattice: Lattice
    name: str
    origin: Point
    vector: Point
    bounds: Bounds
    cells: int

    def __post_init__(self) -> None:
        _check_origin(self.lattice, self.origin)
        _check_vector(self.lattice, self.vector)
        self.grid  # noqa: B018 - refuses cells that cannot be told apart

    @property
    def column(self) -> str:
        """What the axis is called."""
        return self.name

    @cached_property
    def grid(self) -> Grid:
        """The cells, as those of a column."""
        return Grid(self.name, self.bounds, self.cells)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The ends of all cells."""
        return self.grid.edges


@dataclass(frozen=True)
class DistanceCells:
    """Cells of the distance from a point: of the rows, or of their projections.

    Parameters
    ----------
    origin
        The point to measure from.
    vectors
        The directions whose projections count, at right angles; all of the row where there are
        none.
    edges
        Where the cells end, from 0, in scaled units; what lies beyond is counted in the last.
    """

    lattice: Lattice
    name: str
    origin: Point
    vectors: tuple[Point, ...]
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_origin(self.lattice, self.origin)
        for vector in self.vectors:
            _check_vector(self.lattice, vector)
        if self.edges[0] != 0:
            raise ValueError("Distances begin at 0.")
        self.ladder  # noqa: B018 - refuses edges that do not rise

    @property
    def column(self) -> str:
        """What the axis is called."""
        return self.name

    @cached_property
    def ladder(self) -> Edges:
        """The cells, as those of a column."""
        return Edges(self.name, Bounds(0.0, self.edges[-1]), self.edges)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.edges) - 1


Question = Key | Projection | DistanceCells | Areas
"""What an engine can count by."""


@dataclass(frozen=True)
class Moments:
    """A question for sums of outer products of rows that are not longer than `LENGTH`.

    A row is measured from `origin` and, where it is longer than `radius`, cut to that length; a
    length of `radius` is then spelled as `reach`, and coordinates are rounded to whole numbers.
    Before them stands `constant`, so that the sums hold the number of rows, their sum and their
    second moments.

    Parameters
    ----------
    radius
        Where rows are cut, in steps of the lattice.
    constant
        What stands before each row.
    """

    lattice: Lattice
    origin: Point
    radius: float
    constant: int

    def __post_init__(self) -> None:
        _check_origin(self.lattice, self.origin)
        if not (1 <= self.radius < 2**30 and 1 <= self.constant <= LENGTH):
            raise ValueError("A radius is at least one step of the lattice, and a constant 1.")

    @property
    def size(self) -> int:
        """How many rows and columns the sums have: one more than the lattice has columns."""
        return len(self.lattice.columns) + 1

    @property
    def reach(self) -> float:
        """How long the longest rows are before they are rounded.

        Rounding moves each of d coordinates by at most ½, and so adds at most √d / 2 to a length.
        """
        columns = len(self.lattice.columns)
        return LENGTH - (math.isqrt(columns - 1) + 1) / 2 - 2**-10

    @property
    def longest(self) -> int:
        """The largest squared length of a row with its constant, as whole numbers."""
        return self.constant**2 + LENGTH**2


def moment_weight(unit: PrivacyUnit) -> int:
    """Return the most that one unit weighs in a sum of outer products, in whole numbers."""
    return SHARES if unit.shared else unit.weight


def _check_origin(lattice: Lattice, origin: Sequence[int]) -> None:
    if len(origin) != len(lattice.columns) or any(abs(each) > REACH for each in origin):
        raise ValueError("An origin is a point of the lattice.")


def _check_vector(lattice: Lattice, vector: Sequence[int]) -> None:
    longest = REACH + len(lattice.columns)
    if len(vector) != len(lattice.columns) or sum(each**2 for each in vector) > longest**2:
        raise ValueError("A direction has a length of 1.")

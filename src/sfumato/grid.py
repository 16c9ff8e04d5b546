"""The public cells we count in: one key per column of a query.

A value belongs to cell ``i`` when ``edges[i] <= value < edges[i + 1]``, to the bit; the last cell
also holds its upper edge. An engine answers with one integer per combination of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds, Categories
from sfumato.ends import CYCLES, Part
from sfumato.errors import DomainError, Setting

MOST_CELLS = 2**24
"""How many cells one dense answer may have: 128 MiB of integers."""

MOST_FOUND = 1024
"""How many categories a private search may return; later ones by the alphabet are left out."""


@dataclass(frozen=True)
class Grid:
    """Equal cells between public bounds.

    Values beyond them are moved to the nearer one, or counted nowhere if they are to `drop`.

    Examples
    --------
    >>> Grid("age", Bounds(0, 100), 4).edges
    array([  0.,  25.,  50.,  75., 100.])
    """

    column: str
    bounds: Bounds
    cells: int
    drop: bool = False

    def __post_init__(self) -> None:
        if not _is_cell_count(self.cells):
            raise DomainError(
                (
                    Setting("bins", self.cells),
                    f" of {self.column!r} must be a whole number from 1 to {MOST_CELLS}.",
                ),
                "A number of bins read from the data would leak it.",
                ("Write ", Setting("bins", 20), ", or the edges."),
            )
        if not math.isfinite(self.bounds.width * self.cells):
            raise DomainError(
                f"The bounds of {self.column!r} are too wide for {self.cells} bins.",
                "Numbers that large cannot be told apart exactly.",
                "Declare narrower bounds.",
            )
        # Sixteen ulps cover the rounding of both edges of a cell, which are then told apart.
        largest = max(abs(self.bounds.lower), abs(self.bounds.upper))
        if self.bounds.width / self.cells < 16 * math.ulp(largest):
            raise DomainError(
                f"The bounds of {self.column!r} are too narrow for {self.cells} bins.",
                "Numbers that close cannot be told apart, and bins would be empty for everyone.",
                "Ask for fewer.",
            )

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The ends of all cells, ``cells + 1`` of them."""
        edges = self.edge(np.arange(self.cells + 1, dtype=np.float64))
        edges[-1] = self.bounds.upper
        return edges

    def edge(self, index: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the lower end of cell `index`.

        Multiplying before dividing keeps round numbers round: tenths of (0, 1) are 0.1, 0.2, 0.3.
        """
        return index * self.bounds.width / self.cells + self.bounds.lower


@dataclass(frozen=True)
class Edges:
    """Cells between public edges of any spacing; values beyond them are counted nowhere.

    Values are moved into `bounds` first, so edges that reach the bounds count everything; values to
    `drop` outside the bounds are counted nowhere either.
    """

    column: str
    bounds: Bounds
    values: tuple[float, ...]
    drop: bool = False

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip(self.values, self.values[1:], strict=False))
        if len(self.values) < 2 or not rising or not all(map(math.isfinite, self.values)):
            raise DomainError(
                f"The bin edges of {self.column!r} must be at least two finite numbers, rising.",
                "Other edges would leave a bin empty for everyone.",
                ("Write ", Setting("bins", [0, 18, 65, 110]), "."),
            )
        if self.values[0] >= self.bounds.upper or self.values[-1] <= self.bounds.lower:
            raise DomainError(
                f"The bin edges of {self.column!r} lie outside its bounds.",
                "Every bin would be empty, and the budget spent on nothing.",
                "Choose edges within the bounds.",
            )

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.values) - 1

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The ends of all cells."""
        return np.asarray(self.values, dtype=np.float64)

    @cached_property
    def index(self) -> EdgeIndex:
        """What finds the cells of many values."""
        return EdgeIndex.of(self.edges)


_Floats = NDArray[np.float64]
_Places = NDArray[np.int64]

_BUCKETS = 2**16
_SEARCHED = -2  # in place of a number of edges less one
_BITS = 44  # of 52 behind the leading one: 256 buckets from each power of two to the next


@dataclass(frozen=True, eq=False)
class EdgeIndex:
    """Tells how many edges values reach, as bisection does and faster.

    A function that never falls puts values and edges into buckets. Whoever is in a bucket has
    reached all edges in those before it, and none in those behind. Where its own holds one edge, a
    comparison tells whether it has reached that; where it holds more, they are searched.

    Parameters
    ----------
    place
        Puts values into buckets.
    before
        How many edges lie in the buckets before each, less one; `_SEARCHED` for a bucket that
        holds several.
    only
        The edge in each bucket that holds one; infinite in an empty one, NaN in the others.
    """

    edges: _Floats
    place: Callable[[_Floats], _Places]
    before: _Places
    only: _Floats

    @classmethod
    def of(cls, edges: _Floats) -> EdgeIndex:
        """Choose of two ways to put edges into buckets the one that leaves more of them alone."""
        even, leading = (cls._by(edges, place) for place in (_by_size(edges), _by_bits(edges)))
        return max(even, leading, key=lambda each: int(np.isfinite(each.only).sum()))

    @classmethod
    def _by(cls, edges: _Floats, place: Callable[[_Floats], _Places]) -> EdgeIndex:
        buckets = place(edges)
        held = np.bincount(buckets, minlength=_BUCKETS)
        only = np.full(_BUCKETS, np.inf)
        only[buckets] = edges
        only[held > 1] = np.nan  # which nobody reaches
        before = np.where(held > 1, _SEARCHED, np.cumsum(held) - held - 1)
        return cls(edges, place, before, only)

    def find(self, values: _Floats) -> _Places:
        """Return how many edges each value reaches, less one; anything for NaN."""
        bucket = self.place(values)
        found = self.before.take(bucket, mode="clip")  # NaN may lie in any
        found += values >= self.only.take(bucket, mode="clip")
        among = np.flatnonzero(found == _SEARCHED)
        if among.size:
            found[among] = np.searchsorted(self.edges, values[among], side="right") - 1
        return found


def _by_size(edges: _Floats) -> Callable[[_Floats], _Places]:
    """Return what puts values into buckets of one width."""
    lowest, width = float(edges[0]), float(edges[-1]) - float(edges[0])
    scale = _BUCKETS / max(width, 1e-300)

    def place(values: _Floats) -> _Places:
        with np.errstate(over="ignore", invalid="ignore"):  # NaN becomes any integer
            along = values - lowest
            along *= scale
            return along.clip(0, _BUCKETS - 1, out=along).astype(np.int64)

    return place if math.isfinite(width) else _in_one


def _by_bits(edges: _Floats) -> Callable[[_Floats], _Places]:
    """Return what puts values from 0 on into buckets by their leading bits, which rise as they."""
    first = int(np.maximum(edges[1:2], 0.0).view(np.int64)[0] >> _BITS)

    def place(values: _Floats) -> _Places:
        bits = np.ascontiguousarray(values).view(np.int64) >> _BITS
        bits -= first - 1  # what lies below the second edge is in the first bucket
        return bits.clip(0, _BUCKETS - 1, out=bits)

    return place if edges[0] >= 0 else _in_one


def _in_one(values: _Floats) -> _Places:
    """Put all values into one bucket."""
    return np.zeros(values.shape, dtype=np.int64)


@dataclass(frozen=True)
class Labels:
    """One cell for each public category of a column, or for each part of a day, week or year.

    Parameters
    ----------
    part
        What is read of a column of dates, if not its values are the categories: each category is
        one such part, in the order of the calendar.
    zone
        On whose clocks it is read; None for UTC.
    """

    column: str
    categories: Categories
    part: Part | None = None
    zone: str | None = None

    def __post_init__(self) -> None:
        if self.part is not None and CYCLES.get(self.part) != self.categories.values:
            raise ValueError("A part of a day, a week or a year has categories of its own.")

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.categories.values)


def count_values_in_cells(key: Grid | Edges) -> NDArray[np.int64] | None:
    """Return how many of the values a column can have lie in each cell, where a step tells.

    Examples
    --------
    >>> count_values_in_cells(Grid("hour", Bounds(0, 23, step=1), 5))
    array([5, 5, 4, 5, 5])
    """
    bounds = key.bounds
    if bounds.step is None or bounds.values is None:
        return None
    # An edge that is a value but for its rounding is that value.
    positions = (key.edges - bounds.lower) / bounds.step
    before = np.ceil(positions - 1e-9)
    before[-1] = np.floor(positions[-1] + 1e-9) + 1  # the last cell holds its upper edge
    return np.diff(before.clip(0, bounds.values)).astype(np.int64)


Key = Grid | Edges | Labels
"""What an engine can count one column by; `sfumato.lattice.Question` counts by several at once."""


class CellAxis(Protocol):
    """Anything with a number of cells."""

    @property
    def cells(self) -> int:
        """The number of cells."""
        ...


def shape(keys: Sequence[CellAxis]) -> tuple[int, ...]:
    """Return the shape of an answer to `keys`, or refuse one too large to hold."""
    sizes = tuple(key.cells for key in keys)
    if math.prod(sizes) > MOST_CELLS:
        raise DomainError(
            f"{math.prod(sizes)} cells are more than the {MOST_CELLS} one answer may have.",
            "Nearly all of them would contain only noise.",
            "Ask for fewer bins or categories.",
        )
    return sizes


def _is_cell_count(cells: object) -> bool:
    return isinstance(cells, int) and not isinstance(cells, bool) and 1 <= cells <= MOST_CELLS

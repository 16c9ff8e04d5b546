"""The moments of a table: exact sums of outer products over rows, or over what people count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.engines.cells import STRIP, iterate_points, squared_lengths
from sfumato.engines.columns import Floats, Integers, pack_numbers, unpack_numbers
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import CAP, Entries, Summation
from sfumato.lattice import LENGTH, Moments, moment_weight
from sfumato.privacy.guarantee import PrivacyUnit

MOST_WEIGHT = 2**53 // LENGTH**2
"""How much may be added at once: floats are exact up to 2⁵³, and a row adds at most LENGTH²."""

_TILE = 8
_ALONE = 2**18  # multiplications, up to which OpenBLAS leaves a product to one thread


class Gram:
    """Sums of the outer products of rows, as `Moments` asks for them.

    Rows are put into `room`, a few at a time, and multiplied as floats that hold whole numbers.
    Before a sum could pass 2⁵³, all are poured into Python's integers: every number here is exact
    at all times.

    Privacy
    -------
    A row adds a matrix whose Frobenius norm is at most ``moments.longest``, times its weight. Only
    at the end are sums moved into ±`CAP`, which moves no two tables further apart.
    """

    def __init__(self, moments: Moments) -> None:
        columns = len(moments.lattice.columns)
        self._moments = moments
        self._origin = np.array(moments.origin, dtype=np.float64)[:, np.newaxis]
        # Below the coordinates stands 1, so that products hold the sums of the rows too.
        self._lines: Floats = np.empty((columns + 1, STRIP))
        self._sums: Floats = np.zeros((columns, columns + 1))
        self._weight = 0
        self._whole: NDArray[np.object_] = np.zeros((columns, columns + 1), dtype=object)
        self._rows = 0

    @property
    def room(self) -> Floats:
        """Where points of the lattice are to be put: one line for each column."""
        return self._lines[:-1]

    def add(self, rows: int, weights: Integers | None = None) -> None:
        """Add that many of the points in `room`, which are overwritten; what is NaN is nowhere.

        Each weighs one row, or what `weights` says: together at most `MOST_WEIGHT`.
        """
        weight = rows if weights is None else int(weights.sum())
        if self._weight + weight > MOST_WEIGHT:
            self._flush_sums()
        self._weight += weight
        lines = self._lines[:, :rows]
        nowhere = self._shorten(lines[:-1])
        lines[-1] = 1.0
        lines[:, nowhere] = 0.0
        heavy = lines if weights is None else lines * weights
        self._sums += upper_products(heavy[:-1], lines)
        self._rows += int(heavy[-1].sum())

    def merge(self, other: Gram) -> None:
        """Add all sums of another."""
        self._rows += other._rows
        self._whole += other._flush_sums()

    def whole(self) -> list[int]:
        """Return all sums, however large, in one list; the last is how much all rows weigh."""
        return [*self._flush_sums().ravel().tolist(), self._rows]

    def add_whole(self, sums: Mapping[int, int]) -> None:
        """Add sums given by their places in that list."""
        more = [sums.get(place, 0) for place in range(self._whole.size + 1)]
        self._rows += more.pop()
        self._whole += np.array(more, dtype=object).reshape(self._whole.shape)

    def total(self) -> Integers:
        """Return the sums: first those with the constant, then those of the columns."""
        whole, constant = self._flush_sums(), self._moments.constant
        total = np.empty((self._moments.size, self._moments.size), dtype=object)
        total[0, 0] = constant**2 * self._rows
        total[0, 1:] = constant * whole[:, -1]
        total[1:, 1:] = whole[:, :-1]
        below = np.tril_indices(len(total), -1)
        total[below] = total.T[below]
        return np.clip(total, -CAP, CAP).astype(np.int64)

    def _shorten(self, points: Floats) -> NDArray[np.intp]:
        """Measure, cut and round points in place, and return which are nowhere."""
        points -= self._origin
        lengths = np.sqrt(squared_lengths(points))
        points *= self._moments.reach / np.maximum(lengths, self._moments.radius)
        np.rint(points, out=points)
        return np.flatnonzero(np.isnan(lengths))

    def _flush_sums(self) -> NDArray[np.object_]:
        self._whole += self._sums.astype(np.int64)
        self._sums[:] = 0.0
        self._weight = 0
        return self._whole


def upper_products(left: Floats, right: Floats) -> Floats:
    """Return ``left @ right.T``, on its diagonal and above, in one thread.

    BLAS sets several threads to work on large matrices. Beside those that read a table they would
    wait for each other, on a busy machine a hundred times longer than they work.

    Examples
    --------
    >>> rows = np.arange(6.0).reshape(2, 3)
    >>> np.triu(upper_products(rows, rows))
    array([[ 5., 14.],
           [ 0., 50.]])
    """
    found = np.zeros((len(left), len(right)))
    for start in range(0, len(left), _TILE):
        tile = slice(start, start + _TILE)
        found[tile, start:] = _product(left[tile], right[start:])
    return found


def _product(left: Floats, right: Floats) -> Floats:
    """Return ``left @ right.T`` as a sum of products that are small enough for one thread."""
    depth = 2 ** ((_ALONE // (len(left) * len(right))).bit_length() - 1)
    end = left.shape[1] // depth * depth
    lefts, rights = (each[:, :end].reshape(len(each), -1, depth) for each in (left, right))
    stacked = lefts.swapaxes(0, 1) @ rights.transpose(1, 2, 0)
    return stacked.sum(axis=0) + left[:, end:] @ right[:, end:].T


_MOST_PARTS = 2**6


@dataclass(frozen=True)
class Products(Summation[Gram]):
    """The sums of outer products of all rows that are somewhere.

    Privacy
    -------
    One unit weighs at most ``moment_weight(unit)`` rows of the greatest length. Which rows of a
    person count, where not all do, is decided over their points of the lattice: rows with the
    same point are interchangeable, and the choice is the same for every origin and radius.
    """

    moments: Moments

    @property
    def columns(self) -> Columns:
        """The columns of the lattice."""
        return Columns(self.moments.lattice.columns)

    @property
    def most(self) -> int:
        """More than there are threads, usually."""
        return _MOST_PARTS

    def weight(self, unit: PrivacyUnit) -> int:
        """Return a weight that leaves room for the products."""
        return moment_weight(unit)

    def zeros(self) -> Gram:
        """Return the products of no rows."""
        return Gram(self.moments)

    def add(self, sums: Gram, block: pa.RecordBatch) -> None:
        """Add the products of rows, strip by strip."""
        for points in iterate_points(block, self.moments.lattice, sums.room):
            sums.add(points.shape[1])

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the points of rows."""
        found = [points.copy() for points in iterate_points(block, self.moments.lattice)]
        lines = len(self.moments.lattice.columns)
        return pack_numbers(np.concatenate([np.empty((lines, 0)), *found], axis=1))

    def weigh(self, sums: Gram, found: pa.RecordBatch) -> None:
        """Add the products of points, strip by strip.

        No row weighs more than 2²⁰, the largest `max_rows`: a strip weighs at most `MOST_WEIGHT`.
        """
        points = unpack_numbers(found.column("cell"), len(self.moments.lattice.columns))
        weights = found.column("amount").to_numpy()
        for start in range(0, found.num_rows, STRIP):
            some = points[:, start : start + STRIP]
            sums.room[:, : some.shape[1]] = some
            sums.add(some.shape[1], weights[start : start + STRIP])

    def merge(self, sums: Gram, other: Gram) -> None:
        """Add all products."""
        sums.merge(other)

    def entries(self, sums: Gram) -> Entries:
        """Return all products, and how many rows there are."""
        whole = sums.whole()
        return np.arange(len(whole)), whole

    def restore_tally(self, entries: Entries) -> Gram:
        """Return the products that these numbers stand for."""
        sums = self.zeros()
        sums.add_whole(dict(zip(entries[0].tolist(), map(int, entries[1]), strict=True)))
        return sums

"""`Exact`: true integers on their way to the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Between = Callable[[Integers, Integers], Integers]
"""From the first cells of ranges, and the first ones after them, to the sums of the ranges."""

_LARGEST_CROWD = 2**30  # units of up to 2³⁰ steps each: with sums below 2⁶² nothing overflows
_MOST = 2**62 - 1
_HALF = 31
_MASK = 2**_HALF - 1
_NONE: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Exact:
    """True integer sums, with how far one privacy unit can move them.

    Only `sfumato.mechanisms` may call `reveal`; a house test holds every other module to it. Sums
    that lie elsewhere, and are too many to be brought here, have `_between` in place of `_values`.

    Parameters
    ----------
    l1
        The largest change of the sum of absolute values that one unit can cause, in steps.
    l2_squared
        The same for the sum of squares.
    step
        What one integer step is worth: 1 for counts, 2**-30 for shared weights.
    _values
        The true integers.
    _labels
        What the cells are called, where the names themselves are secret.
    _places
        Which cells these are, rising, where only the occupied ones are listed: a secret too.
    _between
        Answers for ranges of cells what `reveal_between` states, where the integers are not here.

    Privacy
    -------
    Nothing here is private. The numbers stand in no attribute: repr, `vars`, `dataclasses.asdict`
    and `numpy.asarray` do not find them, and the object can be neither pickled nor copied.
    """

    l1: int
    l2_squared: int
    step: float
    _values: InitVar[Integers | None] = None
    _labels: InitVar[tuple[str, ...] | None] = None
    _places: InitVar[Integers | None] = None
    _between: InitVar[Between | None] = None
    _reveal: Callable[[], _Secret] = field(init=False, repr=False)

    def __post_init__(
        self,
        _values: Integers | None,
        _labels: tuple[str, ...] | None,
        _places: Integers | None,
        _between: Between | None,
    ) -> None:
        if (_values is None) == (_between is None):
            raise TypeError("An Exact holds either its numbers or a way to ask for their sums.")
        secret = _Secret(_values, _labels or (), _places, _between)
        object.__setattr__(self, "_reveal", lambda: secret)

    def __repr__(self) -> str:
        return f"Exact(l1={self.l1}, l2_squared={self.l2_squared}, step={self.step!r}, hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An Exact holds true numbers and cannot be pickled or copied.")

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("An Exact holds true numbers and cannot be turned into an array.")

    def reshape_by_group(self) -> Exact:
        """Return the same numbers as rows of cells, one row per combination of the other keys."""
        values, labels = self.reveal(), self.reveal_labels()
        rows = values.reshape(-1, values.shape[-1])
        return Exact(self.l1, self.l2_squared, self.step, _values=rows, _labels=labels or None)

    def with_pseudocounts(self, crowd: Integers) -> Exact:
        """Return the same numbers with a public crowd beside them: so many units in each cell.

        Privacy
        -------
        The crowd is the same for every table, so one unit moves the sums as far as before.
        """
        raised = self.reveal() + np.minimum(crowd, _LARGEST_CROWD) * self.l1
        labels, places = self.reveal_labels() or None, self._reveal().places
        return Exact(self.l1, self.l2_squared, self.step, raised, labels, places)

    def merge_cells(self, into: Integers, cells: int) -> Exact:
        """Return the same numbers in fewer cells: each is added to the one that `into` names.

        Privacy
        -------
        Which cells are merged is public, so one unit moves the sums by at most as much in L1, and
        by no more than that in L2.
        """
        values = np.moveaxis(self.reveal(), -1, 0)
        # In halves, which never leave 64 bits; a sum of 2⁶² and more counts as less.
        halves = [np.zeros((cells, *values.shape[1:]), dtype=np.int64) for _ in range(2)]
        for half, part in zip(halves, (values >> _HALF, values & _MASK), strict=True):
            np.add.at(half, into, part)
        return Exact(self.l1, self.l1**2, self.step, np.moveaxis(_join_halves(halves), 0, -1))

    def reveal(self) -> Integers:
        """Return the true integers. For mechanisms alone."""
        return self._reveal().listed()

    def reveal_labels(self) -> tuple[str, ...]:
        """Return the true labels. For mechanisms alone."""
        return self._reveal().labels

    def reveal_places(self) -> Integers:
        """Return which cells the integers belong to, if not to all. For mechanisms alone."""
        secret = self._reveal()
        secret.listed()
        return _NONE if secret.places is None else secret.places

    def reveal_between(self, first: Integers, end: Integers) -> Integers:
        """Return the sums of ranges of cells that do not overlap. For mechanisms alone.

        A range holds the cells from its `first` up to, and without, its `end`; it may hold none, or
        none that is occupied. Cells that are all listed are numbered in their order. Integers are
        not negative, and a sum is the smaller of itself and 2⁶² − 1.
        """
        return self._reveal().between(first, end)


@dataclass(frozen=True, eq=False, repr=False)
class _Secret:
    values: Integers | None
    labels: tuple[str, ...]
    places: Integers | None
    elsewhere: Between | None

    def listed(self) -> Integers:
        if self.values is None:
            raise TypeError("This Exact lists no cells. It answers reveal_between alone.")
        return self.values

    @cached_property
    def between(self) -> Between:
        if self.elsewhere is not None:
            return self.elsewhere
        return _Ranges(self.listed().ravel(), self.places).between


class _Ranges:
    """Sums over ranges of integers; one of 2⁶² and more counts as less, and none wraps around."""

    def __init__(self, values: Integers, places: Integers | None) -> None:
        safe = int(values.max(initial=0)) * len(values) <= _MOST
        self._parts = [values] if safe else [values >> _HALF, values & _MASK]
        self._places = places

    def between(self, first: Integers, end: Integers) -> Integers:
        """Return the sums from each `first` up to, and without, its `end`.

        Ranges do not overlap, so each is all that lies between one of their ends and the next.
        """
        start, stop = self._at(first), self._at(end)
        found = np.zeros(len(first), dtype=np.int64)
        filled = np.flatnonzero(start < stop)
        if filled.size:
            start, stop = start[filled], stop[filled]
            cuts = np.unique(np.concatenate([start, stop[stop < len(self._parts[0])]]))
            chosen = np.searchsorted(cuts, start)
            found[filled] = _join_halves(
                [np.add.reduceat(part, cuts)[chosen] for part in self._parts]
            )
        return found

    def _at(self, cells: Integers) -> Integers:
        if self._places is None:
            return np.clip(cells, 0, len(self._parts[0]))
        return np.searchsorted(self._places, cells)


def _join_halves(sums: list[Integers]) -> Integers:
    if len(sums) == 1:
        return sums[0]
    high, low = sums
    high = high + (low >> _HALF)
    return np.where(high > _MASK, _MOST, (np.minimum(high, _MASK) << _HALF) + (low & _MASK))

"""`Exact`: true integers on their way to the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

_LARGEST_CROWD = 2**30  # units of up to 2³⁰ steps each: with sums below 2⁶² nothing overflows

_Secret = tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.int64]]


@dataclass(frozen=True, eq=False, slots=True)
class Exact:
    """True integer sums, with how far one privacy unit can move them.

    Only `sfumato.mechanisms` may call `reveal`; a house test holds every other module to it.

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

    Privacy
    -------
    Nothing here is private. The numbers stand in no attribute: repr, `vars`, `dataclasses.asdict`
    and `numpy.asarray` do not find them, and the object can be neither pickled nor copied.
    """

    l1: int
    l2_squared: int
    step: float
    _values: InitVar[NDArray[np.int64]]
    _labels: InitVar[tuple[str, ...] | None] = None
    _places: InitVar[NDArray[np.int64] | None] = None
    _reveal: Callable[[], _Secret] = field(init=False, repr=False)

    def __post_init__(
        self,
        _values: NDArray[np.int64],
        _labels: tuple[str, ...] | None,
        _places: NDArray[np.int64] | None,
    ) -> None:
        places = np.empty(0, dtype=np.int64) if _places is None else _places
        object.__setattr__(self, "_reveal", lambda: (_values, _labels or (), places))

    def __repr__(self) -> str:
        return f"Exact(l1={self.l1}, l2_squared={self.l2_squared}, step={self.step!r}, hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An Exact holds true numbers and cannot be pickled or copied.")

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("An Exact holds true numbers and cannot be turned into an array.")

    def by_group(self) -> Exact:
        """Return the same numbers as rows of cells, one row per combination of the other keys."""
        values, labels, _ = self._reveal()
        rows = values.reshape(-1, values.shape[-1])
        return Exact(self.l1, self.l2_squared, self.step, _values=rows, _labels=labels or None)

    def joined_by(self, crowd: NDArray[np.int64]) -> Exact:
        """Return the same numbers with a public crowd beside them: so many units in each cell.

        Privacy
        -------
        The crowd is the same for every table, so one unit moves the sums as far as before.
        """
        values, labels, places = self._reveal()
        raised = values + np.minimum(crowd, _LARGEST_CROWD) * self.l1
        return Exact(self.l1, self.l2_squared, self.step, raised, labels or None, places)

    def reveal(self) -> NDArray[np.int64]:
        """Return the true integers. For mechanisms alone."""
        return self._reveal()[0]

    def reveal_labels(self) -> tuple[str, ...]:
        """Return the true labels. For mechanisms alone."""
        return self._reveal()[1]

    def reveal_places(self) -> NDArray[np.int64]:
        """Return which cells the integers belong to. For mechanisms alone."""
        return self._reveal()[2]

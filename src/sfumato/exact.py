"""`Exact`: true integers on their way to the noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
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
    labels
        What the cells are called, where the names themselves are secret.

    Privacy
    -------
    Nothing here is private. The repr hides the numbers, and the object can be neither pickled,
    copied to JSON nor turned into an array by accident.
    """

    l1: int
    l2_squared: int
    step: float
    _values: NDArray[np.int64] = field(repr=False)
    _labels: tuple[str, ...] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Exact(l1={self.l1}, l2_squared={self.l2_squared}, step={self.step!r}, hidden)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An Exact holds true numbers and cannot be pickled or copied.")

    def reveal(self) -> NDArray[np.int64]:
        """Return the true integers. For mechanisms alone."""
        return self._values

    def reveal_labels(self) -> tuple[str, ...]:
        """Return the true labels. For mechanisms alone."""
        return self._labels or ()

"""Which cells to count together, once three private quartiles are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.law import NoiseLaw
from sfumato.postprocess.likelihood import CountNoise

Array = NDArray[np.float64]
Cells = NDArray[np.int64]
Quartiles = tuple[int, int, int]

_LEAST_BINS, _MOST_BINS = 6, 64
_COARSE = 8  # bins of a tail: with no more, the halves of a box have no bins of their own


def bins_for(size: float, law: NoiseLaw, unit_step: float = 1.0) -> int:
    """Return how many bins each tail gets: more units beside the noise show a finer tail.

    Examples
    --------
    >>> law = NoiseLaw("laplace", scale=3.0)
    >>> bins_for(1000, law), bins_for(1_000_000, law)
    (13, 64)
    """
    ratio = max(size, 100.0) / CountNoise(law, unit_step).scale
    return int(np.clip(round(0.7 * (2 * ratio) ** 0.45), _LEAST_BINS, _MOST_BINS))


def fence_layout(quartiles: Quartiles, cells: int, whis: float, bins: int) -> Cells:
    """Return the first cell of each bin to count.

    Beyond each fence lies one bin, between fence and quartile up to `bins`, between quartiles a
    few; each quartile's own cell stands alone, so that a heavy atom there is seen as one. Bins
    begin at the middle of the box and at its thirds: what lies outward tells stray quartiles.

    Examples
    --------
    >>> fence_layout((40, 55, 60), cells=100, whis=1.5, bins=3)
    array([ 0, 10, 20, 30, 40, 41, 47, 50, 54, 55, 56, 60, 61, 71, 81, 91])
    """
    first, median, third = quartiles
    lower, upper = fence_cells(quartiles, cells, whis)
    cuts = np.concatenate(
        [
            [0, first, first + 1, median, median + 1, third, third + 1],
            _cut(lower, first, bins),
            part_cells(quartiles),
            _inner(first + 1, median, bins),
            _inner(median + 1, third, bins),
            _cut(third + 1, upper, bins),
        ]
    )
    starts = np.unique(np.rint(cuts).astype(np.int64))
    return starts[starts < cells]


def fence_cells(quartiles: Quartiles, cells: int, whis: float) -> tuple[int, int]:
    """Return the first cell that is no outlier, and the first above that is one again."""
    reach = whis * (quartiles[2] - quartiles[0])
    lower = max(0.0, quartiles[0] - reach)
    upper = min(cells - 1.0, quartiles[2] + reach)
    return math.ceil(lower), math.floor(upper) + 1


def part_cells(quartiles: Quartiles) -> tuple[int, int, int]:
    """Return where the second third of a box begins, its upper half, and its last third."""
    first, length = quartiles[0], quartiles[2] - quartiles[0]
    third = max((length + 1) // 3, 1)
    return first + third, first + (length + 1) // 2, first + length + 1 - third


def _cut(start: int, stop: int, parts: int) -> Array:
    return np.linspace(start, stop, parts + 1) if stop > start else np.empty(0)


def _inner(start: int, stop: int, bins: int) -> Array:
    """Cut half a box in three: narrow beside the quartiles, whose surroundings say most.

    Of a small group not even the halves are well known, so they stay whole.
    """
    if bins <= _COARSE or stop <= start:
        return np.empty(0)
    return start + (stop - start) * np.array([0.2, 0.8])

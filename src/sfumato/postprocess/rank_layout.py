"""Which cells to count together around quantiles that were chosen, so that counts tell of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

# Where bins end between two quantiles and beyond the last ones, in parts of the ranks in doubt.
# Few bins: the noise of every one of them is in the rank of every value.
_INNER: Array = np.array([0.8, 1.6, 3.2, 16.0, 120.0])
_OUTER: Array = np.array([0.8, 1.6, 3.2, *(16 * 6.0**place for place in range(10))])
_ALONE: Array = np.array([3.0**place for place in range(15)])
_FINEST = 2**17  # of the range: a lone quantile has no neighbour that tells a scale
_NEAR = 8  # the bin beside a bound reaches over so small a part of the way to it


def rank_layout(
    chosen: Sequence[int],
    levels: Sequence[float],
    cells: int,
    *,
    size: float,
    reach: float,
    ends: bool = False,
) -> Cells:
    """Return the first cell of each bin to count.

    Every quantile's own cell stands alone, so that a heavy atom there is seen as one. Around it
    bins end where so many ranks are expected to be passed: between two quantiles that follows
    from their levels and a noisy size, beyond the outermost from the nearest such pair.

    Parameters
    ----------
    chosen
        The cells of the quantiles, in the order of their levels.
    size
        A noisy number of units.
    reach
        How many ranks the counts leave in doubt.
    ends
        Whether the first and the last cell stand alone too: where bounds were searched for, they
        hold all that lies beyond.

    Examples
    --------
    >>> rank_layout([40, 60], [0.25, 0.75], cells=100, size=1000, reach=30)
    array([ 0,  5, 21, 36, 38, 39, 40, 41, 42, 43, 45, 56, 58, 59, 60, 61, 62,
           63, 65, 80, 95])
    """
    where = np.asarray(chosen, dtype=np.float64)
    cuts = [np.array([0.0, where[0] / _NEAR]), where, where + 1]
    cuts.append(np.array([cells - (cells - 1 - where[-1]) / _NEAR]))
    if ends:
        cuts.append(np.array([1.0, cells - 1.0]))
    below, above = _outward(where, levels, cells, max(size, 4 * reach), reach)
    cuts += [where[0] - below, where[-1] + 1 + above]
    cuts += _between(where, levels, max(size, 4 * reach), reach)
    inside = np.clip(np.rint(np.concatenate(cuts)), 0, cells)
    starts = np.unique(inside.astype(np.int64))
    return starts[starts < cells]


def _between(where: Array, levels: Sequence[float], size: float, reach: float) -> list[Array]:
    gaps = np.diff(where)[:, np.newaxis]
    distances = _INNER * reach * gaps / (np.diff(levels)[:, np.newaxis] * size)
    near = distances <= gaps / 2
    left, right = where[1:, np.newaxis] - distances, where[:-1, np.newaxis] + 1 + distances
    return [left[near], right[near]]


def _outward(
    where: Array, levels: Sequence[float], cells: int, size: float, reach: float
) -> tuple[Array, Array]:
    """Return distances below the first quantile, and above the last."""
    finest = max(1.0, cells / _FINEST)
    if where.size == 1:
        return finest * _ALONE, finest * _ALONE
    ranks = np.diff(levels) * size
    first, last = map(float, (np.diff(where) / ranks * reach)[[0, -1]])
    below, above = (_OUTER * max(scale, finest) for scale in (first, last))
    return below, above

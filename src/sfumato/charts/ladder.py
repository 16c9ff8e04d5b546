"""Ladders: the public rungs that a walk may stop at."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.errors import DomainError
from sfumato.grid import MOST_CELLS, Grid

SMALLEST = 2.0**-30
"""Numbers closer to zero than this, about 10⁻⁹, are not told apart by a search for bounds."""

_FINEST = 2.0**-20
_ROOT = math.sqrt(2)


def geometric_ladder(
    grid: Grid, ratio: float = 1.001, *, upward: bool = True, unit: float = 1.0
) -> NDArray[np.int64]:
    """Return the cells at distances ``unit * (ratio**i - 1)`` from one end of a grid.

    Rungs are dense near that end and lie apart in proportion to their distance from it. Those
    that share a cell are one; the cell at the other end is always a rung.

    Parameters
    ----------
    upward
        Whether distances are measured from the lower end, where a walk upward begins.
    unit
        What a distance of one is worth in the data.

    Returns
    -------
    NDArray
        Indices of cells, rising whichever way distances are measured.

    Examples
    --------
    >>> geometric_ladder(Grid("age", Bounds(0, 100), 100), ratio=2.0)
    array([ 0,  1,  3,  7, 15, 31, 63, 99])
    >>> geometric_ladder(Grid("age", Bounds(0, 100), 100), ratio=2.0, upward=False)
    array([ 0, 36, 68, 84, 92, 96, 98, 99])
    """
    if not (unit > 0 and 1 < ratio < math.inf):
        raise _no_ladder()
    rate, last = math.log(ratio), grid.cells - 1
    rungs = math.log1p(grid.bounds.width / unit) / rate
    if not rungs < MOST_CELLS:
        raise _no_ladder()
    distances = unit * np.expm1(rate * np.arange(math.ceil(rungs)))
    # Rungs that should lie on an edge of a cell must not fall short of it by a rounding.
    cells = np.floor(distances / grid.bounds.width * grid.cells * (1 + 1e-12)).astype(np.int64)
    cells = np.unique(np.append(cells.clip(max=last), last))
    return cells if upward else last - cells[::-1]


def signed_ladder(
    limits: Bounds, *, ratio: float = _ROOT, smallest: float | None = None
) -> tuple[float, ...]:
    """Return the edges of cells around zero that widen in proportion to their distance from it.

    They are …, −s·r, −s, 0, s, s·r, … with r = `ratio` and s = `smallest`, from one end of
    `limits` to the other: a grid for numbers of unknown size and sign, to be used in
    `sfumato.grid.Edges`. The cells at both ends are from half a step to one and a half steps wide.

    Parameters
    ----------
    smallest
        The edge next to zero; 2⁻³⁰, or a millionth of the limits where that is less.

    Examples
    --------
    >>> signed_ladder(Bounds(-10, 50), ratio=4.0, smallest=1.0)
    (-10.0, -4.0, -1.0, 0.0, 1.0, 4.0, 16.0, 50.0)
    """
    farthest = max(abs(limits.lower), abs(limits.upper))
    smallest = min(SMALLEST, _FINEST * farthest) if smallest is None else smallest
    if not (0 < smallest <= farthest and 1.001 <= ratio < math.inf):
        raise _no_ladder()
    # Rounded, as the float next to √2 is not half a doubling to the bit; powers of 2 are exact.
    doublings = round(math.log2(ratio), 12)
    steps = math.floor(math.log2(farthest / smallest) / doublings) + 1
    sizes = smallest * np.exp2(doublings * np.arange(steps))
    marks = np.concatenate([-sizes[::-1], [0.0], sizes])
    inside = marks[(marks > limits.lower) & (marks < limits.upper)]
    apart = np.ones(inside.size, dtype=np.bool_)
    for end in (limits.lower, limits.upper):
        sizes = np.maximum(np.abs(inside), abs(end))
        apart &= np.abs(inside - end) >= (1 - ratio**-0.5) * sizes
    return (limits.lower, *inside[apart].tolist(), limits.upper)


def _no_ladder() -> DomainError:
    return DomainError(
        "A ladder needs a ratio above 1 and a smallest step above 0, with fewer rungs than a grid "
        "may have cells.",
        "A walk draws noise for every rung it looks at.",
        "Use a ratio of 1.001 or more.",
    )

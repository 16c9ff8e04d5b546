"""Non-negative masses near a grid of noisy ones, in the earth mover's sense.

For maps that no few cells explain, Ghazi et al. (2022, Appendix D) add noise to every cell of a
grid and return the non-negative masses nearest to it in the EMD norm: moving mass costs its way,
making or destroying it costs 2, the diameter of the window. That is a linear program in the flow
between all cells.

Here the distance is that of the quadtree over the grid: the sum over all squares of all levels of
2^-level times the difference of the masses in them. It bounds the EMD norm from above, up to a
factor of 1 + 2^-levels. (Two cells whose least common square has the side 2^-i are at most
2(2^-i - 2^-levels) apart, and exactly that far in the tree; making mass costs 2 - 2^-levels there
instead of 2.) The paper proves its error bound by this very distance: what is nearest to the noisy
masses differs from the true ones by at most twice the noise, ‖Pν‖₁, and E‖Pν‖₁ is what the proof of
Theorem D.1 computes. So the theorem holds for these masses too, and the program becomes
that of `transport`, solved in the time it takes to sort.
"""

from __future__ import annotations

import numpy as np

from sfumato.plane import interleave
from sfumato.postprocess.quadtree import Codes, Masses, Quadtree
from sfumato.postprocess.transport import cheapest


def nearest(values: Masses) -> Masses:
    """Return the non-negative masses nearest to noisy ones in the quadtree's EMD.

    Where several are equally near, cells that may be lowered are lowered in proportion.

    Parameters
    ----------
    values
        Noisy masses of 2^b by 2^b cells.

    Examples
    --------
    >>> nearest(np.array([[5.0, -3.0], [0.0, 6.0]]))
    array([[3.63636364, 0.        ],
           [0.        , 4.36363636]])
    """
    levels = len(values).bit_length() - 1
    places = _places(levels)
    sums = np.empty(4**levels)
    sums[places] = values
    pyramid = [sums]
    while len(sums) > 1:
        sums = sums.reshape(-1, 4).sum(axis=1)
        pyramid.append(sums)
    tree = _full(levels, np.concatenate(pyramid[::-1]))
    return cheapest(tree, np.ones(tree.size, dtype=np.bool_), levels)[tree.leaves][places]


def _places(levels: int) -> Codes:
    rows, columns = np.indices((2**levels, 2**levels))
    return interleave(columns, rows)


def _full(levels: int, values: Masses) -> Quadtree:
    """Return the tree of all squares, measured once; values go level by level."""
    level = np.repeat(np.arange(levels + 1), 4 ** np.arange(levels + 1))
    start = (4**level - 1) // 3
    code = np.arange(len(level)) - start
    first = np.where(level < levels, start + 4**level + 4 * code, -1)
    return Quadtree(level, code, first, values[None], np.ones((1, len(values))))

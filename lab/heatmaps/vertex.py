"""The published linear program as a solver finds it: one optimal vertex among many.

The program is often indifferent: a surplus may lie in any of four quarters. The paper does not say
which optimum it takes. ``decoder="lp"`` shares what is tied; a simplex solver puts it into one
quarter. Both are optimal and the pictures differ, so both are compared.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from sfumato.postprocess.quadtree import Masses, Quadtree

_optimize, _sparse = cast(Any, optimize), cast(Any, sparse)  # they come without annotations


def vertex(tree: Quadtree, kept: NDArray[np.bool_], levels: int) -> Masses:
    """Return the masses of all nodes, as `sfumato.postprocess.transport.cheapest` does."""
    holds, measured = _below(tree), (tree.rate > 0).any(axis=0)
    trusted = np.flatnonzero(kept & measured)
    target = tree.value[tree.rate.argmax(axis=0), np.arange(tree.size)][trusted]
    weight = 2.0**-tree.level
    # Squares that are not believed are taken to be empty, and so are all cells below a leaf.
    empty = ~kept & (measured | (tree.first < 0))
    price = holds.T @ (weight * empty) + weight[tree.leaves] - 2.0**-levels
    slack = _sparse.identity(len(trusted))
    found = _optimize.linprog(
        np.concatenate([price, weight[trusted], weight[trusted]]),
        A_eq=_sparse.hstack([holds[trusted], slack, -slack]),
        b_eq=target,
        method="highs-ds",
    )
    return holds @ found.x[: len(tree.leaves)]


def _below(tree: Quadtree) -> Any:
    """Return which leaves (columns) lie in which nodes (rows)."""
    node, column = tree.leaves.copy(), np.arange(len(tree.leaves))
    nodes, columns = [node], [column]
    while len(node):
        node = tree.parent[node]
        column, node = column[node >= 0], node[node >= 0]
        nodes.append(node)
        columns.append(column)
    places = np.concatenate(nodes), np.concatenate(columns)
    shape = tree.size, len(tree.leaves)
    return _sparse.coo_array((np.ones(len(places[0])), places), shape=shape).tocsr()

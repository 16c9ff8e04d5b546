"""Points that follow a released density and belong to nobody."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.grid import Grid

Array = NDArray[np.float64]


def points(density: Array, grids: tuple[Grid, Grid], n: int) -> Array:
    """Draw points ``[point, axis]``, each anywhere within its cell alike.

    Parameters
    ----------
    density
        The probability of each cell, ``[row, column]``.
    grids
        The cells along x, the columns, and along y, the rows.
    """
    random = np.random.default_rng()
    cells = random.choice(density.size, size=n, p=density.ravel())
    rows, columns = np.divmod(cells, density.shape[1])
    drawn = [
        key.edges[place] + random.random(n) * np.diff(key.edges)[place]
        for key, place in zip(grids, (columns, rows), strict=True)
    ]
    return np.stack(drawn, axis=1)

"""How many people each cell of a score plot holds, from its noisy counts."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.haar import shrunk

Array = NDArray[np.float64]
Estimate = Literal["haar", "additive", "sparse"]

_SURE = 3.0  # standard deviations from which on a mass is taken for what it seems
MOST_USUAL = 64
"""How many cells a side a frame has at most where nobody says."""

_BINS, _FEWEST = 2.3, 8


def estimated(noisy: Array, sigma: float, method: Estimate) -> Array:
    """Return the masses of all cells, none of them negative.

    ``"additive"`` and ``"sparse"`` take counts below 0 for 0, and others as they are. ``"haar"``
    smooths each group first; what then stands out from 0 by fewer than three standard deviations
    fades, the faster the less it does. The mass of a group is what its cells hold together: the
    noisy sum would carry the noise of every empty cell.

    Parameters
    ----------
    noisy
        Noisy counts ``[group, row, column]``.
    sigma
        The standard deviation of their noise.

    Examples
    --------
    >>> noisy = np.array([[[9.0, 11.0, 10.0, -1.0, 0.5, 0.5]]])
    >>> estimated(noisy, 1.0, "additive").round(1)
    array([[[ 9. , 11. , 10. ,  0. ,  0.5,  0.5]]])
    >>> estimated(noisy, 1.0, "haar").round(1)
    array([[[ 9.8, 10.1, 10.1,  0. ,  0. ,  0. ]]])
    """
    if method == "haar":
        return np.array([_smoothed(group, sigma) for group in noisy]).reshape(noisy.shape)
    return np.maximum(noisy, 0.0)


def _smoothed(noisy: Array, sigma: float) -> Array:
    smooth = shrunk(noisy, sigma)
    mass, sure = np.maximum(smooth.mass, 0.0), _SURE * smooth.deviation
    doubtful = mass < sure
    return mass * np.where(doubtful, mass / np.where(doubtful, sure, 1.0), 1.0) ** 2


def bins_for(size: float, sigma: float) -> int:
    """Return how many cells a side suit a histogram of scores.

    Fewer blur what could be seen, more drown it in noise: the best number grows with the cube root
    of the people per standard deviation of the noise.

    Parameters
    ----------
    size
        A public guess of the number of people in a group, or a noisy one.
    sigma
        The standard deviation of the noise on each count, in people.

    Examples
    --------
    >>> bins_for(500, 5.2), bins_for(5_000, 5.2), bins_for(100_000, 1.2)
    (11, 23, 64)
    """
    people = max(size, 1.0) / max(sigma, 1e-9)
    return int(np.clip(round(_BINS * people ** (1 / 3)), _FEWEST, MOST_USUAL))

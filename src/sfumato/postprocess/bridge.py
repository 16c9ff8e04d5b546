"""How far several quantiles chosen together lie from their ranks, before any data is seen."""

from __future__ import annotations

from functools import cache

import numpy as np

_WIDTH, _PITCH = 40.0, 0.04


@cache
def bridge_error(levels: int, index: int) -> float:
    """Return the mean rank error of the `index`-th of so many levels, times the rate.

    Where data are dense, the rank errors e₁ … e_m have the density
    ``exp(-rate (|e₁| + |e₂ - e₁| + … + |e_m|))``: a random walk with Laplace steps that returns
    to where it began. Each error has the density of the walk so far times that of the way back.

    Examples
    --------
    >>> round(bridge_error(1, 1), 2), round(bridge_error(3, 2), 2)
    (0.5, 0.9)
    """
    points = np.arange(-_WIDTH, _WIDTH + _PITCH / 2, _PITCH)
    step = np.exp(-abs(points))
    walks = [step]
    for _ in range(levels - 1):
        walks.append(np.convolve(walks[-1], step, mode="same") * _PITCH)
    density = walks[index - 1] * walks[levels - index]
    return float((abs(points) * density).sum() / density.sum())

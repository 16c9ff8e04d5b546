"""How much released integers speak for a table with one unit more, from the law of their noise.

Each is the logarithm of how much likelier the integers are with the unit than without it: no score
tells the two tables apart better.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

CERTAIN = 60.0
"""What says as much as nothing else together: that something is there which cannot be without."""

_TAILS = 12


def laplace_says(steps: ArrayLike, scale: float, without: ArrayLike, joined: ArrayLike) -> Floats:
    """Return what numbers with discrete Laplace noise say, those of the last axis together."""
    far, near = (np.abs(_floats(steps) - _floats(true)) for true in (without, joined))
    return (far - near).sum(axis=-1) / scale


def gaussian_says(
    steps: ArrayLike, scales: ArrayLike, without: ArrayLike, joined: ArrayLike
) -> Floats:
    """Return what numbers with discrete Gaussian noise say, those of the last axis together."""
    one, other = _floats(without), _floats(joined)
    middle = 2 * _floats(steps) - one - other
    return ((other - one) * middle / (2 * np.square(_floats(scales)))).sum(axis=-1)


def sparse_says(
    steps: ArrayLike, scale: float, threshold: int, without: ArrayLike, joined: ArrayLike
) -> Floats:
    """Return the same for counts shown only where anyone is and a threshold is reached."""
    shown = _floats(steps)
    one, other = (
        _sparse_chance(shown, scale, threshold, _floats(true)) for true in (without, joined)
    )
    # What is shown and can be neither with the unit nor without it says nothing.
    says = np.subtract(
        other, one, out=np.zeros_like(shown), where=np.isfinite(np.maximum(one, other))
    )
    return says.clip(-CERTAIN, CERTAIN).sum(axis=-1)


def chosen_chances(counts: ArrayLike, level: float, epsilon: float) -> Floats:
    """Return how likely each cell is to be chosen as a quantile, from the law in `joint.md`.

    A weight is e to the minus of how far its rank lies from what is wanted.
    """
    units = _floats(counts)
    ranks = np.concatenate([[0.0], np.cumsum(units)]) - level * units.sum()
    ranks *= epsilon / 2 / max(level, 1 - level)
    starts, ends = ranks[:-1], ranks[1:]
    length = np.maximum(ends - starts, 1e-12)
    nearest = np.maximum(np.maximum(starts, -ends), 0)
    beside = -np.exp(-nearest) * np.expm1(-length)
    around = -np.expm1(np.minimum(starts, 0)) - np.expm1(-np.maximum(ends, 0))
    weights = cast(Floats, np.where((starts < 0) & (ends > 0), around, beside)) / length
    return weights / weights.sum()


def _sparse_chance(shown: Floats, scale: float, threshold: int, true: Floats) -> Floats:
    """Return the logarithm of the chance of what is shown of each cell."""
    with np.errstate(divide="ignore"):
        seen = -np.square(shown - true) / (2 * scale**2) - np.log(_chances(scale).sum())
        hidden = np.log(_below(threshold - true, scale))
    # A cell without rows is never shown.
    seen, hidden = np.where(true > 0, seen, -np.inf), np.where(true > 0, hidden, 0.0)
    return cast(Floats, np.where(shown > 0, seen, hidden))


def _below(bounds: Floats, scale: float) -> Floats:
    """Return P(noise < bound) for each bound."""
    chances = _chances(scale)
    ends = np.concatenate([[0.0], np.cumsum(chances)]) / chances.sum()
    return ends[np.clip(bounds + len(chances) // 2, 0, len(chances)).astype(np.int64)]


def _chances(scale: float) -> Floats:
    """Return weights of noise from far below 0 to as far above."""
    reach = int(_TAILS * scale) + 2
    return np.exp(-np.square(np.arange(-reach, reach + 1)) / (2 * scale**2))


def _floats(numbers: ArrayLike) -> Floats:
    return np.asarray(numbers, dtype=np.float64)

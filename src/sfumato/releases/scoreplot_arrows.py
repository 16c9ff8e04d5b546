"""Arrows that show how columns add to scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.figure import Arrows, Estimates

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease

_LONGEST = 0.4  # of the frame's side, from the mean
_SHORTEST = 1e-9  # a loading that can be enlarged


def arrows(release: ScoreplotRelease, count: int) -> Arrows:
    """Return the arrows of the columns that weigh most in both components.

    All are longer than the loadings they stand for by the same factor, so that the longest nearly
    reaches the frame.
    """
    pca, sure = release.pca, release.pca.uncertainty["components"]
    places = [axis - 1 for axis in release.axes]
    loading, low, high = (
        np.reshape(ends, pca.components.shape)[places]
        for ends in (pca.components, sure.low, sure.high)
    )
    length = np.hypot(*loading)
    chosen = np.argsort(-length, kind="stable")[:count]
    side = min(release.x.bounds.width, release.y.bounds.width)
    factor = _LONGEST * side / max(float(length.max()), _SHORTEST)
    x, y = (
        Estimates(*(tuple((ends[axis][chosen] * factor).tolist()) for ends in (loading, low, high)))
        for axis in (0, 1)
    )
    names = [pca.columns[int(place)] for place in chosen]
    return Arrows((0.0, 0.0), x, y, tuple(names), sure.coverage)

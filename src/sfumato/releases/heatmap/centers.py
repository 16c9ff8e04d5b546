"""`Center`: one of a few places that most of a map lies near."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import moment
from sfumato.errors import ReleaseError
from sfumato.grid import Grid
from sfumato.postprocess import median

if TYPE_CHECKING:
    from sfumato.releases.heatmap import HeatmapRelease

Array = NDArray[np.float64]

MOST = 1000


@dataclass(frozen=True)
class Center:
    """A place in the units of the data, and the share of all mass that lies nearest to it."""

    x: float | datetime
    y: float | datetime
    share: float


def centers(release: HeatmapRelease, k: int) -> tuple[Center, ...]:
    """Return k places that lie near the mass of a release, those with the most first."""
    if not _counted(k):
        raise ReleaseError(
            f"The number of centers must be a whole number from 1 to {MOST}.",
            "It is a public choice and costs nothing: the release is not measured again.",
            "Write centers(5).",
        )
    left, right, low, high = release.ends
    across = ((left + right) / 2 - release.x.bounds.lower) / release.x.bounds.width
    up = ((low + high) / 2 - release.y.bounds.lower) / release.y.bounds.width
    points, mass = np.column_stack([across, up]), release.leaves.mass
    if not len(points):
        points, mass = np.full((1, 2), 0.5), np.ones(1)
    places = median.centers(points, mass, k)
    shares = _shares(points, mass if mass.any() else np.ones(len(mass)), places)
    return tuple(
        Center(_place(x, release.x), _place(y, release.y), share)
        for (x, y), share in zip(places.tolist(), shares.tolist(), strict=True)
    )


def _shares(points: Array, mass: Array, places: Array) -> Array:
    """Return the share of the mass nearest to each place; of equally near ones, the first's."""
    nearest = np.zeros(len(points), dtype=np.int64)
    least = np.full(len(points), np.inf)
    for number, place in enumerate(places):
        distance = np.abs(points - place).sum(axis=1)
        nearer = distance < least
        nearest[nearer], least[nearer] = number, distance[nearer]
    return np.bincount(nearest, mass, len(places)) / mass.sum()


def _place(relative: float, grid: Grid) -> float | datetime:
    place = grid.bounds.lower + relative * grid.bounds.width
    return moment(place) if grid.bounds.time else place


def _counted(k: object) -> bool:
    return isinstance(k, int) and not isinstance(k, bool) and 1 <= k <= MOST

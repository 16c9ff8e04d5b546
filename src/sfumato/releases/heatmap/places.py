"""Places of a map: the few that most of it lies near, and all its leaves as GeoJSON (RFC 7946)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError, Worded
from sfumato.grid import Grid
from sfumato.postprocess import median
from sfumato.releases import wording
from sfumato.releases.heatmap import NUMBERS

if TYPE_CHECKING:
    from sfumato.releases.heatmap import HeatmapRelease


Array = NDArray[np.float64]

MOST = 1000


@dataclass(frozen=True)
class Center:
    """A place in the units of the data, and the share of all mass that lies nearest to it."""

    x: float | datetime | str
    y: float | datetime | str
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
    places = median.find_centers(points, mass, k)
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


def _place(relative: float, grid: Grid) -> float | datetime | str:
    place = grid.bounds.lower + relative * grid.bounds.width
    return grid.bounds.show(place)


def _counted(k: object) -> bool:
    return isinstance(k, int) and not isinstance(k, bool) and 1 <= k <= MOST


Corner = list[float]


def write(release: HeatmapRelease) -> dict[str, Any]:
    """Return one polygon per leaf, with what is known of it.

    The collection carries a foreign member, ``sfumato``, that says what protects whom: whoever is
    handed the file can read it, and map tools pass over it.
    """
    if release.x.bounds.time or release.y.bounds.time:
        raise ReleaseError(
            "GeoJSON has no time axis.",
            "A map tool would take the numbers of a time axis for degrees.",
            ("Use ", Worded("records() or to_frame()", in_shell=".json"), "."),
        )
    guarantee = release.guarantee
    ends = zip(*(end.tolist() for end in release.ends), strict=True)
    numbers = zip(*release.numbers().values(), strict=True)
    return {
        "type": "FeatureCollection",
        "features": [
            _feature(*leaf) for leaf in zip(_list_groups(release), ends, numbers, strict=True)
        ],
        "sfumato": {
            "label": release.label,
            "private": release.private,
            "guarantee": wording.guarantee(release),
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta,
            "unit": str(guarantee.unit),
            "density": release.density_label,
            "coverage": min(release.uncertainty.coverage, default=0.0),
        },
    }


def _list_groups(release: HeatmapRelease) -> list[dict[str, str]]:
    """Return what to say of the group of each leaf."""
    if release.hue is None:
        return [{} for _ in release.noisy]
    named = zip(release.groups, release.sizes, strict=True)
    return [{release.hue.column: name} for name, size in named for _ in range(size)]


def _feature(
    group: dict[str, str], ends: tuple[float, ...], numbers: tuple[float, ...]
) -> dict[str, Any]:
    left, right, low, high = ends
    # Counter-clockwise, as the outer ring of a polygon has to run.
    ring: list[Corner] = [[left, low], [right, low], [right, high], [left, high], [left, low]]
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": group | dict(zip(NUMBERS, numbers, strict=True)),
    }

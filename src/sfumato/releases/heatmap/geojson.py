"""The leaves of a map as GeoJSON (RFC 7946), for any map tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.errors import ReleaseError
from sfumato.phrases import Worded
from sfumato.releases import wording
from sfumato.releases.heatmap import NUMBERS

if TYPE_CHECKING:
    from sfumato.releases.heatmap import HeatmapRelease

Corner = list[float]


def write(release: HeatmapRelease) -> dict[str, Any]:
    """Return one polygon per leaf, with what is known of it.

    The collection carries a foreign member, ``sfumato``, that says what protects whom: whoever is
    handed the file can read it, and map tools pass over it.
    """
    if release.x.bounds.time or release.y.bounds.time:
        raise ReleaseError(
            "GeoJSON knows places and no moments.",
            "A map tool would take the numbers of a time axis for degrees.",
            ("Use ", Worded("records() or to_frame()", in_shell=".json"), "."),
        )
    guarantee = release.guarantee
    ends = zip(*(end.tolist() for end in release.ends), strict=True)
    numbers = zip(*release.numbers().values(), strict=True)
    return {
        "type": "FeatureCollection",
        "features": [_feature(*leaf) for leaf in zip(ends, numbers, strict=True)],
        "sfumato": {
            "label": release.label,
            "private": release.private,
            "guarantee": wording.promise(release),
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta,
            "unit": str(guarantee.unit),
            "density": release.density_label,
            "coverage": min(release.uncertainty.coverage, default=0.0),
        },
    }


def _feature(ends: tuple[float, ...], numbers: tuple[float, ...]) -> dict[str, Any]:
    left, right, low, high = ends
    # Counter-clockwise, as the outer ring of a polygon has to run.
    ring: list[Corner] = [[left, low], [right, low], [right, high], [left, high], [left, low]]
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": dict(zip(NUMBERS, numbers, strict=True)),
    }

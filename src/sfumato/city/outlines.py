"""The districts of the invented city, as a map of polygons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.city.people import DISTRICTS
from sfumato.city.places import CENTRES, HALF_HEIGHT, HALF_WIDTH, degrees

_DIGITS = 6  # of a degree: a tenth of a metre

Corner = tuple[float, float]


def outline_districts() -> dict[str, Any]:
    """Return GeoJSON in which each district holds what is nearer to its centre than to others."""
    outlines = [_outline(centre) for centre in range(len(CENTRES))]
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": name},
                "geometry": {"type": "Polygon", "coordinates": [_list_degrees(corners)]},
            }
            for name, corners in zip((each.name for each in DISTRICTS), outlines, strict=True)
        ],
    }


def _outline(centre: int) -> list[Corner]:
    sides = (-HALF_WIDTH, HALF_WIDTH), (-HALF_HEIGHT, HALF_HEIGHT)
    (left, right), (low, high) = sides
    corners: list[Corner] = [(left, low), (right, low), (right, high), (left, high)]
    for other in range(len(CENTRES)):
        if other != centre:
            corners = _cut(corners, CENTRES[centre].tolist(), CENTRES[other].tolist())
    return corners


def _cut(corners: Sequence[Corner], own: Sequence[float], other: Sequence[float]) -> list[Corner]:
    """Return the part of a polygon that is nearer to one point than to another."""

    def lead(corner: Corner) -> float:
        return sum((c - b) ** 2 - (c - a) ** 2 for c, a, b in zip(corner, own, other, strict=True))

    kept: list[Corner] = []
    for one, two in zip(corners, [*corners[1:], corners[0]], strict=True):
        here, there = lead(one), lead(two)
        if here >= 0:
            kept.append(one)
        if here * there < 0:
            share = here / (here - there)
            kept.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return kept


def _list_degrees(corners: Sequence[Corner]) -> list[list[float]]:
    x, y = np.array([*corners, corners[0]]).T
    places = zip(*degrees(x, y), strict=True)
    return [[round(float(each), _DIGITS) for each in place] for place in places]

"""Which region a point lies in: shapely's answer, one row at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sfumato.engines.columns import Floats, Integers
from sfumato.errors import DomainError, Setting
from sfumato.regions import Areas


def check_geometry(regions: Areas) -> None:
    """Refuse areas whose inside is undecided, before anything is charged."""
    shapely = _load_shapely()
    for area in _make_areas(shapely, regions):
        if not shapely.is_valid(area) or shapely.area(area) == 0:
            raise DomainError(
                "A region crosses itself, or has no area.",
                "Who lies inside would be undecided. Nothing was charged.",
                ("Mend it, with shapely.make_valid for one: ", Setting("regions"), "."),
            )


def locate(regions: Areas, x: Floats, y: Floats) -> Integers:
    """Return the first region that holds each point, its border included; -1 for none.

    Privacy
    -------
    A point's region depends on that point and public areas alone: see `locating.md`.
    """
    found = np.full(len(x), -1, dtype=np.int64)
    left, right, bottom, top = regions.box
    with np.errstate(invalid="ignore"):  # NaN lies nowhere, and a signalling one would warn
        rows = np.flatnonzero((x >= left) & (x <= right) & (y >= bottom) & (y <= top))
    shapely, areas, boxes = _prepare(regions)
    for cell, (area, box) in enumerate(zip(areas, boxes, strict=True)):
        across, along = x[rows], y[rows]
        near = (across >= box[0]) & (across <= box[2]) & (along >= box[1]) & (along <= box[3])
        inside = np.flatnonzero(near)
        inside = inside[shapely.intersects_xy(area, across[inside], along[inside])]
        found[rows[inside]] = cell
        rows = np.delete(rows, inside)
    return found


@lru_cache(maxsize=4)
def _prepare(regions: Areas) -> tuple[Any, list[Any], Any]:
    shapely = _load_shapely()
    areas = _make_areas(shapely, regions)
    shapely.prepare(areas)
    return shapely, areas, shapely.bounds(areas)


def _make_areas(shapely: Any, regions: Areas) -> list[Any]:
    return [
        shapely.MultiPolygon([(rings[0], rings[1:]) for rings in area.polygons])
        for area in regions.areas
    ]


def _load_shapely() -> Any:
    try:
        import shapely
    except ImportError:
        shapely = None
    if shapely is None:
        raise DomainError(
            "Points are located in regions by shapely, which is not installed.",
            "Without it nobody can be counted. Nothing was charged.",
            'Type pip install "sfumato[geo]".',
        )
    return shapely

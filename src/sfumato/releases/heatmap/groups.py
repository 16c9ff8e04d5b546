"""Densities of several groups over each other, and points that stand for a density."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Clouds, Contour, Dots, Heat
from sfumato.postprocess import contours

if TYPE_CHECKING:
    from sfumato.releases.heatmap import HeatmapRelease

Array = NDArray[np.float64]

MOST_TOGETHER = 10
"""How many groups are laid over each other if nobody says."""

MOST_POINTS = 2_000
"""How many synthetic points a picture has at most, of all groups together."""

SHARES = (0.5, 0.9)
"""How much of a group its two outlines hold."""


def clouds(release: HeatmapRelease, drawn: list[Heat]) -> Clouds:
    """Return the densities of all groups, each as a part of its own densest place."""
    fields = [_standing(heat) for heat in drawn]
    parts = [field / (field.max() or 1.0) for field in fields]
    value = tuple(map(_list_rows, parts))
    return Clouds(x=drawn[0].x, y=drawn[0].y, series=release.groups, value=value)


def outlines(release: HeatmapRelease, drawn: list[Heat]) -> tuple[Contour, ...]:
    """Return the lines around the cores of all groups, and then around most of each."""
    fields = [(name, heat, _standing(heat)) for name, heat in _named(release, drawn)]
    return tuple(
        Contour(_trace(heat, field, share), share, name)
        for name, heat, field in fields
        for share in SHARES
        if field.any()
    )


def name_synthetic(group: str) -> str:
    """Return what a legend calls the points of a group."""
    return f"{group} (synthetic)" if group else "synthetic"


def count_points(release: HeatmapRelease, drawn: list[Heat]) -> list[int]:
    """Return how many points stand for each group: its noisy total, or less where all are many."""
    pairs = zip(release.maps, drawn, strict=True)
    sizes = [0.0 if np.all(heat.muted) else float(each.total) for each, heat in pairs]
    whole = sum(sizes)
    most = min(float(MOST_POINTS), whole)
    held = np.cumsum([0.0, *sizes]) * (most / whole if whole > 0 else 0.0)
    return np.diff(np.rint(held)).astype(int).tolist()


def draw_points(release: HeatmapRelease, drawn: list[Heat]) -> tuple[Dots, ...]:
    """Return synthetic points of each group that can be told from noise.

    The same release gives the same points: they follow from its numbers, which are public.
    """
    numbers = count_points(release, drawn)
    random = _make_generator(release)
    pairs = zip(_named(release, drawn), numbers, strict=True)
    return tuple(
        _scatter(random, heat, number, name_synthetic(name))
        for (name, heat), number in pairs
        if number
    )


def _make_generator(release: HeatmapRelease) -> np.random.Generator:
    """Return a generator that the released numbers determine."""
    told = hashlib.sha256(repr((release.noisy, release.sizes)).encode())
    return np.random.default_rng(int.from_bytes(told.digest()))


def _scatter(random: np.random.Generator, heat: Heat, number: int, series: str) -> Dots:
    """Draw points, each anywhere within its cell alike."""
    field = _standing(heat)
    chances = field.ravel() / field.sum() if field.any() else np.full(field.size, 1 / field.size)
    rows, columns = np.divmod(random.choice(field.size, size=number, p=chances), field.shape[1])
    x = _place(heat.x, (columns + random.random(number)) / field.shape[1])
    y = _place(heat.y, (rows + random.random(number)) / field.shape[0])
    return Dots(x, y, series=series)


def _place(ends: tuple[float, float], share: Array) -> tuple[float, ...]:
    return tuple((ends[0] + share * (ends[1] - ends[0])).tolist())


def _standing(heat: Heat) -> Array:
    """Return the density where it stands out from the noise, and nothing elsewhere."""
    return np.where(np.array(heat.muted, dtype=bool), 0.0, np.array(heat.value, dtype=np.float64))


def _list_rows(field: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, field.tolist()))


def _named(release: HeatmapRelease, drawn: list[Heat]) -> list[tuple[str, Heat]]:
    return list(zip(release.groups, drawn, strict=True))


def _trace(heat: Heat, field: Array, share: float) -> tuple[tuple[tuple[float, float], ...], ...]:
    (left, right), (low, high) = heat.x, heat.y
    across, up = (right - left) / field.shape[1], (high - low) / field.shape[0]
    return tuple(
        tuple((left + column * across, low + row * up) for column, row in path)
        for path in contours.trace_contour(field, contours.find_densest_cells(field, share))
    )

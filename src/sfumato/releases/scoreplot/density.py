"""What a picture of scores shows: groups apart or together, and what stands out from the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.figure import Clouds, Contour, Heat
from sfumato.postprocess import contours as outline
from sfumato.postprocess import density
from sfumato.postprocess import significance as doubt
from sfumato.releases import wording
from sfumato.releases.uncertainty import LEVEL

if TYPE_CHECKING:
    from sfumato.releases.scoreplot import ScoreplotRelease


MOST_POINTS = 100_000
MOST_TOGETHER = 10
"""How many groups are laid over each other if nobody says."""


@dataclass(frozen=True)
class ScoreView:
    """How scores are drawn; nothing here costs anything.

    Parameters
    ----------
    panels
        A panel for each group, instead of all in one; if None, for more than ten.
    loadings
        How many columns have an arrow that shows how they add to both scores.
    points
        How many synthetic points are drawn.
    """

    panels: bool | None = None
    loadings: int = 0
    points: int = 0

    def __post_init__(self) -> None:
        if not _counted(self.points, MOST_POINTS):
            raise ReleaseError(
                f"points must be a whole number from 0 to {MOST_POINTS}.",
                "They are drawn from the released density, and more of them would only blur it.",
                "Write points=300.",
            )
        if not _counted(self.loadings, MOST_POINTS):
            raise ReleaseError(
                "loadings must be a whole number from 0 up.",
                "It says how many columns have an arrow, the longest first, and all are released "
                "already.",
                "Write loadings=5.",
            )

    def apart(self, groups: int) -> bool:
        """Tell whether so many groups have panels of their own; one alone always has."""
        return groups == 1 or (groups > MOST_TOGETHER if self.panels is None else self.panels)


def _counted(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Sides = tuple[int, int]

SHARES = (0.5, 0.9)
"""How much of a group its two outlines hold."""

SMOOTH = 0.5
"""The width of the Gaussian filter that pictures are drawn with, in cells."""

FINE, COARSE = 128, 64  # points along a side of the picture, at least: of one panel, of many


def evidence(release: ScoreplotRelease) -> Array:
    """Return how far each place of each group stands out from the noise: above 1 if it does."""
    if release.counts is None or release.noise is None:
        return np.where(release.mass > 0, 2.0, 0.0)
    if release.threshold is not None:
        # Nothing is added to empty cells: what is shown is there.
        return np.where(release.counts > 0, 2.0, 0.0)
    return doubt.compute_significance(release.counts, release.noise.scale * release.step)


def unseen(release: ScoreplotRelease) -> tuple[str, ...]:
    """Return the groups of which nothing stands out from the noise."""
    pairs = zip(release.groups, evidence(release), strict=True)
    return tuple(name for name, heard in pairs if not (heard > 1).any())


def heat(release: ScoreplotRelease, group: int, points: int) -> Heat:
    """Return the density of one group, in counts per cell."""
    sides = _fineness(release, points)
    mass = release.mass[group]
    low, high, noise, coverage = mass, mass, 0.0, 0.0
    if release.uncertainty is not None:
        ends, law = release.uncertainty.pointwise, release.uncertainty.noise
        low, high = (np.reshape(end, release.shape)[group] for end in (ends.low, ends.high))
        noise, coverage = law.radius(LEVEL) * release.step, ends.coverage
    return Heat(
        x=_ends(release.x.edges),
        y=_ends(release.y.edges),
        value=_rows(_spread(mass, sides) * math.prod(sides)),
        low=_rows(_fine(low, sides)),
        high=_rows(_fine(high, sides)),
        muted=tuple(map(tuple, (_between(evidence(release)[group], sides) <= 1).tolist())),
        label=counted(release),
        noise=float(f"{noise:.3g}"),
        coverage=coverage,
        ratio=release.y.bounds.width / release.x.bounds.width,
    )


def clouds(release: ScoreplotRelease) -> Clouds:
    """Return the densities of all groups, each as a part of its own densest place."""
    fields = _standing(release)
    tops = fields.max(axis=(1, 2), keepdims=True)
    value = np.divide(fields, tops, out=np.zeros_like(fields), where=tops > 0)
    return Clouds(
        x=_ends(release.x.edges),
        y=_ends(release.y.edges),
        series=release.groups,
        value=tuple(map(_rows, value)),
    )


def outlines(release: ScoreplotRelease) -> tuple[Contour, ...]:
    """Return the lines around the cores of all groups, and then around most of each."""
    fields = _standing(release)
    return tuple(
        Contour(_paths(release, field, share), share, name)
        for name, field in zip(release.groups, fields, strict=True)
        for share in SHARES
        if field.any()
    )


def counted(release: ScoreplotRelease) -> str:
    """Name what the colour measures."""
    return f"{wording.people(release.guarantee.unit)} per cell"


def _standing(release: ScoreplotRelease) -> Array:
    """Return the smoothed densities of what stands out."""
    sides = _fineness(release, FINE)
    shown = np.where(evidence(release) > 1, release.mass, 0.0)
    return np.stack([_spread(mass, sides) for mass in shown])


def _paths(
    release: ScoreplotRelease, field: Array, share: float
) -> tuple[tuple[tuple[float, float], ...], ...]:
    (left, right), (low, high) = _ends(release.x.edges), _ends(release.y.edges)
    across, up = (right - left) / field.shape[1], (high - low) / field.shape[0]
    return tuple(
        tuple((left + column * across, low + row * up) for column, row in path)
        for path in outline.trace_contour(field, outline.find_densest_cells(field, share))
    )


def _fineness(release: ScoreplotRelease, points: int) -> Sides:
    """Return how many points of the picture lie along the upright and level sides of a cell."""
    return -(-points // release.y.cells), -(-points // release.x.cells)


def _spread(mass: Array, sides: Sides) -> Array:
    up, across = sides
    even = _fine(mass, sides) / (up * across)
    return density.smooth(even, (SMOOTH * across, SMOOTH * up))


def _between(cells: Array, sides: Sides) -> Array:
    """Return values at all points, on straight lines between the middles of cells."""
    for side in sides:
        middles = np.arange(len(cells)) + 0.5
        points = (np.arange(side * len(cells)) + 0.5) / side
        lines: list[Array] = [np.interp(points, middles, line) for line in cells.T]
        cells = np.stack(lines)
    return cells


def _fine(cells: Array, sides: Sides) -> Array:
    return np.repeat(np.repeat(cells, sides[0], axis=0), sides[1], axis=1)


def _ends(edges: Array) -> tuple[float, float]:
    return float(edges[0]), float(edges[-1])


def _rows(array: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, array.tolist()))

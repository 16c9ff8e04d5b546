"""A density with the distributions of both columns beside it, summed from the same squares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Axis, Curve, Estimates, Panel
from sfumato.releases import wording

if TYPE_CHECKING:
    from sfumato.grid import Grid
    from sfumato.releases.heatmap import HeatmapRelease

Array = NDArray[np.float64]
Side = Literal["x", "y"]

GRID = ((1.0, 4.0), (4.0, 1.0))
"""How tall the rows of panels are, and how wide their columns."""

REACH, COVERAGE = 1.96, 0.95
"""Standard deviations on either side of a sum of noises, and how often that holds it.

A sum of Laplace noises lies within these with a probability of 93.7 % where it is one noise alone,
and of 95 % where there are many.
"""

_ORIENT: dict[Side, Literal["v", "h"]] = {"x": "v", "y": "h"}

_MOST = 64
"""How many bins are drawn: more look like noise."""


@dataclass(frozen=True)
class Margin:
    """The distribution of one column over bins that no square crosses.

    Parameters
    ----------
    edges
        Where bins begin and end.
    value
        What each holds, after decoding and within its interval.
    low, high
        The ends of the interval that noise leaves, which may be below zero.
    """

    edges: Array
    value: Array
    low: Array
    high: Array


def find_margin(release: HeatmapRelease, side: Side) -> Margin:
    """Sum the squares of a map without groups over one of its sides.

    Bins are as wide as the widest square, so that each square lies in one of them: the noise of a
    bin is the sum of theirs, and nothing has to be said about where in a square its mass lies.
    """
    first = release.leaves.column if side == "x" else release.leaves.row
    grid = release.x if side == "x" else release.y
    cells = release.leaves.shape[0 if side == "x" else 1]
    wide = _choose_width(cells, int(release.leaves.span.max(initial=1)))
    bins = first // wide
    mass, noisy, variance = (
        np.bincount(bins, each, -(-cells // wide)).astype(np.float64)
        for each in (release.leaves.mass, release.noise.masses, release.noise.variance)
    )
    reach = REACH * np.sqrt(variance)
    low, high = noisy - reach, noisy + reach
    value = np.clip(mass, np.maximum(low, 0.0), np.maximum(high, 0.0))
    return Margin(_list_edges(grid, cells, wide), value, low, high)


def _choose_width(cells: int, widest: int) -> int:
    """Return how many of the finest cells a bin is wide: a multiple of the widest square."""
    width = widest
    while cells > _MOST * width or (cells % width and width < cells):
        width += widest
    return min(width, cells)


def _list_edges(grid: Grid, cells: int, wide: int) -> Array:
    first = np.minimum(np.arange(-(-cells // wide) + 1) * wide, cells).astype(np.float64)
    edges = first * grid.bounds.width / cells + grid.bounds.lower
    edges[-1] = grid.bounds.upper
    return edges


def surround(release: HeatmapRelease, centre: Panel) -> tuple[Panel, ...]:
    """Return a panel with the distribution of x above it and that of y beside it."""
    counts = _name_counts(release)
    above = Panel(centre.x, counts, _draw(release, "x"), place=(0, 0))
    beside = Panel(replace(counts), centre.y, _draw(release, "y"), place=(1, 1))
    return above, replace(centre, place=(1, 0), title=""), beside


def _name_counts(release: HeatmapRelease) -> Axis:
    counted = wording.counted(release.guarantee.unit)
    if len(release.groups) > 1:
        return Axis(f"{counted} per width, for the peak of each", labelled=False)
    return Axis(counted)


def _draw(release: HeatmapRelease, side: Side) -> tuple[Curve, ...]:
    several = len(release.groups) > 1
    margins = [find_margin(each, side) for each in release.maps]
    return tuple(
        _draw_margin(_share(margin) if several else margin, side, name, present=present)
        if present or not several
        else _draw_nothing(side, name)
        for margin, name, present in zip(margins, release.groups, release.present, strict=True)
    )


def _draw_nothing(side: Side, name: str) -> Curve:
    """Return a curve without values: its group keeps its place and colour in the legend."""
    return Curve((), Estimates((), (), ()), (), 0.0, series=name, orient=_ORIENT[side])


def _share(margin: Margin) -> Margin:
    """Return a margin as a part of its own peak."""
    top = float(margin.value.max(initial=0.0)) or 1.0
    return Margin(margin.edges, *(each / top for each in (margin.value, margin.low, margin.high)))


def _draw_margin(margin: Margin, side: Side, name: str, *, present: bool) -> Curve:
    low, high = np.maximum(margin.low, 0.0), np.maximum(margin.high, 0.0)
    return Curve(
        tuple(margin.edges.tolist()),
        Estimates(*(tuple(each.tolist()) for each in (margin.value, low, high))),
        tuple(((margin.low <= 0) | (not present)).tolist()),
        COVERAGE,
        steps=True,
        filled=not name,
        series=name,
        orient=_ORIENT[side],
    )


def describe_margins(release: HeatmapRelease) -> str:
    """Say what is drawn beside the density, and how sure it is."""
    apart = ", each relative to its peak" if len(release.groups) > 1 else ""
    return (
        f"Margins: sums of the same cells{apart}, with 95 % intervals for each bin; grey: its "
        "interval holds zero."
    )

"""A density with the distributions of both columns beside it, summed from the same squares."""

from __future__ import annotations

import math
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
"""How many bins are drawn where people are: more look like noise."""

_FAIR, _SLOPE = 4.0, 0.5
"""How many whole numbers a bin holds of which one more is no peak, and what tells of whole ones."""

_CLEAR = 2.0
"""How many times the reach of its noise a usual bin holds."""

_CROSSING, _OUTER = 0.05, 0.005
"""The share of the mass that may lie in squares wider than a bin, and beyond either outer bin."""


@dataclass(frozen=True)
class Margin:
    """The distribution of one column over bins of one width.

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


@dataclass(frozen=True)
class SquareSums:
    """The squares of a map, summed over bins along one of its sides.

    What a square wider than a bin holds is shared evenly by the bins that it crosses.

    Parameters
    ----------
    width
        How many of the finest cells a bin is wide.
    mass, noisy, variance
        What each bin holds after decoding, what was measured, and the variance of its noise.
    above, below
        How much more and less each may hold, wherever the mass of wider squares lies in them.
    """

    width: int
    mass: Array
    noisy: Array
    variance: Array
    above: Array
    below: Array

    @property
    def reach(self) -> Array:
        """How far noise may move what was measured of each bin."""
        return REACH * np.sqrt(self.variance)

    @property
    def sensible(self) -> bool:
        """Whether bins where people are stand out, are not too many, and few squares cross them."""
        whole = float(self.mass.sum())
        if not whole > 0 or float(self.below.sum()) > _CROSSING * whole:
            return False
        held = np.cumsum(self.mass) / whole
        inner = (held > _OUTER) & (held - self.mass / whole < 1 - _OUTER)
        usual = float(np.vdot(self.mass, self.mass)) / whole
        clear = usual >= _CLEAR * math.sqrt(float(np.mean(self.reach[inner] ** 2)))
        return clear and int(np.count_nonzero(inner)) <= _MOST


def find_margin(release: HeatmapRelease, side: Side) -> Margin:
    """Sum the squares of a map without groups over one of its sides.

    Bins are as narrow as those that hold people allow. Where none are sensible they are as wide as
    the widest square, so that each square lies in one of them and the noise of a bin is the sum of
    theirs. Of narrower ones the interval also holds whatever lies unevenly in wider squares.
    """
    spans, grid = release.leaves.span, release.x if side == "x" else release.y
    cells = release.leaves.shape[0 if side == "x" else 1]
    coarse = _choose_width(cells, int(spans.max(initial=1)))
    widths = _list_widths(cells, int(spans.min(initial=coarse)), coarse)
    tried = (_add_squares(release, side, cells, width) for width in widths)
    found = next(
        (each for each in tried if each.sensible and not _is_jagged(grid, cells, each)),
        _add_squares(release, side, cells, coarse),
    )
    low, high = found.noisy - found.reach - found.below, found.noisy + found.reach + found.above
    value = np.clip(found.mass, np.maximum(low, 0.0), np.maximum(high, 0.0))
    return Margin(_list_edges(grid, cells, found.width), value, low, high)


def _add_squares(release: HeatmapRelease, side: Side, cells: int, width: int) -> SquareSums:
    """Sum squares over bins of so many of the finest cells."""
    first = release.leaves.column if side == "x" else release.leaves.row
    crossed = np.maximum(release.leaves.span // width, 1)
    which = np.repeat(np.arange(len(crossed)), crossed)
    places = np.arange(len(which)) - np.repeat(np.cumsum(crossed) - crossed, crossed)
    bins, share = first[which] // width + places, 1 / crossed[which]
    mass = release.leaves.mass[which] * share
    parts = mass, release.noise.masses[which] * share, release.noise.variance[which] * share**2
    wide = crossed[which] > 1
    above = np.where(wide, release.leaves.mass[which] - mass, 0.0)
    added = (
        np.bincount(bins, each, -(-cells // width)).astype(np.float64)
        for each in (*parts, above, np.where(wide, mass, 0.0))
    )
    return SquareSums(width, *added)


def _list_widths(cells: int, least: int, coarse: int) -> list[int]:
    """Return widths of bins, the narrowest first: parts of a coarse one, it, and multiples."""
    finer = [least << power for power in range(coarse.bit_length())]
    wider = [coarse << power for power in range(3)]
    return [each for each in finer if each < coarse and cells % each == 0] + [
        each for each in wider if each <= cells
    ]


def _choose_width(cells: int, widest: int) -> int:
    """Return how many of the finest cells a bin is wide: a multiple of the widest square."""
    width = widest
    while cells > _MOST * width or (cells % width and width < cells):
        width += widest
    return min(width, cells)


def _is_jagged(grid: Grid, cells: int, sums: SquareSums) -> bool:
    """Tell whether bins seem to hold as much as they hold whole numbers, which would be no peaks.

    Of bins 1.5 wide every second one holds two whole numbers. Where values are whole, what bins
    stand out by goes with their number, with a slope of 1; elsewhere it does not, with one of 0.
    """
    step, edges = grid.bounds.likely_step, _list_edges(grid, cells, sums.width)
    if step is None or edges[1] - edges[0] >= _FAIR * step:
        return False
    firsts = np.ceil((edges - grid.bounds.lower) / step - 1e-9)
    firsts[-1] += 1
    even = _soften(sums.noisy)
    held = np.diff(firsts)
    pattern = even * (held / float(held.mean()) - 1)
    pattern -= _soften(pattern)
    slope = float(np.vdot(sums.noisy - even, pattern))
    return slope > _SLOPE * float(np.vdot(pattern, pattern))


def _soften(counts: Array) -> Array:
    """Return means of each number and its neighbours."""
    before, after = (np.append(counts[:1], counts[:-1]), np.append(counts[1:], counts[-1:]))
    return (before + 2 * counts + after) / 4


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

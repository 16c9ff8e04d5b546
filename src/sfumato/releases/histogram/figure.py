"""The picture of a histogram, described as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Axis, Bars, Cells, Figure, Interval, Panel, format_percent
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.releases import axes, wording
from sfumato.releases.release import WATERMARK

if TYPE_CHECKING:
    from sfumato.releases.histogram import HistogramRelease

Array = NDArray[np.float64]

_BAR_WIDTH = 0.8  # of the room a category has


def figure(release: HistogramRelease) -> Figure:
    """Describe the picture of a histogram."""
    panels = (_bars(release),) if release.y is None else _maps(release, release.y)
    return Figure(
        title=wording.title(release),
        panels=panels,
        caption=caption(release),
        legend=release.hue.column if release.hue else "",
        notes=_notes(release),
        watermark="" if release.private else WATERMARK,
    )


def caption(release: HistogramRelease) -> str:
    """Say what protects whom, and how noisy the numbers are."""
    parts = [
        wording.promise(release),
        wording.added(release.noise, release.step, "every count"),
        _how_sure(release),
    ]
    if release.y is None and (release.numbers < 0).any():
        parts.append("Hollow triangles mark counts that noise took below zero.")
    binned = [key for key in release.keys if isinstance(key, Grid | Edges)]
    if any(_reaches(key) for key in binned):
        parts.append("Values are clipped to the axis.")
    parts += [*wording.binned(binned), *wording.parsed(key.bounds for key in binned)]
    return " ".join(
        [*parts, *wording.left_out(release.keys, release.found, release.guarantee.unit)]
    )


def _reaches(key: Grid | Edges) -> bool:
    return bool(key.edges[0] <= key.bounds.lower and key.edges[-1] >= key.bounds.upper)


def _how_sure(release: HistogramRelease) -> str:
    sure = release.uncertainty
    alone, together = (
        format_percent(sure.pointwise.coverage),
        format_percent(sure.simultaneous.coverage),
    )
    if release.y is not None:
        return f"Hatched: not distinguishable from noise ({together} jointly)."
    return (
        f"Thick bars: {alone} intervals; thin: {together} for all {release.numbers.size} jointly."
    )


def _notes(release: HistogramRelease) -> tuple[str, ...]:
    if release.numbers.size == 0:
        return (wording.nobody(release.guarantee.unit),)
    if release.stat != "count" and release.counts.sum() <= 0:
        return ("The noisy total is not above zero: proportions cannot be told.",)
    return ()


def _bars(release: HistogramRelease) -> Panel:
    groups = release.hue.categories.values if release.hue else ("",)
    rows = release.numbers.reshape(len(groups), release.x.cells)
    marks = tuple(
        _series(release, index, str(group), rows[index]) for index, group in enumerate(groups)
    )
    return Panel(axes.axis(release.x), Axis(_measure(release)), marks)


def _series(release: HistogramRelease, index: int, name: str, row: Array) -> Bars:
    left, right = _ends(release.x, index, release.hue.cells if release.hue else 1)
    part = slice(index * row.size, (index + 1) * row.size)
    return Bars(
        left=left,
        right=right,
        height=tuple(np.maximum(row, 0).tolist()),
        clipped=tuple((row < 0).tolist()),
        pointwise=_part(release.uncertainty.pointwise, part),
        simultaneous=_part(release.uncertainty.simultaneous, part),
        series=name,
        outline=release.hue is not None and not isinstance(release.x, Labels),
    )


def _ends(key: Key, index: int, groups: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return where the bars of one group stand; those of categories stand side by side."""
    if isinstance(key, Grid | Edges):
        edges = axes.edges(key)
        return edges[:-1], edges[1:]
    width = _BAR_WIDTH / groups
    left = tuple(position - _BAR_WIDTH / 2 + index * width for position in range(key.cells))
    return left, tuple(end + width for end in left)


def _maps(release: HistogramRelease, y: Key) -> tuple[Panel, ...]:
    groups = release.hue.categories.values if release.hue else ("",)
    return tuple(_map(release, y, index, str(group)) for index, group in enumerate(groups))


def _map(release: HistogramRelease, y: Key, index: int, name: str) -> Panel:
    size = (release.x.cells, y.cells)
    part = slice(index * size[0] * size[1], (index + 1) * size[0] * size[1])
    values = release.numbers.ravel()[part].reshape(size).T
    low_all = np.array(release.uncertainty.simultaneous.low[part]).reshape(size).T
    alone = release.uncertainty.pointwise
    radius = np.array(alone.high) - release.numbers.ravel()
    cells = Cells(
        x_edges=axes.edges(release.x),
        y_edges=axes.edges(y),
        value=tuple(map(tuple, np.maximum(values, 0).tolist())),
        muted=tuple(map(tuple, (low_all <= 0).tolist())),
        label=_measure(release),
        noise=float(np.median(radius)) if radius.size else 0.0,
        coverage=alone.coverage,
    )
    return Panel(axes.axis(release.x), axes.axis(y), (cells,), title=name)


def _part(interval: Interval, part: slice) -> Interval:
    low, high = (
        tuple(max(end, 0.0) for end in ends[part]) for ends in (interval.low, interval.high)
    )
    return Interval(low, high, interval.coverage)


def _measure(release: HistogramRelease) -> str:
    if release.stat != "count":
        return release.stat
    return wording.counted(release.guarantee.unit)

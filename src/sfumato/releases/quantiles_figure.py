"""The picture of quantiles, described as plain data.

Few groups are curves: how large a share lies at or below each value. Many groups stand below each
other, each with its few quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.figure import Axis, Estimates, Figure, Panel, Points
from sfumato.releases import wording
from sfumato.releases.quantiles import METHODS, QuantilesRelease
from sfumato.releases.release import WATERMARK
from sfumato.releases.window import Window

_MARGINS = (0.04, 0.04)
_FINEST = 4  # cells: closer values are not told apart


def figure(release: QuantilesRelease) -> Figure:
    """Describe the picture of quantiles."""
    curves = len(release.levels) > release.groups or release.by is None
    bounds = release.value.bounds
    window = Window.around(
        [_estimates(release, range(len(release.cells)))] if release.cells else [],
        bounds,
        least=min(bounds.width, _FINEST * bounds.width / release.value.cells),
        margins=_MARGINS,
    )
    x = Axis(release.value.column, "time" if bounds.time else "number", window.limits)
    y, marks = _curves(release) if curves else _rows(release)
    legend = "" if release.by is None else release.by.column if curves else "level"
    return Figure(
        title=wording.title(release),
        panels=(Panel(x, y, marks),),
        caption=caption(release),
        legend=legend,
        notes=_notes(release, window),
        watermark="" if release.private else WATERMARK,
    )


def caption(release: QuantilesRelease) -> str:
    """Say what protects whom, how it was measured, and how sure we are."""
    parts = [
        wording.promise(release),
        METHODS[release.method],
        wording.how_sure("Bars hold each true quantile", release.coverage),
        wording.bounded(release.value, release.step, release.found),
    ]
    keys = [] if release.by is None else [release.by]
    return " ".join([*parts, *wording.left_out(keys, release.found)])


def _notes(release: QuantilesRelease, window: Window) -> tuple[str, ...]:
    if not release.cells:
        return (wording.NOBODY,)
    return ("Some bars go on beyond the axis.",) if window.cut else ()


def _curves(release: QuantilesRelease) -> tuple[Axis, tuple[Points, ...]]:
    names = release.by.categories.values if release.by else ("",)
    count = len(release.levels)
    marks = tuple(
        Points(
            x=_estimates(release, range(group * count, (group + 1) * count)),
            y=release.levels,
            coverage=release.coverage,
            series=str(name),
            joined=True,
        )
        for group, name in enumerate(names)
    )
    return Axis("level", limits=(0.0, 1.0)), marks


def _rows(release: QuantilesRelease) -> tuple[Axis, tuple[Points, ...]]:
    """Stand groups below each other, the first on top; levels are told apart by colour."""
    names = tuple(map(str, release.by.categories.values)) if release.by else ()
    count = len(release.levels)
    marks = tuple(
        Points(
            x=_estimates(release, range(place, len(release.cells), count)),
            y=tuple(float(len(names) - 1 - group) for group in range(len(names))),
            coverage=release.coverage,
            series=f"{level:g}",
        )
        for place, level in enumerate(release.levels)
    )
    axis = Axis(release.by.column if release.by else "", "category", categories=names[::-1])
    return axis, marks


def _estimates(release: QuantilesRelease, places: Sequence[int]) -> Estimates:
    numbers = np.array([release.quantiles.ravel(), release.low, release.high])
    value, low, high = (tuple(row[list(places)].tolist()) for row in numbers)
    return Estimates(value, low, high)

"""The picture of quantiles, described as plain data.

Few groups are curves: how large a share lies at or below each value. Many groups stand below each
other, each with its few quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.figure import Axis, Estimates, Figure, Panel, Points, format_percent
from sfumato.releases import axes, wording
from sfumato.releases.axes import Window
from sfumato.releases.facets import arrange_panes
from sfumato.releases.quantiles import METHODS, QuantilesRelease
from sfumato.releases.release import WATERMARK
from sfumato.render.boxes import TOO_FEW

_MARGINS = (0.04, 0.04)
_FINEST = 4  # cells: closer values are not told apart


def figure(release: QuantilesRelease) -> Figure:
    """Describe the picture of quantiles."""
    curves = release.by is None or len(release.levels) > release.by.cells
    bounds = release.value.bounds
    told = [place for place, told in enumerate(release.told) if told]
    window = Window.around(
        [_estimates(release, told)] if told else [],
        bounds,
        least=min(bounds.width, _FINEST * bounds.width / release.value.cells),
        margins=_MARGINS,
    )
    x = axes.value_axis(release.value.column, bounds, window.limits, lower=bounds.lower)
    drawn = [_curves(part) if curves else _rows(part) for part in release.split()]
    panes, columns = arrange_panes(release)
    legend = "" if release.by is None else release.by.column if curves else "level"
    return Figure(
        title=wording.title(release),
        panels=tuple(Panel(x, *drawn[pane.place], facet=pane.facet) for pane in panes),
        caption=caption(release),
        legend=legend,
        notes=_notes(release, window),
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def caption(release: QuantilesRelease) -> str:
    """Say what protects whom, how it was measured, and how sure we are."""
    parts = [wording.guarantee(release), METHODS[release.method], *_how_sure(release)]
    parts += release.doubts
    if release.bounds_found:
        parts.append(wording.bounded(release.value, release.step, release.found))
    keys = [] if release.by is None else [release.by]
    return " ".join([*parts, *wording.left_out(keys, release.found)])


def _how_sure(release: QuantilesRelease) -> list[str]:
    if not release.coverage:
        return ["No interval available."]
    sure: list[str] = []
    if any(release.told):
        sure.append(f"Bars: {format_percent(release.coverage)} confidence intervals.")
    if not all(release.told):
        sure.append(f"Levels not drawn: {TOO_FEW}.")
    return sure


def _notes(release: QuantilesRelease, window: Window) -> tuple[str, ...]:
    if not release.cells:
        return (wording.nobody(release.guarantee.unit),)
    return (*release.doubts, *(("Some bars extend beyond the axis.",) if window.cut else ()))


def _curves(release: QuantilesRelease) -> tuple[Axis, tuple[Points, ...]]:
    names = release.by.categories.values if release.by else ("",)
    count = len(release.levels)
    marks: list[Points] = []
    for group, name in enumerate(names):
        places = range(group * count, (group + 1) * count)
        told = [place for place in places if release.told[place]]
        # A curve that is missing has no place of its own: its name says why, if in no other panel.
        alone = not release.facets
        missing = f"{name} ({TOO_FEW})" if name and not told and alone else str(name)
        marks.append(
            Points(
                x=_estimates(release, told),
                y=tuple(release.levels[place - places.start] for place in told),
                coverage=release.coverage,
                series=missing,
                joined=True,
                too_few=() if told or len(names) > 1 else (0.5,),
            )
        )
    return Axis("level", limits=(0.0, 1.0)), tuple(marks)


def _rows(release: QuantilesRelease) -> tuple[Axis, tuple[Points, ...]]:
    """Stand groups below each other, the first on top; levels are told apart by colour."""
    names = tuple(map(str, release.by.categories.values)) if release.by else ()
    count = len(release.levels)
    heights = [float(len(names) - 1 - group) for group in range(len(names))]
    verdicts = np.reshape(release.told, (len(names), count))
    silent = tuple(heights[group] for group in np.flatnonzero(~verdicts.any(axis=1)))
    marks = tuple(
        Points(
            x=_estimates(release, np.flatnonzero(verdicts[:, place]) * count + place),
            y=tuple(heights[group] for group in np.flatnonzero(verdicts[:, place])),
            coverage=release.coverage,
            series=f"{level:g}",
            too_few=silent if place == 0 else (),
        )
        for place, level in enumerate(release.levels)
    )
    axis = Axis(release.by.column if release.by else "", "category", categories=names[::-1])
    return axis, marks


def _estimates(release: QuantilesRelease, places: Sequence[int] | np.ndarray) -> Estimates:
    numbers = np.array([release.quantiles.ravel(), release.low, release.high])
    value, low, high = (tuple(row[np.asarray(places, dtype=int)].tolist()) for row in numbers)
    return Estimates(value, low, high)

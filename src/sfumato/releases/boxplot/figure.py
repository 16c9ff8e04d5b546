"""The picture of a boxplot, described as plain data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Categories
from sfumato.errors import ReleaseError, Setting
from sfumato.figure import Axis, Boxes, Estimates, Figure, Panel, format_percent
from sfumato.grid import Labels
from sfumato.postprocess.box import Summary
from sfumato.releases import axes, wording
from sfumato.releases.axes import Window
from sfumato.releases.boxplot import METHODS, BoxplotRelease
from sfumato.releases.facets import arrange_panes
from sfumato.releases.release import WATERMARK
from sfumato.render.boxes import TOO_FEW, list_counts, margin

_USUAL = 1.5
_MANY = 20
_GAP = 0.08  # between boxes of one category, of the room each has
_ENDED = "Some whiskers reach a bound found privately, to which values are clipped."
_NEAR = 0.05  # of the way from a quartile to the bound
_FINEST = 4  # cells: closer values are not told apart


def figure(release: BoxplotRelease, *, sort: str | None = None) -> Figure:
    """Describe the picture of a boxplot."""
    ordered = _sort(release, sort)
    marks = [_marks(part) for part in ordered.split()]
    window = _window(ordered, tuple(boxes for part in marks for boxes in part))
    groups = _group_axis(ordered)
    bounds = release.value.bounds
    values = axes.value_axis(release.value.column, bounds, window.limits, lower=bounds.lower)
    x, y = (groups, values) if release.orient == "v" else (values, groups)
    panes, columns = arrange_panes(ordered)
    return Figure(
        title=wording.title(release),
        panels=tuple(Panel(x, y, marks[pane.place], facet=pane.facet) for pane in panes),
        caption=" ".join([caption(release), *([f"Ordered by released {sort}."] if sort else [])]),
        legend=release.hue.column if release.hue else "",
        notes=_notes(release, window),
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def check_view(*, grouped: bool, sort: object = None) -> None:
    """Refuse a way to draw that there is not."""
    if sort is not None and not (sort in ("count", "median") and grouped):
        raise ReleaseError(
            "Boxes are sorted by count or by median, where there are categories.",
            "What decides their order must be released.",
            ("Write ", Setting("sort", "median"), ", or leave it out."),
        )


def _sort(release: BoxplotRelease, sort: str | None) -> BoxplotRelease:
    """Return a release with its categories in the order of what was released about them."""
    check_view(grouped=release.x is not None, sort=sort)
    if sort is None or release.x is None:
        return release
    panels, colours = len(release.panels), release.hue.cells if release.hue else 1
    size = (panels, release.x.cells, colours)
    places = np.arange(len(release.summaries)).reshape(size)
    order = sorted(range(release.x.cells), key=lambda x: -_rank(release, places[:, x], sort))
    chosen = places[:, order].ravel().tolist()
    values = tuple(release.x.categories.values[place] for place in order)
    return replace(
        release,
        x=Labels(axes.label(release.x), Categories(values)),
        summaries=tuple(release.summaries[place] for place in chosen),
        measured=tuple(release.measured[place] for place in chosen),
    )


def _rank(release: BoxplotRelease, places: NDArray[np.int64], sort: str) -> float:
    """Return the size of a category, or its median: the mean of those that are drawn."""
    summaries = [release.summaries[place] for place in places.ravel().tolist()]
    if sort == "count":
        return sum(summary.size for summary in summaries)
    medians = [summary.box.median for summary in summaries if summary.reliable]
    return float(np.mean(medians)) if medians else -math.inf


def caption(release: BoxplotRelease) -> str:
    """Say what protects whom, how it was measured, and what the picture's signs mean."""
    reliable = [summary.reliable for summary in release.summaries]
    parts = [wording.guarantee(release), METHODS[release.method]]
    if release.whis != _USUAL:
        parts.append(f"Whiskers end within {release.whis:g} box lengths.")
    if any(reliable):
        parts.append(_how_sure(release))
    if any(list_counts(boxes) for part in release.split() for boxes in _marks(part)):
        parts.append(f"Outliers are counted in {wording.counted(release.guarantee.unit)}.")
    if not all(reliable):
        parts.append(f"Dashed: {TOO_FEW}.")
    if release.bounds_found:
        parts.append(wording.bounded(release.value, release.step, release.found))
    else:
        parts.append(wording.found_nothing(release.guarantee))
    keys = [key for key in (release.x, release.hue) if key is not None]
    return " ".join([*parts, *wording.left_out(keys, release.found)])


def _how_sure(release: BoxplotRelease) -> str:
    """Say how much soft edges hold: without a step, only if values spread within a bin."""
    if release.step is not None or release.coverage == 0:
        return wording.how_sure("Soft edges", release.coverage)
    sure = format_percent(release.coverage)
    return f"Soft edges: {sure} intervals if few values are equal; else declare a step."


def _notes(release: BoxplotRelease, window: Window) -> tuple[str, ...]:
    if not release.summaries:
        return (wording.nobody(release.guarantee.unit),)
    if not release.bounds_found:
        return (wording.found_nothing(release.guarantee),)
    cut = ("Some soft edges extend beyond the axis.",) if window.cut else ()
    return (*cut, _ENDED) if _ended(release) else cut


def _ended(release: BoxplotRelease) -> bool:
    """Tell whether a whisker may go on beyond bounds that were found privately."""
    if release.value.column not in release.found:
        return False
    lower, upper = release.value.bounds.lower, release.value.bounds.upper
    return any(
        summary.low.lower_whisker - lower < _NEAR * (summary.box.q1 - lower)
        or upper - summary.high.upper_whisker < _NEAR * (upper - summary.box.q3)
        for summary in release.summaries
        if summary.reliable
    )


def _marks(release: BoxplotRelease) -> tuple[Boxes, ...]:
    names = release.hue.categories.values if release.hue else ("",)
    return tuple(_series(release, index, str(name)) for index, name in enumerate(names))


def _series(release: BoxplotRelease, index: int, name: str) -> Boxes:
    colours = release.hue.cells if release.hue else 1
    summaries = release.summaries[index::colours]
    together = _width(len(release.summaries))
    room = together / colours
    shift = room * (index + 0.5) - together / 2
    places = [position + shift for position in range(len(summaries))]
    if release.orient == "h":  # what comes first stands on top
        places = [len(summaries) - 1 - place for place in places]
    return Boxes(
        position=tuple(places),
        width=room * (1 - _GAP) if colours > 1 else room,
        outliers_below=_estimates(summaries, "outliers_below"),
        lower_whisker=_estimates(summaries, "lower_whisker"),
        q1=_estimates(summaries, "q1"),
        median=_estimates(summaries, "median"),
        q3=_estimates(summaries, "q3"),
        upper_whisker=_estimates(summaries, "upper_whisker"),
        outliers_above=_estimates(summaries, "outliers_above"),
        size=tuple(summary.size for summary in summaries),
        reliable=tuple(summary.reliable for summary in summaries),
        coverage=release.coverage,
        orient=release.orient,
        series=name,
    )


def _estimates(summaries: tuple[Summary, ...], name: str) -> Estimates:
    return Estimates(
        value=tuple(getattr(summary.box, name) for summary in summaries),
        low=tuple(getattr(summary.low, name) for summary in summaries),
        high=tuple(getattr(summary.high, name) for summary in summaries),
    )


def _width(boxes: int) -> float:
    """Return how much of a category its boxes fill: few boxes need not be wide ones."""
    return min(0.8, 0.22 + 0.1 * boxes)


def _group_axis(release: BoxplotRelease) -> Axis:
    if release.x is None:
        return Axis("", "category", categories=("",))
    names = tuple(map(str, release.x.categories.values))
    return Axis(
        release.x.column, "category", categories=names if release.orient == "v" else names[::-1]
    )


def _window(release: BoxplotRelease, marks: tuple[Boxes, ...]) -> Window:
    bounds = release.value.bounds
    reliable = tuple(summary for summary in release.summaries if summary.reliable)
    shown = [_estimates(reliable, name) for name in ("lower_whisker", "q1", "median", "q3")]
    shown.append(_estimates(reliable, "upper_whisker"))
    if not reliable:
        lows, highs = (
            _estimates(release.summaries, "q1").low,
            _estimates(release.summaries, "q3").high,
        )
        shown = [Estimates(lows, lows, lows), Estimates(highs, highs, highs)]
    written = [count for boxes in marks for count in list_counts(boxes)]
    upright, many = release.orient == "v", len(release.summaries) > _MANY * len(release.panels)
    return Window.around(
        shown,
        bounds,
        least=min(bounds.width, _FINEST * bounds.width / release.value.cells),
        margins=(
            margin(written, "below", upright=upright, many=many),
            margin(written, "above", upright=upright, many=many),
        ),
    )

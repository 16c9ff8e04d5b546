"""The pictures of a distribution, described as plain data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import (
    Axis,
    Bars,
    Curve,
    Estimates,
    Figure,
    Interval,
    LetterValues,
    Mark,
    Panel,
    Points,
    Violins,
    format_percent,
)
from sfumato.releases import axes, wording
from sfumato.releases.distribution import DistributionRelease, View
from sfumato.releases.distribution.density import POINTS, estimate_density, scale_to_widest
from sfumato.releases.distribution.line import LEVEL, FittedLine
from sfumato.releases.facets import arrange_panes
from sfumato.releases.release import WATERMARK
from sfumato.render.boxes import TOO_FEW

Array = NDArray[np.float64]

_TAIL = 0.002  # of a group, beyond either end of the axis
_SAID = 0.005  # from where on it is said what lies there
_MARGIN = 0.08
_WHOLE = 0.6  # of the bounds: an axis that spans as much of them spans them all
_NEXT = 1e-7  # of the axis, by which two corners of a band lie apart


def figure(release: DistributionRelease, view: View) -> Figure:
    """Describe the picture of a distribution."""
    limits = _find_limits(release)
    bounds = release.value.bounds
    along = axes.value_axis(release.value.column, bounds, limits, lower=bounds.lower)
    draw = _DRAWN[view]
    panes, columns = arrange_panes(release)
    parts = release.split()
    aside = view in ("violin", "boxen")  # groups stand side by side, and not in a legend
    return Figure(
        title=wording.title(release),
        panels=tuple(draw(parts[pane.place], along, pane.facet) for pane in panes),
        caption=caption(release, view),
        legend=release.by.column if release.by and not aside else "",
        notes=_notes(release),
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def caption(release: DistributionRelease, view: View) -> str:
    """Say what protects whom, how it was measured, and how sure we are."""
    parts = [wording.guarantee(release)]
    parts.append("Noisy counts of intervals that hold about as much each.")
    if any(release.reliable):
        parts.append(_SURE[view])
    if not all(release.reliable) and view != "histogram":
        parts.append(f"Groups not drawn: {TOO_FEW}.")
    parts += release.doubts
    if release.bounds_found:
        parts.append(wording.bounded(release.value, release.step, release.found))
    keys = [] if release.by is None else [release.by]
    return " ".join([*parts, *wording.left_out(keys, release.found)])


_SURE: dict[View, str] = {
    "ecdf": f"Bands: {format_percent(LEVEL)} for the whole curve jointly.",
    "kde": f"Bands: {format_percent(LEVEL)} intervals of the smoothed curve. "
    "Grey: not distinguishable from noise.",
    "violin": "Smoothed densities, each as wide as the others. Grey: not distinguishable from "
    "noise. Inside: quartiles.",
    "boxen": "Boxes end at fourths, eighths and so on, as far out as can be told from noise. "
    "Line: median.",
    "histogram": f"Thick bars: {format_percent(LEVEL)} intervals; thin: for all of a group "
    "jointly.",
}


def _notes(release: DistributionRelease) -> tuple[str, ...]:
    if not release.measured:
        return (wording.nobody(release.guarantee.unit),)
    return (*release.doubts, *_describe_beyond(release))


def _find_limits(release: DistributionRelease) -> tuple[float, float]:
    """Return the part of the bounds where nearly all of each group lies."""
    bounds = release.value.bounds
    found = [line.reach(_TAIL) for line in _list_told(release)]
    told = [(low, high) for low, high in found if low < high]
    if not told:
        return bounds.lower, bounds.upper
    low, high = min(low for low, _ in told), max(high for _, high in told)
    low, high = low - _MARGIN * (high - low), high + _MARGIN * (high - low)
    if not high - low < _WHOLE * bounds.width:
        return bounds.lower, bounds.upper
    return max(low, bounds.lower), min(high, bounds.upper)


def _list_told(release: DistributionRelease) -> list[FittedLine]:
    return [line for line, sure in zip(release.lines, release.reliable, strict=True) if sure]


def _describe_beyond(release: DistributionRelease) -> list[str]:
    """Say how much lies where the axis has ended, if it is more than the axis is meant to leave."""
    limits = _find_limits(release)
    most = max((line.share_beyond(*limits) for line in _list_told(release)), default=0.0)
    if most <= _SAID:
        return []
    whole = "a group" if len(release.lines) > 1 else "all"
    return [f"Beyond the axis: at most about {format_percent(most)} of {whole}."]


def _name_groups(release: DistributionRelease) -> tuple[str, ...]:
    return tuple(map(str, release.by.categories.values)) if release.by else ("",)


Facet = tuple[tuple[str, str], ...]


def _draw_ecdf(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    up = Axis("proportion", limits=(0.0, 1.0))
    marks: list[Mark] = []
    groups = zip(_name_groups(release), release.lines, release.reliable, strict=True)
    for name, line, reliable in groups:
        marks.append(_draw_curve(line, along, name) if reliable else _say_too_few(name, release))
    return Panel(along, up, tuple(marks), facet=facet)


def _draw_curve(line: FittedLine, along: Axis, name: str) -> Curve:
    """Return shares at all places, with a band that holds whatever lies between two of them."""
    low, high = along.limits or (line.places[0], line.places[-1])
    within = np.flatnonzero((line.places >= low) & (line.places <= high))
    first, last = max(int(within[0]) - 1, 0), min(int(within[-1]) + 1, len(line.places) - 1)
    chosen = np.arange(first, last + 1)
    x = np.clip(line.places[chosen], low, high)
    shares = np.interp(x, line.places, line.shares)
    gap = np.minimum(_NEXT * (high - low), np.diff(x) / 2)
    # From one place to the next the band is level: its two corners there stand side by side.
    corners = np.stack([x[:-1], x[1:] - gap], axis=1).ravel()
    values = np.stack([shares[:-1], shares[1:]], axis=1).ravel()
    lower = np.repeat(line.band.low[chosen[:-1]], 2)
    upper = np.repeat(line.band.high[chosen[1:]], 2)
    return Curve(
        x=tuple(corners.tolist()),
        y=Estimates(tuple(values.tolist()), tuple(lower.tolist()), tuple(upper.tolist())),
        muted=(False,) * len(corners),
        coverage=LEVEL,
        simultaneous=True,
        series=name,
    )


def _say_too_few(name: str, release: DistributionRelease) -> Points:
    """Return an empty mark: its name says why, or words across the panel where it has none."""
    nothing = Estimates((), (), ())
    alone = len(release.lines) == 1
    said = f"{name} ({TOO_FEW})" if name and not release.facets else name
    return Points(nothing, (), LEVEL, series=said, too_few=(0.5,) if alone else ())


def _draw_kde(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    marks: list[Mark] = []
    groups = zip(_name_groups(release), release.lines, release.reliable, strict=True)
    for name, line, reliable in groups:
        if not reliable:
            marks.append(_say_too_few(name, release))
            continue
        density = estimate_density(line, _read_limits(along, line))
        marks.append(
            Curve(
                x=tuple(density.at.tolist()),
                y=_tell(density.value, density.band.low, density.band.high),
                muted=tuple(density.muted.tolist()),
                coverage=LEVEL,
                filled=len(release.lines) <= _FILLED,
                series=name,
            )
        )
    return Panel(along, Axis("density"), tuple(marks), facet=facet)


_FILLED = 3


def _read_limits(along: Axis, line: FittedLine) -> tuple[float, float]:
    return along.limits or (float(line.places[0]), float(line.places[-1]))


def _tell(value: Array, low: Array, high: Array) -> Estimates:
    return Estimates(tuple(value.tolist()), tuple(low.tolist()), tuple(high.tolist()))


def _stand_aside(release: DistributionRelease) -> tuple[Axis, tuple[float, ...], float]:
    """Return the axis that groups stand on, their places and how wide each may be."""
    names = _name_groups(release)
    axis = Axis(release.by.column if release.by else "", "category", categories=names)
    width = min(0.8, 0.3 + 0.1 * len(names))
    return axis, tuple(map(float, range(len(names)))), width


def _estimate_all(release: DistributionRelease, level: float) -> Estimates:
    """Return one quantile of all groups; of one that is too small, what says nothing."""
    told = [group[0] for group in release.quantiles([level])]
    return Estimates(
        tuple(each.value for each in told),
        tuple(each.low for each in told),
        tuple(each.high for each in told),
    )


def _draw_violins(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    groups, position, width = _stand_aside(release)
    limits = along.limits or (release.value.bounds.lower, release.value.bounds.upper)
    drawn = [estimate_density(line, limits) for line in release.lines]
    q1, median, q3 = (_estimate_all(release, level) for level in (0.25, 0.5, 0.75))
    mark = Violins(
        position=position,
        width=width,
        at=tuple(np.linspace(*limits, POINTS).tolist()),
        density=tuple(tuple(each.tolist()) for each in scale_to_widest(drawn)),
        muted=tuple(tuple(each.muted.tolist()) for each in drawn),
        q1=q1,
        median=median,
        q3=q3,
        reliable=release.reliable,
        coverage=LEVEL,
    )
    return Panel(groups, along, (mark,), facet=facet)


_DEEPEST = 8


def _draw_letters(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    groups, position, width = _stand_aside(release)
    depth = tuple(
        line.count_letters(_DEEPEST) if sure else 0
        for line, sure in zip(release.lines, release.reliable, strict=True)
    )
    levels = [0.5 ** (place + 2) for place in range(max(depth, default=0))]
    mark = LetterValues(
        position=position,
        width=width,
        median=_estimate_all(release, 0.5),
        low=tuple(_estimate_all(release, level) for level in levels),
        high=tuple(_estimate_all(release, 1 - level) for level in levels),
        depth=depth,
        reliable=tuple(deep > 0 for deep in depth),
        coverage=LEVEL,
    )
    return Panel(groups, along, (mark,), facet=facet)


def _draw_bins(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    low, high = along.limits or (release.value.bounds.lower, release.value.bounds.upper)
    edges = np.linspace(low, high, _BINS + 1).tolist()
    several = len(release.lines) > 1
    marks: list[Mark] = []
    ways = release.histogram(edges), release.histogram(edges, together=True)
    for name, bins, joint in zip(_name_groups(release), *ways, strict=True):
        alone, jointly = (
            Interval(tuple(each.low for each in way), tuple(each.high for each in way), LEVEL)
            for way in (bins, joint)
        )
        marks.append(
            Bars(
                left=tuple(each.left for each in bins),
                right=tuple(each.right for each in bins),
                height=tuple(each.count for each in bins),
                clipped=(False,) * len(bins),
                pointwise=alone,
                simultaneous=jointly,
                series=name,
                outline=several,
            )
        )
    return Panel(along, Axis("count"), tuple(marks), facet=facet)


_BINS = 20

_DRAWN: dict[View, Callable[[DistributionRelease, Axis, Facet], Panel]] = {
    "ecdf": _draw_ecdf,
    "kde": _draw_kde,
    "violin": _draw_violins,
    "boxen": _draw_letters,
    "histogram": _draw_bins,
}

"""The pictures of a distribution, described as plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.ends import DAY
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
from sfumato.releases.distribution.density import (
    POINTS,
    estimate_density,
    scale_to_widest,
    smooth,
)
from sfumato.releases.distribution.line import LEVEL, FittedLine
from sfumato.releases.facets import arrange_panes
from sfumato.releases.release import WATERMARK
from sfumato.render.boxes import TOO_FEW

Array = NDArray[np.float64]
Limits = tuple[float, float]
T = TypeVar("T")

_TAIL = 0.002  # of a group, beyond either end of the axis
_ONE_PERCENT = 0.01
_SAID = 0.005  # from where on it is said what lies there
_MARGIN = 0.08
_KERNEL_REACH = 4.0  # widths of a kernel within which nearly all of it lies
_CUT = 0.005  # of the highest density: an axis may end there
_WHOLE = 0.6  # of the bounds: an axis that spans as much of them spans them all
_FINE = 500  # cells on an axis: one by one they cannot be seen
_NEXT = 1e-7  # of the axis, by which two corners of a band lie apart


def figure(release: DistributionRelease, view: View) -> Figure:
    """Describe the picture of a distribution."""
    limits = _find_limits(release, view)
    bounds = release.value.bounds
    along = axes.value_axis(release.value.column, bounds, limits, lower=bounds.lower)
    draw = _DRAWN[view]
    panes, columns = arrange_panes(release)
    parts = release.split()
    aside = view in ("violin", "boxen")  # groups stand side by side, and are named below
    coloured = release.groups[1:] if aside else release.groups
    return Figure(
        title=wording.title(release),
        panels=tuple(draw(parts[pane.place], along, pane.facet) for pane in panes),
        caption=caption(release, view),
        legend=" and ".join(key.column for key in coloured),
        notes=_notes(release, limits),
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def caption(release: DistributionRelease, view: View) -> str:
    """Say what protects whom, how it was measured, and how sure we are."""
    parts = [wording.guarantee(release)]
    parts.append("Counts of about equally full intervals, with noise.")
    if any(release.reliable):
        parts.append(_SURE[view])
    if not all(release.reliable) and view != "histogram":
        parts.append(f"Groups not drawn: {TOO_FEW}.")
    parts += release.doubts
    if release.bounds_found:
        parts.append(wording.bounded(release.value, release.step, release.found))
        parts += _describe_resolution(release)
    return " ".join([*parts, *wording.left_out(release.groups, release.found)])


_SURE: dict[View, str] = {
    "ecdf": f"Bands: {format_percent(LEVEL)} for the whole curve jointly.",
    "kde": f"Bands: {format_percent(LEVEL)} intervals, value by value, of the smoothed density of "
    "these rows. Grey: may be close to zero.",
    "violin": "Smoothed densities, each as wide as the others. Grey: may be close to zero. "
    "Inside: quartiles.",
    "boxen": "Boxes end at fourths, eighths and so on, as far out as can be told from noise. "
    "Line: median.",
    "histogram": f"Thick bars: {format_percent(LEVEL)} intervals; thin: for all of a group "
    "jointly.",
}


def _notes(release: DistributionRelease, limits: Limits) -> tuple[str, ...]:
    if not release.measured:
        return (wording.nobody(release.guarantee.unit),)
    return (*release.doubts, *_describe_beyond(release, limits))


def _find_limits(release: DistributionRelease, view: View) -> Limits:
    """Return the part of the bounds that is drawn; densities are not cut where they are high."""
    limits = _find_filled(release)
    if view not in ("kde", "violin"):
        return limits
    bounds = release.value.bounds
    low, high = limits
    for line in _list_told(release):
        _, density, width = smooth(line, limits)
        reach, faint = _KERNEL_REACH * width, _CUT * density.max()
        low = min(low, limits[0] - reach) if density[0] > faint else low
        high = max(high, limits[1] + reach) if density[-1] > faint else high
    return max(low, bounds.lower), min(high, bounds.upper)


def _find_filled(release: DistributionRelease) -> Limits:
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


def _describe_beyond(release: DistributionRelease, limits: Limits) -> list[str]:
    """Say how much lies where the axis has ended, if it is more than the axis is meant to leave."""
    most = max((line.share_beyond(*limits) for line in _list_told(release)), default=0.0)
    if most <= _SAID:
        return []
    whole = "a group" if len(release.lines) > 1 else "all"
    told = "under 1 %" if most < _ONE_PERCENT else f"at most about {format_percent(most)}"
    return [f"Beyond the axis: {told} of {whole}."]


def _describe_resolution(release: DistributionRelease) -> list[str]:
    """Say how far apart values must lie to be told apart, where that can be seen."""
    low, high = _find_filled(release)
    bounds, cells = release.value.bounds, release.value.cells
    if release.step or high - low >= _FINE * bounds.width / cells:
        return []
    return [f"Values are told apart from {wording.length_of(bounds, bounds.width / cells)} on."]


def _name_groups(release: DistributionRelease) -> tuple[str, ...]:
    categories = product(*(key.categories.values for key in release.groups))
    return tuple(", ".join(map(str, each)) for each in categories)


Facet = tuple[tuple[str, str], ...]


def _draw_ecdf(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    up = Axis("proportion", limits=(0.0, 1.0))
    marks: list[Mark] = []
    groups = zip(_name_groups(release), release.lines, release.reliable, strict=True)
    low, high = limits = _read_limits(along, release)
    few = release.step is not None and high - low <= _STAIRS * release.step
    draw = _draw_stairs if few else _draw_curve
    for name, line, reliable in groups:
        marks.append(draw(line, limits, name) if reliable else _say_too_few(name, release))
    return Panel(along, up, tuple(marks), facet=facet)


def _draw_curve(line: FittedLine, limits: Limits, name: str) -> Curve:
    """Return shares at all places, with a band that holds whatever lies between two of them."""
    values = line.values
    within = np.flatnonzero((values >= limits[0]) & (values <= limits[1]))
    first, last = max(int(within[0]) - 1, 0), min(int(within[-1]) + 1, len(values) - 1)
    chosen = np.arange(first, last + 1)
    x = np.clip(values[chosen], *limits)
    shares = np.interp(x, values, line.shares)
    gap = np.minimum(_NEXT * (limits[1] - limits[0]), np.diff(x) / 2)
    # From one place to the next the band is level: its two corners there stand side by side.
    corners = np.stack([x[:-1], x[1:] - gap], axis=1).ravel()
    told = np.stack([shares[:-1], shares[1:]], axis=1).ravel()
    lower = np.repeat(line.band.low[chosen[:-1]], 2)
    upper = np.repeat(line.band.high[chosen[1:]], 2)
    return _make_curve(corners, _tell(told, lower, upper), name)


def _draw_stairs(line: FittedLine, limits: Limits, name: str) -> Curve:
    """Return shares at or below values that lie a step apart: both they and the band jump there."""
    values = line.grid.edges[1:] - (line.spacing or 0.0) / 2
    first, end = np.searchsorted(values, limits[0], "right"), np.searchsorted(values, limits[1])
    shares, band = line.tell_cuts(np.arange(first, end + 1))
    ends = np.concatenate([limits[:1], values[first:end], limits[1:]])
    return _make_curve(ends, _tell(shares, band.low, band.high), name, steps=True)


def _make_curve(x: Array, shares: Estimates, name: str, *, steps: bool = False) -> Curve:
    return Curve(
        x=tuple(x.tolist()),
        y=shares,
        muted=(False,) * len(shares.value),
        coverage=LEVEL,
        simultaneous=True,
        steps=steps,
        series=name,
    )


_STAIRS = 600  # values on an axis: more are too close for each to have a step to the eye


def _say_too_few(name: str, release: DistributionRelease) -> Points:
    """Return an empty mark: its name says why, or words across the panel where it has none."""
    nothing = Estimates((), (), ())
    alone = len(release.lines) == 1
    said = f"{name} ({TOO_FEW})" if name and not release.facets else name
    return Points(nothing, (), LEVEL, series=said, too_few=(0.5,) if alone else ())


def _draw_kde(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    marks: list[Mark] = []
    limits = _read_limits(along, release)
    worth, unit = _choose_unit(along, limits)
    groups = zip(_name_groups(release), release.lines, release.reliable, strict=True)
    for name, line, reliable in groups:
        if not reliable:
            marks.append(_say_too_few(name, release))
            continue
        density = estimate_density(line, limits)
        band = density.band
        marks.append(
            Curve(
                x=tuple(density.at.tolist()),
                y=_tell(density.value * worth, band.low * worth, band.high * worth),
                muted=tuple(density.muted.tolist()),
                coverage=LEVEL,
                filled=len(release.lines) <= _FILLED,
                series=name,
            )
        )
    return Panel(along, Axis(f"density{unit}"), tuple(marks), facet=facet)


def _choose_unit(along: Axis, limits: Limits) -> tuple[float, str]:
    """Return a unit of the calendar to tell densities of dates in, which are microseconds here."""
    if along.kind != "time":
        return 1.0, ""
    length = limits[1] - limits[0]
    if length <= 3 * DAY:
        return DAY / 24, " per hour"
    return (DAY, " per day") if length <= _LONG else (_YEAR, " per year")


_YEAR = 365.2425 * DAY
_LONG = 10 * _YEAR  # from where on densities per day have many zeros


_FILLED = 3


def _read_limits(along: Axis, release: DistributionRelease) -> Limits:
    return along.limits or (release.value.bounds.lower, release.value.bounds.upper)


def _tell(value: Array, low: Array, high: Array) -> Estimates:
    return Estimates(tuple(value.tolist()), tuple(low.tolist()), tuple(high.tolist()))


@dataclass(frozen=True)
class _Row:
    """Groups of one colour that stand side by side, one in each category of an axis.

    Parameters
    ----------
    name
        Their name in the legend; empty where there is none.
    first, colours
        The place of the first in the release, and how far the next one is from it.
    position, width
        Where each stands on the axis, and how wide it may be.
    """

    name: str
    first: int
    colours: int
    position: tuple[float, ...]
    width: float

    def choose(self, numbers: Sequence[T]) -> tuple[T, ...]:
        """Return the numbers of these groups, of those of all."""
        return tuple(numbers[self.first :: self.colours])

    def estimate(self, release: DistributionRelease, level: float) -> Estimates:
        """Return one quantile of all; of a group that is too small, what says nothing."""
        told = self.choose([group[0] for group in release.quantiles([level])])
        return Estimates(
            tuple(each.value for each in told),
            tuple(each.low for each in told),
            tuple(each.high for each in told),
        )


def _stand_aside(release: DistributionRelease) -> tuple[Axis, list[_Row]]:
    """Return the axis that groups stand on, and the groups of each colour."""
    names = tuple(map(str, release.by.categories.values)) if release.by else ("",)
    axis = Axis(release.by.column if release.by else "", "category", categories=names)
    colours = tuple(map(str, release.hue.categories.values)) if release.hue else ("",)
    together = min(0.8, 0.3 + 0.1 * len(names) * len(colours))
    room = together / max(len(colours), 1)
    gap = _GAP if release.hue else 0.0
    rows: list[_Row] = []
    for first, name in enumerate(colours):
        shift = room * (first + 0.5) - together / 2
        places = tuple(place + shift for place in range(len(names)))
        rows.append(_Row(name, first, len(colours), places, room * (1 - gap)))
    return axis, rows


_GAP = 0.1  # of the room of a colour, between it and the next


def _draw_violins(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    groups, rows = _stand_aside(release)
    limits = _read_limits(along, release)
    drawn = [estimate_density(line, limits) for line in release.lines]
    wide = [tuple(each.tolist()) for each in scale_to_widest(drawn)]
    muted = [tuple(each.muted.tolist()) for each in drawn]
    marks: list[Mark] = []
    for row in rows:
        q1, median, q3 = (row.estimate(release, level) for level in (0.25, 0.5, 0.75))
        marks.append(
            Violins(
                position=row.position,
                width=row.width,
                at=tuple(np.linspace(*limits, POINTS).tolist()),
                density=row.choose(wide),
                muted=row.choose(muted),
                q1=q1,
                median=median,
                q3=q3,
                reliable=row.choose(release.reliable),
                coverage=LEVEL,
                series=row.name,
            )
        )
    return Panel(groups, along, tuple(marks), facet=facet)


_DEEPEST = 8


def _draw_letters(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    groups, rows = _stand_aside(release)
    depth = [
        line.count_letters(_DEEPEST) if sure else 0
        for line, sure in zip(release.lines, release.reliable, strict=True)
    ]
    levels = [0.5 ** (place + 2) for place in range(max(depth, default=0))]
    marks: list[Mark] = [
        LetterValues(
            position=row.position,
            width=row.width,
            median=row.estimate(release, 0.5),
            low=tuple(row.estimate(release, level) for level in levels),
            high=tuple(row.estimate(release, 1 - level) for level in levels),
            depth=row.choose(depth),
            reliable=tuple(deep > 0 for deep in row.choose(depth)),
            coverage=LEVEL,
            series=row.name,
        )
        for row in rows
    ]
    return Panel(groups, along, tuple(marks), facet=facet)


def _draw_bins(release: DistributionRelease, along: Axis, facet: Facet) -> Panel:
    edges = _cut_axis(release, _read_limits(along, release))
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
    step = None if along.kind == "time" else release.step
    return Panel(replace(along, step=step), Axis("count"), tuple(marks), facet=facet)


def _cut_axis(release: DistributionRelease, limits: Limits) -> list[float]:
    """Return the edges of bins: as many values in each, and half a step from them, if known."""
    if not release.step:
        return np.linspace(*limits, _BINS + 1).tolist()
    edges = release.value.edges
    first = max(int(np.searchsorted(edges, limits[0], "right")) - 1, 0)
    last = min(int(np.searchsorted(edges, limits[1])), release.value.cells)
    wide = -(-(last - first) // _BINS)
    return edges[np.append(np.arange(first, last, wide), last)].tolist()


_BINS = 20

_DRAWN: dict[View, Callable[[DistributionRelease, Axis, Facet], Panel]] = {
    "ecdf": _draw_ecdf,
    "kde": _draw_kde,
    "violin": _draw_violins,
    "boxen": _draw_letters,
    "histogram": _draw_bins,
}

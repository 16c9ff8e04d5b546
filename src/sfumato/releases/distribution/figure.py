"""The pictures of a distribution, described as plain data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.figure import Axis, Curve, Estimates, Figure, Mark, Panel, Points, format_percent
from sfumato.releases import axes, wording
from sfumato.releases.distribution import DistributionRelease, View
from sfumato.releases.distribution.line import LEVEL, FittedLine
from sfumato.releases.facets import arrange_panes
from sfumato.releases.release import WATERMARK
from sfumato.render.boxes import TOO_FEW

_TAIL = 0.002  # of a group, beyond either end of the axis
_MARGIN = 0.04
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
    return Figure(
        title=wording.title(release),
        panels=tuple(draw(parts[pane.place], along, pane.facet) for pane in panes),
        caption=caption(release, view),
        legend=release.by.column if release.by else "",
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
    if not all(release.reliable):
        parts.append(f"Groups not drawn: {TOO_FEW}.")
    parts += release.doubts
    if release.bounds_found:
        parts.append(wording.bounded(release.value, release.step, release.found))
    keys = [] if release.by is None else [release.by]
    return " ".join([*parts, *wording.left_out(keys, release.found)])


_SURE: dict[View, str] = {
    "ecdf": f"Bands: {format_percent(LEVEL)} for the whole curve jointly.",
}


def _notes(release: DistributionRelease) -> tuple[str, ...]:
    if not release.measured:
        return (wording.nobody(release.guarantee.unit),)
    return release.doubts


def _find_limits(release: DistributionRelease) -> tuple[float, float]:
    """Return the part of the bounds where nearly all of each group lies."""
    bounds = release.value.bounds
    told = [line for line, sure in zip(release.lines, release.reliable, strict=True) if sure]
    if not told:
        return bounds.lower, bounds.upper
    low = min(line.quantile(_TAIL) for line in told)
    high = max(line.quantile(1 - _TAIL) for line in told)
    low, high = low - _MARGIN * (high - low), high + _MARGIN * (high - low)
    if not high - low < _WHOLE * bounds.width:
        return bounds.lower, bounds.upper
    return max(low, bounds.lower), min(high, bounds.upper)


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


_DRAWN: dict[View, Callable[[DistributionRelease, Axis, Facet], Panel]] = {
    "ecdf": _draw_ecdf,
}

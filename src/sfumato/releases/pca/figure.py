"""The pictures of principal components, described as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.figure import Axis, Bars, Estimates, Figure, Interval, Panel, Points, format_percent
from sfumato.releases import wording
from sfumato.releases.pca import SCALED, correlations
from sfumato.releases.release import WATERMARK
from sfumato.render.text import format_number

if TYPE_CHECKING:
    from sfumato.releases.pca import PcaRelease, View

MOST_BARS = 20
"""How many components a scree plot shows."""

MOST_PANELS, MOST_ROWS = 3, 20
"""How many components and columns a picture of loadings shows."""

RELIABLE, UNRELIABLE = "reliable", "could be noise"
"""What a scree plot calls the directions of components."""

_NOTHING = "The total variance is not distinguishable from noise: no shares available."
_BAR = 0.8  # of the room a component has
_LIMITS = (0.25, 0.6, 1.2)  # of an axis, a little beyond its last tick
_LARGER = "larger than the gaps between their variances"


def figure(release: PcaRelease, view: View) -> Figure:
    """Describe a picture of principal components."""
    if view == "correlations":
        return correlations.figure(release)
    panels = (_scree(release),) if view == "scree" else _loadings(release)
    return Figure(
        title=wording.title(release, release.label),
        panels=panels,
        caption=caption(release, view),
        legend="direction" if view == "scree" else "",
        notes=(*_notes(release, view), *_beyond(panels)),
        watermark="" if release.private else WATERMARK,
    )


def caption(release: PcaRelease, view: View) -> str:
    """Say what protects whom, how columns are scaled, and how noisy the numbers are."""
    if view == "correlations":
        return correlations.caption(release)
    scree = view == "scree"
    sums, middle = (release.spread, "mean") if scree else (release.directions, "medians")
    allowed = "; bars allow for it" if scree and release.excess else ""
    parts = [
        wording.guarantee(release),
        SCALED[release.scaled],
        *(_shares(release) if scree else _weights(release)),
        f"Rows, centred at the released {middle}, are clipped to length "
        f"{_short(sums.length(release.lattice))}{allowed}.",
        *wording.parsed(release.lattice.bounds),
    ]
    return " ".join(parts)


def _shares(release: PcaRelease) -> list[str]:
    shown = min(release.kept, MOST_BARS)
    sure = format_percent(release.uncertainty["explained_variance_ratio"].coverage)
    said = [
        f"Shares of the total variance, {_short(release.total_variance)} over all "
        f"{len(release.columns)} columns; noise of each variance: about "
        f"{_short(release.variance_noise)}.",
        f"Thick bars: {sure} intervals; thin: {sure} for all {release.kept} jointly.",
    ]
    if (release.explained_variance[:shown] < 0).any():
        said.append("Hollow triangles: noisy variances below zero.")
    return said


def _weights(release: PcaRelease) -> list[str]:
    sure = format_percent(release.uncertainty["components"].coverage)
    return [
        f"Bars: {sure} intervals of the noise.",
        "The sign of a whole component has no meaning.",
    ]


def _notes(release: PcaRelease, view: View) -> tuple[str, ...]:
    lost = view == "scree" and release.uncertainty["total_variance"].low[0] <= 0
    said = [_NOTHING if lost else "", _unreliable(release), _left_out(release, view)]
    return tuple(note for note in said if note)


def _beyond(panels: tuple[Panel, ...]) -> list[str]:
    ends = [
        (panel.x.limits or (-1.0, 1.0), mark.x)
        for panel in panels
        for mark in panel.marks
        if isinstance(mark, Points)
    ]
    cut = any(min(x.low) < low or max(x.high) > high for (low, high), x in ends)
    return ["Some bars extend beyond the axis."] if cut else []


def _unreliable(release: PcaRelease) -> str:
    """Say which directions noise could have turned into each other."""
    groups: list[list[int]] = []
    for component, reliable in enumerate(release.reliable, 1):
        if not reliable and component > 1 and not release.distinct[component - 2]:
            groups[-1].append(component)
        elif not reliable:
            groups.append([component])
    if not groups:
        return ""
    if len(groups[0]) == release.kept:
        return f"No direction can be distinguished from noise, which is {_LARGER}."
    names = [f"{group[0]}–{group[-1]}".removesuffix(f"–{group[0]}") for group in groups]
    which = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    plural = "s" if sum(map(len, groups)) > 1 else ""
    return (
        f"The direction{plural} of component{plural} {which} cannot be distinguished from noise, "
        "which is "
        f"{_LARGER}."
    )


def _left_out(release: PcaRelease, view: View) -> str:
    columns, kept = len(release.columns), release.kept
    if view == "scree":
        return f"The first {MOST_BARS} of {kept} components are shown." if kept > MOST_BARS else ""
    said: list[str] = []
    if kept > MOST_PANELS:
        said.append(f"the first {MOST_PANELS} of {kept} components")
    if columns > MOST_ROWS:
        said.append(f"the {MOST_ROWS} of {columns} columns with the largest loadings there")
    return f"Shown are {' and '.join(said)}." if said else ""


def _scree(release: PcaRelease) -> Panel:
    shown = min(release.kept, MOST_BARS)
    reliable = release.reliable[:shown]
    names = tuple(str(component + 1) for component in range(shown))
    if all(reliable):
        marks = (_bars(release, list(range(shown)), ""),)
    else:
        # Where none is reliable that series is empty, and keeps its colour from the other one.
        marks = tuple(
            _bars(release, [place for place in range(shown) if reliable[place] == told], name)
            for told, name in ((True, RELIABLE), (False, UNRELIABLE))
        )
    x = Axis("principal component", "category", (-0.5, shown - 0.5), names)
    return Panel(x, Axis("share of the total variance (%)"), marks)


def _bars(release: PcaRelease, places: list[int], series: str) -> Bars:
    share = 100 * release.explained_variance_ratio[places]
    return Bars(
        left=tuple(place - _BAR / 2 for place in places),
        right=tuple(place + _BAR / 2 for place in places),
        height=tuple(share.tolist()),
        clipped=tuple((release.explained_variance[places] < 0).tolist()),
        pointwise=_percents(release.share_intervals(), places),
        simultaneous=_percents(release.share_intervals(together=True), places),
        series=series,
    )


def _percents(interval: Interval, places: list[int]) -> Interval:
    low, high = (
        tuple(100 * ends[place] for place in places) for ends in (interval.low, interval.high)
    )
    return Interval(low, high, interval.coverage)


def _loadings(release: PcaRelease) -> tuple[Panel, ...]:
    """Stand columns below each other, the first on top, in a panel for each component."""
    sure = release.uncertainty["components"]
    loading, low, high = (
        np.reshape(ends, release.components.shape)[:MOST_PANELS]
        for ends in (release.components, sure.low, sure.high)
    )
    strongest = np.argsort(-np.abs(loading).max(axis=0), kind="stable")[:MOST_ROWS]
    rows: list[int] = np.sort(strongest)[::-1].tolist()
    # Bars of directions that could be noise may go on beyond the axis, so that others are seen.
    reliable = np.array(release.reliable)[:MOST_PANELS, np.newaxis]
    held = reliable | (not reliable.any())
    sides = np.where(held, np.maximum(-low, high), np.abs(loading))
    limit = next(limit for limit in _LIMITS if sides[:, rows].max() <= limit)
    x = Axis("loading", limits=(-limit, limit))
    y = Axis("column", "category", categories=tuple(release.columns[row] for row in rows))
    places = tuple(map(float, range(len(rows))))
    panels: list[Panel] = []
    for component, ends in enumerate(zip(loading, low, high, strict=True), 1):
        along = Estimates(*(tuple(each[rows].tolist()) for each in ends))
        title = f"PC{component} ({release.share_words(component)})"
        panels.append(Panel(x, y, (Points(along, places, sure.coverage),), title))
    return tuple(panels)


def _short(value: float) -> str:
    return format_number(float(f"{value:.2g}"))

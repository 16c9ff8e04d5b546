"""The picture of a heatmap, described as plain data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import abbreviate
from sfumato.figure import Axis, Figure, Heat, Mark, Panel, Square, format_percent
from sfumato.grid import Grid
from sfumato.postprocess import density
from sfumato.releases import axes, wording
from sfumato.releases.heatmap import DECODERS, METHODS, View
from sfumato.releases.heatmap.area import ratio
from sfumato.releases.heatmap.basemap import Line
from sfumato.releases.heatmap.groups import (
    MOST_POINTS,
    MOST_TOGETHER,
    SHARES,
    clouds,
    count_points,
    draw_points,
    outlines,
)
from sfumato.releases.heatmap.groups import name_synthetic as _synthetic
from sfumato.releases.heatmap.joint import GRID, describe_margins, surround
from sfumato.releases.heatmap.view import Smooth, lengths_of, widths_of
from sfumato.releases.release import WATERMARK
from sfumato.render.text import format_number

if TYPE_CHECKING:
    from sfumato.releases.heatmap import HeatmapRelease

Array = NDArray[np.float64]

TITLES: dict[View, str] = {
    "density": "heatmap",
    "scatter": "synthetic points",
    "joint": "joint distribution",
}

REACH = 1.645
"""Standard deviations on either side of an interval.

The noise at one place is a sum of Laplace noises. Whether one of them or very many, it lies within
these with a probability between 90.0 and 90.3 %, and above either end with half of the rest.
"""

COVERAGE = 0.9

_FEWEST, _MOST = 256, 512  # points along a side of the picture
_SMOOTH = 0.015  # of the window's size
_AROUND = 2.0  # how much wider the filter is by which a place is told from noise


@dataclass(frozen=True)
class HeatmapView:
    """How a heatmap is drawn: how smooth, with which outlines, over and under what."""

    smooth: Smooth
    leaves: bool = False
    background: str = ""
    lines: tuple[Line, ...] = ()
    panels: bool | None = None
    view: View = "density"

    @property
    def scattered(self) -> bool:
        """Whether points are drawn in place of the density."""
        return self.view == "scatter"

    def apart(self, groups: int) -> bool:
        """Tell whether so many groups have panels of their own; one alone always has."""
        if self.view == "joint":
            return groups == 1
        return groups == 1 or (groups > MOST_TOGETHER if self.panels is None else self.panels)

    def leaves_out(self, groups: int) -> bool:
        """Tell whether groups with too few people are left out, and not shown in grey."""
        return groups > 1 and (self.scattered or not self.apart(groups))


def window(release: HeatmapRelease) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of the picture along x and y."""
    x, y = release.x.bounds, release.y.bounds
    return (x.lower, x.upper), (y.lower, y.upper)


def describe_view(release: HeatmapRelease, view: View) -> str:
    """Return what is shown, in words."""
    return release.label.replace("heatmap", TITLES[view], 1)


def figure(release: HeatmapRelease, view: HeatmapView) -> Figure:
    """Describe the picture of a heatmap."""
    drawn = _draw_heats(release, view.smooth)
    y = replace(axes.axis(release.y), reversed=release.origin == "upper")
    panels = _panels(release, view, drawn, y)
    joint = view.view == "joint" and bool(panels)
    return Figure(
        title=wording.title(release, describe_view(release, view.view)),
        panels=surround(release, panels[0]) if joint else panels,
        grid=GRID if joint else None,
        caption=_caption(release, view, sum(count_points(release, drawn))),
        legend=_legend(release, view),
        notes=_notes(release, drawn),
        watermark="" if release.private else WATERMARK,
    )


def _panels(
    release: HeatmapRelease, view: HeatmapView, drawn: list[Heat], y: Axis
) -> tuple[Panel, ...]:
    x, names = axes.axis(release.x), release.groups
    if not drawn:
        return ()
    marks: list[tuple[Mark, ...]] = [
        (_dress(heat, each, view),) for heat, each in zip(drawn, release.maps, strict=True)
    ]
    if view.scattered:
        dots = draw_points(release, drawn)
        marks = [tuple(one for one in dots if one.series == _synthetic(name)) for name in names]
    shape = ratio(release.x.bounds, release.y.bounds, release.aspect) or 0.0
    blank = Panel(x, y, (), ratio=0.0 if view.view == "joint" else shape)
    if view.apart(len(names)):
        pairs = zip(marks, names, strict=True)
        return tuple(replace(blank, marks=each, title=name) for each, name in pairs)
    if view.scattered:
        return (replace(blank, marks=tuple(one for each in marks for one in each)),)
    return (replace(blank, marks=(clouds(release, drawn), *outlines(release, drawn))),)


def _legend(release: HeatmapRelease, view: HeatmapView) -> str:
    if release.hue is not None:
        return release.hue.column
    return "points" if view.scattered else ""


def _dress(heat: Heat, release: HeatmapRelease, view: HeatmapView) -> Heat:
    squares = _squares(release) if view.leaves else heat.leaves
    if view.view == "joint":
        heat = replace(heat, ratio=None)
    return replace(heat, background=view.background, lines=view.lines, leaves=squares)


def _notes(release: HeatmapRelease, drawn: list[Heat]) -> tuple[str, ...]:
    if not drawn:
        return (wording.nobody(release.guarantee.unit),)
    pairs = zip(release.groups, drawn, strict=True)
    return wording.too_few(
        release.guarantee.unit, [name for name, heat in pairs if np.all(heat.muted)], len(drawn)
    )


def caption(release: HeatmapRelease) -> str:
    """Say what protects whom, how it was measured and what the picture's signs mean."""
    view = HeatmapView(default_smooth(release), view=release.view)
    if not view.scattered:
        return _caption(release, view, 0)
    drawn = _draw_heats(release, view.smooth)
    return _caption(release, view, sum(count_points(release, drawn)))


def default_smooth(release: HeatmapRelease) -> tuple[float, float]:
    """Return how far a picture is smoothed along x and y if nobody says.

    It is 1.5 % of each side. Where the picture keeps its shape, it is the same length on paper
    along both axes, and 1.5 % of the sides' geometric mean. Only the public window decides.
    """
    x, y = release.x.bounds, release.y.bounds
    shape = ratio(x, y, release.aspect) or 1.0
    return _SMOOTH * x.width * math.sqrt(shape), _SMOOTH * y.width / math.sqrt(shape)


def _caption(release: HeatmapRelease, view: HeatmapView, points: int) -> str:
    rows = "are dropped" if release.outside == "drop" else "are clipped to its edge"
    parts = [
        wording.guarantee(release),
        f"{METHODS[release.method]}{_kept(release)}; {DECODERS[release.decoder]}.",
        wording.added(release.combined, release.step, "every cell") if release.combined else "",
        _smoothing(release, view.smooth),
        _signs(release, view, points),
        wording.ABSENT if view.leaves_out(len(release.groups)) else "",
        describe_margins(release) if view.view == "joint" else "",
        f"Rows outside the window {rows}.",
        *_describe_window(release),
        *wording.left_out((release.hue,), release.found),
        *wording.parsed((release.x.bounds, release.y.bounds)),
    ]
    return " ".join(part for part in parts if part)


def _describe_window(release: HeatmapRelease) -> list[str]:
    """Say which sides of the window were found privately, at what cost, and which were not."""
    if not release.window:
        return []
    columns = " and ".join(abbreviate(each.column) for each in release.window)
    share = format_number(100 * release.window[0].share)
    said = [f"Window of {columns} found privately with {share} % of the budget."]
    missed = [abbreviate(each.column) for each in release.window if not each.found]
    few = wording.people(release.guarantee.unit)
    if missed:
        said.append(
            f"The search for {' and '.join(missed)} found nothing: too few {few}, and all of its "
            "limits is shown."
        )
    return said


def _signs(release: HeatmapRelease, view: HeatmapView, points: int) -> str:
    """Say what the picture's signs mean."""
    if view.scattered:
        return (
            f"Synthetic points, none of them anybody's: {points:,} drawn from the released density "
            f"for about {max(release.total, 0):,.0f} {wording.people(release.guarantee.unit)} "
            f"(at most {MOST_POINTS:,} points), and none where it is not distinguishable from "
            "noise (95 % pointwise)."
        )
    if not view.apart(len(release.groups)):
        core, most = map(format_percent, SHARES)
        return (
            "Colours: density relative to each group's peak; "
            f"lines enclose {core} and {most} of what is distinguishable from noise "
            "(95 % pointwise)."
        )
    if view.background:
        return "No colour: little there, or not distinguishable from noise (95 % pointwise)."
    return "Grey: not distinguishable from noise (95 % pointwise)."


def _kept(release: HeatmapRelease) -> str:
    return "" if release.top is None else f", the highest {100 * release.top:g} % of cells kept"


def _smoothing(release: HeatmapRelease, smooth: Smooth) -> str:
    across, up = lengths_of(smooth, release.x, release.y)
    if across == up == 0:
        return "The density is not smoothed."
    widths = f"{_length(across, release.x)}, {_length(up, release.y)}"
    return f"Smoothed by a Gaussian filter (σ = {widths})."


def _length(length: float, grid: Grid) -> str:
    return f"{_amount(length, grid)} of {abbreviate(grid.column)}"


def _amount(length: float, grid: Grid) -> str:
    if not grid.bounds.time:
        return format_number(float(f"{length:.3g}"))
    seconds = length / 1e6
    units = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
    size, name = next((unit for unit in units if seconds >= unit[0]), units[-1])
    amount = float(f"{seconds / size:.3g}")
    return f"{format_number(amount)} {name}{'' if amount == 1 else 's'}"


def _draw_heats(release: HeatmapRelease, smooth: Smooth) -> list[Heat]:
    """Return the density of each group; all of it is muted where noise could have made it all."""
    pairs = zip(release.maps, release.present, strict=True)
    return [_heat(each, smooth, present=present) for each, present in pairs]


def _heat(release: HeatmapRelease, smooth: Smooth, *, present: bool) -> Heat:
    cells = _points(release.x), _points(release.y)
    sigma = widths_of(smooth, release.x, release.y, cells)
    area = _areas(release, cells)
    seen = density.smooth(density.rasterise(release.leaves, cells), sigma) / area
    raw, reach = (each / area for each in _measured(release, cells, sigma))
    around, doubt = _measured(release, cells, (_AROUND * sigma[0], _AROUND * sigma[1]))
    return Heat(
        x=(release.x.bounds.lower, release.x.bounds.upper),
        y=(release.y.bounds.lower, release.y.bounds.upper),
        value=_rows(seen),
        low=_rows(raw - reach),
        high=_rows(raw + reach),
        muted=tuple(map(tuple, ((around <= doubt) | (not present)).tolist())),
        label=release.density_label,
        noise=_usual(reach, (raw > reach) & present),
        coverage=COVERAGE,
        ratio=ratio(release.x.bounds, release.y.bounds, release.aspect),
    )


def _measured(
    release: HeatmapRelease, cells: tuple[int, int], sigma: tuple[float, float]
) -> tuple[Array, Array]:
    """Return the filtered measurements, before decoding, and how far noise may move each."""
    leaves = replace(release.leaves, mass=release.noise.masses)
    variance = density.propagate_variance(release.leaves, release.noise.variance, cells, sigma)
    return density.smooth(density.rasterise(leaves, cells), sigma), REACH * np.sqrt(variance)


def _points(grid: Grid) -> int:
    """Return a number of points that shows cells of the resolution asked for as they are.

    Where floats lie too far apart for as many points, there is one to a cell.
    """
    points = min(_MOST, grid.cells * -(-_FEWEST // grid.cells))
    finest = 16 * math.ulp(max(abs(grid.bounds.lower), abs(grid.bounds.upper)))
    return points if grid.bounds.width / points >= finest else min(_MOST, grid.cells)


def _areas(release: HeatmapRelease, cells: tuple[int, int]) -> Array:
    """Return the area of a point in each row."""
    grid = Grid(release.y.column, release.y.bounds, cells[1])
    width = release.x.bounds.width / cells[0]
    low, high = grid.edges[:-1], grid.edges[1:]
    zero = np.zeros(cells[1])
    return release.area.count(zero, zero + width, low, high)[:, np.newaxis]


def _usual(reach: Array, clear: NDArray[np.bool_]) -> float:
    """Return the usual half-width where there is something to see, or anywhere if there is not."""
    usual = float(np.median(reach[clear] if clear.any() else reach))
    return float(f"{usual:.2g}")


def _squares(release: HeatmapRelease) -> tuple[Square, ...]:
    return tuple(
        Square(*ends) for ends in zip(*(end.tolist() for end in release.ends), strict=True)
    )


def _rows(array: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, array.tolist()))

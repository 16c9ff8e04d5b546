"""The picture of a pair plot: densities below the diagonal, distributions on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Axis, Clouds, Curve, Estimates, Figure, Heat, Mark, Panel
from sfumato.grid import Edges
from sfumato.postprocess.pairs import Pair
from sfumato.releases import axes, wording
from sfumato.releases.pairplot import REACH
from sfumato.releases.release import WATERMARK
from sfumato.releases.uncertainty import widen
from sfumato.render.text import format_number, shorten

if TYPE_CHECKING:
    from sfumato.releases.pairplot import PairplotRelease

Array = NDArray[np.float64]

ABOVE, COVERAGE = 1.645, 0.9
"""Standard deviations on either side of a density, and how often they hold the noise."""

_POINTS = 48
_PART = 20
_FAR = 3.0


@dataclass(frozen=True, eq=False)
class DrawnColumn:
    """The part of a column that is drawn: the bins that stand out from the noise, and one beside.

    Bounds may be far wider than the data, and a picture of all between them would show nothing. A
    last bin that is wider than all between is not drawn either.

    Parameters
    ----------
    key
        All bins of the column.
    clear
        Which of them stand out far from the noise, in any group.
    """

    key: Edges
    clear: NDArray[np.bool_]

    @classmethod
    def of(cls, release: PairplotRelease, place: int) -> DrawnColumn:
        """Return the window of a column."""
        clear = [
            each.measured[place] > _FAR * each.deviation[place]
            for each, present in zip(release.estimates, release.present, strict=True)
            if present
        ]
        whole = np.zeros(release.axes[place].cells, dtype=np.bool_)
        return cls(release.axes[place], np.any([whole, *clear], axis=0))

    @property
    def drawn(self) -> slice:
        """The bins that are drawn: all, where none stands out."""
        (found,) = np.nonzero(self.clear)
        if not len(found):
            return slice(0, self.key.cells)
        widths, first, last = np.diff(self.key.edges), int(found[0]), int(found[-1])
        inner = widths[first : last + 1].sum()
        before = first > 0 and widths[first - 1] <= inner
        after = last + 1 < len(widths) and widths[last + 1] <= inner
        return slice(first - int(before), last + 1 + int(after))

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends."""
        drawn = self.drawn
        return float(self.key.edges[drawn.start]), float(self.key.edges[drawn.stop])

    @property
    def axis(self) -> Axis:
        """The axis of the column."""
        return axes.value_axis(self.key.column, self.key.bounds, self.ends)

    @property
    def shares(self) -> Array:
        """The part of each bin that lies in each place of the picture, ``[bin, place]``."""
        low, high = self.key.edges[:-1, None], self.key.edges[1:, None]
        places = np.linspace(*self.ends, _POINTS + 1)
        shared = np.minimum(high, places[1:]) - np.maximum(low, places[:-1])
        return np.maximum(shared, 0.0) / (high - low)

    @property
    def bins(self) -> NDArray[np.int64]:
        """The bin that each place of the picture lies in, by its middle."""
        places = np.linspace(*self.ends, _POINTS + 1)
        found = np.searchsorted(self.key.edges, (places[1:] + places[:-1]) / 2, "right") - 1
        return np.clip(found, 0, self.key.cells - 1)


def figure(release: PairplotRelease) -> Figure:
    """Describe the picture of a pair plot."""
    windows = [DrawnColumn.of(release, place) for place in range(len(release.axes))]
    count = len(windows)
    panels = [
        _draw_pair(release, windows, (column, row))
        if column < row
        else _draw_column(release, windows[row], row)
        for row in range(count)
        for column in range(row + 1)
    ]
    return Figure(
        title=wording.title(release),
        panels=tuple(_tell_noise(panels)) if release.groups else (),
        caption=caption(release),
        legend=release.hue.column if release.hue else "",
        notes=_notes(release, windows),
        watermark="" if release.private else WATERMARK,
        grid=((1.0,) * count, (1.0,) * count) if release.groups else None,
    )


def _tell_noise(panels: list[Panel]) -> list[Panel]:
    """Return panels that all tell the widest noise of any: one scale of colours serves them all."""
    heats = [mark for panel in panels for mark in panel.marks if isinstance(mark, Heat)]
    widest = max((heat.noise for heat in heats), default=0.0)
    return [
        replace(
            panel,
            marks=tuple(
                replace(mark, noise=widest) if isinstance(mark, Heat) else mark
                for mark in panel.marks
            ),
        )
        for panel in panels
    ]


def caption(release: PairplotRelease) -> str:
    """Say what protects whom, how bins were found and what the picture's signs mean."""
    scale = format_number(float(f"{release.noise.scale * release.step:.3g}"))
    if release.hue is None:
        signs = "Densities relative to the peak of each pair; grey: not distinguishable from noise"
    else:
        signs = (
            "Densities relative to the peak of each group; none where it is not distinguishable "
        )
        signs += "from noise"
    absent = [wording.ABSENT] if len(release.groups) > 1 else []
    return " ".join(
        [
            wording.guarantee(release),
            f"Bins lie between private quantiles; {release.noise.kind.capitalize()} noise of scale "
            f"{scale} on every cell of every pair. Sums of all pairs agree with the diagonal.",
            f"{signs} (95 % pointwise).",
            *absent,
            "Diagonal: counts with 95 % intervals.",
            "Values are clipped to their bounds; rows with a missing value are dropped.",
            *wording.left_out((release.hue,), release.found),
            *wording.parsed(key.bounds for key in release.axes),
        ]
    )


def _notes(release: PairplotRelease, windows: list[DrawnColumn]) -> tuple[str, ...]:
    if not release.groups:
        return (wording.nobody(release.guarantee.unit),)
    beyond = [
        f"{_count_beyond(release, place, window):,.0f} of {shorten(window.key.column, 30)}"
        for place, window in enumerate(windows)
        if window.drawn != slice(0, window.key.cells)
    ]
    told = [f"Beyond the axes, about: {', '.join(beyond)}."] if beyond else []
    lost = [
        name
        for group, name in enumerate(release.groups)
        if all(_find_muted(release, group, pair).all() for pair in release.pairs)
    ]
    return (*wording.too_few(release.guarantee.unit, lost, len(release.groups)), *told)


def _count_beyond(release: PairplotRelease, place: int, window: DrawnColumn) -> float:
    """Return about how many units lie in bins that are not drawn."""
    counts = [
        each.columns[place]
        for each, present in zip(release.estimates, release.present, strict=True)
        if present
    ]
    return max(0.0, float(sum(each.sum() - each[window.drawn].sum() for each in counts)))


def _draw_column(release: PairplotRelease, window: DrawnColumn, place: int) -> Panel:
    counted = wording.counted(release.guarantee.unit)
    y = Axis(f"{counted} per {_PART}th of the axis of {window.key.column}", labelled=False)
    marks: tuple[Mark, ...] = tuple(
        _draw_curve(release, group, window, place) for group in range(len(release.groups))
    )
    return Panel(window.axis, y, marks, place=(place, place), ratio=0.0)


def _draw_curve(release: PairplotRelease, group: int, window: DrawnColumn, place: int) -> Curve:
    told, name, present = release.estimates[group], release.groups[group], release.present[group]
    if name and not present:
        return Curve((), Estimates((), (), ()), (), 0.0, series=name)
    drawn, edges = window.drawn, window.key.edges
    low, high = window.ends
    per = np.diff(edges)[drawn] * _PART / (high - low)
    reach = REACH * told.deviation[place]
    middle = told.measured[place][drawn]
    value = told.columns[place][drawn]
    ends = [np.maximum(end, 0.0) / per for end in widen(value, middle - reach, middle + reach)]
    return Curve(
        tuple(edges[drawn.start : drawn.stop + 1].tolist()),
        Estimates(*(tuple(each.tolist()) for each in (value / per, *ends))),
        tuple(((middle - reach <= 0) | (not present)).tolist()),
        0.95,
        steps=True,
        filled=not name,
        series=name,
    )


def _draw_pair(release: PairplotRelease, windows: list[DrawnColumn], pair: Pair) -> Panel:
    x, y = (windows[place] for place in pair)
    if release.hue is None:
        marks: tuple[Mark, ...] = (_draw_heat(release, x, y, pair),)
    else:
        groups = range(len(release.groups))
        fields = [_find_density(release, group, x, y, pair) for group in groups]
        value = tuple(_list_rows(field / (field.max() or 1.0)) for field in fields)
        marks = (Clouds(x.ends, y.ends, release.groups, value),)
    return Panel(x.axis, y.axis, marks, place=(pair[1], pair[0]), ratio=0.0)


def _find_density(
    release: PairplotRelease, group: int, x: DrawnColumn, y: DrawnColumn, pair: Pair
) -> Array:
    """Return the density where it stands out from the noise, and nothing elsewhere."""
    muted = _find_muted(release, group, pair)[np.ix_(x.bins, y.bins)].T
    return np.where(muted, 0.0, y.shares.T @ release.estimates[group].pairs[pair].T @ x.shares)


def _draw_heat(release: PairplotRelease, x: DrawnColumn, y: DrawnColumn, pair: Pair) -> Heat:
    (told,) = release.estimates
    value = y.shares.T @ told.pairs[pair].T @ x.shares
    seen = y.shares.T @ told.seen[pair].T @ x.shares
    reach = (
        ABOVE * _deviation(release) * np.sqrt((y.shares**2).sum(0)[:, None] * (x.shares**2).sum(0))
    )
    peak = float(value.max()) or 1.0
    return Heat(
        x=x.ends,
        y=y.ends,
        value=_list_rows(value / peak),
        low=_list_rows((seen - reach) / peak),
        high=_list_rows((seen + reach) / peak),
        muted=tuple(map(tuple, _find_muted(release, 0, pair)[np.ix_(x.bins, y.bins)].T.tolist())),
        label="density relative to the peak of each pair",
        noise=float(f"{np.median(reach) / peak:.2g}"),
        coverage=COVERAGE,
    )


def _find_muted(release: PairplotRelease, group: int, pair: Pair) -> NDArray[np.bool_]:
    """Tell of each cell whether noise alone could have made what is measured in and around it."""
    seen = release.estimates[group].seen[pair]
    across, up = (_band(side) for side in seen.shape)
    around = across @ seen @ up
    cells = across.sum(axis=1)[:, None] * up.sum(axis=0)
    doubtful = around <= ABOVE * _deviation(release) * np.sqrt(cells)
    return doubtful | (not release.present[group])


def _band(side: int) -> Array:
    """Return the matrix that adds up each number and those beside it."""
    return np.clip(sum(np.eye(side, k=k) for k in (-1, 0, 1)), 0.0, 1.0)


def _deviation(release: PairplotRelease) -> float:
    return release.noise.variance**0.5 * release.step


def _list_rows(array: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, array.tolist()))

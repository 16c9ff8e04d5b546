"""The picture of a choropleth, described as plain data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Axis, Estimates, Figure, Panel, Regions, format_percent
from sfumato.releases import wording
from sfumato.releases.choropleth import find_window
from sfumato.releases.facets import Pane, arrange_panes
from sfumato.releases.heatmap.area import ratio
from sfumato.releases.means.figure import describe_clipping, describe_noise, tell_missing
from sfumato.releases.release import WATERMARK

if TYPE_CHECKING:
    from sfumato.releases.choropleth import ChoroplethRelease
    from sfumato.releases.choropleth.means import RegionalMeansRelease

    _Mapped = ChoroplethRelease | RegionalMeansRelease

_COUNTED = "Points in no region are left out; where regions overlap, the first counts."
_MARGIN = 0.02  # of the window, so that no border lies on the frame


def figure(release: ChoroplethRelease) -> Figure:
    """Describe the picture of a choropleth."""
    return _draw(release, partial(_panel, release), caption(release), _notes(release))


def draw_means(release: RegionalMeansRelease) -> Figure:
    """Describe the picture of a mean, or of another number, of each region."""
    panel = partial(_draw_panel, release)
    return _draw(release, panel, caption_means(release), _tell_doubts(release))


def _draw(
    release: _Mapped, panel: Callable[[Pane], Panel], words: str, notes: tuple[str, ...]
) -> Figure:
    panes, columns = arrange_panes(release)
    return Figure(
        title=wording.title(release),
        panels=tuple(map(panel, panes)),
        caption=words,
        notes=notes,
        watermark="" if release.private else WATERMARK,
        columns=columns,
    )


def caption(release: ChoroplethRelease) -> str:
    """Say what protects whom, how noisy the numbers are, and which rows are counted where."""
    together = format_percent(release.uncertainty.simultaneous.coverage)
    return " ".join(
        [
            wording.guarantee(release),
            wording.added(release.noise, release.step, "every count"),
            f"Grey: not distinguishable from noise ({together} jointly).",
            _COUNTED,
        ]
    )


def _notes(release: ChoroplethRelease) -> tuple[str, ...]:
    if release.stat == "proportion" and release.counts.sum() <= 0:
        return ("The noisy total is not above zero: no proportions available.",)
    if release.muted.all():
        return (f"Too few {release.guarantee.unit.counted} to tell any region from noise.",)
    return ()


def _panel(release: ChoroplethRelease, pane: Pane) -> Panel:
    sure = release.uncertainty
    ends = (release.numbers, np.array(sure.pointwise.low), np.array(sure.pointwise.high))
    mark = _mark(
        release,
        Estimates(*(_take(release, pane, np.maximum(each, 0.0)) for each in ends)),
        muted=_take(release, pane, release.muted),
        coverage=sure.pointwise.coverage,
    )
    return _frame(release, pane, mark)


def caption_means(release: RegionalMeansRelease) -> str:
    """Say what protects whom, how noisy the numbers are, and where values were clipped."""
    zero = release.estimator == "sum" and release.clip_found
    grey = "not distinguishable from zero" if zero else tell_missing(release)
    if release.alike and release.estimator != "sum":
        grey = "not distinguishable from each other"
    return " ".join(
        [
            wording.guarantee(release),
            describe_noise(release, "region"),
            *([f"Grey: {grey}."] if release.muted.any() else []),
            *describe_clipping(release),
            _COUNTED,
        ]
    )


def _tell_doubts(release: RegionalMeansRelease) -> tuple[str, ...]:
    told = ~release.muted if release.estimator == "sum" else release.estimates.reliable
    if not told.any():
        return (f"Too few {release.guarantee.unit.counted} in every region.",)
    if release.alike:
        return (f"Noise alone could have made all differences: one {release.estimator} fits all.",)
    return ()


def _draw_panel(release: RegionalMeansRelease, pane: Pane) -> Panel:
    told = release.estimates
    mark = _mark(
        release,
        Estimates(*(_take(release, pane, each) for each in (told.value, told.low, told.high))),
        muted=_take(release, pane, release.muted),
        coverage=release.uncertainty.coverage,
        reliable=_take(release, pane, told.reliable),
    )
    return _frame(release, pane, mark)


def _take(release: _Mapped, pane: Pane, numbers: NDArray[Any]) -> tuple[Any, ...]:
    """Return the numbers of one panel, a region each."""
    size = (len(release.panels), release.regions.cells)
    return tuple(np.reshape(numbers, size)[pane.place].tolist())


def _mark(
    release: _Mapped,
    value: Estimates,
    *,
    muted: tuple[bool, ...],
    coverage: float,
    reliable: tuple[bool, ...] = (),
) -> Regions:
    regions = release.regions
    x, y = find_window(regions)
    shape = ratio(x.bounds, y.bounds, release.aspect)
    return Regions(
        paths=tuple(region.rings for region in regions.areas),
        name=regions.names,
        value=value,
        muted=muted,
        label=release.measure,
        coverage=coverage,
        ratio=None if shape is None else shape * x.bounds.width / y.bounds.width,
        reliable=reliable,
    )


def _frame(release: _Mapped, pane: Pane, mark: Regions) -> Panel:
    """Return the panel around a map."""
    regions = release.regions
    return Panel(
        _axis(regions.x, regions.box[:2]),
        _axis(regions.y, regions.box[2:]),
        (mark,),
        facet=pane.facet,
    )


def _axis(column: str, ends: tuple[float, float]) -> Axis:
    spare = _MARGIN * (ends[1] - ends[0])
    return Axis(column, limits=(ends[0] - spare, ends[1] + spare))

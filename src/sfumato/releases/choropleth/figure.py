"""The picture of a choropleth, described as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.figure import Axis, Estimates, Figure, Panel, Regions, format_percent
from sfumato.releases import wording
from sfumato.releases.choropleth import find_window
from sfumato.releases.facets import Pane, arrange_panes
from sfumato.releases.heatmap.area import ratio
from sfumato.releases.release import WATERMARK

if TYPE_CHECKING:
    from sfumato.releases.choropleth import ChoroplethRelease

_MARGIN = 0.02  # of the window, so that no border lies on the frame


def figure(release: ChoroplethRelease) -> Figure:
    """Describe the picture of a choropleth."""
    panes, columns = arrange_panes(release)
    return Figure(
        title=wording.title(release),
        panels=tuple(_panel(release, pane) for pane in panes),
        caption=caption(release),
        notes=_notes(release),
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
            "Points in no region are left out; where regions overlap, the first counts.",
        ]
    )


def _notes(release: ChoroplethRelease) -> tuple[str, ...]:
    if release.stat == "proportion" and release.counts.sum() <= 0:
        return ("The noisy total is not above zero: no proportions available.",)
    if release.muted.all():
        return (f"Too few {release.guarantee.unit.counted} to tell any region from noise.",)
    return ()


def _panel(release: ChoroplethRelease, pane: Pane) -> Panel:
    regions, sure = release.regions, release.uncertainty
    size = (len(release.panels), regions.cells)
    ends = (release.numbers, np.array(sure.pointwise.low), np.array(sure.pointwise.high))
    value, low, high = (
        tuple(np.maximum(np.reshape(each, size)[pane.place], 0.0).tolist()) for each in ends
    )
    x, y = find_window(regions)
    shape = ratio(x.bounds, y.bounds, release.aspect)
    mark = Regions(
        paths=tuple(region.rings for region in regions.areas),
        name=regions.names,
        value=Estimates(value, low, high),
        muted=tuple(np.reshape(release.muted, size)[pane.place].tolist()),
        label=release.measure,
        coverage=sure.pointwise.coverage,
        ratio=None if shape is None else shape * x.bounds.width / y.bounds.width,
    )
    return Panel(
        _axis(x.column, regions.box[:2]),
        _axis(y.column, regions.box[2:]),
        (mark,),
        facet=pane.facet,
    )


def _axis(column: str, ends: tuple[float, float]) -> Axis:
    spare = _MARGIN * (ends[1] - ends[0])
    return Axis(column, limits=(ends[0] - spare, ends[1] + spare))

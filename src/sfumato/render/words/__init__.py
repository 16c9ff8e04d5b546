"""What marks say when they are pointed at, read aloud or listed in a table."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.figure import (
    Arrows,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Dots,
    Figure,
    Heat,
    Mark,
    Outline,
    Panel,
    Points,
)
from sfumato.render.words.counts import bar_readings, cell_readings
from sfumato.render.words.groups import (
    arrow_readings,
    cloud_readings,
    dot_readings,
    outline_readings,
)
from sfumato.render.words.heat import heat_readings
from sfumato.render.words.reading import Reading
from sfumato.render.words.summaries import box_readings, point_readings

__all__ = ["Reading", "readings"]


def readings(figure: Figure) -> Iterator[Reading]:
    """Read every value of a figure, panel by panel."""
    for panel in figure.panels:
        for mark in panel.marks:
            yield from _readings(figure, panel, mark)


def _readings(figure: Figure, panel: Panel, mark: Mark) -> Iterator[Reading]:
    match mark:
        case Bars():
            return bar_readings(figure, panel, mark)
        case Cells():
            return cell_readings(figure, panel, mark)
        case Boxes():
            return box_readings(figure, panel, mark)
        case Points():
            return point_readings(figure, panel, mark)
        case Heat():
            return heat_readings(figure, panel, mark)
        case _:
            return _plane_readings(figure, panel, mark)


def _plane_readings(
    figure: Figure, panel: Panel, mark: Clouds | Outline | Dots | Arrows
) -> Iterator[Reading]:
    match mark:
        case Clouds():
            return cloud_readings(figure, panel, mark)
        case Outline():
            return outline_readings(figure, panel, mark)
        case Dots():
            return dot_readings(figure, panel, mark)
        case Arrows():
            return arrow_readings(figure, panel, mark)

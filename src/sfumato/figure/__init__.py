"""`Figure`: a picture as plain data. Nothing here draws; `sfumato.render` does.

Everything a figure holds comes from a release, so anyone may see it. Positions on a category axis
are 0, 1, 2, … in the order of its `categories`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sfumato.figure.counts import Bars, Cells
from sfumato.figure.interval import Estimates, Interval, percent
from sfumato.figure.plane import Arrows, Clouds, Dots, Heat, Outline, Square
from sfumato.figure.summaries import Boxes, Orient, Points
from sfumato.names import brief

__all__ = [
    "Arrows",
    "Axis",
    "AxisKind",
    "Bars",
    "Boxes",
    "Cells",
    "Clouds",
    "Dots",
    "Estimates",
    "Figure",
    "Heat",
    "Interval",
    "Mark",
    "Orient",
    "Outline",
    "Panel",
    "Points",
    "Square",
    "percent",
]

LONGEST_TITLE = 300
"""How many letters of a title are drawn."""

AxisKind = Literal["number", "time", "category"]

Mark = Bars | Cells | Boxes | Points | Heat | Clouds | Outline | Dots | Arrows


@dataclass(frozen=True)
class Axis:
    """One axis: its label, what it measures and the public limits it is drawn between.

    `limits` are None where the marks decide (a noisy count has no public maximum). A `reversed`
    axis runs down or leftwards, as the rows of an image do. Where values lie a `step` apart, bars
    and cells end half a step beyond their first and last value.
    """

    label: str
    kind: AxisKind = "number"
    limits: tuple[float, float] | None = None
    categories: tuple[str, ...] = ()
    reversed: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", brief(self.label))


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its marks; `title` names the group it shows, if panels are groups."""

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""


@dataclass(frozen=True)
class Figure:
    """One or more panels that share a title, a legend and a caption.

    Parameters
    ----------
    legend
        What the names of series, or of groups with panels of their own, are values of.
    caption
        What protects whom, and how noisy the picture is; drawn below the axes.
    notes
        Short remarks drawn on the picture where it would otherwise mislead.
    watermark
        Drawn across every panel; empty for a private release.
    """

    title: str
    panels: tuple[Panel, ...]
    caption: str
    legend: str = ""
    notes: tuple[str, ...] = field(default=())
    watermark: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", brief(self.title, LONGEST_TITLE))
        object.__setattr__(self, "legend", brief(self.legend))

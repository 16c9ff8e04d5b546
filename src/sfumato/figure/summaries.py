"""Marks that show a few released values of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.figure.interval import Estimates

Orient = Literal["v", "h"]


@dataclass(frozen=True)
class Boxes:
    """Boxplots side by side, each with how sure we are of its seven numbers.

    Parameters
    ----------
    position, width
        Where the middle of each box stands on the axis of categories, and how wide each is.
    size
        The noisy number of units in each group.
    clear
        False for a group too small for its box to say anything: none is drawn for it.
    coverage
        How often each interval, for itself, covers the truth.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    series
        The name in the legend; empty for a chart without hue.
    """

    position: tuple[float, ...]
    width: float
    outliers_below: Estimates
    lower_whisker: Estimates
    q1: Estimates
    median: Estimates
    q3: Estimates
    upper_whisker: Estimates
    outliers_above: Estimates
    size: tuple[float, ...]
    clear: tuple[bool, ...]
    coverage: float
    orient: Orient = "v"
    series: str = ""


@dataclass(frozen=True)
class Points:
    """Released values along the x axis, each at a known place on the y axis.

    Parameters
    ----------
    joined
        Draw a line through the points, which then lie on one curve.
    too_few
        Places on the y axis where nothing can be said: words stand there, across the panel.
    """

    x: Estimates
    y: tuple[float, ...]
    coverage: float
    series: str = ""
    joined: bool = False
    too_few: tuple[float, ...] = ()

"""Marks that show counts: bars, and cells of a grid."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.figure.interval import Interval


@dataclass(frozen=True)
class Bars:
    """Counts over neighbouring intervals or categories.

    Parameters
    ----------
    left, right
        Where each bar begins and ends on the x axis.
    height
        What is drawn, never below zero.
    clipped
        Which bars had a value below zero, and stand at zero instead.
    pointwise, simultaneous
        Error bars for each bar alone, and for all of them together.
    series
        The name in the legend; empty for a chart without groups.
    outline
        Draw as a stepped outline, so that several series can lie over each other.
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    height: tuple[float, ...]
    clipped: tuple[bool, ...]
    pointwise: Interval
    simultaneous: Interval
    series: str = ""
    outline: bool = False


@dataclass(frozen=True)
class Cells:
    """A rectangular grid of values shown by colour, row by row from the lowest y.

    Parameters
    ----------
    value
        ``value[row][column]``, never below zero.
    muted
        Cells whose simultaneous interval holds zero: the noise alone could have made them.
    label
        What the colour measures.
    noise
        Half the width of a pointwise interval, shown beside the colour bar.
    """

    x_edges: tuple[float, ...]
    y_edges: tuple[float, ...]
    value: tuple[tuple[float, ...], ...]
    muted: tuple[tuple[bool, ...], ...]
    label: str
    noise: float
    coverage: float

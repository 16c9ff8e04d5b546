"""Marks that lie in a plane: densities, outlines, points and arrows."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.figure.interval import Estimates


@dataclass(frozen=True)
class Square:
    """A part of the plane with the same density everywhere, by its ends on both axes."""

    left: float
    right: float
    low: float
    high: float


@dataclass(frozen=True)
class Heat:
    """A density over a window, shown by colour, row by row from the lowest y.

    Parameters
    ----------
    x, y
        The ends of the window; rows and columns divide it evenly.
    value
        ``value[row][column]``, never below zero.
    low, high
        The ends of the interval that the noise at each place leaves for it.
    muted
        Where noise alone could have made what is seen there and around.
    label
        What the colour measures.
    noise
        Half the usual width of such an interval, shown beside the colour bar.
    ratio
        How tall the window is drawn for its width; None where it fills the space there is.
    leaves
        The squares that were measured, where their outlines are to be drawn.
    background
        A picture of the window that the density is laid over, as a data address; empty for none.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    value: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    muted: tuple[tuple[bool, ...], ...]
    label: str
    noise: float
    coverage: float
    ratio: float | None = None
    leaves: tuple[Square, ...] = ()
    background: str = ""


@dataclass(frozen=True)
class Clouds:
    """Densities of several groups over one window, laid over each other by colour.

    Parameters
    ----------
    x, y
        The ends of the window; rows and columns divide it evenly.
    series
        The names of the groups, in the order of the legend.
    value
        ``value[group][row][column]``, row by row from the lowest y, never below zero: 1 is the
        densest place of its group.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    series: tuple[str, ...]
    value: tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True)
class Outline:
    """The border of the smallest region that holds a share of a group.

    Parameters
    ----------
    paths
        Closed lines of corners ``(x, y)``, the last joined to the first; a hole has its own.
    share
        How much of the group lies inside.
    """

    paths: tuple[tuple[tuple[float, float], ...], ...]
    share: float
    series: str = ""


@dataclass(frozen=True)
class Dots:
    """Points drawn from a released density; none of them is anybody's."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    series: str = ""


@dataclass(frozen=True)
class Arrows:
    """Arrows from a point, one for each column, with how sure we are of where they end."""

    origin: tuple[float, float]
    x: Estimates
    y: Estimates
    label: tuple[str, ...]
    coverage: float

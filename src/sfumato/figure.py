"""A picture as plain data: panels, axes, marks and intervals. Renderers know nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from sfumato.errors import abbreviate

Orient = Literal["v", "h"]


@dataclass(frozen=True)
class Interval:
    """Ends of an interval around a released value, and how often it covers the truth."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    coverage: float


@dataclass(frozen=True)
class Estimates:
    """Released numbers, and the ends of an interval around each."""

    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def format_percent(coverage: float) -> str:
    """Write a coverage in whole percents, never more than it is.

    Examples
    --------
    >>> format_percent(0.95), format_percent(0.9953)
    ('95 %', '99 %')
    """
    return f"{math.floor(100 * coverage + 1e-9)} %"


@dataclass(frozen=True)
class Bars:
    """Counts over neighbouring intervals or categories.

    Parameters
    ----------
    left, right
        Where each bar begins and ends on the x axis; on the y axis where bars lie.
    height
        What is drawn, never below zero.
    clipped
        Which bars had a value below zero, and stand at zero instead.
    pointwise, simultaneous
        Error bars for each bar alone, and for all of them together. Where bars were chosen by what
        was released, the former would mislead, and are None.
    series
        The name in the legend; empty for a chart without groups.
    outline
        Draw as a stepped outline, so that several series can lie over each other.
    orient
        ``"v"`` for upright bars, ``"h"`` for lying ones.
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    height: tuple[float, ...]
    clipped: tuple[bool, ...]
    pointwise: Interval | None
    simultaneous: Interval
    series: str = ""
    outline: bool = False
    orient: Orient = "v"


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
    lines
        Lines of a map through corners ``(x, y)``, drawn over the density.
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
    lines: tuple[tuple[tuple[float, float], ...], ...] = ()


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
class Contour:
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


@dataclass(frozen=True)
class Boxes:
    """Boxplots side by side, each with how sure we are of its seven numbers.

    Parameters
    ----------
    position, width
        Where the middle of each box stands on the axis of categories, and how wide each is.
    size
        The noisy number of units in each group.
    reliable
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
    reliable: tuple[bool, ...]
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


@dataclass(frozen=True)
class Curve:
    """A released function along an axis: a line or steps, with a band around it.

    Parameters
    ----------
    x
        Where the function was evaluated, rising; where it is made of steps their ends, one more
        than there are values in each part that is not broken.
    y
        Its values, with the ends of the band around each; equal ends draw no band.
    muted
        Where noise alone could have made what is drawn, for each value; drawn grey.
    coverage
        How often the band holds the truth; 0 where there is none.
    simultaneous
        The whole band holds the whole function so often, not each interval its own value.
    steps
        Draw a staircase rather than a line through points.
    filled
        Fill the area down to zero, lightly.
    points
        Draw a dot at each value.
    series
        The name in the legend; empty for a chart without groups.
    orient
        ``"v"`` has the function's values on the y axis, ``"h"`` on the x axis.
    breaks
        The values that are not joined with the one before them.
    """

    x: tuple[float, ...]
    y: Estimates
    muted: tuple[bool, ...]
    coverage: float
    simultaneous: bool = False
    steps: bool = False
    filled: bool = False
    points: bool = False
    series: str = ""
    orient: Orient = "v"
    breaks: tuple[int, ...] = ()

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """Where each value begins and ends: in one point, unless it is a step."""
        if not self.steps:
            return tuple(zip(self.x, self.x, strict=True))
        starts = range(len(self.y.value))
        firsts = [place + sum(each <= place for each in self.breaks) for place in starts]
        return tuple((self.x[first], self.x[first + 1]) for first in firsts)


@dataclass(frozen=True)
class Summaries:
    """One released number at each place with an error bar: bars from zero, or points.

    Parameters
    ----------
    position
        Where each stands, on an axis of categories or of numbers.
    width
        How wide each bar is; 0 for points.
    value
        The numbers, which may be negative, and the ends of their intervals.
    reliable
        False where there are too few to say anything: words stand there instead.
    muted
        Where noise alone could have made the number; drawn grey.
    coverage
        How often each interval, for itself, covers the truth.
    joined
        Draw a line through the points.
    series
        The name in the legend; empty for a chart without hue.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    """

    position: tuple[float, ...]
    width: float
    value: Estimates
    reliable: tuple[bool, ...]
    muted: tuple[bool, ...]
    coverage: float
    joined: bool = False
    series: str = ""
    orient: Orient = "v"


@dataclass(frozen=True)
class Matrix:
    """Signed numbers in [-1, 1] by colour and in figures, row by row from the top.

    Both axes have categories, and the y axis is reversed.

    Parameters
    ----------
    value
        ``value[row][column]``.
    low, high
        The ends of the interval around each.
    muted
        Cells whose interval holds zero: the noise alone could have made them; drawn grey.
    shown
        False for a cell that is left blank, such as those above the diagonal.
    label
        What the colour measures.
    """

    value: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    muted: tuple[tuple[bool, ...], ...]
    shown: tuple[tuple[bool, ...], ...]
    label: str
    coverage: float


@dataclass(frozen=True)
class Violins:
    """Densities of groups side by side, each mirrored about its place.

    Parameters
    ----------
    position, width
        Where the middle of each stands on the axis of categories, and how wide the widest may be.
    at
        Where the densities were evaluated on the axis of values, rising.
    density
        ``density[group][i]``, never below zero: 1 is drawn at the full width.
    muted
        ``muted[group][i]``: noise alone could have made the density there; drawn grey.
    q1, median, q3
        Drawn inside as a thin box and a dot; None where they are not.
    reliable
        False for a group too small for its density to say anything: words stand there instead.
    coverage
        How often each interval, for itself, covers the truth.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    series
        The name in the legend; empty for a chart without hue.
    """

    position: tuple[float, ...]
    width: float
    at: tuple[float, ...]
    density: tuple[tuple[float, ...], ...]
    muted: tuple[tuple[bool, ...], ...]
    q1: Estimates | None
    median: Estimates | None
    q3: Estimates | None
    reliable: tuple[bool, ...]
    coverage: float
    orient: Orient = "v"
    series: str = ""


@dataclass(frozen=True)
class LetterValues:
    """Nested boxes between the letter values of groups, side by side.

    Parameters
    ----------
    position, width
        Where the middle of each group stands on the axis of categories, and how wide each is.
    low, high
        ``low[depth]`` and ``high[depth]`` of all groups: fourths first, then eighths and so on.
    depth
        How many boxes of each group can be told from noise, and are drawn.
    reliable
        False for a group too small for any box: words stand there instead.
    coverage
        How often each interval, for itself, covers the truth.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    series
        The name in the legend; empty for a chart without hue.
    """

    position: tuple[float, ...]
    width: float
    median: Estimates
    low: tuple[Estimates, ...]
    high: tuple[Estimates, ...]
    depth: tuple[int, ...]
    reliable: tuple[bool, ...]
    coverage: float
    orient: Orient = "v"
    series: str = ""


@dataclass(frozen=True)
class Regions:
    """Public areas of a map, coloured by a released number.

    Parameters
    ----------
    paths
        ``paths[region]``: closed rings of corners ``(x, y)``, holes among them; what lies inside
        an odd number of rings is filled.
    name
        What each region is called.
    value
        The number of each region, and the ends of its interval.
    muted
        Where noise alone could have made the number; drawn grey.
    label
        What the colour measures.
    ratio
        How tall a unit of y is drawn for a unit of x; None where the map fills the space there is.
    reliable
        Which regions have data enough to be told; left out, all. Others are drawn grey.
    """

    paths: tuple[tuple[tuple[tuple[float, float], ...], ...], ...]
    name: tuple[str, ...]
    value: Estimates
    muted: tuple[bool, ...]
    label: str
    coverage: float
    ratio: float | None = None
    reliable: tuple[bool, ...] = ()


LONGEST_TITLE = 300
"""How many letters of a title are drawn."""

AxisKind = Literal["number", "time", "category"]

Mark = (
    Bars
    | Cells
    | Boxes
    | Points
    | Heat
    | Clouds
    | Contour
    | Dots
    | Arrows
    | Curve
    | Summaries
    | Matrix
    | Violins
    | LetterValues
    | Regions
)


@dataclass(frozen=True)
class Axis:
    """One axis: its label, what it measures and the public limits it is drawn between.

    `limits` are None where the marks decide (a noisy count has no public maximum). A `reversed`
    axis runs down or leftwards, as the rows of an image do. Where values lie a `step` apart, bars
    and cells end half a step beyond their first and last value. Time is told on the clocks of a
    `zone`, in UTC without one; on a `clock` it is a time of day. `lower` is the least value that
    there can be, where that is public and not the lower limit. On a `log` axis equal ratios have
    equal lengths. One that is not `labelled` has neither ticks nor words: its panel stands beside
    others that say more.
    """

    label: str
    kind: AxisKind = "number"
    limits: tuple[float, float] | None = None
    categories: tuple[str, ...] = ()
    reversed: bool = False
    step: float | None = None
    lower: float | None = None
    log: bool = False
    zone: str = ""
    clock: bool = False
    labelled: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", abbreviate(self.label))


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its marks; `title` names the group it shows, if panels are groups.

    `facet` has the columns that have panels of their own, and which of their categories this is.
    `place` is its row and its column, where the figure has a grid. `ratio` is how tall it is drawn
    for its width, 0 where it fills the space there is; None where its marks decide.
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""
    facet: tuple[tuple[str, str], ...] = ()
    place: tuple[int, int] | None = None
    ratio: float | None = None


CaptionLength = Literal["least", "short", "full"]


@dataclass(frozen=True)
class Look:
    """How a figure is to be drawn: what changes none of its numbers.

    Parameters
    ----------
    size
        Width and height in inches; None where the panels decide.
    dpi
        Points of a picture file per inch; None for as many as files usually have.
    colours
        One for each series, such as ``"#0072b2"``; none for our own.
    ramp
        The colours of a scale of numbers, from few to many; none for our own.
    caption
        How much stands below the picture; None for all of it, if there is room.
    """

    size: tuple[float, float] | None = None
    dpi: float | None = None
    colours: tuple[str, ...] = ()
    ramp: tuple[str, ...] = ()
    caption: CaptionLength | None = None


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
    short, least
        The caption where there is less room or less is wanted: what protects whom, in a sentence
        and in a few words.
    look
        How it is to be drawn.
    columns
        How many panels stand side by side; None where their size decides.
    grid
        How tall the rows of panels are and how wide their columns, for each other, where every
        panel has its place; None where panels follow each other.
    """

    title: str
    panels: tuple[Panel, ...]
    caption: str
    legend: str = ""
    notes: tuple[str, ...] = field(default=())
    watermark: str = ""
    short: str = ""
    least: str = ""
    look: Look = Look()
    columns: int | None = None
    grid: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", abbreviate(self.title, LONGEST_TITLE))
        object.__setattr__(self, "legend", abbreviate(self.legend))

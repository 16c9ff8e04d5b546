"""What a bar, a cell or a place says when it is pointed at, read aloud or listed in a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.figure import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Estimates,
    Figure,
    Heat,
    Interval,
    Mark,
    Panel,
    Points,
    percent,
)
from sfumato.render.counts import TOO_FEW
from sfumato.render.heat import sample
from sfumato.render.text import clean, moment, number

MOST_PLACES = 24
"""At how many places a side a density is read aloud and listed."""

DOUBT = " (could be noise)"


@dataclass(frozen=True)
class Reading:
    """One released value in words: the names of what it is about, and what it says."""

    place: tuple[tuple[str, str], ...]
    value: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        place = ", ".join(f"{name} {words}".strip() for name, words in self.place)
        value = "; ".join(f"{name} {words}".strip() for name, words in self.value)
        return f"{place}: {value}"


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


def bar_readings(figure: Figure, panel: Panel, bars: Bars) -> Iterator[Reading]:
    """Read the bars of one series: where, how much, and how sure."""
    for place, height in enumerate(bars.height):
        interval = span(panel.x, bars.left[place], bars.right[place])
        where = [*_panel(figure, panel), (panel.x.label, interval)]
        if bars.series:
            where.append((figure.legend, bars.series))
        value = f"{number(height)} (below zero)" if bars.clipped[place] else number(height)
        yield Reading(
            _cleaned(where),
            _cleaned(
                [
                    (panel.y.label, value),
                    (percent(bars.pointwise.coverage), _ends(bars.pointwise, place)),
                    (
                        f"{percent(bars.simultaneous.coverage)} all together",
                        _ends(bars.simultaneous, place),
                    ),
                ]
            ),
        )


def cell_readings(figure: Figure, panel: Panel, cells: Cells) -> Iterator[Reading]:
    """Read the cells of a grid, row by row."""
    noise = (percent(cells.coverage), f"± {number(cells.noise)}")
    for row, values in enumerate(cells.value):
        vertical = (panel.y.label, span(panel.y, *cells.y_edges[row : row + 2]))
        for column, value in enumerate(values):
            level = (panel.x.label, span(panel.x, *cells.x_edges[column : column + 2]))
            doubt = " (could be empty)" if cells.muted[row][column] else ""
            where = _cleaned([*_panel(figure, panel), level, vertical])
            yield Reading(where, _cleaned([(cells.label, number(value) + doubt), noise]))


def box_readings(figure: Figure, panel: Panel, boxes: Boxes) -> Iterator[Reading]:
    """Read the boxes of one series: seven numbers each, with their intervals in brackets."""
    groups, values = (panel.x, panel.y) if boxes.orient == "v" else (panel.y, panel.x)
    counted, sure = Axis(""), _sure(boxes.coverage)
    numbers: tuple[tuple[str, Axis, Estimates], ...] = (
        ("outliers below", counted, boxes.outliers_below),
        ("lower whisker", values, boxes.lower_whisker),
        ("q1", values, boxes.q1),
        ("median", values, boxes.median),
        ("q3", values, boxes.q3),
        ("upper whisker", values, boxes.upper_whisker),
        ("outliers above", counted, boxes.outliers_above),
    )
    for place, position in enumerate(boxes.position):
        where = [*_panel(figure, panel), (groups.label, span(groups, position, position))]
        where = [pair for pair in where if any(pair)]
        if boxes.series:
            where.append((figure.legend, boxes.series))
        said = [
            (name + sure, _estimate(axis, number, place, boxes.coverage, boxes.clear[place]))
            for name, axis, number in numbers
        ]
        said.append(("size", f"≈\u00a0{number(round(boxes.size[place]))}"))
        yield Reading(_cleaned(where), _cleaned(said))


def point_readings(figure: Figure, panel: Panel, points: Points) -> Iterator[Reading]:
    """Read the points of one series: where on the y axis, how much, and how sure."""
    name = panel.x.label + _sure(points.coverage)
    for place, height in enumerate(points.y):
        where = [*_panel(figure, panel), (panel.y.label, at(panel.y, height))]
        if points.series:
            where.append((figure.legend, points.series))
        words = _estimate(panel.x, points.x, place, points.coverage)
        yield Reading(_cleaned(where), _cleaned([(name, words)]))


def heat_readings(figure: Figure, panel: Panel, heat: Heat) -> Iterator[Reading]:
    """Read a density at a few places, row by row."""
    taken = sample(heat, MOST_PLACES)
    sure = f"{percent(heat.coverage)} (noise)"
    for place in taken.places:
        left, right, low, high = taken.ends(heat, place)
        middle = [(panel.x.label, between(panel.x, left, right))]
        middle.append((panel.y.label, between(panel.y, low, high)))
        doubt = DOUBT if place.low <= 0 else ""
        interval = f"{number(place.low)} to {number(place.high)}"
        yield Reading(
            _cleaned([*_panel(figure, panel), *middle]),
            _cleaned([(heat.label, number(place.value) + doubt), (sure, interval)]),
        )


def between(axis: Axis, low: float, high: float) -> str:
    """Print the middle of two places on an axis, with the digits that tell them apart."""
    middle = (low + high) / 2
    if axis.kind == "time":
        return moment(middle)
    return number(round(middle, decimals(high - low)))


def decimals(width: float) -> int:
    """Return how many decimals tell apart two places as far apart as `width`.

    Examples
    --------
    >>> decimals(0.02), decimals(7)
    (2, 0)
    """
    return max(0, math.ceil(-math.log10(width)))


def at(axis: Axis, value: float) -> str:
    """Print one place on an axis."""
    match axis.kind:
        case "category":
            return axis.categories[round(value)]
        case "time":
            return moment(value)
        case "number":
            return number(value)


def span(axis: Axis, low: float, high: float) -> str:
    """Print the interval or the category between two places on an axis.

    Examples
    --------
    >>> span(Axis("age"), 20, 25), span(Axis("ward", "category", categories=("A", "B")), 0.6, 1.4)
    ('20–25', 'B')
    """
    match axis.kind:
        case "category":
            return axis.categories[round((low + high) / 2)]
        case "time":
            return f"{moment(low)} – {moment(high)}"
        case "number":
            return f"{number(low)}–{number(high)}"


def _panel(figure: Figure, panel: Panel) -> list[tuple[str, str]]:
    return [(figure.legend, panel.title)] if panel.title else []


def _ends(interval: Interval, place: int) -> str:
    return f"{number(interval.low[place])} to {number(interval.high[place])}"


def _sure(coverage: float) -> str:
    return f" ({percent(coverage)})" if coverage else ""


def _estimate(
    axis: Axis, estimates: Estimates, place: int, coverage: float, clear: bool = True
) -> str:
    """Print a number with its interval in brackets, if it has one."""
    value, low, high = (
        at(axis, numbers[place]) for numbers in (estimates.value, estimates.low, estimates.high)
    )
    interval = f" ({low} to {high})" if coverage else ""
    return (value if clear else TOO_FEW) + interval


def _cleaned(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((clean(name), clean(words)) for name, words in pairs)

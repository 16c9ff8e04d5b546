"""What a bar or a cell says when it is pointed at, read aloud or listed in a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.figure import Axis, Bars, Cells, Figure, Interval, Panel, percent
from sfumato.render.text import clean, moment, number


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
            match mark:
                case Bars():
                    yield from bar_readings(figure, panel, mark)
                case Cells():
                    yield from cell_readings(figure, panel, mark)


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


def _cleaned(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((clean(name), clean(words)) for name, words in pairs)

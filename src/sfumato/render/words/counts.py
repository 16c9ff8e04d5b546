"""What a bar or a cell says: counts, and how sure we are of them."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.figure import Bars, Cells, Figure, Interval, Panel, percent
from sfumato.render.text import number
from sfumato.render.words.places import span
from sfumato.render.words.reading import Reading, cleaned, panel_of


def bar_readings(figure: Figure, panel: Panel, bars: Bars) -> Iterator[Reading]:
    """Read the bars of one series: where, how much, and how sure."""
    for place, height in enumerate(bars.height):
        interval = span(panel.x, bars.left[place], bars.right[place])
        where = [*panel_of(figure, panel), (panel.x.label, interval)]
        if bars.series:
            where.append((figure.legend, bars.series))
        value = f"{number(height)} (below zero)" if bars.clipped[place] else number(height)
        yield Reading(
            cleaned(where),
            cleaned(
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
            where = cleaned([*panel_of(figure, panel), level, vertical])
            yield Reading(where, cleaned([(cells.label, number(value) + doubt), noise]))


def _ends(interval: Interval, place: int) -> str:
    return f"{number(interval.low[place])} to {number(interval.high[place])}"

"""What a box or a point says: summaries of groups, and how sure we are of them."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.figure import Axis, Boxes, Estimates, Figure, Panel, Points
from sfumato.render.counts import TOO_FEW
from sfumato.render.text import number
from sfumato.render.words.places import at, span
from sfumato.render.words.reading import Reading, cleaned, estimate, panel_of, sure


def box_readings(figure: Figure, panel: Panel, boxes: Boxes) -> Iterator[Reading]:
    """Read the boxes of one series: seven numbers each, with their intervals in brackets."""
    groups, values = (panel.x, panel.y) if boxes.orient == "v" else (panel.y, panel.x)
    counted, known = Axis(""), sure(boxes.coverage)
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
        where = [*panel_of(figure, panel), (groups.label, span(groups, position, position))]
        where = [pair for pair in where if any(pair)]
        if boxes.series:
            where.append((figure.legend, boxes.series))
        said = [
            (name + known, estimate(axis, number, place, boxes.coverage, boxes.clear[place]))
            for name, axis, number in numbers
        ]
        said.append(("size", f"≈\u00a0{number(round(boxes.size[place]))}"))
        yield Reading(cleaned(where), cleaned(said))


def point_readings(figure: Figure, panel: Panel, points: Points) -> Iterator[Reading]:
    """Read the points of one series: where on the y axis, how much, and how sure."""
    name = panel.x.label + sure(points.coverage)
    for place, height in enumerate(points.y):
        where = [*panel_of(figure, panel), (panel.y.label, at(panel.y, height))]
        if points.series:
            where.append((figure.legend, points.series))
        words = estimate(panel.x, points.x, place, points.coverage)
        yield Reading(cleaned(where), cleaned([(name, words)]))
    for height in points.too_few:
        where = [*panel_of(figure, panel), (panel.y.label, at(panel.y, height))]
        yield Reading(cleaned(where), cleaned([(panel.x.label, TOO_FEW)]))

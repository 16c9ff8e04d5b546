"""What marks and pictures say when they are pointed at, read aloud or listed in a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ends import format_clock
from sfumato.figure import (
    Arrows,
    Axis,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Contour,
    Curve,
    Dots,
    Estimates,
    Figure,
    Heat,
    Interval,
    LetterValues,
    Mark,
    Matrix,
    Panel,
    Points,
    Regions,
    Summaries,
    Violins,
    format_percent,
)
from sfumato.render.boxes import TOO_FEW
from sfumato.render.plane import sample_density
from sfumato.render.scale import list_marks, title_of
from sfumato.render.shapes import choose_read, find_value_axis, list_matrix_cells
from sfumato.render.text import MINUS, clean, format_moment, format_number, shorten


def describe_middle(axis: Axis, low: float, high: float) -> str:
    """Print the middle of two places on an axis, with the digits that tell them apart."""
    middle = (low + high) / 2
    if axis.kind == "time":
        return _format_time(axis, middle)
    return format_number(round(middle, decimals(high - low)))


def _format_time(axis: Axis, value: float) -> str:
    return format_clock(value) if axis.clock else format_moment(value, axis.zone)


def decimals(width: float) -> int:
    """Return how many decimals tell apart two places as far apart as `width`.

    Examples
    --------
    >>> decimals(0.02), decimals(7)
    (2, 0)
    """
    return max(0, math.ceil(-math.log10(width)))


def describe_position(axis: Axis, value: float) -> str:
    """Print one place on an axis."""
    match axis.kind:
        case "category":
            return axis.categories[round(value)]
        case "time":
            return _format_time(axis, value)
        case "number":
            return format_number(value)


def describe_span(axis: Axis, low: float, high: float) -> str:
    """Print the interval or the category between two places on an axis.

    Examples
    --------
    >>> ward = Axis("ward", "category", categories=("A", "B"))
    >>> describe_span(Axis("age"), 20, 25), describe_span(ward, 0.6, 1.4)
    ('20–25', 'B')
    >>> hour = Axis("hour", step=1)
    >>> describe_span(hour, 19.5, 24.5), describe_span(hour, 6.5, 7.5)
    ('20–24', '7')
    """
    if axis.step is not None:
        low, high = low + axis.step / 2, high - axis.step / 2
        if math.isclose(low, high):
            return format_number(low)
    match axis.kind:
        case "category":
            return axis.categories[round((low + high) / 2)]
        case "time":
            return f"{_format_time(axis, low)} – {_format_time(axis, high)}"
        case "number":
            return f"{format_number(low)}–{format_number(high)}"


LONGEST = 300
"""How many letters of a name or a value are told."""


@dataclass(frozen=True)
class Description:
    """One released value in words: the names of what it is about, and what it says."""

    place: tuple[tuple[str, str], ...]
    value: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        place = ", ".join(f"{name} {words}".strip() for name, words in self.place)
        value = "; ".join(f"{name} {words}".strip() for name, words in self.value)
        return f"{place}: {value}"


def describe_panel(figure: Figure, panel: Panel) -> list[tuple[str, str]]:
    """Return the groups that a panel shows, if panels are groups."""
    return [*panel.facet, *([(figure.legend, panel.title)] if panel.title else [])]


def describe_coverage(coverage: float) -> str:
    """Return how often an interval covers the truth, in brackets."""
    return f" ({format_percent(coverage)})" if coverage else ""


def describe_estimate(
    axis: Axis, estimates: Estimates, place: int, coverage: float, reliable: bool = True
) -> str:
    """Print a number with its interval in brackets, if it has one."""
    value, low, high = (
        describe_position(axis, numbers[place])
        for numbers in (estimates.value, estimates.low, estimates.high)
    )
    interval = f" ({low} to {high})" if coverage else ""
    return (value if reliable else TOO_FEW) + interval


def clean_pairs(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return names and words without what cannot be printed, of bounded length."""
    return tuple((shorten(name, LONGEST), shorten(words, LONGEST)) for name, words in pairs)


def describe_bars(figure: Figure, panel: Panel, bars: Bars) -> Iterator[Description]:
    """Read the bars of one series: where, how much, and how sure."""
    along, up = (panel.x, panel.y) if bars.orient == "v" else (panel.y, panel.x)
    intervals = ((bars.pointwise, ""), (bars.simultaneous, " all together"))
    for place, height in enumerate(bars.height):
        interval = describe_span(along, bars.left[place], bars.right[place])
        where = [*describe_panel(figure, panel), (along.label, interval)]
        if bars.series:
            where.append((figure.legend, bars.series))
        value = (
            f"{format_number(height)} (below zero)"
            if bars.clipped[place]
            else format_number(height)
        )
        yield Description(
            clean_pairs(where),
            clean_pairs(
                [
                    (up.label, value),
                    *(
                        (f"{format_percent(ends.coverage)}{of}", _describe_interval(ends, place))
                        for ends, of in intervals
                        if ends is not None
                    ),
                ]
            ),
        )


def describe_cells(figure: Figure, panel: Panel, cells: Cells) -> Iterator[Description]:
    """Read the cells of a grid, row by row."""
    noise = (format_percent(cells.coverage), f"± {format_number(cells.noise)}")
    for row, values in enumerate(cells.value):
        vertical = (panel.y.label, describe_span(panel.y, *cells.y_edges[row : row + 2]))
        for column, value in enumerate(values):
            level = (panel.x.label, describe_span(panel.x, *cells.x_edges[column : column + 2]))
            doubt = " (could be empty)" if cells.muted[row][column] else ""
            where = clean_pairs([*describe_panel(figure, panel), level, vertical])
            yield Description(
                where, clean_pairs([(cells.label, format_number(value) + doubt), noise])
            )


def _describe_interval(interval: Interval, place: int) -> str:
    return f"{format_number(interval.low[place])} to {format_number(interval.high[place])}"


Array = NDArray[np.float64]
Pairs = list[tuple[str, str]]

NOWHERE = "nowhere"


def describe_clouds(figure: Figure, panel: Panel, clouds: Clouds) -> Iterator[Description]:
    """Read a group at a time: where it is densest, and which other lies most where it does."""
    shared = overlaps(clouds)
    for group, name in enumerate(clouds.series):
        peak = describe_densest(panel, clouds, group)
        axes = (f"densest at {panel.x.label}", panel.y.label)
        said = list(zip(axes, peak or (NOWHERE, NOWHERE), strict=True))
        if len(clouds.series) > 1 and peak:
            said.append(("overlaps most with", _describe_nearest(clouds, shared, group)))
        yield Description(clean_pairs(_describe_group(figure, panel, name)), clean_pairs(said))


def describe_contour(figure: Figure, panel: Panel, outline: Contour) -> Iterator[Description]:
    """Read how far the smallest region reaches that holds a share of a group."""
    where = [
        *_describe_group(figure, panel, outline.series),
        ("share inside", format_percent(outline.share)),
    ]
    corners = [corner for path in outline.paths for corner in path]
    said = [
        (axis.label, _describe_extent([corner[side] for corner in corners]))
        for side, axis in enumerate((panel.x, panel.y))
    ]
    yield Description(clean_pairs(where), clean_pairs(said))


def describe_dots(figure: Figure, panel: Panel, dots: Dots) -> Iterator[Description]:
    """Read how many points there are; where each lies says nothing about anybody."""
    where = _describe_group(figure, panel, dots.series)
    yield Description(
        clean_pairs(where), clean_pairs([("points drawn from the density", f"{len(dots.x)}")])
    )


def describe_arrows(figure: Figure, panel: Panel, arrows: Arrows) -> Iterator[Description]:
    """Read the arrows from the longest to the shortest."""
    known = describe_coverage(arrows.coverage)
    for place, length in sort_by_length(arrows):
        where = [*describe_panel(figure, panel), ("arrow", arrows.label[place])]
        said = [("length", format_brief(length))]
        for axis, ends in ((panel.x, arrows.x), (panel.y, arrows.y)):
            said.append((axis.label + known, describe_estimate(axis, ends, place, arrows.coverage)))
        yield Description(clean_pairs(where), clean_pairs(said))


def describe_densest(panel: Panel, mark: Clouds | Heat, group: int = 0) -> tuple[str, str] | None:
    """Print the middle of the place where a density is highest, unless it is zero everywhere."""
    value = np.array(mark.value[group] if isinstance(mark, Clouds) else mark.value)
    if not value.size or value.max() <= 0:
        return None
    row, column = divmod(int(value.argmax()), value.shape[1])
    rows, columns = value.shape
    return _describe_cell_middle(panel.x, mark.x, column, columns), _describe_cell_middle(
        panel.y, mark.y, row, rows
    )


def overlaps(clouds: Clouds) -> Array:
    """Return how much of two groups lies in the same place, for each pair: 1 is all of both.

    Every group counts as one whole here, however many people it has.
    """
    value = np.array(clouds.value, dtype=float).reshape(len(clouds.series), -1)
    whole = value.sum(axis=1, keepdims=True)
    parts = value / np.where(whole > 0, whole, 1.0)
    return np.array([np.minimum(part, parts).sum(axis=1) for part in parts])


def sort_by_length(arrows: Arrows) -> list[tuple[int, float]]:
    """Return place and length of every arrow, the longest first."""
    x, y = arrows.origin
    tips = zip(arrows.x.value, arrows.y.value, strict=True)
    lengths = [math.hypot(across - x, up - y) for across, up in tips]
    return sorted(enumerate(lengths), key=lambda pair: -pair[1])


def format_brief(value: float) -> str:
    """Print a number to two digits.

    Examples
    --------
    >>> format_brief(0.1234), format_brief(12.34)
    ('0.12', '12')
    """
    return format_number(float(f"{value:.2g}"))


def _describe_group(figure: Figure, panel: Panel, name: str) -> Pairs:
    return [*describe_panel(figure, panel), *([(figure.legend, name)] if name else [])]


def _describe_nearest(clouds: Clouds, shared: Array, group: int) -> str:
    others = [place for place in range(len(clouds.series)) if place != group]
    other = max(others, key=lambda place: float(shared[group, place]))
    return f"{clouds.series[other]} ({format_percent(float(shared[group, other]))})"


def _describe_extent(ends: list[float]) -> str:
    if not ends:
        return NOWHERE
    low, high = min(ends), max(ends)
    digits = decimals((high - low) / 50) if high > low else 2
    return f"{format_number(round(low, digits))} to {format_number(round(high, digits))}"


def _describe_cell_middle(axis: Axis, window: tuple[float, float], place: int, count: int) -> str:
    width = (window[1] - window[0]) / count
    low = window[0] + place * width
    return describe_middle(axis, low, low + width)


_MOST_PLACES = 24
_FEWEST_PLACES = 6

DOUBT = " (could be noise)"


def choose_places_aside(figure: Figure) -> int:
    """Return at how many places a side a density is read aloud and listed: fewer if it has others.

    Examples
    --------
    >>> choose_places_aside(Figure("", (), ""))
    24
    """
    count = len(list_marks(figure, Heat)) + len(list_marks(figure, Clouds))
    return max(_FEWEST_PLACES, int(_MOST_PLACES / math.sqrt(max(1, count))))


def describe_heat(figure: Figure, panel: Panel, heat: Heat) -> Iterator[Description]:
    """Read a density at a few places, row by row."""
    taken = sample_density(heat, choose_places_aside(figure))
    for place in taken.places:
        left, right, low, high = taken.ends(heat, place)
        middle = [(panel.x.label, describe_middle(panel.x, left, right))]
        middle.append((panel.y.label, describe_middle(panel.y, low, high)))
        said = [(heat.label, format_number(place.value))]
        if heat.coverage:
            doubt = DOUBT if place.low <= 0 else ""
            interval = f"{format_number(place.low)} to {format_number(place.high)}"
            said = [(heat.label, format_number(place.value) + doubt)]
            said.append((f"{format_percent(heat.coverage)} (noise)", interval))
        yield Description(clean_pairs([*describe_panel(figure, panel), *middle]), clean_pairs(said))


def describe_boxes(figure: Figure, panel: Panel, boxes: Boxes) -> Iterator[Description]:
    """Read the boxes of one series: seven numbers each, with their intervals in brackets."""
    groups, values = (panel.x, panel.y) if boxes.orient == "v" else (panel.y, panel.x)
    counted, known = Axis(""), describe_coverage(boxes.coverage)
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
        where = [
            *describe_panel(figure, panel),
            (groups.label, describe_span(groups, position, position)),
        ]
        where = [pair for pair in where if any(pair)]
        if boxes.series:
            where.append((figure.legend, boxes.series))
        said = [
            (
                name + known,
                describe_estimate(axis, number, place, boxes.coverage, boxes.reliable[place]),
            )
            for name, axis, number in numbers
        ]
        said.append(("size", f"≈\u00a0{format_number(round(boxes.size[place]))}"))
        yield Description(clean_pairs(where), clean_pairs(said))


def describe_points(figure: Figure, panel: Panel, points: Points) -> Iterator[Description]:
    """Read the points of one series: where on the y axis, how much, and how sure."""
    name = panel.x.label + describe_coverage(points.coverage)
    for place, height in enumerate(points.y):
        where = [
            *describe_panel(figure, panel),
            (panel.y.label, describe_position(panel.y, height)),
        ]
        if points.series:
            where.append((figure.legend, points.series))
        words = describe_estimate(panel.x, points.x, place, points.coverage)
        yield Description(clean_pairs(where), clean_pairs([(name, words)]))
    for height in points.too_few:
        where = [
            *describe_panel(figure, panel),
            (panel.y.label, describe_position(panel.y, height)),
        ]
        yield Description(clean_pairs(where), clean_pairs([(panel.x.label, TOO_FEW)]))


def describe_curve(figure: Figure, panel: Panel, curve: Curve) -> Iterator[Description]:
    """Read the values of one curve: where, how much, and how sure."""
    along, up = find_value_axis((panel.x, panel.y), curve.orient)
    together = ", all together" if curve.simultaneous else ""
    known = f" ({format_percent(curve.coverage)}{together})" if curve.coverage else ""
    spans = curve.spans
    for place in choose_read(curve):
        ends = spans[place]
        where = [*_describe_group(figure, panel, curve.series)]
        where.append((along.label, describe_span(along, *ends) if curve.steps else
                      describe_position(along, ends[0])))  # fmt: skip
        words = describe_estimate(up, curve.y, place, curve.coverage)
        said = [(up.label + known, words + (DOUBT if curve.muted[place] else ""))]
        yield Description(clean_pairs(where), clean_pairs(said))


def describe_summaries(figure: Figure, panel: Panel, mark: Summaries) -> Iterator[Description]:
    """Read the summaries of one series: where, how much, and how sure."""
    along, up = find_value_axis((panel.x, panel.y), mark.orient)
    name = up.label + describe_coverage(mark.coverage)
    for place, at in enumerate(mark.position):
        where = [*_describe_group(figure, panel, mark.series)]
        where.append((along.label, describe_position(along, at)))
        words, reliable = TOO_FEW, mark.reliable[place]
        if reliable:
            words = describe_estimate(up, mark.value, place, mark.coverage)
        doubt = DOUBT if reliable and mark.muted[place] else ""
        yield Description(clean_pairs(where), clean_pairs([(name, words + doubt)]))


def describe_violins(figure: Figure, panel: Panel, mark: Violins) -> Iterator[Description]:
    """Read the violins of one series: quartiles, where they are drawn, and the densest place."""
    quartiles = (("q1", mark.q1), ("median", mark.median), ("q3", mark.q3))
    _, up = find_value_axis((panel.x, panel.y), mark.orient)
    for place, density in enumerate(mark.density):
        said = [
            (name + describe_coverage(mark.coverage),
             describe_estimate(up, number, place, mark.coverage))
            for name, number in quartiles
            if number is not None and mark.reliable[place]
        ]  # fmt: skip
        if mark.reliable[place] and density:
            peak = max(range(len(density)), key=density.__getitem__)
            doubt = DOUBT if mark.muted[place][peak] else ""
            said.append(("densest at", describe_position(up, mark.at[peak]) + doubt))
        yield _describe_letter_group(figure, panel, mark, place, said)


def describe_letter_values(
    figure: Figure, panel: Panel, mark: LetterValues
) -> Iterator[Description]:
    """Read the letter values of one series, as deep as they are drawn."""
    _, up = find_value_axis((panel.x, panel.y), mark.orient)
    for place, depth in enumerate(mark.depth):
        numbers = [("median", mark.median)]
        for level in range(min(depth, len(mark.low))):
            share = 2 ** (level + 2)
            numbers = [(f"1/{share}", mark.low[level]), *numbers]
            numbers.append((f"{share - 1}/{share}", mark.high[level]))
        said = [
            (name + describe_coverage(mark.coverage),
             describe_estimate(up, number, place, mark.coverage))
            for name, number in numbers
        ]  # fmt: skip
        yield _describe_letter_group(figure, panel, mark, place, said)


def _describe_letter_group(
    figure: Figure, panel: Panel, mark: Violins | LetterValues, place: int, said: Pairs
) -> Description:
    along, up = find_value_axis((panel.x, panel.y), mark.orient)
    where = [*_describe_group(figure, panel, mark.series)]
    where.append((along.label, describe_position(along, mark.position[place])))
    told = said if mark.reliable[place] else [(up.label, TOO_FEW)]
    return Description(clean_pairs(where), clean_pairs(told))


def print_signed(value: float) -> str:
    """Print a number between -1 and 1 with two digits.

    Examples
    --------
    >>> print_signed(-0.253), print_signed(1.0), print_signed(-0.001)
    ('−0.25', '1.00', '0.00')
    """
    printed = f"{value:.2f}"
    return "0.00" if printed == "-0.00" else printed.replace("-", MINUS)


def print_cell(mark: Matrix, row: int, column: int) -> list[str]:
    """Print the number of a cell, and its interval on a line of its own."""
    low, high = mark.low[row][column], mark.high[row][column]
    value = print_signed(mark.value[row][column])
    return [value, f"{print_signed(low)} to {print_signed(high)}"] if low < high else [value]


def describe_matrix(figure: Figure, panel: Panel, mark: Matrix) -> Iterator[Description]:
    """Read the cells that are shown, row by row, each with its interval."""
    name = mark.label + describe_coverage(mark.coverage)
    for row, column, value, muted in list_matrix_cells(mark):
        pair = panel.y.categories[row], panel.x.categories[column]
        where = [*describe_panel(figure, panel), ("", f"{pair[0]} and {pair[1]}")]
        low, high = print_signed(mark.low[row][column]), print_signed(mark.high[row][column])
        words = print_signed(value) + (f" ({low} to {high})" if mark.coverage else "")
        yield Description(clean_pairs(where), clean_pairs([(name, words + DOUBT * muted)]))


def describe_regions(figure: Figure, panel: Panel, mark: Regions) -> Iterator[Description]:
    """Read the regions of a map, each with its number and its interval."""
    name = mark.label + describe_coverage(mark.coverage)
    for place, region in enumerate(mark.name):
        if mark.reliable and not mark.reliable[place]:
            said = [(mark.label, TOO_FEW)]
        else:
            words = describe_estimate(Axis(""), mark.value, place, mark.coverage)
            said = [(name, words + (DOUBT if mark.muted[place] else ""))]
        where = [*describe_panel(figure, panel), ("", region)]
        yield Description(clean_pairs(where), clean_pairs(said))


def describe_figure(figure: Figure) -> Iterator[Description]:
    """Read every value of a figure, panel by panel."""
    for panel in figure.panels:
        for mark in panel.marks:
            yield from _describe_mark(figure, panel, mark)


def _describe_mark(figure: Figure, panel: Panel, mark: Mark) -> Iterator[Description]:
    match mark:
        case Bars():
            return describe_bars(figure, panel, mark)
        case Cells():
            return describe_cells(figure, panel, mark)
        case Boxes():
            return describe_boxes(figure, panel, mark)
        case Points():
            return describe_points(figure, panel, mark)
        case Heat() | Clouds() | Contour() | Dots() | Arrows():
            return _describe_plane_mark(figure, panel, mark)
        case _:
            return _describe_shape(figure, panel, mark)


def _describe_shape(
    figure: Figure,
    panel: Panel,
    mark: Curve | Summaries | Matrix | Violins | LetterValues | Regions,
) -> Iterator[Description]:
    match mark:
        case Curve():
            return describe_curve(figure, panel, mark)
        case Summaries():
            return describe_summaries(figure, panel, mark)
        case Matrix():
            return describe_matrix(figure, panel, mark)
        case Violins():
            return describe_violins(figure, panel, mark)
        case LetterValues():
            return describe_letter_values(figure, panel, mark)
        case Regions():
            return describe_regions(figure, panel, mark)


def _describe_plane_mark(
    figure: Figure, panel: Panel, mark: Heat | Clouds | Contour | Dots | Arrows
) -> Iterator[Description]:
    match mark:
        case Heat():
            return describe_heat(figure, panel, mark)
        case Clouds():
            return describe_clouds(figure, panel, mark)
        case Contour():
            return describe_contour(figure, panel, mark)
        case Dots():
            return describe_dots(figure, panel, mark)
        case Arrows():
            return describe_arrows(figure, panel, mark)


_MOST_NAMED = 12
_LONGEST = 2000  # letters of a sentence, whatever names are in it


def describe_aloud(figure: Figure) -> str:
    """Return what a screen reader says of the whole picture: its title, and what it shows."""
    told = summarise(figure)
    return clean(f"{figure.title}. {told}" if told else figure.title)


def summarise(figure: Figure) -> str:
    """Return a text for screen readers; empty where every mark is read for itself.

    Groups are named by where they are densest and how much they overlap, arrows by length.
    """
    told = [
        shorten(f"{_prefix_title(figure, panel)}{sentence}", _LONGEST)
        for panel in figure.panels
        for sentence in _summarise_panel(figure, panel)
    ]
    return clean(" ".join(told))


def _summarise_panel(figure: Figure, panel: Panel) -> list[str]:
    said = [sentence for mark in panel.marks for sentence in _summarise_mark(figure, panel, mark)]
    shares = {mark.share for mark in panel.marks if isinstance(mark, Contour)}
    if shares:
        listed = " and ".join(map(format_percent, sorted(shares)))
        said.append(f"Lines enclose {listed} of each group.")
    return said


def _summarise_mark(figure: Figure, panel: Panel, mark: Mark) -> list[str]:
    match mark:
        case Heat():
            return _summarise_density(panel, mark)
        case Clouds():
            return [*_summarise_groups(figure, panel, mark), *_summarise_overlap(mark)]
        case Arrows():
            return _summarise_arrows(mark)
        case _:
            return []


def _summarise_density(panel: Panel, heat: Heat) -> list[str]:
    peak = describe_densest(panel, heat)
    of = f"Density of {heat.label}" if heat.label else "Density"
    if peak is None:
        return [f"{of}, zero everywhere."]
    value, doubtful = np.array(heat.value), np.array(heat.muted)
    doubt = DOUBT if doubtful.flat[value.argmax()] else ""
    return [f"{of}, highest at {panel.x.label} {peak[0]}, {panel.y.label} {peak[1]}{doubt}."]


def _summarise_groups(figure: Figure, panel: Panel, clouds: Clouds) -> list[str]:
    if len(clouds.series) < 2:
        opening = f"Density over {panel.x.label} and {panel.y.label}."
    else:
        of = f" of {figure.legend}" if figure.legend else ""
        count = len(clouds.series)
        opening = f"Densities of {count} groups{of} over {panel.x.label} and {panel.y.label}."
    said = [opening]
    for group, name in enumerate(clouds.series[:_MOST_NAMED]):
        peak = describe_densest(panel, clouds, group)
        where = f"is densest at {peak[0]}, {peak[1]}" if peak else "is seen nowhere"
        said.append(f"{name or 'It'} {where}.")
    return said


def _summarise_overlap(clouds: Clouds) -> list[str]:
    names, shared = clouds.series, overlaps(clouds)
    pairs = [(a, b) for b in range(len(names)) for a in range(b)]
    if not pairs:
        return []
    most = max(pairs, key=lambda pair: float(shared[pair]))
    least = min(pairs, key=lambda pair: float(shared[pair]))
    if len(pairs) == 1:
        return [f"They overlap by {format_percent(float(shared[most]))}."]
    ends = (
        f"{names[a]} and {names[b]} ({format_percent(float(shared[a, b]))})"
        for a, b in (most, least)
    )
    return ["Most overlap: {}; least: {}.".format(*ends)]


def _summarise_arrows(arrows: Arrows) -> list[str]:
    if not arrows.label:
        return []
    ordered = sort_by_length(arrows)
    listed = ", ".join(f"{arrows.label[place]} {format_brief(size)}" for place, size in ordered)
    return [f"Arrows by length: {listed}."]


def _prefix_title(figure: Figure, panel: Panel) -> str:
    words = title_of(figure, panel)
    return f"{words}: " if words else ""

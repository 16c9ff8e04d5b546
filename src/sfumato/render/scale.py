"""Where the axes and the colour scale of a figure begin and end, for every renderer alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from sfumato.ends import DAY
from sfumato.errors import abbreviate
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
    Figure,
    Heat,
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
from sfumato.render.shapes import region_limits
from sfumato.render.text import format_number, shorten
from sfumato.zones import Zone

HEADROOM = 1.05
_SPREAD = 0.7

Limits = tuple[float, float]
MarkKind = TypeVar("MarkKind", bound=Mark)
Coloured = Cells | Heat | Regions
"""Marks whose colour measures something."""


def list_panels(figure: Figure) -> tuple[Panel, ...]:
    """Return the panels to draw: an empty one where no group may be shown."""
    return figure.panels or (Panel(Axis("", "category"), Axis("", "category"), ()),)


def title_of(figure: Figure, panel: Panel) -> str:
    """Return what a panel shows: its groups by name, and what each name is a value of."""
    named = figure.legend and panel.title
    group = f"{figure.legend} = {panel.title}" if named else panel.title
    facets = [f"{abbreviate(column)} = {abbreviate(name)}" for column, name in panel.facet]
    return " | ".join([*facets, *([group] if group else [])])


def list_titles(figure: Figure, panel: Panel) -> tuple[str, ...]:
    """Return what can be written above a panel: where there is little room, categories alone."""
    whole = title_of(figure, panel)
    if not panel.facet:
        return (whole,)
    names = [abbreviate(name) for _, name in panel.facet]
    return whole, " | ".join([*names, *([panel.title] if panel.title else [])])


def headlines(figure: Figure) -> list[str]:
    """Return the lines above everything; a panel alone has no title of its own."""
    alone = figure.panels[0] if len(figure.panels) == 1 else None
    return [line for line in (figure.title, title_of(figure, alone) if alone else "") if line]


def list_captions(figure: Figure) -> list[str]:
    """Return the captions that may be drawn, the longest first: one alone where it was chosen."""
    lengths = {"full": figure.caption, "short": figure.short, "least": figure.least}
    if figure.look.caption is not None:
        return [lengths[figure.look.caption] or figure.caption]
    return list(dict.fromkeys(words for words in lengths.values() if words))


def count_columns(figure: Figure) -> int:
    """Return how many panels stand side by side where there is room for all."""
    count = max(1, len(figure.panels))
    if figure.grid is not None:
        return len(figure.grid[1])
    if figure.columns is not None:
        return min(count, figure.columns)
    return count if count <= 3 else math.ceil(math.sqrt(count))


def list_places(figure: Figure, columns: int) -> list[tuple[int, int]]:
    """Return the row and the column of each panel, where so many stand side by side."""
    return [
        panel.place if figure.grid is not None and panel.place else divmod(number, columns)
        for number, panel in enumerate(list_panels(figure))
    ]


def list_shares(figure: Figure, columns: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return which parts of the whole height the rows of panels have, and of the width columns."""
    rows = math.ceil(len(list_panels(figure)) / columns)
    tall, wide = figure.grid or ((1.0,) * rows, (1.0,) * columns)
    return tuple(part / sum(tall) for part in tall), tuple(part / sum(wide) for part in wide)


def tell_labels_apart(figure: Figure, places: list[tuple[int, int]]) -> list[tuple[bool, bool]]:
    """Tell of each panel whether its x axis and its y axis have to be labelled.

    What the panel below or to the left says already is said once.
    """
    panels = dict(zip(places, list_panels(figure), strict=True))
    told: list[tuple[bool, bool]] = []
    for (row, column), panel in panels.items():
        below, beside = panels.get((row + 1, column)), panels.get((row, column - 1))
        told.append(
            (
                panel.x.labelled and not (below is not None and below.x == panel.x),
                panel.y.labelled and not (beside is not None and beside.y == panel.y),
            )
        )
    return told


def count_lying_rows(panel: Panel) -> int:
    """Count the names beside a panel whose bars or boxes lie, each of them with its own room."""
    lying = [mark for mark in panel.marks if isinstance(mark, Bars) and mark.orient == "h"]
    return len(panel.y.categories) * math.ceil(max(1.0, len(lying) / 2)) if lying else 0


def x_limits(panel: Panel, figure: Figure | None = None) -> Limits:
    """Return the ends of a panel's x axis; panels of a figure with the same x axis share them."""
    panels = [panel] if figure is None else figure.panels
    marks = [mark for other in panels if other.x == panel.x for mark in other.marks]
    return _limits(panel.x, [end for mark in marks for end in _x_ends(mark)])


def y_limits(panel: Panel, figure: Figure) -> Limits:
    """Return the ends of a panel's y axis; panels with the same y axis share them.

    An axis of counts begins at zero and has room for the longest error bar.
    """
    marks = [mark for other in figure.panels if other.y == panel.y for mark in other.marks]
    return _limits(panel.y, [end for mark in marks for end in _y_ends(mark)])


def value_limits(panel: Panel, boxes: Boxes) -> Limits:
    """Return the ends of the axis along which boxes have their values."""
    axis = panel.y if boxes.orient == "v" else panel.x
    return _limits(axis, _value_ends(boxes))


def colour_limits(figure: Figure) -> Limits:
    """Return the values at both ends of the colour scale, which all panels share."""
    regions = list_marks(figure, Regions)
    if regions:
        return region_limits(regions)
    grids = [*list_marks(figure, Cells), *list_marks(figure, Heat)]
    rows = [row for mark in grids for row in mark.value]
    return 0.0, max((value for row in rows for value in row), default=0.0) or 1.0


def list_coloured(figure: Figure) -> list[Coloured]:
    """Return the marks that need a colour scale: grids that have cells at all, and densities."""
    marks = [*list_marks(figure, Cells), *list_marks(figure, Heat)]
    grids = [mark for mark in marks if mark.value and mark.value[0]]
    return [*grids, *(mark for mark in list_marks(figure, Regions) if mark.paths)]


def list_series(figure: Figure) -> list[str]:
    """Return the names of all series, in the order they first appear."""
    marks = [mark for panel in figure.panels for mark in panel.marks]
    return list(dict.fromkeys(name for mark in marks for name in list_names(mark)))


def list_names(mark: Mark) -> tuple[str, ...]:
    """Return the names of the series that a mark shows, if they have any."""
    match mark:
        case Cells() | Heat() | Arrows() | Matrix() | Regions():
            return ()
        case Clouds():
            return tuple(name for name in mark.series if name)
        case _:
            return (mark.series,) if mark.series else ()


def list_marks(figure: Figure, kind: type[MarkKind]) -> list[MarkKind]:
    """Return all marks of one kind, panel by panel."""
    return [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, kind)]


def choose_ruled_axes(panel: Panel) -> Literal["x", "y", "both"] | None:
    """Return the axes whose ticks are carried on as light lines across the panel."""
    match panel.marks:
        case (Cells() | Heat() | Clouds() | Matrix() | Regions(), *_):
            return None
        case (Boxes(orient="h") | Bars(orient="h"), *_) | (Points(joined=False), *_):
            return "x"
        case (Curve(orient="h") | Violins(orient="h") | Summaries(orient="h"), *_):
            return "x"
        case (LetterValues(orient="h"), *_):
            return "x"
        case (Points() | Contour() | Dots() | Arrows(), *_):
            return "both"
        case _:
            return "y"


def place_error_bars(panel: Panel, bars: Bars) -> tuple[float, ...]:
    """Return where error bars stand: mid-bar, or side by side where outlines overlap."""
    share = 0.5
    if bars.outline:
        outlines = _list_outlines(panel)
        share += _SPREAD * ((outlines.index(bars) + 0.5) / len(outlines) - 0.5)
    ends = zip(bars.left, bars.right, strict=True)
    if (panel.x if bars.orient == "v" else panel.y).log:
        return tuple(left * (right / left) ** share for left, right in ends)
    return tuple(left + share * (right - left) for left, right in ends)


def count_error_bars(panel: Panel, bars: Bars) -> int:
    """Count the error bars that share the width of one bar."""
    return len(_list_outlines(panel)) if bars.outline else 1


def colour_title(mark: Coloured) -> str:
    """Return what the colour measures, and how far noise can have moved it, if that is known."""
    if isinstance(mark, Regions):
        return f"{shorten(mark.label, 60)}; grey: could be noise" if any(mark.muted) else mark.label
    if not mark.coverage:
        return shorten(mark.label, 60)
    noise = f"noise ± {format_number(mark.noise)} ({format_percent(mark.coverage)})"
    return f"{shorten(mark.label, 60)}, {noise}" if mark.label else noise


def list_strokes(cells: Cells) -> list[tuple[int, int]]:
    """Return row and column of every muted cell."""
    rows = enumerate(cells.muted)
    return [(r, c) for r, row in rows for c, muted in enumerate(row) if muted]


def _list_outlines(panel: Panel) -> list[Bars]:
    return [mark for mark in panel.marks if isinstance(mark, Bars) and mark.outline]


def _limits(axis: Axis, ends: Sequence[float]) -> Limits:
    if axis.kind == "category":
        return -0.5, max(1, len(axis.categories)) - 0.5
    if axis.limits is not None:
        return axis.limits
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return (low, high) if low < high else (low, low + 1.0)


def _x_ends(mark: Mark) -> Sequence[float]:
    match mark:
        case Bars():
            return _height_ends(mark) if mark.orient == "h" else (*mark.left, *mark.right)
        case Boxes():
            return _value_ends(mark) if mark.orient == "h" else _category_ends(mark)
        case Points():
            return (*mark.x.value, *mark.x.low, *mark.x.high)
        case Curve() | Summaries() | Violins() | LetterValues():
            return _list_ends(mark)[mark.orient == "h"]
        case _:
            return _plane_ends(mark)[0]


def _y_ends(mark: Mark) -> Sequence[float]:
    match mark:
        case Bars():
            return _height_ends(mark) if mark.orient == "v" else (*mark.left, *mark.right)
        case Boxes():
            return _value_ends(mark) if mark.orient == "v" else _category_ends(mark)
        case Points():
            return (*mark.y, *mark.too_few)
        case Curve() | Summaries() | Violins() | LetterValues():
            return _list_ends(mark)[mark.orient == "v"]
        case _:
            return _plane_ends(mark)[1]


def _height_ends(bars: Bars) -> Sequence[float]:
    highest = max((*bars.height, *bars.simultaneous.high), default=0.0)
    return (0.0, HEADROOM * highest)


def _plane_ends(
    mark: Cells | Heat | Clouds | Contour | Dots | Arrows | Matrix | Regions,
) -> tuple[Sequence[float], Sequence[float]]:
    match mark:
        case Cells():
            return mark.x_edges, mark.y_edges
        case Heat() | Clouds() | Dots():
            return mark.x, mark.y
        case Matrix():
            return (), ()
        case Regions():
            corners = [corner for rings in mark.paths for ring in rings for corner in ring]
            return [x for x, _ in corners], [y for _, y in corners]
        case Contour():
            corners = [corner for path in mark.paths for corner in path]
            return [x for x, _ in corners], [y for _, y in corners]
        case Arrows():
            x, y = mark.origin
            across, up = ((*e.value, *e.low, *e.high) for e in (mark.x, mark.y))
            return (x, *across), (y, *up)


def _list_ends(
    mark: Curve | Summaries | Violins | LetterValues,
) -> tuple[Sequence[float], Sequence[float]]:
    """Return what the axes must hold: the places of marks, and their values with some room."""
    match mark:
        case Curve():
            band = (*mark.y.value, *mark.y.low, *mark.y.high)
            return mark.x, leave_room((*band, 0.0) if mark.filled else band)
        case Summaries():
            spread = 0.03 * (max(mark.position, default=0.0) - min(mark.position, default=0.0))
            around = max(mark.width / 2, spread)
            ends = [place + side for place in mark.position for side in (-around, around)]
            return ends, leave_room((*_list_drawn(mark), *((0.0,) if mark.width else ())))
        case Violins():
            return [place + side for place in mark.position for side in (-0.5, 0.5)], mark.at
        case LetterValues():
            depths = [each for pair in (mark.low, mark.high) for each in pair]
            values = [value for each in (mark.median, *depths) for value in each.value]
            places = [place + side for place in mark.position for side in (-0.5, 0.5)]
            return places, leave_room(values)


def _list_drawn(mark: Summaries) -> list[float]:
    rows = zip(mark.value.value, mark.value.low, mark.value.high, mark.reliable, strict=True)
    return [number for *ends, reliable in rows if reliable for number in ends]


def leave_room(ends: Sequence[float]) -> Sequence[float]:
    """Return the least and the greatest of some numbers with room around, but none beyond zero.

    Examples
    --------
    >>> leave_room((0.0, 100.0)), leave_room((-10.0, 10.0)), leave_room(())
    ((0.0, 105.0), (-11.0, 11.0), ())
    """
    finite = [end for end in ends if math.isfinite(end)]
    if not finite:
        return ()
    low, high = min(finite), max(finite)
    room = (HEADROOM - 1) * (high - low)
    return low - room if low < 0 else max(0.0, low - room), (
        high + room if high > 0 else min(0.0, high + room)
    )


def _value_ends(boxes: Boxes) -> Sequence[float]:
    below, above = boxes.lower_whisker, boxes.upper_whisker
    return (*below.low, *below.value, *above.value, *above.high)


def _category_ends(boxes: Boxes) -> Sequence[float]:
    return tuple(place + side for place in boxes.position for side in (-0.5, 0.5))


_EPOCH = datetime(1970, 1, 1)
_LAST_CLOCK = (datetime.max.replace(microsecond=0) - _EPOCH) / timedelta(microseconds=1)
_MINUTE, _HOUR, _MONTHS = 60e6, 3600e6, 30.4 * DAY
_STEPS = (
    *(_MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * n for n in (1, 2, 3, 6, 12)),
    *(DAY * n for n in (1, 2, 7, 14)),
    *(_MONTHS * n for n in (1, 3, 6)),
    *(12 * _MONTHS * n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)),
)


def choose_time_ticks(limits: Limits, zone: Zone, most: int) -> list[tuple[float, list[str]]]:
    """Return at most about so many round times on the clocks of a zone, each with its lines.

    Examples
    --------
    >>> from sfumato.zones import find_zone
    >>> day = find_zone("America/New_York").to_moment([1772841600e6, 1773100800e6]).tolist()
    >>> [lines for _, lines in choose_time_ticks(tuple(day), find_zone("America/New_York"), 5)]
    [['Mar 7', '2026'], ['Mar 8'], ['Mar 9'], ['Mar 10']]
    """
    # Some clocks are in the next year when the calendar ends.
    low, high = (min(float(end), _LAST_CLOCK) for end in zone.to_clock(limits))
    step = next((step for step in _STEPS if (high - low) / step <= most), _STEPS[-1])
    shown = [tick for tick in _list_round_times(low, high, step) if low <= tick <= high]
    places = dict(zip(zone.to_moment(shown).tolist(), shown, strict=True))  # each moment once
    ticks = [
        (place, _EPOCH + timedelta(microseconds=tick))
        for place, tick in places.items()
        if limits[0] <= place <= limits[1]
    ]
    return [
        (place, _write_time(when, [each for _, each in ticks] if place == ticks[0][0] else []))
        for place, when in ticks
    ]


def _list_round_times(low: float, high: float, step: float) -> Iterator[float]:
    if step < _MONTHS:
        # Weeks begin on Mondays, as the fifth of 1970 did.
        start = 4 * DAY if step >= 7 * DAY else 0.0
        first = math.ceil((low - start) / step)
        return (start + step * n for n in range(first, math.floor((high - start) / step) + 1))
    months = round(step / _MONTHS)
    years = (_EPOCH + timedelta(microseconds=end) for end in (low, high))
    first, last = (12 * when.year + when.month - 1 for when in years)
    rounded = range(max(12, -(-first // months) * months), last + 1, months)
    begin = (datetime(month // 12, month % 12 + 1, 1) for month in rounded)
    return ((when - _EPOCH) / timedelta(microseconds=1) for when in begin)


def _write_time(when: datetime, beside: Sequence[datetime]) -> list[str]:
    """Write what a tick begins: a year, a month, a day or a minute; the first adds what none does.

    `beside` are all ticks, where this is the first of them.
    """
    midnight = (when.hour, when.minute) == (0, 0)
    text = f"{when:%H:%M}"
    if midnight:
        text = f"{when:%b} {when.day}" if when.day > 1 else f"{when:%b}"
        text = f"{when.year}" if (when.month, when.day) == (1, 1) else text
    dated = any((each.hour, each.minute) == (0, 0) for each in beside)
    yearly = any((each.month, each.day, each.hour) == (1, 1, 0) for each in beside)
    if not beside or yearly:
        return [text]
    return [text, f"{when.year}" if dated else f"{when:%b} {when.day}, {when.year}"]

"""Figures to draw: every kind of mark and axis, and names that try to break out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

from render.plane_samples import PLANE
from sfumato.figure import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Estimates,
    Figure,
    Heat,
    Interval,
    Orient,
    Panel,
    Points,
    Square,
)

HOSTILE = (
    "</script><script>alert(1)</script>",
    "$x^2$ & <b>bold</b>",
    "\"quoted\" 'twice' \\ back",
    "]]> <!-- --> &amp; %s {0}",
    "tab\tnull\x00line\nend\u202egnp",
    "$unclosed",
)
CAPTION = (
    "ε = 1. Protects each row. Laplace noise of scale 2 on every count. Thick lines hold the true "
    "count of one bar with 95 % probability, thin lines those of all bars together. "
    "▽ A count below zero, drawn at zero."
)
DAY = 86_400_000_000.0


def bars(
    height: list[float],
    left: list[float],
    right: list[float],
    *,
    noise: float = 12.0,
    series: str = "",
    outline: bool = False,
) -> Bars:
    shown = [max(0.0, value) for value in height]
    return Bars(
        left=tuple(left),
        right=tuple(right),
        height=tuple(shown),
        clipped=tuple(value < 0 for value in height),
        pointwise=_interval(height, noise, 0.95),
        simultaneous=_interval(height, 2.1 * noise, 0.95),
        series=series,
        outline=outline,
    )


def histogram(count: int = 20, scale: float = 1.0, noise: float = 12.0) -> Figure:
    edges = [110 * place / count for place in range(count + 1)]
    return Figure(
        title="Age of residents",
        panels=(
            Panel(
                Axis("age", limits=(0, 110)),
                Axis("count"),
                (bars(_hill(count, 40 / 110, 300 * scale), edges[:-1], edges[1:], noise=noise),),
            ),
        ),
        caption=CAPTION,
    )


def category(names: tuple[str, ...] = ("Bronx", "Brooklyn", "Manhattan", "Queens")) -> Figure:
    count = len(names)
    height = [(137 * (place * place + 3)) % 9700 - 400.0 for place in range(count)]
    left = [place - 0.4 for place in range(count)]
    right = [place + 0.4 for place in range(count)]
    panel = Panel(
        Axis("borough", "category", categories=names),
        Axis("count"),
        (bars(height, left, right, noise=400),),
    )
    return Figure("Residents by borough", (panel,), CAPTION)


def thirty() -> Figure:
    return category(tuple(f"District {place:02d}" for place in range(30)))


def long_names() -> Figure:
    return category(
        (
            "Professional, scientific and technical services",
            "Arts",
            "Agriculture, forestry, fishing and hunting, not elsewhere classified at all",
            "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
            "Retail trade",
        )
    )


def hostile() -> Figure:
    figure = category(HOSTILE)
    panel = replace(figure.panels[0], title=HOSTILE[1])
    panel = replace(panel, x=replace(panel.x, label=HOSTILE[0]), y=Axis(HOSTILE[1]))
    return replace(
        figure, title=HOSTILE[0], panels=(panel,), caption=" ".join(HOSTILE), notes=(HOSTILE[1],)
    )


def category_hue(series: tuple[str, ...] = ("female", "male", "other")) -> Figure:
    names = ("Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island")
    width = 0.8 / len(series)
    marks: list[Bars] = []
    for index, name in enumerate(series):
        height = [(61 * (place + 2) * (index + 3)) % 970 - 20.0 for place in range(len(names))]
        left = [place - 0.4 + index * width for place in range(len(names))]
        right = [value + width for value in left]
        marks.append(bars(height, left, right, noise=40, series=name))
    panel = Panel(Axis("borough", "category", categories=names), Axis("count"), tuple(marks))
    return Figure("Residents by borough and sex", (panel,), CAPTION, legend="sex")


def numeric_hue(series: tuple[str, ...] = ("A", "B", "C"), count: int = 16) -> Figure:
    edges = [240 * place / count for place in range(count + 1)]
    marks = tuple(
        bars(
            _hill(count, 0.25 + 0.2 * index, 300 - 60 * index),
            edges[:-1],
            edges[1:],
            series=name,
            outline=True,
        )
        for index, name in enumerate(series)
    )
    panel = Panel(Axis("wait in minutes", limits=(0, 240)), Axis("count"), marks)
    return Figure("Waiting time by ward", (panel,), CAPTION, legend="ward")


def time() -> Figure:
    start = 19_723 * DAY
    count = 12
    edges = [start + 366 * DAY * place / count for place in range(count + 1)]
    marks = (bars(_hill(count, 0.6, 52_000), edges[:-1], edges[1:], noise=1500),)
    panel = Panel(Axis("day of visit", "time", limits=(edges[0], edges[-1])), Axis("count"), marks)
    return Figure("Visits in 2024", (panel,), CAPTION)


def cells(columns: int = 24, rows: int = 18, centre: float = 0.4, title: str = "") -> Panel:
    x_edges = tuple(-74.3 + 0.6 * place / columns for place in range(columns + 1))
    y_edges = tuple(40.5 + 0.4 * place / rows for place in range(rows + 1))
    value = tuple(
        tuple(_bump(column / columns, row / rows, centre) for column in range(columns))
        for row in range(rows)
    )
    muted = tuple(tuple(cell < 30 for cell in row) for row in value)
    mark = Cells(x_edges, y_edges, value, muted, "check-ins", noise=14.0, coverage=0.95)
    return Panel(
        Axis("longitude", limits=(-74.3, -73.7)),
        Axis("latitude", limits=(40.5, 40.9)),
        (mark,),
        title,
    )


def two_dimensional() -> Figure:
    caption = "ε = 1. Protects each row. Hatched: not distinguishable from noise."
    return Figure("Check-ins in the city", (cells(),), caption)


def panels(count: int = 3) -> Figure:
    drawn = tuple(
        cells(16, 12, 0.25 + 0.5 * place / count, title="ABCDEFGH"[place]) for place in range(count)
    )
    return Figure("Check-ins by group", drawn, two_dimensional().caption, legend="group")


def round_panels(end: float = 100) -> Figure:
    """Panels whose first and last numbers stand below their very corners."""
    step, shown = end / 16, list[Panel]()
    for panel in panels().panels:
        (mark,) = panel.marks
        edges = tuple(step * place for place in range(17))
        mark = replace(cast(Cells, mark), x_edges=edges)
        shown.append(replace(panel, x=Axis("age", limits=(0, end)), marks=(mark,)))
    return replace(panels(), panels=tuple(shown))


def category_cells() -> Figure:
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    hours = ("night", "morning", "afternoon", "evening")
    value = tuple(
        tuple(float((row + 2) * (column + 1) * 37 % 400) for column in range(7)) for row in range(4)
    )
    muted = tuple(tuple(cell < 60 for cell in row) for row in value)
    mark = Cells(
        tuple(place - 0.5 for place in range(8)),
        tuple(place - 0.5 for place in range(5)),
        value,
        muted,
        "visits",
        noise=30,
        coverage=0.95,
    )
    panel = Panel(
        Axis("day", "category", categories=days),
        Axis("hour", "category", categories=hours),
        (mark,),
    )
    return Figure("Visits by day and hour", (panel,), two_dimensional().caption)


BOROUGHS = ("Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island")
BOX_CAPTION = (
    "ε = 1. Protects each row. Soft edges: 95 % intervals. Outliers "
    "are counted in rows. Dashed: too few data."
)


def boxes(
    count: int,
    *,
    noise: float = 6.0,
    width: float = 0.7,
    shift: float = 0.0,
    orient: Orient = "v",
    series: str = "",
    too_few: tuple[int, ...] = (),
    scale: float = 1.0,
    start: float = 0.0,
) -> Boxes:
    middle = [90 + 37 * math.sin(5 * place + 9 * shift) for place in range(count)]

    def edge(part: float, radius: float, low: float = 0.0, high: float = 400.0) -> Estimates:
        value = [number + part for number in middle]
        ends = (
            (low, high) if i in too_few else (v - radius, v + radius) for i, v in enumerate(value)
        )
        lows, highs = zip(*ends, strict=True) if count else ((), ())
        return Estimates(*(tuple(start + scale * end for end in e) for e in (value, lows, highs)))

    outliers = [40.0 * place for place in range(count)]
    above = Estimates(
        tuple(outliers), tuple(n - 30 for n in outliers), tuple(n + 30 for n in outliers)
    )
    below = Estimates((4.0,) * count, (-26.0,) * count, (34.0,) * count)
    places = [place + shift for place in range(count)]
    return Boxes(
        position=tuple(places if orient == "v" else [count - 1 - place for place in places]),
        width=width,
        outliers_below=below,
        lower_whisker=edge(-50, 2 * noise),
        q1=edge(-25, noise),
        median=edge(0, 0.8 * noise),
        q3=edge(40, 1.2 * noise),
        upper_whisker=edge(130, 2.5 * noise),
        outliers_above=above,
        size=tuple(900.0 + place for place in range(count)),
        reliable=tuple(place not in too_few for place in range(count)),
        coverage=0.95,
        orient=orient,
        series=series,
    )


def boxplot(*marks: Boxes, names: tuple[str, ...] = BOROUGHS, **axis: Any) -> Figure:
    values = replace(Axis("price", limits=(0, 310)), **axis)
    if marks[0].orient == "h":
        panel = Panel(values, Axis("borough", "category", categories=names[::-1]), marks)
    else:
        panel = Panel(Axis("borough", "category", categories=names), values, marks)
    return Figure("Prices by borough", (panel,), BOX_CAPTION)


def few_at(end: float, orient: Orient = "h") -> Figure:
    """Boxes of a method that has no intervals, one of them too small and all at one end."""
    mark = boxes(5, orient=orient, too_few=(2,))
    low, high = ((*ends[:2], end, *ends[3:]) for ends in (mark.q1.low, mark.q3.high))
    return boxplot(replace(mark, q1=replace(mark.q1, low=low), q3=replace(mark.q3, high=high)))


def box_hue(**style: Any) -> Figure:
    rooms = ("Entire home", "Private room", "Shared room")
    sign = -1 if style.get("orient") == "h" else 1
    marks = [
        boxes(5, width=0.24, shift=sign * (index - 1) * 0.26, series=room, **style)
        for index, room in enumerate(rooms)
    ]
    return replace(boxplot(*marks), legend="room type")


def box_time() -> Figure:
    start = 19_723 * DAY
    limits = (start, start + 310 * DAY)
    return boxplot(boxes(5, start=start, scale=DAY), label="day", kind="time", limits=limits)


def thirty_boxes(orient: Orient = "v") -> Figure:
    return boxplot(boxes(30, orient=orient), names=tuple(f"District {n:02d}" for n in range(30)))


def curves() -> Figure:
    levels = (0.1, 0.25, 0.5, 0.75, 0.9)
    marks = tuple(
        Points(_around([20 + 9 * group + 90 * level for level in levels]), levels, 0.95, name, True)
        for group, name in enumerate(("A", "B", "C"))
    )
    panel = Panel(Axis("wait", limits=(0, 140)), Axis("level", limits=(0, 1)), marks)
    return Figure("Quantiles of wait", (panel,), CAPTION, legend="ward")


def rows() -> Figure:
    marks = tuple(
        Points(
            _around([20 + 9 * group + 90 * level for group in range(5)]),
            (4, 3, 2, 1, 0),
            0.95,
            name,
        )
        for level, name in ((0.25, "0.25"), (0.5, "0.5"))
    )
    axis = Axis("borough", "category", categories=BOROUGHS[::-1])
    panel = Panel(Axis("wait", limits=(0, 140)), axis, marks)
    return Figure("Quantiles of wait", (panel,), CAPTION, legend="level")


PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYGBgAAAABQABh6FO1AAA"
    "AABJRU5ErkJggg=="
)


def heat(columns: int = 36, rows: int = 24, **changes: Any) -> Figure:
    """A density with a hill in the upper left, sure only there."""
    value = [
        [_bump((c + 0.5) / columns, (r + 0.5) / rows, 0.3) for c in range(columns)]
        for r in range(rows)
    ]
    low = tuple(tuple(amount - 150 for amount in row) for row in value)
    high = tuple(tuple(amount + 150 for amount in row) for row in value)
    mark = Heat(
        x=(-74.3, -73.7),
        y=(40.5, 40.9),
        value=tuple(map(tuple, value)),
        low=low,
        high=high,
        muted=tuple(tuple(amount <= 0 for amount in row) for row in low),
        label="people per km²",
        noise=150.0,
        coverage=0.9,
        ratio=0.88,
    )
    axes = Axis("lon", limits=(-74.3, -73.7)), Axis("lat", limits=(40.5, 40.9))
    return Figure("Where people are", (Panel(*axes, (replace(mark, **changes),)),), CAPTION)


def heat_over() -> Figure:
    """A density over a picture, y running down, with the outlines of its leaves."""
    leaves = (Square(0, 320, 0, 240), Square(320, 640, 0, 240))
    changes: dict[str, Any] = {
        "x": (0, 640),
        "y": (0, 480),
        "leaves": leaves,
        "background": PIXEL,
        "ratio": 0.75,
    }
    label = "people per 50 × 50 of gaze_x × gaze_y"
    (panel,) = heat(**changes, label=label).panels
    axes = Axis("gaze_x", limits=(0, 640)), Axis("gaze_y", limits=(0, 480), reversed=True)
    return replace(heat(), panels=(replace(panel, x=axes[0], y=axes[1]),))


def heat_time() -> Figure:
    start = 19_723 * DAY
    ends = (start, start + 310 * DAY)
    (panel,) = heat(x=ends, y=(0, 1e6), ratio=None).panels
    axes = Axis("day", "time", ends), Axis("spent", limits=(0, 1e6))
    return watermarked(replace(heat(), panels=(replace(panel, x=axes[0], y=axes[1]),)))


def watermarked(figure: Figure | None = None) -> Figure:
    return replace(figure or histogram(), watermark="NOT PRIVATE — simulated noise")


def noted() -> Figure:
    notes = ("Values outside 0 to 110 are counted in the nearest bar.",)
    return replace(histogram(), notes=notes)


def _around(values: list[float], radius: float = 8.0) -> Estimates:
    low, high = (tuple(value + side * radius for value in values) for side in (-1, 1))
    return Estimates(tuple(values), low, high)


def _interval(height: list[float], radius: float, coverage: float) -> Interval:
    low = tuple(value - radius for value in height)
    high = tuple(value + radius for value in height)
    return Interval(low, high, coverage)


def _hill(count: int, centre: float, top: float) -> list[float]:
    places = [(place + 0.5) / count for place in range(count)]
    hill = [top * math.exp(-(((place - centre) / 0.22) ** 2)) for place in places]
    return [round(value + 0.02 * top * math.sin(9 * place)) for place, value in enumerate(hill)]


def _bump(x: float, y: float, centre: float) -> float:
    near = math.exp(-((x - centre) ** 2 + (y - 0.5) ** 2) / 0.03)
    far = 0.5 * math.exp(-((x - 0.8) ** 2 + (y - 0.8) ** 2) / 0.01)
    return max(0.0, round(900 * (near + far) + 9 * math.sin(57 * x + 91 * y)))


SAMPLES = {
    "histogram": histogram(),
    "fine": histogram(100),
    "tiny_noise": histogram(30, scale=120_000, noise=9),
    "category": category(),
    "thirty": thirty(),
    "long_names": long_names(),
    "hostile": hostile(),
    "category_hue": category_hue(),
    "numeric_hue": numeric_hue(),
    "time": time(),
    "two_dimensional": two_dimensional(),
    "panels": panels(),
    "round_panels": round_panels(),
    "category_cells": category_cells(),
    "watermarked": watermarked(),
    "watermarked_panels": watermarked(panels(4)),
    "noted": noted(),
    "boxes": boxplot(boxes(5)),
    "boxes_level": boxplot(boxes(5, orient="h"), limits=(0, 390)),
    "box_hue": box_hue(),
    "box_hue_too_few": box_hue(too_few=(1, 3)),
    "too_few_level": boxplot(boxes(5, orient="h", too_few=(0, 2))),
    "few_at_the_right": few_at(308),
    "few_at_the_bottom": few_at(1, "v"),
    "wide_intervals": boxplot(boxes(5, noise=150)),
    "thirty_boxes": thirty_boxes(),
    "thirty_level": thirty_boxes("h"),
    "box_time": box_time(),
    "curves": curves(),
    "rows": rows(),
    "heat": heat(),
    "heat_tall": heat(ratio=3.5),
    "heat_over": heat_over(),
    "heat_time": heat_time(),
    **PLANE,
}
LIVELY = [name for name in SAMPLES if name.startswith("heat")]
"""Those that a script draws on a page of their own."""

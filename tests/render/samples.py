"""Figures to draw: every kind of mark and axis, and names that try to break out."""

from __future__ import annotations

import math
from dataclasses import replace

from sfumato.figure import Axis, Bars, Cells, Figure, Interval, Panel

HOSTILE = (
    "</script><script>alert(1)</script>",
    "$x^2$ & <b>bold</b>",
    "\"quoted\" 'twice' \\ back",
    "]]> <!-- --> &amp; %s {0}",
    "tab\tnull\x00line\nend\u202egnp",
    "$unclosed",
)
CAPTION = (
    "ε = 1, protecting one row. Laplace noise of scale 2 on every count. Thick lines hold the true "
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
    caption = "ε = 1, protecting one row. Hatched cells could be empty: noise alone makes them."
    return Figure("Check-ins in the city", (cells(),), caption)


def panels(count: int = 3) -> Figure:
    drawn = tuple(
        cells(16, 12, 0.25 + 0.5 * place / count, title="ABCDEFGH"[place]) for place in range(count)
    )
    return Figure("Check-ins by group", drawn, two_dimensional().caption, legend="group")


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


def watermarked(figure: Figure | None = None) -> Figure:
    return replace(figure or histogram(), watermark="NOT PRIVATE — simulated noise")


def noted() -> Figure:
    notes = ("Values outside 0 to 110 are counted in the nearest bar.",)
    return replace(histogram(), notes=notes)


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
    "category_cells": category_cells(),
    "watermarked": watermarked(),
    "watermarked_panels": watermarked(panels(4)),
    "noted": noted(),
}

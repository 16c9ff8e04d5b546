"""Figures of groups in a plane: clouds, their borders, points drawn from them, and arrows."""

from __future__ import annotations

import math

from sfumato.figure import (
    Arrows,
    Axis,
    Clouds,
    Contour,
    Dots,
    Estimates,
    Figure,
    Heat,
    Mark,
    Panel,
)

SIDE = 6.0
WINDOW = (-SIDE, SIDE)
GROUPS = (
    "Barbunya",
    "Bombay",
    "Cali",
    "Dermason",
    "Horoz",
    "Seker",
    "Sira",
    "Kidney",
    "Pinto",
    "Lima",
)
LONG = (
    "Professional, scientific and technical services",
    "Agriculture, forestry, fishing and hunting, not elsewhere classified at all",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
)
COLUMNS = ("heart rate", "systolic blood pressure", "lactate", "age", "temperature", "weight")
CAPTION = (
    "ε = 3, δ = 1e-5. Protects each row. Gaussian noise on every cell. Lines enclose 50 % and "
    "90 % of each group."
)

Rows = tuple[tuple[float, ...], ...]


def axes() -> tuple[Axis, Axis]:
    x, y = "PC1 (38 ± 2 % of variance)", "PC2 (21 ± 3 % of variance)"
    return Axis(x, limits=WINDOW), Axis(y, limits=WINDOW)


def hill(x: float, y: float, *, bins: int = 24, top: float = 1.0, floor: float = 0.01) -> Rows:
    """A round hill about a place, zero where it is lower than `floor`."""
    middles = [-SIDE + 2 * SIDE * (place + 0.5) / bins for place in range(bins)]
    heights = [
        [top * math.exp(-((a - x) ** 2 + (b - y) ** 2) / 2.4) for a in middles] for b in middles
    ]
    return tuple(tuple(h if h >= floor else 0.0 for h in row) for row in heights)


def place(group: int, count: int) -> tuple[float, float]:
    turn = 2 * math.pi * group / count
    return (3 * math.cos(turn), 3 * math.sin(turn)) if count > 1 else (0.0, 0.0)


def clouds(names: tuple[str, ...], *, bins: int = 24, floor: float = 0.01) -> Clouds:
    count = len(names)
    tops = [1 - 0.5 * group / count for group in range(count)]
    value = tuple(
        hill(*place(group, count), bins=bins, top=top, floor=floor)
        for group, top in enumerate(tops)
    )
    return Clouds(WINDOW, WINDOW, names, value)


def ring(x: float, y: float, radius: float) -> tuple[tuple[float, float], ...]:
    turns = [2 * math.pi * step / 40 for step in range(40)]
    return tuple((x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns)


def outlines(names: tuple[str, ...]) -> list[Contour]:
    return [
        Contour((ring(*place(group, len(names)), radius),), share, name)
        for group, name in enumerate(names)
        for share, radius in ((0.5, 1.3), (0.9, 2.3))
    ]


def dots(names: tuple[str, ...], count: int = 30) -> list[Dots]:
    found: list[Dots] = []
    for group, name in enumerate(names):
        x, y = place(group, len(names))
        steps = [(math.sqrt(n / count), 2.4 * n) for n in range(count)]
        across = tuple(x + 2 * r * math.cos(t) for r, t in steps)
        found.append(Dots(across, tuple(y + 2 * r * math.sin(t) for r, t in steps), name))
    return found


def arrows(columns: tuple[str, ...] = COLUMNS, coverage: float = 0.95) -> Arrows:
    turns = [0.3 + 1.05 * number for number in range(len(columns))]
    lengths = [4.5 - 0.5 * number for number in range(len(columns))]
    pairs = list(zip(turns, lengths, strict=True))
    x = _around([size * math.cos(turn) for turn, size in pairs], 0.5)
    y = _around([size * math.sin(turn) for turn, size in pairs], 0.3)
    return Arrows((0.0, 0.0), x, y, columns, coverage)


def plane(*marks: Mark, legend: str = "class") -> Figure:
    return Figure("Scores of beans", (Panel(*axes(), marks),), CAPTION, legend=legend)


def overlay(count: int = 3) -> Figure:
    names = GROUPS[:count]
    return plane(clouds(names), *outlines(names))


def biplot() -> Figure:
    names = GROUPS[:3]
    return plane(clouds(names), *outlines(names), *dots(names), arrows())


def ungrouped() -> Figure:
    return plane(clouds(("",)), *outlines(("",)), arrows(COLUMNS[:2]), legend="")


def map_panels(names: tuple[str, ...] = GROUPS[:4]) -> Figure:
    """One density a group, sure only on top of its hill."""
    drawn: list[Panel] = []
    for group, name in enumerate(names):
        value = hill(*place(group, len(names)), top=100.0 * (1 + group % 3), floor=0.5)
        low = tuple(tuple(h - 20 for h in row) for row in value)
        high = tuple(tuple(h + 20 for h in row) for row in value)
        muted = tuple(tuple(h <= 0 for h in row) for row in low)
        heat = Heat(
            WINDOW, WINDOW, value, low, high, muted, "people per cell", 20.0, 0.95, ratio=1.0
        )
        drawn.append(Panel(*axes(), (heat,), name))
    return Figure("Scores of beans", tuple(drawn), CAPTION, legend="class")


def _around(values: list[float], radius: float) -> Estimates:
    low, high = (tuple(value + side * radius for value in values) for side in (-1, 1))
    return Estimates(tuple(values), low, high)


PLANE = {
    "clouds": overlay(),
    "clouds_ten": overlay(10),
    "clouds_long": plane(clouds(LONG), arrows((*COLUMNS[:2], *LONG))),
    "clouds_alone": ungrouped(),
    "biplot": biplot(),
    "dots": plane(*outlines(GROUPS[:2]), *dots(GROUPS[:2])),
    "map_panels": map_panels(),
}

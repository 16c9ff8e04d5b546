"""Figures of curves, summaries, matrices, violins, nested boxes and regions."""

from __future__ import annotations

import math

from sfumato.figure import (
    Axis,
    Curve,
    Estimates,
    Figure,
    LetterValues,
    Mark,
    Matrix,
    Panel,
    Regions,
    Summaries,
    Violins,
)

NAMES = ("Montréal", "Trois-Rivières", "Québec")
PLACES = Axis("town", "category", categories=NAMES)


def sure(values: tuple[float, ...], around: float) -> Estimates:
    """Return numbers with intervals of one width."""
    low, high = (tuple(value + side for value in values) for side in (-around, around))
    return Estimates(values, low, high)


def show(mark: Mark, x: Axis, y: Axis, *more: Mark, legend: str = "") -> Figure:
    """Return a figure of one panel."""
    return Figure("Ages of patients", (Panel(x, y, (mark, *more)),), "Private.", legend=legend)


def make_curve(**changes: object) -> Curve:
    """Return a density that is noise at both ends."""
    x = tuple(float(at) for at in range(0, 101, 5))
    y = tuple(math.exp(-(((at - 40) / 15) ** 2)) for at in x)
    muted = tuple(value < 0.1 for value in y)
    fields: dict[str, object] = {"x": x, "y": sure(y, 0.08), "muted": muted, "coverage": 0.95}
    return Curve(**(fields | changes))  # type: ignore[arg-type]


def make_staircase() -> Curve:
    """Return a distribution function in steps."""
    x = tuple(float(at) for at in range(0, 101, 10))
    y = tuple(min(1.0, at / 80) for at in x[1:])
    return Curve(x, sure(y, 0.05), (False,) * 10, 0.95, simultaneous=True, steps=True)


def make_summaries(width: float = 0.8, series: str = "", shift: float = 0.0) -> Summaries:
    """Return a good, a doubtful and an unknown number."""
    at = tuple(place + shift for place in (0.0, 1.0, 2.0))
    value = Estimates((10.0, -2.0, 0.0), (8.0, -5.0, -9.0), (12.0, 1.0, 9.0))
    few, muted = (True, True, False), (False, True, False)
    return Summaries(at, width, value, few, muted, 0.95, joined=not width, series=series)


def make_matrix(count: int = 3) -> Matrix:
    """Return correlations below the diagonal."""
    rows = range(count)
    value = tuple(tuple(1.0 if r == c else math.cos(r * 2 + c) for c in rows) for r in rows)
    low = tuple(tuple(max(-1.0, v - 0.1) for v in row) for row in value)
    high = tuple(tuple(min(1.0, v + 0.1) for v in row) for row in value)
    muted = tuple(tuple(abs(v) < 0.1 or (r, c) == (1, 0) for c, v in enumerate(row))
                  for r, row in enumerate(value))  # fmt: skip
    shown = tuple(tuple(c <= r for c in rows) for r in rows)
    return Matrix(value, low, high, muted, shown, "correlation", 0.95)


def make_violins(series: str = "", shift: float = 0.0, width: float = 0.8) -> Violins:
    """Return two violins and a group too small for one."""
    at = tuple(float(age) for age in range(0, 101, 2))
    density = tuple(
        tuple(math.exp(-(((age - middle) / 15) ** 2)) for age in at) for middle in (30, 60, 50)
    )
    muted = tuple(tuple(value < 0.1 for value in each) for each in density)
    position = (0 + shift, 1 + shift, 2 + shift)
    quartiles = (sure(tuple(m + d for m in (30.0, 60.0, 50.0)), 2.0) for d in (-10, 0, 10))
    few = (True, True, False)
    return Violins(position, width, at, density, muted, *quartiles, few, 0.95, series=series)


def make_letters() -> LetterValues:
    """Return nested boxes of two groups and a group too small for any."""
    low = tuple(sure((40.0 - 8 * d, 50.0 - 8 * d, 50.0), 2.0) for d in range(1, 4))
    high = tuple(sure((40.0 + 9 * d, 50.0 + 9 * d, 50.0), 2.0) for d in range(1, 4))
    median, depth = sure((40.0, 50.0, 50.0), 2.0), (3, 2, 0)
    return LetterValues((0.0, 1.0, 2.0), 0.8, median, low, high, depth, (True, True, False), 0.95)


def make_regions() -> Regions:
    """Return two squares, the first with a hole, and the second perhaps noise."""
    square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    hole = ((0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5))
    beside = tuple((x + 2.0, y) for x, y in square)
    above = tuple((x, y + 2.0) for x, y in square)
    value = Estimates((40.0, 3.0, 25.0), (35.0, -2.0, 20.0), (45.0, 8.0, 30.0))
    muted = (False, True, False)
    paths = ((square, hole), (beside,), (above,))
    return Regions(paths, NAMES, value, muted, "patients", 0.95, ratio=1.0)


def list_samples() -> dict[str, Figure]:
    """Return a figure of each kind."""
    age, density = Axis("age", limits=(0.0, 100.0)), Axis("density")
    columns = ("age", "stay in hospital", "systolic blood pressure")
    across = Axis("", "category", categories=columns)
    down = Axis("", "category", categories=columns, reversed=True)
    pair = (make_violins("men", -0.2, 0.38), make_violins("women", 0.2, 0.38))
    both = (make_summaries(0.38, "men", -0.2), make_summaries(0.38, "women", 0.2))
    return {
        "curve": show(make_curve(filled=True), age, density),
        "margin": show(make_curve(filled=True, orient="h"), density, age),
        "curves": show(
            make_curve(series="men", points=True), age, density,
            make_curve(series="women", muted=(True,) * 21), legend="sex"),
        "staircase": show(make_staircase(), age, Axis("share", limits=(0.0, 1.0))),
        "bars": show(both[0], PLACES, Axis("change"), both[1], legend="sex"),
        "points": show(make_summaries(0.0), PLACES, Axis("change")),
        "matrix": show(make_matrix(), across, down),
        "violins": show(pair[0], PLACES, age, pair[1], legend="sex"),
        "letters": show(make_letters(), PLACES, age),
        "regions": show(make_regions(), Axis("x"), Axis("y")),
    }  # fmt: skip

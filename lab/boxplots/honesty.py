"""Whether solid boxes are right: odd shapes, small groups, bounds up to 100 times too wide.

A box is *off* where one of its quartiles lies more than the length of the sample's box from the
sample's own; where that has no length, more than a step of the grid.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

import sfumato as sf
from boxplots.memory import GROUP, VALUE, MemoryEngine
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.boxplot.plan import BoxplotPlan
from sfumato.postprocess.box import Box, Summary
from sfumato.testing import measure_planned, seeded

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

NUMBERS = tuple(field.name for field in fields(Box))
FACTORS = (1, 10, 100)
UNITS = (30, 60, 100, 150, 300, 1000)
"""Rows of a group times ε."""

_GROUPS = 8
_EPSILONS = (1.0, 0.4)


@dataclass(frozen=True)
class Shape:
    """A distribution, the bounds that hold it well, and the step of its values."""

    name: str
    draw: Draw
    lower: float
    upper: float
    step: float | None = None


@dataclass(frozen=True)
class Seen:
    """One box: whether it is solid, how far off in boxes, and which intervals hold the truth."""

    shape: str
    factor: int
    units: int
    solid: bool
    off: float
    held: tuple[bool, ...]


@dataclass(frozen=True)
class Task:
    """Some boxes of one shape under bounds so many times too wide, on both sides or above."""

    shape: str
    factor: int
    units: int
    boxes: int
    method: str = "fence"
    above: bool = False

    def generator(self) -> np.random.Generator:
        """Return randomness that no other task shares."""
        name = f"{self.shape} {self.method} {self.above}"
        return np.random.default_rng([zlib.crc32(name.encode()), self.factor, self.units])


def shapes() -> dict[str, Shape]:
    """Return all shapes; those read from files only where the files are."""
    found = [*_simulated(), *_read()]
    return {shape.name: shape for shape in found}


def _simulated() -> Iterator[Shape]:
    yield Shape("normal", lambda g, n: g.normal(size=n), -5, 5)
    yield Shape("lognormal", lambda g, n: np.exp(g.normal(size=n)), 0, 40)
    yield Shape("exponential", lambda g, n: g.exponential(size=n), 0, 12)
    yield Shape("t3", lambda g, n: g.standard_t(3, n), -20, 20)
    yield Shape("uniform", lambda g, n: g.random(n), 0, 1)
    yield Shape("60 % zeros", _zeros, 0, 10)
    yield Shape("delays", lambda g, n: _delays(g, n, 0.05), -60, 1000, 1)
    yield Shape("late delays", lambda g, n: _delays(g, n, 0.2), -60, 1000, 1)
    yield Shape("two humps", lambda g, n: 10 * g.choice([-1, 1], n) + g.normal(size=n), -15, 15)
    yield Shape("Cauchy", lambda g, n: g.standard_cauchy(n), -100, 100)
    yield Shape("three widths", _peaked, -3000, 3000, 1)
    yield Shape("two values", lambda g, n: np.where(g.random(n) < 0.7, 1.0, 2.0), 0, 3, 1)
    yield Shape("at the bounds", lambda g, n: 9.0 * g.integers(0, 2, n), 0, 9, 1)
    yield Shape("constant", lambda _, n: np.full(n, 3.0), 0, 9, 1)


def _zeros(generator: np.random.Generator, size: int) -> Floats:
    return np.where(generator.random(size) < 0.6, 0.0, generator.exponential(size=size))


def _peaked(generator: np.random.Generator, size: int) -> Floats:
    """Return whole numbers half of which lie close together, and others ever farther apart."""
    widths = generator.choice([1, 30, 900], size, p=[0.5, 0.3, 0.2])
    return np.clip(np.rint(widths * generator.normal(size=size)), -3000, 3000)


def _delays(generator: np.random.Generator, size: int, late: float) -> Floats:
    """Return whole minutes: mostly around none, some of them hours."""
    core, tail = generator.normal(-3, 12, size), 15 + generator.exponential(200, size)
    return np.clip(np.rint(np.where(generator.random(size) < late, tail, core)), -60, 1000)


def _read() -> Iterator[Shape]:
    for file, column, lower, upper in (
        ("airbnb_nyc_2019", "price", 0, 1000),
        ("adult_census", "age", 17, 90),
        ("adult_census", "hours_per_week", 0, 99),
    ):
        path = Path(os.environ.get("SFUMATO_DATA", ""), f"{file}.parquet")
        if path.is_file():
            yield Shape(column, _among(path, column), lower, upper, 1)


def _among(path: Path, column: str) -> Draw:
    return lambda generator, size: generator.choice(_column(path, column), size)


@cache
def _column(path: Path, column: str) -> Floats:
    return np.asarray(pq.read_table(path, columns=[column])[column], dtype=np.float64)


@cache
def request(task: Task, epsilon: float) -> tuple[Boxplot, BoxplotPlan]:
    """Return the chart of some groups, and its plan."""
    shape = shapes()[task.shape]
    more = (shape.upper - shape.lower) * (task.factor - 1) / 2
    bounds = (shape.lower - (0 if task.above else more), shape.upper + more * (1 + task.above))
    whole = tuple(map(np.rint, bounds)) if shape.step else bounds
    chart = Boxplot(x=GROUP, y=VALUE, step=shape.step, method=task.method)
    domain = sf.Domain({VALUE: whole, GROUP: [str(group) for group in range(_GROUPS)]})
    return chart, chart.plan(domain, sf.PrivacyUnit.rows(), sf.Budget(epsilon))


def simulate(task: Task) -> list[Seen]:
    """Draw samples and their boxes; nothing here is private."""
    generator, shape = task.generator(), shapes()[task.shape]
    found: list[Seen] = []
    with seeded(int.from_bytes(generator.bytes(8), "little")):
        while len(found) < task.boxes:
            for epsilon in _EPSILONS:
                chart, plan = request(task, epsilon)
                size = round(task.units / epsilon)
                values = shape.draw(generator, size * _GROUPS)
                engine = MemoryEngine(values, np.repeat(np.arange(_GROUPS), size))
                release = measure_planned(chart, engine, plan)
                cell = release.value.bounds.width / release.value.cells
                pairs = zip(release.summaries, values.reshape(_GROUPS, size), strict=True)
                found += [_seen(task, summary, sample, cell) for summary, sample in pairs]
    return found[: task.boxes]


def _seen(task: Task, summary: Summary, sample: Floats, cell: float) -> Seen:
    truth, box = _numbers(true_box(sample)), _numbers(summary.box)
    low, high = _numbers(summary.low), _numbers(summary.high)
    slack = np.array([0, *[cell / 2 + 1e-9] * 5, 0])  # a value is known to its cell
    held = (low - slack <= truth) & (truth <= high + slack)
    length = max(truth[4] - truth[2], cell)
    off = float(np.abs(box - truth)[2:5].max() / length)
    return Seen(task.shape, task.factor, task.units, summary.reliable, off, tuple(held.tolist()))


def true_box(sample: Floats) -> Box:
    """Return the boxplot of a sample; a whisker ends at the fence, or at the last value before."""
    first, median, third = np.quantile(sample, [0.25, 0.5, 0.75])
    lower, upper = first - 1.5 * (third - first), third + 1.5 * (third - first)
    ends = float(max(lower, sample.min())), float(min(upper, sample.max()))
    outside = float((sample < lower).sum()), float((sample > upper).sum())
    return Box(outside[0], ends[0], float(first), float(median), float(third), ends[1], outside[1])


def _numbers(box: Box) -> Floats:
    return np.array([getattr(box, name) for name in NUMBERS])

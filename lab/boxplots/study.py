"""Section 5 and Appendix C.1: errors of every method, over many samples.

One sample is measured by every method at every ε, so that methods can be compared in pairs.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from boxplots.boxes import clipped, sample_box
from boxplots.distributions import named
from boxplots.measuring import METHODS, NONPRIVATE, boxes, distances
from boxplots.memory import MemoryEngine
from sfumato.testing import seeded

Floats = NDArray[np.float64]
S = TypeVar("S")
T = TypeVar("T")

SIZES = (1_000, 3_500, 10_000, 35_000, 100_000)
EPSILONS = (0.5, 1.0, 5.0, 10.0)
TARGETS = ("population", "sample")
CHUNK = 10


class Cell(NamedTuple):
    """One scenario; the non-private boxplot has infinite ε."""

    distribution: str
    size: int
    epsilon: float
    method: str


CLIPPED = "dpboxplot, counts clipped at 0"
"""What anyone can do to the published boxplot for free: it counts fewer than no outliers."""

Errors = dict[Cell, Floats]
"""For each cell an array of repeats × (to the population, to the sample) × four metrics."""


@dataclass(frozen=True)
class Task:
    """Some repeats of one distribution and size: what one process does in one go."""

    distribution: str
    size: int
    first: int
    repeats: int
    epsilons: tuple[float, ...] = EPSILONS
    methods: tuple[str, ...] = METHODS
    buffer: float = 0.25

    def generator(self, repeat: int) -> np.random.Generator:
        """Return the randomness of one repeat, which no other shares."""
        key = zlib.crc32(self.distribution.encode())
        return np.random.default_rng([key, self.size, self.first + repeat])


def simulate(task: Task) -> Errors:
    """Return the errors of some repeats."""
    distribution = named(task.distribution)
    expected = distribution.expected(task.size)
    found: dict[Cell, list[Floats]] = {}
    for repeat in range(task.repeats):
        generator = task.generator(repeat)
        values = distribution.draw(generator, task.size)
        sample, engine = sample_box(values), MemoryEngine(values)
        at_hand = {Cell(task.distribution, task.size, math.inf, NONPRIVATE): sample}
        with seeded(int.from_bytes(generator.bytes(8), "little")):
            for epsilon in task.epsilons:
                for method in task.methods:
                    (box,) = boxes(engine, method, epsilon, buffer=task.buffer)
                    at_hand[Cell(task.distribution, task.size, epsilon, method)] = box
                    if method == "dpboxplot":
                        at_hand[Cell(task.distribution, task.size, epsilon, CLIPPED)] = clipped(box)
        for cell, box in at_hand.items():
            both = [distances(box, expected), distances(box, sample)]
            found.setdefault(cell, []).append(np.array(both))
    return {cell: np.array(errors) for cell, errors in found.items()}


def tasks(distributions: Sequence[str], repeats: int, few: int) -> Iterator[Task]:
    """Yield all there is to do: `few` repeats of all methods, the rest of the two compared."""
    for size in reversed(SIZES):  # the longest first, so that no process waits at the end
        for distribution in distributions:
            for first in range(0, repeats, CHUNK):
                methods = METHODS if first < few else METHODS[:2]
                count = min(CHUNK, repeats - first)
                yield Task(distribution, size, first, count, EPSILONS, methods)


def side_by_side(simulation: Callable[[S], T], work: Sequence[S], processes: int) -> list[T]:
    """Return the answer to each task; one process needs no others."""
    if processes == 1:
        return [simulation(task) for task in work]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(simulation, work))


def gather(work: Sequence[Task], processes: int) -> Errors:
    """Do all tasks and join what belongs to one cell, in the order of its repeats."""
    found: dict[Cell, list[Floats]] = {}
    for answer in side_by_side(simulate, work, processes):
        for cell, errors in answer.items():
            found.setdefault(cell, []).append(errors)
    return {cell: np.concatenate(errors) for cell, errors in found.items()}

"""Appendix C.3: do several private boxplots differ from each other as they should?

t samples of the distributions in turn, each stretched by a number between ½ and 2, shifted by one
between -1 and 1 and of a random size, all sizes together n, are drawn as one chart with t groups.
For each pair of boxes and each metric d the relative similitude is

    | 1 - (d(box, other box) + 1) / (d(population's box, other population's box) + 1) |,

averaged over pairs. The text has t = 4 and 8, the figures 5 and 10; we follow the figures. No group
has fewer than 26 rows, as in the published experiment. Tails are counts, as everywhere here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boxplots.boxes import sample_box, scaled
from boxplots.distributions import tuned
from boxplots.figures import Lines, draw_panels
from boxplots.measuring import METHODS, METRICS, NONPRIVATE, boxes, distances
from boxplots.memory import MemoryEngine
from boxplots.study import CHUNK, EPSILONS, side_by_side
from boxplots.summary import mean
from sfumato.postprocess.box import Box
from sfumato.testing import seeded

Floats = NDArray[np.float64]

TREATMENTS = (5, 10)
SIZES = (500, 5_000, 50_000)
LEAST = 26
ASKED = [
    *((1.0, method) for method in METHODS),
    *((epsilon, method) for method in METHODS[:2] for epsilon in EPSILONS if epsilon != 1.0),
]


class Scenario(NamedTuple):
    """How many groups and rows there are, and who draws them; non-private has infinite ε."""

    treatments: int
    size: int
    epsilon: float
    method: str


Similitudes = dict[Scenario, Floats]
"""For each scenario an array of repeats × four metrics."""


@dataclass(frozen=True)
class Task:
    """Some repeats: what one process does in one go."""

    treatments: int
    size: int
    first: int
    repeats: int


@dataclass(frozen=True, eq=False)
class Samples:
    """The groups of one repeat, with the boxes of their samples and of their populations."""

    values: Floats
    groups: NDArray[np.int64]
    sample: list[Box]
    population: list[Box]


def draw(generator: np.random.Generator, treatments: int, size: int) -> Samples:
    """Draw all groups of one repeat."""
    sizes = part(generator, treatments, size)
    scales, shifts = generator.uniform(0.5, 2, treatments), generator.uniform(-1, 1, treatments)
    values: list[Floats] = []
    population: list[Box] = []
    turns = islice(cycle(tuned()), treatments)
    for distribution, rows, scale, shift in zip(turns, sizes, scales, shifts, strict=True):
        values.append(scale * distribution.draw(generator, rows) + shift)
        population.append(scaled(distribution.population, float(scale), float(shift), rows))
    groups = np.repeat(np.arange(treatments), sizes)
    return Samples(np.concatenate(values), groups, [*map(sample_box, values)], population)


def part(generator: np.random.Generator, parts: int, size: int) -> list[int]:
    """Divide `size` rows into parts of at least `LEAST`, every way equally likely."""
    free = size - (LEAST - 1) * parts
    cuts = np.sort(generator.choice(np.arange(1, free), parts - 1, replace=False))
    return [int(rows) + LEAST - 1 for rows in np.diff([0, *cuts, free])]


def similitude(found: Sequence[Box], population: Sequence[Box]) -> Floats:
    """Return the mean over pairs, for each metric."""
    pairs = [
        abs(1 - (distances(*here) + 1) / (distances(*there) + 1))
        for here, there in zip(combinations(found, 2), combinations(population, 2), strict=True)
    ]
    return np.mean(pairs, axis=0)


def simulate(task: Task) -> Similitudes:
    """Return the similitudes of some repeats."""
    found: dict[Scenario, list[Floats]] = {}
    for repeat in range(task.first, task.first + task.repeats):
        generator = np.random.default_rng([task.treatments, task.size, repeat])
        samples = draw(generator, task.treatments, task.size)
        engine = MemoryEngine(samples.values, samples.groups)
        drawn = {(math.inf, NONPRIVATE): samples.sample}
        with seeded(int.from_bytes(generator.bytes(8), "little")):
            for epsilon, method in ASKED:
                drawn[epsilon, method] = boxes(engine, method, epsilon, task.treatments)
        for asked, seen in drawn.items():
            scenario = Scenario(task.treatments, task.size, *asked)
            found.setdefault(scenario, []).append(similitude(seen, samples.population))
    return {scenario: np.array(pairs) for scenario, pairs in found.items()}


def gather(repeats: int, processes: int) -> Similitudes:
    """Simulate all scenarios."""
    work = [
        Task(treatments, size, first, min(CHUNK, repeats - first))
        for treatments in reversed(TREATMENTS)
        for size in reversed(SIZES)
        for first in range(0, repeats, CHUNK)
    ]
    found: dict[Scenario, list[Floats]] = {}
    for answer in side_by_side(simulate, work, processes):
        for scenario, pairs in answer.items():
            found.setdefault(scenario, []).append(pairs)
    return {scenario: np.concatenate(pairs) for scenario, pairs in found.items()}


def draw_similitudes(found: Similitudes, path: Path) -> None:
    """Draw the means of all methods at ε = 1 against the number of rows: Figure 10."""
    rows = [f"t = {treatments}" for treatments in TREATMENTS]
    panels: dict[tuple[str, str], Lines] = {
        (row, metric): {
            method: [
                mean(found[Scenario(treatments, size, epsilon, method)][:, index]) for size in SIZES
            ]
            for epsilon, method in [(math.inf, NONPRIVATE), *ASKED[: len(METHODS)]]
        }
        for row, treatments in zip(rows, TREATMENTS, strict=True)
        for index, metric in enumerate(METRICS)
    }
    draw_panels(panels, rows, SIZES, "relative similitude of several boxplots, ε = 1", path)


def print_similitudes(found: Similitudes) -> None:
    """Print the means over repeats, as Figures 10 and 11 have them."""
    print(
        "\nSeveral boxplots (C.3): mean relative similitude ± half a 95 % interval, less is better"
    )
    for metric in METRICS:
        columns = [(t, size) for t in TREATMENTS for size in SIZES]
        titles = "".join(f"{f't = {t}, n = {size:,}':>20}" for t, size in columns)
        print(f"\n{metric:<22}{titles}")
        for epsilon, method in [(math.inf, NONPRIVATE), *ASKED]:
            line = ""
            for t, size in columns:
                pairs = found[Scenario(t, size, epsilon, method)]
                seen = mean(pairs[:, METRICS.index(metric)])
                line += f"{seen!s:>20}"
            print(f"{method:<12}{'' if math.isinf(epsilon) else f'ε = {epsilon:g}':<10}{line}")

"""Appendix C.2: how much the published methods depend on their buffer.

A whisker ends at an extreme only if this lies inside the fence by more than λ times the fence.
The paper has λ = n^(-1/4) and tries n^(-1/2) and 1 beside it, at ε = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from boxplots.figures import Lines, draw_panels
from boxplots.measuring import METHODS, METRICS
from boxplots.study import CHUNK, SIZES, Cell, Errors, Task, gather
from boxplots.summary import mean

BUFFERS = {"n^-1/2": 0.5, "n^-1/4": 0.25, "1": 0.0}
PUBLISHED = METHODS[1:]
EPSILON = 1.0

Buffered = dict[str, Errors]
"""The errors with each buffer."""


def simulate(
    distributions: Sequence[str], methods: Sequence[str], repeats: int, processes: int
) -> Buffered:
    """Measure the same samples with each buffer."""
    asked = ((EPSILON,), tuple(methods))
    return {
        name: gather(
            [
                Task(distribution, size, first, min(CHUNK, repeats - first), *asked, buffer)
                for size in reversed(SIZES)
                for distribution in distributions
                for first in range(0, repeats, CHUNK)
            ],
            processes,
        )
        for name, buffer in BUFFERS.items()
    }


def print_buffers(errors: Buffered, distributions: Sequence[str], methods: Sequence[str]) -> None:
    """Print the errors of whiskers and tails, which alone depend on the buffer."""
    print("\nBuffers (C.2): errors against the population at ε = 1, mean ± half a 95 % interval")
    for metric in METRICS[2:]:
        print(f"\n{metric:<32}" + "".join(f"{f'n = {size:,}':>18}" for size in SIZES))
        for distribution in distributions:
            for method in methods:
                for name, found in errors.items():
                    cells = [Cell(distribution, size, EPSILON, method) for size in SIZES]
                    means = [mean(found[cell][:, 0, METRICS.index(metric)]) for cell in cells]
                    line = "".join(f"{one!s:>18}" for one in means)
                    print(f"{distribution:<12}{method:<12}{name:<8}{line}")


def draw_buffers(errors: Buffered, distributions: Sequence[str], path: Path) -> None:
    """Draw dpboxplot with each buffer: its part of Figure 9."""
    panels: dict[tuple[str, str], Lines] = {
        (distribution, metric): {
            f"λ = {name}": [
                mean(found[Cell(distribution, size, EPSILON, "dpboxplot")][:, 0, index])
                for size in SIZES
            ]
            for name, found in errors.items()
        }
        for distribution in distributions
        for index, metric in enumerate(METRICS)
    }
    draw_panels(panels, distributions, SIZES, "dpboxplot with three buffers, ε = 1", path)

"""The figures of the paper, in the paper's shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import matplotlib.pyplot as plt

from boxplots.measuring import METRICS
from boxplots.study import SIZES, Errors
from boxplots.summary import Estimate
from boxplots.tables import ALL, cell, estimate

mpl.use("agg")
_pyplot = cast(Any, plt)  # its annotations are partial

Lines = dict[str, list[Estimate]]


def draw_methods(
    errors: Errors, distributions: Sequence[str], epsilon: float, target: str, path: Path
) -> None:
    """Draw errors against sample sizes: Figures 2, 5, 6 and 8."""
    panels: dict[tuple[str, str], Lines] = {
        (distribution, metric): {
            method: [
                estimate(errors, cell(distribution, size, epsilon, method), target, metric)
                for size in SIZES
            ]
            for method in ALL
        }
        for distribution in distributions
        for metric in METRICS
    }
    draw_panels(panels, distributions, SIZES, f"errors to the {target}, ε = {epsilon:g}", path)


def draw_panels(
    panels: dict[tuple[str, str], Lines],
    rows: Sequence[str],
    sizes: Sequence[int],
    title: str,
    path: Path,
) -> None:
    """Draw one row for each distribution and one column for each metric."""
    figure, axes = _pyplot.subplots(
        len(rows), len(METRICS), figsize=(13, 2.4 * len(rows)), squeeze=False, layout="constrained"
    )
    for place, row in zip(axes, rows, strict=True):
        for ax, metric in zip(place, METRICS, strict=True):
            draw_lines(ax, panels[row, metric], sizes)
            ax.set_title(f"{row}: {metric}", fontsize=9)
    figure.suptitle(title)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=9)
    figure.savefig(path, dpi=110)
    _pyplot.close(figure)
    print(f"drawn: {path}")


def draw_lines(ax: Any, lines: Lines, sizes: Sequence[int]) -> None:
    """Draw one line with its band of 95 % confidence for each method."""
    for index, (name, found) in enumerate(lines.items()):
        colour = "black" if index == 0 else f"C{index - 1}"
        ax.plot(sizes, [one.value for one in found], color=colour, label=name, linewidth=1.2)
        low, high = [one.low for one in found], [one.high for one in found]
        ax.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.tick_params(labelsize=7)

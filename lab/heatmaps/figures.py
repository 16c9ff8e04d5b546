"""The figures of the paper: metrics against what is varied, and examples of heatmaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import matplotlib.pyplot as plt

from heatmaps.measuring import (
    BAYES,
    METHODS,
    METRICS,
    OURS,
    THEIRS,
    filtered,
    measured,
    picture,
)
from heatmaps.results import Results
from heatmaps.study import Task
from sfumato.testing import seeded

mpl.use("agg")
_pyplot = cast(Any, plt)  # its annotations are partial

SHOWN = ("baseline", "top 0.01 %", THEIRS, BAYES, OURS)


def draw_results(results: Results, path: Path) -> None:
    """Draw all four metrics with bands of 95 % confidence."""
    figure, axes = _pyplot.subplots(1, len(METRICS), figsize=(15, 3.6), layout="constrained")
    for ax, metric in zip(axes, METRICS, strict=True):
        _draw_metric(ax, results, metric)
    figure.suptitle(f"{results.experiment.title}; σ = {results.sigma:g}", fontsize=10)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=9)
    _save(figure, path)


def _draw_metric(ax: Any, results: Results, metric: str) -> None:
    places = range(len(results.points))
    for number, method in enumerate(METHODS):
        found = [results.mean(point, method, metric) for point in results.points]
        ax.plot(places, [one.value for one in found], color=f"C{number}", label=method)
        low, high = [one.low for one in found], [one.high for one in found]
        ax.fill_between(places, low, high, color=f"C{number}", alpha=0.2, linewidth=0)
    ax.set_xticks(list(places), results.points, fontsize=7)
    ax.set_xlabel(results.experiment.axis)
    ax.set_title(metric)
    if metric in ("divergence", "emd"):
        ax.set_yscale("log")


def draw_examples(tasks: list[Task], sigma: float, path: Path, *, downward: bool) -> None:
    """Draw the true heatmap of each run, and those of some methods: Figures 3 and 9."""
    titles = ("no privacy", *SHOWN)
    figure, axes = _pyplot.subplots(
        len(tasks),
        len(titles),
        figsize=(2.6 * len(titles), 2.6 * len(tasks)),
        squeeze=False,
        layout="constrained",
    )
    for place, task in zip(axes, tasks, strict=True):
        pictures = _pictures(task)
        for ax, title, heat in zip(place, titles, pictures, strict=True):
            ax.imshow(
                filtered(heat, sigma),
                origin="upper" if downward else "lower",
                cmap="inferno",
                extent=(0, task.resolution[0], 0, task.resolution[1]),
            )
            ax.set_axis_off()
            ax.set_title(f"{title}, ε = {task.epsilon:g}", fontsize=8)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=110)
    _pyplot.close(figure)
    print(f"drawn: {path}")


def _pictures(task: Task) -> list[Any]:
    people = task.crowd()
    found = [people.picture(task.resolution)]
    for method in SHOWN:
        with seeded(task.noise(method)):
            leaves = measured(people, method, task.epsilon, task.resolution)
        found.append(picture(leaves, task.resolution))
    return found

"""Tables of one experiment: means with 95 % intervals, and ours over the published ones."""

from __future__ import annotations

from collections.abc import Sequence

from boxplots.summary import digits
from heatmaps.measuring import BAYES, METHODS, METRICS, OURS, SHARED, THEIRS
from heatmaps.results import LARGE, Results

WIDTH = 17
PAIRS = ((OURS, THEIRS), (OURS, SHARED), (BAYES, THEIRS), (BAYES, SHARED))
"""What is divided by what; the last column is the geometric mean."""


def print_results(results: Results) -> None:
    """Print all four metrics."""
    runs = len(results.experiment.points[results.points[0]])
    print(f"\nFilter of σ = {results.sigma:g} cells of 256, {runs} runs in each column")
    for metric in METRICS:
        print()
        print_metric(results, metric)


def print_metric(results: Results, metric: str) -> None:
    """Print a row for each method, a column for each value of what is varied."""
    _print_row(f"{metric} by {results.experiment.axis}", results.points)
    for method in METHODS:
        found = [results.mean(point, method, metric) for point in results.points]
        _print_row(f"  {method}", [f"{digits(e.value, 3)} ± {digits(e.radius, 1)}" for e in found])
    for method, theirs in PAIRS if metric not in LARGE else ():
        ratios = [results.ratio(point, method, metric, theirs) for point in results.points]
        cells = [f"{each.value:.2f} ± {each.radius:.2f}" for each in ratios]
        overall = f"{results.overall(method, metric, theirs):.3f}"
        _print_row(f"  {method} / {theirs}", [*cells, overall])


def _print_row(name: str, cells: Sequence[str]) -> None:
    print(f"{name:<30}" + "".join(f"{cell:>{WIDTH}}" for cell in cells))

"""What is demanded of our methods, and whether it is met.

The published linear program has many optima (`heatmaps.vertex`), and the paper does not say which
it takes. Demands are made against what a solver finds, as the paper's authors will have done.
Sharing what is tied, as ``decoder="lp"`` does, gives closer pictures from the same numbers; the
same ratios against it are printed too, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from demands import Demand
from heatmaps.measuring import BAYES, METHODS, METRICS, OURS, SHARED, THEIRS
from heatmaps.results import LARGE, Results

PUBLISHED = (THEIRS, SHARED)
"""Two optima of the same program on the same measurements."""

Limit = Callable[[float], float | None]
"""From ε to the largest ratio allowed, where there is one."""


def print_demands(results: Results) -> bool:
    """Print what is demanded of one experiment, and tell whether all of it is met."""
    found = list(demanded(results))
    if found:
        print(f"\nDemanded, with σ = {results.sigma:g}")
    for each in found:
        print(f"  {each}")
    return all(each.met for each in found if each.decides)


def demanded(results: Results) -> Iterator[Demand]:
    """Yield what is demanded of one experiment."""
    match results.experiment.name:
        case "figure-1":
            yield from _distances(results, OURS, lambda _: 0.65)
            yield from _overall(results)
            yield from _distances(results, BAYES, lambda epsilon: 0.75 if epsilon >= 0.5 else None)
            yield from _others(results)
        case "thousand":
            yield from _distances(results, OURS, lambda epsilon: 0.3 if epsilon >= 5 else 0.6)
        case "figure-8":
            yield from _distances(results, OURS, _gaze)
        case _:
            return


def _overall(results: Results) -> Iterator[Demand]:
    for theirs in PUBLISHED:
        what = f"EMD, {OURS} / {theirs}, geometric mean (aim: 0.45)"
        yield Demand(what, results.overall(OURS, "emd", theirs), 0.55, theirs == THEIRS)


def _gaze(epsilon: float) -> float | None:
    if epsilon == 1:
        return 0.7
    return 0.5 if epsilon >= 10 else None


def _distances(results: Results, method: str, limit: Limit) -> Iterator[Demand]:
    limits = {point: limit(float(point)) for point in results.points}
    for theirs in PUBLISHED:
        for point, most in limits.items():
            if most is not None:
                what = f"EMD, {method} / {theirs}, ε = {point}"
                ratio = results.ratio(point, method, "emd", theirs).value
                yield Demand(what, ratio, most, theirs == THEIRS)


def _others(results: Results) -> Iterator[Demand]:
    """Yield by how much ours is worse than the best other method: not at all."""
    for metric in METRICS[:-1]:
        sign = -1 if metric in LARGE else 1
        for point in results.points:
            means = {each: sign * results.mean(point, each, metric).value for each in METHODS}
            ours = means.pop(OURS)
            best = min(means, key=lambda method: means[method])
            yield Demand(f"{metric}, less good than {best}, ε = {point}", ours - means[best], 0.0)

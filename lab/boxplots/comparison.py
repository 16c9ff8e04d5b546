"""The ratio of our errors to those of the published method, on the same samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boxplots.measuring import METHODS, METRICS
from boxplots.study import CLIPPED, EPSILONS, SIZES, TARGETS, Cell, Errors, Task, gather
from boxplots.summary import Estimate, ratio

OURS, THEIRS = METHODS[:2]
LIMIT = dict(zip(METRICS, (0.75, 0.75, 0.6, 0.4), strict=True))
AIM = dict(zip(METRICS, (0.6, 0.6, 0.4, 0.25), strict=True))
WORSE = 1.05
AGAIN = 5
"""How many times more repeats a suspicious cell gets when it is measured again."""


@dataclass(frozen=True)
class Compared:
    """One metric in one scenario."""

    distribution: str
    size: int
    epsilon: float
    metric: str
    ratio: Estimate

    def __str__(self) -> str:
        found = self.ratio
        where = f"{self.distribution} n = {self.size:,} ε = {self.epsilon:g} {self.metric}"
        return f"{where:<44}{found.value:6.2f}  [{found.low:.2f}, {found.high:.2f}]"


def compare(
    errors: Errors, distributions: Sequence[str], target: str, theirs: str = THEIRS
) -> list[Compared]:
    """Return all ratios of `OURS` to another method."""
    found: list[Compared] = []
    for distribution in distributions:
        for size in SIZES:
            for epsilon in EPSILONS:
                both = [errors[Cell(distribution, size, epsilon, m)] for m in (OURS, theirs)]
                for index, metric in enumerate(METRICS):
                    pair = (one[:, TARGETS.index(target), index] for one in both)
                    found.append(Compared(distribution, size, epsilon, metric, ratio(*pair)))
    return found


def median_ratio(compared: Sequence[Compared], metric: str) -> float:
    """Return the median over cells; where both errors are always 0 there is no ratio."""
    return float(np.nanmedian([one.ratio.value for one in compared if one.metric == metric]))


def print_medians(errors: Errors, sets: dict[str, list[str]]) -> bool:
    """Print the medians against the sample and tell whether they are low enough."""
    print(f"\nMedian over cells of {OURS} / {THEIRS}")
    print(f"{'':<34}" + "".join(f"{metric:>12}" for metric in METRICS))
    met = True
    for target in reversed(TARGETS):
        for name, distributions in sets.items():
            compared = compare(errors, distributions, target)
            medians = [median_ratio(compared, metric) for metric in METRICS]
            print(f"{f'to the {target}, {name}':<34}" + "".join(f"{m:>12.2f}" for m in medians))
            if target == "sample":
                met &= all(m <= LIMIT[k] for m, k in zip(medians, METRICS, strict=True))
    for name, distributions in sets.items():
        median = median_ratio(compare(errors, distributions, "sample", CLIPPED), "tails")
        print(f"{f'with its counts clipped, {name}':<34}{'':36}{median:>12.2f}")
    print(f"{'limit, to the sample':<34}" + "".join(f"{LIMIT[m]:>12.2f}" for m in METRICS))
    print(f"{'aim, to the sample':<34}" + "".join(f"{AIM[m]:>12.2f}" for m in METRICS))
    print(f"Limits {'met' if met else 'MISSED'}")
    return met


def print_worst(errors: Errors, distributions: list[str], target: str, count: int = 5) -> None:
    """Print the cells in which the ratio is largest, with 95 % intervals."""
    print(f"\nLargest ratios to the {target}, with 95 % intervals")
    compared = compare(errors, distributions, target)
    for metric in METRICS:
        ours = [c for c in compared if c.metric == metric and not math.isnan(c.ratio.value)]
        for one in sorted(ours, key=lambda c: -c.ratio.value)[:count]:
            print(f"  {one}")


def print_worse(errors: Errors, distributions: list[str], repeats: int, processes: int) -> bool:
    """Print the cells that are worse, measured again: among hundreds, chance alone shows some."""
    everything = compare(errors, distributions, "population")
    suspects = [one for one in everything if one.ratio.low > WORSE]
    print(
        f"\nTo the population, {len(suspects)} of {len(everything)} ratios have a lower 95 % bound "
        f"above {WORSE}"
    )
    confirmed: list[Compared] = []
    for one in suspects:
        again = _again(one, repeats, processes)
        confirmed += [again] if again.ratio.low > WORSE else []
        print(f"  {one}\n  {'again, on new samples':<44}{str(again)[44:]}")
    if suspects:
        print(f"  {len(confirmed)} of them again")
    print(f"No cell worse: {'MISSED' if confirmed else 'met'}")
    return not confirmed


def _again(one: Compared, repeats: int, processes: int) -> Compared:
    fresh = 10**6  # far from the repeats that were seen
    share = math.ceil(AGAIN * repeats / processes)
    work = [
        Task(one.distribution, one.size, fresh + start * share, share, (one.epsilon,), METHODS[:2])
        for start in range(processes)
    ]
    errors = gather(work, processes)
    both = [errors[Cell(one.distribution, one.size, one.epsilon, m)] for m in (OURS, THEIRS)]
    index = METRICS.index(one.metric)
    found = ratio(both[0][:, 0, index], both[1][:, 0, index])
    return Compared(one.distribution, one.size, one.epsilon, one.metric, found)

"""What `lab/boxplot.py` prints and writes about single boxplots."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np

from boxplots import reference
from boxplots.measuring import METHODS, METRICS, NONPRIVATE
from boxplots.study import EPSILONS, SIZES, TARGETS, Cell, Errors
from boxplots.summary import QUANTILE, Estimate, digits, mean

ALL = (NONPRIVATE, *METHODS)


def cell(distribution: str, size: int, epsilon: float, method: str) -> Cell:
    """Return the cell of a method; the non-private boxplot has one for all ε."""
    return Cell(distribution, size, math.inf if method == NONPRIVATE else epsilon, method)


def estimate(errors: Errors, where: Cell, target: str, metric: str) -> Estimate:
    """Return the mean of one error."""
    return mean(errors[where][:, TARGETS.index(target), METRICS.index(metric)])


def write_all(errors: Errors, path: Path) -> None:
    """Write every mean, with the ends of its interval, to a file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Cell._fields, "repeats", "target", "metric", "mean", "low", "high"])
        for where in errors:
            for target in TARGETS:
                for metric in METRICS:
                    found = estimate(errors, where, target, metric)
                    numbers = (f"{number:.5g}" for number in (found.value, found.low, found.high))
                    writer.writerow([*where, len(errors[where]), target, metric, *numbers])


def print_errors(errors: Errors, distributions: list[str], epsilon: float, target: str) -> None:
    """Print the mean of each error and half the width of its 95 % interval."""
    print(f"\nErrors against the {target}, ε = {epsilon:g}: mean ± half a 95 % interval")
    for metric in METRICS:
        print(f"\n{metric:<24}" + "".join(f"{f'n = {size:,}':>18}" for size in SIZES))
        for distribution in distributions:
            for method in ALL:
                cells = [cell(distribution, size, epsilon, method) for size in SIZES]
                found = [estimate(errors, where, target, metric) for where in cells]
                line = "".join(f"{one!s:>18}" for one in found)
                print(f"{distribution:<12}{method:<12}{line}")


def print_reference(errors: Errors, distributions: list[str]) -> None:
    """Print the reference values beside ours."""
    settings = [setting for setting in reference.SETTINGS if setting[0] in distributions]
    print("\nlocation/scale/skewness/tails against the population at ε = 1, here and before")
    print("(* where the two differ by more than three standard errors and their rounding)")
    print(" " * 24 + "".join(f"{f'{name} {size:,}':>24}" for name, size in settings))
    for method, line in reference.TABLE.items():
        columns = dict(zip(reference.SETTINGS, line.split(), strict=True))
        here, before = "", ""
        for setting in settings:
            found = errors[cell(*setting, 1.0, method)][:, 0]
            known = columns[setting].split("/")
            here += f"{'/'.join(map(_compared, found.T, known)):>24}"
            before += f"{columns[setting]:>24}"
        print(f"{method:<14}{'here':<10}{here}\n{'':<14}{'before':<10}{before}")
    print_fence(errors, settings)


def print_fence(errors: Errors, settings: list[tuple[str, int]]) -> None:
    """Print our own method below, which has no reference."""
    here = ""
    for setting in settings:
        found = errors[cell(*setting, 1.0, "fence")][:, 0].mean(axis=0)
        here += f"{'/'.join(map(_short, found)):>24}"
    print(f"{'fence':<14}{'here':<10}{here}")


def _compared(repeats: np.ndarray, known: str) -> str:
    found = mean(repeats)
    error = found.radius / QUANTILE
    before = float(repeats.std(ddof=1)) / math.sqrt(reference.REPEATS)
    rounding = 0.5 * 10.0 ** -len(known.partition(".")[2])
    beyond = abs(found.value - float(known)) - rounding > 3 * math.hypot(error, before)
    return _short(found.value) + "*" * beyond


def _short(number: float) -> str:
    return digits(number, 2).removeprefix("0") or "0"


def print_all(errors: Errors, distributions: list[str]) -> None:
    """Print the errors at every ε, against both targets."""
    for target in TARGETS:
        for epsilon in EPSILONS:
            print_errors(errors, distributions, epsilon, target)

"""Tables of the comparison: both distances of every method, and ratios from the same runs."""

from __future__ import annotations

from collections.abc import Sequence

from boxplots.summary import Estimate
from pcas import ours
from pcas.dppca import EDITIONS, REFERENCE
from pcas.protocol import PRIVATE, RAW, Setting
from pcas.results import CAPTURED, TV, W1, Cell, Results

NAMES = tuple(edition.name for edition in EDITIONS)
WIDTH = 16


def print_table(results: Results, name: str) -> None:
    """Print one table: a column for each ε, rows for each method."""
    cells = [cell for cell in results.cells if cell[0] == name]
    _print_row(name, [f"ε = {epsilon:g}" for _, epsilon in cells])
    for who in ours.BUDGETS:
        _print_pairs(results, cells, f"  {who}", [Setting(who)] * len(cells))
    for edition in NAMES:
        chosen = [results.best(cell, PRIVATE, (edition,)) for cell in cells]
        _print_pairs(results, cells, f"  dppca {edition}", chosen)
        _print_row("", [f"{each.method} {each.bins}" for each in chosen])
    chosen = [results.best(cell, RAW, NAMES) for cell in cells]
    _print_pairs(results, cells, "  raw directions: NOT PRIVATE", chosen)
    _print_ratios(results, cells)
    caught = [results.mean(cell, Setting(ours.STATED), CAPTURED).value for cell in cells]
    theirs = [results.mean(cell, _best(results, cell), CAPTURED).value for cell in cells]
    _print_row("  variance captured, ours", [f"{each:.3f}" for each in caught])
    _print_row("  variance captured, dppca", [f"{each:.3f}" for each in theirs])
    print()


def _print_pairs(
    results: Results, cells: Sequence[Cell], title: str, settings: Sequence[Setting]
) -> None:
    pairs = [
        tuple(results.mean(cell, setting, metric).value for metric in (TV, W1))
        for cell, setting in zip(cells, settings, strict=True)
    ]
    _print_row(title, [f"{tv:.3f} / {w1:.4f}" for tv, w1 in pairs])


def _print_ratios(results: Results, cells: Sequence[Cell]) -> None:
    for who in ours.BUDGETS:
        for metric in (TV, W1):
            found = [
                results.ratio(cell, Setting(who), _best(results, cell), metric) for cell in cells
            ]
            _print_row(f"  {metric.upper()}, {who} / dppca", list(map(_short, found)))


def _best(results: Results, cell: Cell) -> Setting:
    return results.best(cell, PRIVATE, (REFERENCE.name,))


def _short(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} ± {estimate.radius:.2f}"


def _print_row(name: str, cells: Sequence[str]) -> None:
    print(f"{name:<30}" + "".join(f"{cell:>{WIDTH}}" for cell in cells))

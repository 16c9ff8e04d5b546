"""Tell neighbouring tables apart: measure how much of what a release promises it loses.

Someone knows every row of a table but those of one person, and sees a release: was the person
there? For each chart, method and unit, and for pairs of tables chosen to hurt, thousands of
releases of either table are drawn through the code that users call, with real noise. An event is
chosen on some of them and counted in the rest, which gives a number that ε is at least. It must
not exceed the promise; on pairs where the analysis is tight it must come to half of it; and code
that is broken on purpose must be seen to break the promise. Beside it stand mechanisms on tiny
universes, where every table, neighbour and answer is looked at.

All bounds of one run hold together but for a chance of one in a million. What they cannot show is
that no other pair of tables, and no cleverer event, tells more: that is for the proofs.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING

from report import Outcome, Size, Table

if TYPE_CHECKING:
    from telling.auditing import Measured
    from telling.case import Case

CHARTS = (
    "histograms",
    "means",
    "regions",
    "pairplots",
    "names",
    "quantiles",
    "distributions",
    "boxes",
    "bounds",
    "heat",
    "components",
    "shuffled",
)
"""The modules whose cases are attacked, in the order of the table."""

Found = tuple["Measured", tuple[bool, ...]]
"""What was measured of a case, and whether each of its twins was caught."""


@cache
def cases() -> tuple[Case, ...]:
    """Return every case of every chart."""
    collected: list[Callable[[], tuple[Case, ...]]] = [
        import_module(f"telling.{module}").cases for module in CHARTS
    ]
    return tuple(case for each in collected for case in each())


def attack(size: Size) -> Outcome:
    """Attack every chart, and every mechanism that has a tiny universe."""
    from telling import exhaustive

    chosen = [place for place, case in enumerate(cases()) if size == "full" or case.routine]
    found = dict(zip(chosen, _attacked(chosen, size), strict=True))
    fallen = [
        f"  fell: {cases()[place]}" for place in chosen if not _stood(place, *found[place], size)
    ]
    print("\n".join(fallen), file=sys.stderr, end="\n" if fallen else "")
    universes = exhaustive.universes()
    wrong = sum(not (each.holds() and each.caught()) for each in universes)
    twins = [caught for _, each in found.values() for caught in each]
    summary = (
        f"telling apart: {len(chosen) - len(fallen)} of {len(chosen)} promises stood, "
        f"{sum(twins)} of {len(twins)} broken twins caught, {len(universes) - wrong} of "
        f"{len(universes)} tiny universes held"
    )
    tables = exhaustive.table(), _table({place: each for place, (each, _) in found.items()})
    return Outcome(summary, tables, passed=not fallen and not wrong)


def _attacked(chosen: list[int], size: Size) -> Iterable[Found]:
    """Attack some cases, as many at once as there are cores."""
    # Forked copies of a process whose libraries run threads may wait for ever.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for done, found in enumerate(pool.map(_one, chosen, [size] * len(chosen)), 1):
            if sys.stderr.isatty():
                print(f"\r  {done} of {len(chosen)}", end="", file=sys.stderr)
            yield found
    print("\r", end="", file=sys.stderr)


def _one(place: int, size: Size) -> Found:
    case = cases()[place]
    return case.measured(case.trials.of(size)), tuple(map(case.caught, case.twins))


def _stood(place: int, found: Measured, caught: tuple[bool, ...], size: Size) -> bool:
    case = cases()[place]
    return case.sees(size) and case.holds(found, size) and all(caught)


def _table(found: dict[int, Measured]) -> Table:
    """Return for each chart and method the case that was told apart best for what it promises.

    Its last two columns say among how many it is the best.
    """

    def method(place: int) -> tuple[str, str]:
        return cases()[place].chart, cases()[place].method

    order = {name: rank for rank, name in enumerate(dict.fromkeys(map(method, found)))}
    groups = groupby(sorted(found, key=lambda place: order[method(place)]), key=method)
    rows = tuple(_row({place: found[place] for place in group}) for _, group in groups)
    headings = (
        "chart",
        "method",
        "promised",
        "measured at least",
        "trials",
        "unit",
        "pair",
        "of cases",
        "of trials",
    )
    return Table("How much of what is promised was seen to be lost", headings, rows)


def _row(found: dict[int, Measured]) -> tuple[str, ...]:
    from telling.case import unit_name

    best = max(found, key=lambda place: found[place].epsilon / cases()[place].epsilon)
    case, seen = cases()[best], found[best]
    return (
        case.chart,
        case.method,
        f"ε = {case.epsilon:g}" + (f", δ = {case.delta:.3g}" if case.delta else ""),
        f"{seen.epsilon:.2f}" + (f", δ {seen.delta:.2g}" if case.delta else ""),
        f"{seen.trials:,}",
        unit_name(case.unit),
        case.pair.name,
        str(len(found)),
        f"{sum(each.trials for each in found.values()):,}",
    )

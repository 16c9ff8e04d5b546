"""Every chart of every pair, timed and counted."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from clocks.asking import CHARTS, Timed
from clocks.counting import draws
from clocks.neighbours import Neighbours, neighbours
from clocks.telling import Clock, Told, durations, told
from report import Outcome, Size, Table


@dataclass(frozen=True)
class Effort:
    """How much is measured: rows of the tables, seconds and runs for each pair, seeds counted."""

    rows: int
    many: int
    seconds: float
    least: int
    most: int
    seeds: int


EFFORTS: dict[Size, Effort] = {
    "fast": Effort(200, 2000, 0.0, 4, 4, 3),
    "full": Effort(5000, 200_000, 0.8, 6, 30, 10),
}
Key = tuple[Timed, str]
Show = Callable[[Told], str]


def attack(size: Size) -> Outcome:
    """Measure, and say what was seen."""
    effort = EFFORTS[size]
    pairs = neighbours(effort.rows, effort.many)
    timed: dict[Key, Told] = {}
    coins: dict[Key, Told] = {}
    noises: dict[Key, Told] = {}
    charts = [chart for chart in CHARTS if size == "full" or chart.request.typical]
    for chart in charts:
        print(f"  {chart.request.name}", file=sys.stderr, flush=True)
        for pair in pairs:
            key = chart, pair.name
            timed[key] = time_pair(chart, pair, effort)
            coins[key], noises[key] = count_pair(chart, pair, effort)
    return outcome(timed, coins, noises)


def time_pair(
    chart: Timed, pair: Neighbours, effort: Effort, clock: Clock = time.perf_counter
) -> Told:
    """Time a chart of both tables in turns, as often as the effort allows."""
    without, with_one = chart.asks(pair)
    start = time.perf_counter()
    for ask in (without, with_one):  # whose first release pays for what is loaded
        ask()
    runs = int(effort.seconds / max(time.perf_counter() - start, 1e-9))
    runs = max(effort.least, min(effort.most, runs))
    return told(*durations(without, with_one, runs, clock))


def count_pair(chart: Timed, pair: Neighbours, effort: Effort) -> tuple[Told, Told]:
    """Count the coins and the noises of a chart of both tables, for the same seeds."""
    seeds = range(effort.seeds)
    (coins, noises), (more_coins, more_noises) = (draws(ask, seeds) for ask in chart.asks(pair))
    return told(coins, more_coins), told(noises, more_noises)


def outcome(timed: dict[Key, Told], coins: dict[Key, Told], noises: dict[Key, Told]) -> Outcome:
    """Lay the figures out, and name the charts that tell most."""
    telling = Counter(name for (_, name), seen in timed.items() if seen.chance.low > 0.75)
    charts, names = len({chart for chart, _ in timed}), list(dict.fromkeys(key[1] for key in timed))
    told = ", ".join(f"{telling[name]} ({name})" for name in names)
    return Outcome(
        f"clocks: of {charts} charts, the larger table surely takes longer 3 times in 4 for {told}",
        (
            _table("Chance that the larger table took longer", timed, _chance),
            _table("Ratio of median durations", timed, _ratio),
            _counts(coins, noises),
        ),
        passed=True,
    )


def _table(title: str, seen: dict[Key, Told], show: Show) -> Table:
    rows = [
        (*chart.named, f"{1000 * row[0].without:.1f}", f"{row[0].runs}", *map(show, row))
        for chart, row in _rows(seen).items()
    ]
    return Table(title, ("chart", "request", "ms", "runs", *_names(seen)), tuple(rows))


def _counts(coins: dict[Key, Told], noises: dict[Key, Told]) -> Table:
    rows = [
        (*chart.named, kind, *map(_medians, row))
        for kind, seen in (("coins", coins), ("noises", noises))
        for chart, row in _rows(seen).items()
        if any(each.with_one for each in row)
    ]
    title = "Median number of random draws, and the chance that the larger table takes more"
    return Table(title, ("chart", "request", "drawn", *_names(coins)), tuple(rows))


def _rows(seen: dict[Key, Told]) -> dict[Timed, list[Told]]:
    rows: dict[Timed, list[Told]] = {}
    for (chart, _), each in seen.items():
        rows.setdefault(chart, []).append(each)
    return rows


def _names(seen: dict[Key, Told]) -> list[str]:
    return list(dict.fromkeys(name for _, name in seen))


def _medians(seen: Told) -> str:
    return f"{seen.without:.0f} → {seen.with_one:.0f} ({seen.chance.value:.2f})"


def _chance(seen: Told) -> str:
    return str(seen.chance)


def _ratio(seen: Told) -> str:
    return str(seen.ratio)

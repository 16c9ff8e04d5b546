"""What is asked for each table of figures, and what is demanded of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from scaling.costing import Rates
from scaling.fitting import each_more
from scaling.measuring import FAR, GROUPS, RUNS, Bench
from scaling.printing import (
    Name,
    Series,
    in_bytes,
    print_bills,
    print_growth,
    print_memory,
    print_rates,
    print_speed,
    print_verbs,
    verdict,
)
from scaling.questions import CHARTS, GROUPED, UNITS, Question
from scaling.tables import ROWS_EACH
from scaling.ways import THREADS
from sfumato.engines.table import Resources, read_memory_limit

MOST_EXPONENT = 1.1
MOST_GROWTH = 1.25

ALL = [(chart, unit) for chart in CHARTS for unit in UNITS]


def speed(bench: Bench) -> None:
    """Rows a second by engine, chart and unit, beside the bare aggregate and the bound."""
    print(f"\nSpeed, {ROWS_EACH} rows to a person, {THREADS} threads or tasks: seconds of charts,")
    print("of bare aggregates of the same columns, and of NumPy's sums of the same numbers")
    # All of Spark's in one session, from small tables to large ones.
    sizes = bench.sizes.by_spark
    bench.asked(bench.grown("spark", *name, size) for size in sizes for name in ALL)
    engines = ("memory", "parquet", "spark") if sizes else ("memory", "parquet")
    rows = dict.fromkeys(engines, bench.sizes.usual) | {"spark": max(sizes, default=0)}
    names = [(engine, *name) for engine in engines for name in ALL]
    found = bench.asked(bench.beside(*name) for name in names)
    print_speed(dict(zip(names, found, strict=True)), rows)


def verbs(bench: Bench) -> None:
    """The verbs that charts ask of engines, and what follows."""
    engines = ("parquet", "spark") if bench.sizes.by_spark else ("parquet",)
    sizes = " and ".join(f"{bench.verbs_rows(engine):,} ({engine})" for engine in engines)
    print(f"\nWhat the engine is asked, and what comes after, on {sizes} rows: seconds")
    names = [(engine, *name) for engine in engines for name in ALL]
    found = bench.asked(bench.verbs(*name) for name in names)
    print_verbs(dict(zip(names, found, strict=True)))


def growth(bench: Bench) -> bool:
    """Growth with rows, groups and people, and the exponents."""
    met = [_by_rows(bench, "parquet")]
    if bench.sizes.by_spark:
        met.append(_by_rows(bench, "spark"))
    _by_groups_and_people(bench, "parquet")
    if bench.sizes.by_spark and bench.sizes.everything:
        _by_groups_and_people(bench, "spark")
    else:
        print("  not asked: the same of Spark, which --all does")
    return all(met)


def beyond_memory(bench: Bench) -> bool:
    """Memory by the number of rows, and tables larger than the memory limit."""
    limit = read_memory_limit(Resources(memory_limit=bench.sizes.limit)) or 0
    found = _by_size(bench, "parquet")
    print(f"\nPeak memory of a process, Parquet, with a limit of {bench.sizes.limit} for people")
    print_memory(found)
    sizes = bench.sizes.grown
    print("  tables on disk: " + ", ".join(in_bytes(bench.on_disk(size)) for size in sizes))
    large = [size for size in sizes if bench.on_disk(size) > limit]
    done, flat = _finished(found, large), _flat(found, large)
    if not large:
        print("  no table is larger than the limit: give more rows, or a smaller --limit")
    return done and flat


def costs(bench: Bench) -> None:
    """What a row costs, and what tables of up to 10¹² rows would cost."""
    rates = {name: found for name in ALL if (found := _rates(bench, *name)) is not None}
    sent = {name: bench.found[bench.beside("spark", *name)].sent for name in rates}
    rows = bench.sizes.by_spark[-1]
    print(f"\nWhat a row and a chart cost on Spark: bytes to the driver from {rows:,} rows, and at")
    print("most, if no sum is zero; CPU of all processes, between the two largest tables")
    print_rates(rates, sent)
    print("\nWhat larger tables would cost, at these rates; the driver's seconds are measured, on")
    print(f"the sums of {bench.sizes.usual:,} rows, multiplied")
    print_bills(rates, FAR)


def _by_rows(bench: Bench, engine: str) -> bool:
    found = _by_size(bench, engine)
    limit = f", limit {bench.sizes.limit}" if engine == "parquet" else ""
    print(f"\nGrowth with rows, {ROWS_EACH} to a person, {engine}{limit}: seconds, ", end="")
    print(f"the least of {RUNS} up to {bench.sizes.repeated(engine):,} rows")
    fitted = print_growth("rows", found)
    short = {" ".join(name): max(series) for name, series in found.items()}
    for most in sorted(set(short.values()) - {bench.sizes.rows}):
        names = ", ".join(name for name, size in short.items() if size == most)
        print(f"  not asked beyond {most:,} rows, as --all does: {names}")
    worst = max(fitted.values(), default=0.0)
    met = worst <= MOST_EXPONENT and len(fitted) == len(ALL)
    print(f"  target: an exponent of at most {MOST_EXPONENT:g}: {worst:.2f}, {verdict(met)}")
    return met


def _by_groups_and_people(bench: Bench, engine: str) -> None:
    rows, people = bench.sizes.usual, bench.sizes.people
    names = [name for name in ALL if name[0] in GROUPED]
    print(f"\nGrowth with groups, {rows:,} rows, {engine}: seconds")
    ask = partial(bench.by_groups, engine)
    print_growth("groups", {name: _series(bench, partial(ask, *name), GROUPS) for name in names})
    print(f"\nGrowth with people, {rows:,} rows, {engine}: seconds")
    by = partial(bench.by_people, engine)
    print_growth("people", {(name,): _series(bench, partial(by, name), people) for name in CHARTS})


def _by_size(bench: Bench, engine: str) -> dict[Name, Series]:
    ask = partial(bench.grown, engine)
    return {
        name: _series(bench, partial(ask, *name), bench.sizes.grown_to(engine, *name))
        for name in ALL
    }


def _series(bench: Bench, ask: Callable[[int], Question], sizes: Sequence[int]) -> Series:
    return dict(zip(sizes, bench.asked(map(ask, sizes)), strict=True))


def _finished(found: dict[Name, Series], large: Sequence[int]) -> bool:
    asked = {name: [k for k in large if k in series] for name, series in found.items()}
    met = all(
        asked[name] and not any(series[size].failed for size in asked[name])
        for name, series in found.items()
    )
    if large:
        print(f"  target: each chart of a table larger than the limit is finished: {verdict(met)}")
    return met or not large


def _flat(found: dict[Name, Series], large: Sequence[int]) -> bool:
    """Tell whether memory stays as it is, from one table larger than the limit to the next."""
    ratios = [
        series[more].memory / series[less].memory
        for less, more in pairwise(large)
        for series in found.values()
        if more in series and not (series[less].failed or series[more].failed)
    ]
    if not ratios:
        return True
    met = max(ratios) <= MOST_GROWTH
    print(f"  target: beyond the limit, {MOST_GROWTH:g} times the memory at most: ", end="")
    print(f"{max(ratios):.2f}, {verdict(met)}")
    return met


def _rates(bench: Bench, chart: str, unit: str) -> Rates | None:
    """Return what a chart was measured to cost; None where something failed, and was told."""
    sizes = bench.sizes.by_spark
    grown = bench.asked(bench.grown("spark", chart, unit, size) for size in sizes)
    files, here = bench.asked(ask("parquet", chart, unit) for ask in (bench.beside, bench.verbs))
    (there,) = bench.asked([bench.verbs("spark", chart, unit)])
    if any(answer.failed for answer in (*grown, files, here, there)):
        return None
    usual = bench.sizes.usual
    return Rates(
        scanned=files.read / usual,
        shuffled=grown[-1].shuffled / sizes[-1],
        cpu=each_more(sizes, [answer.cpu for answer in grown]),
        a_sum=there.sent / max(1, there.occupied),
        sums=here.sums,
        driver={far: here.driver[str(far // usual)] for far in FAR},
    )

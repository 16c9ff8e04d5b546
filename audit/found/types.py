"""Bins that invent peaks, and budgets spent on nothing."""

from __future__ import annotations

from datetime import date, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size
from sfumato.charts.chart import Chart

_EACH = 2000  # rows of each value, beside which the noise of ε = 10 is nothing
_OFTEN = {"fast": 12, "full": 200}


def _require(kept: object, otherwise: str) -> None:
    if not kept:
        raise ReproducedError(otherwise)


def _uneven(release: sf.HistogramRelease) -> float:
    """Return by how much the highest bin exceeds the lowest."""
    return float(release.counts.max() / release.counts.min() - 1)


def _peaks(size: Size) -> str:
    del size
    ranges = {"hour": (0, 23), "month": (1, 12), "age": (17, 90), "year": (1990, 2026)}
    found = []
    for name, (first, last) in ranges.items():
        table = pa.table({name: np.tile(np.arange(first, last + 1), _EACH)})
        found.append(_uneven(sf.histplot(table, x=name, bounds=(first, last), budget=10.0)))
    _require(max(found) < 0.02, f"bins of a uniform column differ by {max(found):.0%}")
    return f"bins of uniform columns differ by {max(found):.1%}"


def _dates(size: Size) -> str:
    del size
    days = [date(2025, 1, 1) + timedelta(days=day) for day in range(31)] * _EACH
    january = (date(2025, 1, 1), date(2025, 1, 31))
    found = _uneven(sf.histplot(pa.table({"day": days}), x="day", bounds=january, budget=10.0))
    _require(found < 0.02, f"days of a uniform month differ by {found:.0%}")
    return f"a bin for each day, which differ by {found:.1%}"


def _bins(size: Size) -> str:
    del size
    table = pa.table({"hour": np.tile(np.arange(24), _EACH)})
    release = sf.histplot(table, x="hour", bounds=(0, 23), bins=7, budget=10.0)
    _require(
        _uneven(release) < 0.02 or "hold 3 or 4 values" in release.caption(),
        "nothing says that bins hold different numbers of hours",
    )
    return "the caption says that bins hold 3 or 4 values"


def _charged(table: object, chart: Chart) -> bool:
    session = sf.Session(table, domain=sf.Domain(x=(0, 100)), budget=1.0)
    try:
        session.release(chart, budget=0.5)
    except sf.SourceError:
        return bool(session.ledger.entries)
    return True


def _text(size: Size) -> str:
    del size
    columns = pa.table({"x": ["7", "1.234,5", "n/a"]}), pa.table({"x": [time(12), time(13)]})
    charts = sf.Histogram("x"), sf.Boxplot(y="x"), sf.Quantiles("x", bounds=sf.private())
    with TemporaryDirectory() as folder:
        for place, table in enumerate(columns):
            path = Path(folder, f"{place}.parquet")
            pq.write_table(table, path)
            for chart in charts:
                _require(not _charged(table, chart), f"a {chart.label} of text was charged")
                _require(not _charged(path, chart), f"a {chart.label} of text was charged")
    return "text and times of day are refused before the charge"


def _commas(size: Size) -> str:
    del size
    with TemporaryDirectory() as folder:
        path = Path(folder, "commas.csv")
        path.write_text('x\n"1,5"\n"2,5"\n', encoding="utf-8")
        session = sf.Session(path, domain=sf.Domain(x=(0, 100)), budget=1.0)
        plan = str(session.plan(sf.Histogram("x"), budget=0.5))
        caption = session.histplot(x="x", budget=0.5).caption()
    for words in (plan, caption):
        _require("unparsable values are dropped" in words, "nothing says how text is read")
    return "plan and caption say that text is read as numbers"


def _delays(size: Size) -> str:
    draw = np.random.default_rng(17)
    held = 0
    for _ in range(_OFTEN[size]):
        delays = np.rint(draw.exponential(25, 5000) - 15).astype(np.int64)
        table = pa.table({"delay": delays})
        release = sf.boxplot(table, y="delay", bounds=(-60, 1400), budget=1.0)
        (row,) = release.records()
        true = np.quantile(delays, [0.25, 0.5, 0.75], method="inverted_cdf")
        names = ("q1", "median", "q3")
        held += sum(
            row[f"{name}_low"] <= at <= row[f"{name}_high"]
            for name, at in zip(names, true, strict=True)
        )
    share = held / (3 * _OFTEN[size])
    _require(share > 0.8, f"intervals of quartiles hold {share:.0%} of the time")
    return f"intervals of quartiles hold {share:.0%} of the time"


FINDS: tuple[Find, ...] = (
    Find(
        "hours, months, ages and years in bins that nobody chose",
        "misleads",
        "20 bins, some with twice as many values as others",
        _peaks,
    ),
    Find("days in bins that nobody chose", "misleads", "20 bins of a day and a half", _dates),
    Find("24 hours in 7 bins", "misleads", "peaks, and no word about them", _bins),
    Find(
        "quartiles of 5,000 whole-number delays",
        "misleads",
        "intervals of 95 % held 18 % of the time",
        _delays,
    ),
    Find(
        "text and times of day under bounds",
        "misleads",
        "the budget was spent, and noise drawn",
        _text,
    ),
    Find("a CSV file with decimal commas", "misleads", "noise was drawn, without a word", _commas),
)

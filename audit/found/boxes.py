"""Boxes that look certain and are noise."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size
from sfumato.testing import seeded

Floats = NDArray[np.float64]

_GROUPS = [f"{group:02}" for group in range(40)]
_OFTEN = {"fast": 1, "full": 20}
_LEAST = 0.9  # of intervals of 95 %, seen in a hundred boxes or so


def _delays(generator: np.random.Generator, size: int) -> Floats:
    """Return whole minutes: mostly around none, one in five of them hours."""
    core, tail = generator.normal(-3, 10, size), 20 + generator.exponential(150, size)
    return np.clip(np.rint(np.where(generator.random(size) < 0.2, tail, core)), -60, 1000)


def _boxes(size: Size, rows: int) -> list[tuple[dict[str, float], Floats]]:
    """Return the records of many groups of so many rows, at ε = 1, each with its true values."""
    found: list[tuple[dict[str, float], Floats]] = []
    generator = np.random.default_rng(17)
    names = np.repeat(_GROUPS, rows)
    with seeded(17):
        for _ in range(_OFTEN[size]):
            values = _delays(generator, rows * len(_GROUPS))
            table = pa.table({"carrier": names, "delay": values})
            release = sf.boxplot(
                table,
                x="carrier",
                y="delay",
                order=_GROUPS,
                bounds=(-5000, 5000),
                step=1,
                budget=1.0,
            )
            found += zip(release.records(), values.reshape(len(_GROUPS), rows), strict=True)
    return found


def _solid(size: Size) -> str:
    solid = off = 0
    for rows in (70, 100):
        for record, values in _boxes(size, rows):
            truth = np.quantile(values, [0.25, 0.5, 0.75])
            error = np.abs(np.array([record["q1"], record["median"], record["q3"]]) - truth).max()
            solid += record["reliable"]
            off += record["reliable"] and error > truth[2] - truth[0]
    if off > solid / 500:
        raise ReproducedError(f"{off} of {solid} solid boxes are off by more than one IQR")
    return f"{off} of {solid} solid boxes are off by more than one IQR"


def _outliers(size: Size) -> str:
    held: list[bool] = []
    for record, values in _boxes(size, 60):
        first, third = np.quantile(values, [0.25, 0.75])
        above = int((values > third + 1.5 * (third - first)).sum())
        if not record["reliable"]:
            held.append(record["outliers_above_low"] <= above <= record["outliers_above_high"])
    if np.mean(held) < _LEAST:
        raise ReproducedError(f"intervals of dashed boxes hold {np.mean(held):.0%} of 95 %")
    return f"intervals of {len(held)} dashed boxes hold {np.mean(held):.0%}"


def _searched(size: Size) -> str:
    generator, quiet, runs = np.random.default_rng(3), 0, 10 if size == "fast" else 60
    with seeded(3):
        for _ in range(runs):
            values = _delays(generator, 300)
            release = sf.boxplot(
                pa.table({"delay": values}), y="delay", bounds=sf.private(), step=1, budget=1.0
            )
            (record,) = release.records()
            first, third = np.quantile(values, [0.25, 0.75])
            whisker = min(values.max(), third + 1.5 * (third - first))
            held = record["upper_whisker_low"] <= whisker <= record["upper_whisker_high"] + 1
            quiet += bool(record["reliable"] and not held and not release.figure().notes)
    if quiet > runs / 5:
        raise ReproducedError(f"{quiet} of {runs} whiskers are wrong, solid and without a word")
    return f"{quiet} of {runs} whiskers are wrong, solid and without a word"


def _promised(size: Size) -> str:
    del size
    table = pa.table({"delay": np.zeros(1), "carrier": ["A"]})
    domain = sf.Domain(delay=(-60, 1000), carrier=["A", "B"])
    session = sf.Session(table, domain=domain, budget=9.0)
    for method in ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded"):
        chart = sf.Boxplot(x="carrier", y="delay", step=1, method=method)
        plan = session.plan(chart, budget=1.0)
        if plan.smallest_group <= 50 or "not drawn" not in str(plan):
            raise ReproducedError(
                f"a plan by {method} does not say that groups of 50 are not drawn"
            )
        if session.plan(chart, error=10, size=50).smallest_group > 50:
            raise ReproducedError(f"a wanted error by {method} forgets groups of 50")
    return "plans by all methods say below which size groups are not drawn"


FINDS: tuple[Find, ...] = (
    Find(
        "solid boxes of few rows",
        "misleads",
        "33 of 534 solid boxes at n·ε of 60–110 off by more than one IQR, the worst by 1,790",
        _solid,
    ),
    Find(
        "outliers of dashed boxes",
        "misleads",
        "intervals of a stated 95 % held 57–77 %",
        _outliers,
    ),
    Find(
        "boxes within bounds found too narrow",
        "misleads",
        "the upper whisker's interval held the truth in 0 of 30 runs, drawn solid",
        _searched,
    ),
    Find(
        "plans of boxes that are then not drawn",
        "misleads",
        '"2.9 ranks" for groups of 50 that ended as "too few data"',
        _promised,
    ),
)

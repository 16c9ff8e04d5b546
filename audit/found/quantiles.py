"""Quantiles without intervals, and searches that found nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def _delays(generator: np.random.Generator, rows: int) -> Numbers:
    """Invent delays of flights, in minutes: mostly early, sometimes very late."""
    late = np.where(generator.random(rows) < 0.4, generator.exponential(50, rows), 0.0)
    return np.round(generator.normal(-5, 8, rows) + late)


def _empty_group(_: Size) -> str:
    people = pd.DataFrame({"ward": ["A"] * 3000, "wait": np.linspace(0, 100, 3000)})
    release = sf.quantiles(
        people, x="wait", hue="ward", hue_order=["A", "B"], bounds=(0, 100), budget=1.0
    )
    frame = release.to_frame()
    full, empty = frame[frame["ward"] == "A"], frame[frame["ward"] == "B"]
    if not (full["low"] < full["high"]).all():
        raise ReproducedError("low == high == quantile")
    if empty["reliable"].any() or not empty["quantile"].isna().all():
        raise ReproducedError("a group without rows has quantiles")
    if "too few data" not in release.caption():
        raise ReproducedError("the caption does not say that a group is too small")
    return "too few data; NaN, reliable=False"


def _searched_in_vain(_: Size) -> str:
    generator = np.random.default_rng(1)
    people = pd.DataFrame({"pay": generator.lognormal(10, 0.5, 100)})
    asked = sf.Quantiles("pay", bounds=sf.private())
    plan = sf.Session(people, budget=1).plan(asked, budget=0.25)
    shown = 0
    for _ in range(10):
        release = sf.quantiles(people, x="pay", bounds=sf.private(), budget=0.25)
        shown += sum(release.reliable)
    if shown:
        raise ReproducedError(f"{shown} of 30 quantiles of 100 people are shown")
    if "smallest group" not in str(plan) or "succeeds from" not in str(plan):
        raise ReproducedError("the plan promises ranks to whoever is too few")
    return "too few data; the plan states from how many rows on a search succeeds"


def _tail_under_wide_bounds(_: Size) -> str:
    generator, misled, told = np.random.default_rng(2), 0, 0
    for _ in range(12):
        flights = pd.DataFrame({"delay": _delays(generator, 200)})
        truth = float(np.quantile(flights["delay"], 0.95, method="inverted_cdf"))
        release = sf.quantiles(
            flights, x="delay", q=0.95, bounds=(-6000, 24_000), step=1, budget=1.0
        )
        told += release.reliable[0]
        misled += release.reliable[0] and not release.low[0] <= truth <= release.high[0]
    if misled > 2:
        raise ReproducedError(f"{misled} of 12 intervals do not hold the truth")
    return f"{12 - told} of 12 say too few data, {told} have an interval"


def _narrow_search(_: Size) -> str:
    generator, cut, misled = np.random.default_rng(3), [], 0
    for _ in range(12):
        flights = pd.DataFrame({"delay": _delays(generator, 300)})
        release = sf.quantiles(flights, x="delay", bounds=sf.private(), budget=1.0)
        bounds = release.value.bounds
        outside = (flights["delay"] <= bounds.lower) | (flights["delay"] >= bounds.upper)
        cut.append(float(outside.mean()))
        truth = np.quantile(flights["delay"], release.levels, method="inverted_cdf")
        told = zip(release.reliable, release.low, truth, release.high, strict=True)
        misled += sum(sure and not low <= true <= high for sure, low, true, high in told)
    if np.mean(cut) > 0.1 or misled > 9:
        raise ReproducedError(f"{np.mean(cut):.0%} of rows cut, {misled} of 36 intervals miss")
    return f"{np.mean(cut):.1%} of rows cut; {misled} of 36 intervals miss"


FINDS: tuple[Find, ...] = (
    Find(
        "quantiles of a group without rows",
        "misleads",
        "2 / 87 / 99, as solid as those of thousands; low == high",
        _empty_group,
    ),
    Find(
        "quantiles of 100 people under bounds=sf.private() at ε = 0.25",
        "misleads",
        "−1.07e12, where the plan promised 9 ranks",
        _searched_in_vain,
    ),
    Find(
        "95 % quantile of 200 delays, bounds 100 times too wide",
        "misleads",
        "off by 2,000 IQR without a sign",
        _tail_under_wide_bounds,
    ),
    Find(
        "300 delays under bounds=sf.private() at ε = 1",
        "misleads",
        "26 % of rows cut, without a word",
        _narrow_search,
    ),
)

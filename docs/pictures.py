"""Draw the pictures of the README and the site, from cities that do not exist."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
from matplotlib import pyplot as plt

import sfumato as sf
from sfumato.releases.heatmap import HeatmapRelease
from sfumato.releases.scoreplot import ScoreplotRelease

IMAGES = Path(__file__).parent / "images"
HEALTH = ["well", "athletic", "hypertension", "diabetes"]
BODY = {
    "heart_rate": (30, 200),
    "systolic": (70, 230),
    "diastolic": (40, 140),
    "glucose": (40, 260),
    "cholesterol": (80, 360),
    "bmi": (10, 60),
}

_pyplot = cast(Any, plt)  # its annotations are partial


def gallery() -> None:
    """Draw a chart of every kind, for the README."""
    people = sf.testing.city()
    ages = sf.histplot(
        people, x="age", bounds=(0, 99), hue="sex", hue_order=["female", "male"], budget=0.5
    )
    pressure = sf.boxplot(
        people,
        x="health",
        y="systolic",
        hue="sex",
        order=HEALTH,
        hue_order=["female", "male", "other"],
        bounds=(60, 220),
        step=0.1,
        budget=0.3,
    )
    figure, axes = _pyplot.subplots(2, 2, figsize=(13, 11), layout="constrained")
    for release, ax in zip((ages, pressure, _streets(1.0), _scores()), axes.flat, strict=True):
        release.plot(ax=ax)
    _save(figure, "charts")


def one_map() -> None:
    """Draw one map smoothed, and as the squares that were measured."""
    release = _streets(0.5)
    figure, axes = _pyplot.subplots(1, 2, figsize=(13, 7), layout="constrained")
    release.plot(ax=axes[0])
    release.plot(ax=axes[1], smooth=0, leaves=True)
    _save(figure, "heat")


def _streets(epsilon: float) -> HeatmapRelease:
    return sf.heatmap(
        sf.testing.checkins(),
        x="lon",
        y="lat",
        bounds={"lon": (-30.1, -29.9), "lat": (44.94, 45.06)},
        unit="person_id",
        budget=epsilon,
    )


def scores() -> None:
    """Draw one score plot in four ways: groups together and apart, arrows, synthetic points."""
    release = _scores()
    figure, axes = _pyplot.subplots(2, 2, figsize=(13, 12), layout="constrained")
    release.plot(ax=axes[0, 0])
    release.plot(ax=axes[0, 1], loadings=6)
    release.plot(ax=axes[1, 0], panels=True)
    release.plot(ax=axes[1, 1], points=1000)
    _save(figure, "scores")


def components() -> None:
    """Draw the two pictures of principal components."""
    release = _scores().pca
    figure, (left, right) = _pyplot.subplots(
        1, 2, figsize=(14, 5), width_ratios=[4, 7], layout="constrained"
    )
    release.screeplot(ax=left)
    release.loadings_plot(ax=right)
    _save(figure, "components")


@cache
def _scores() -> ScoreplotRelease:
    return sf.scoreplot(
        sf.testing.city(),
        columns=list(BODY),
        bounds=BODY,
        hue="health",
        hue_order=HEALTH,
        budget=sf.Budget(epsilon=1, delta=1e-6),
    )


def one_box() -> None:
    """Draw one box with a small budget, and name its parts."""
    release = sf.boxplot(sf.testing.city(), x="income", bounds=(0, 150_000), budget=0.04)
    figure, ax = _pyplot.subplots(figsize=(10, 4.2), layout="constrained")
    release.plot(ax=ax)
    (summary,) = release.summaries
    box, high = summary.box, summary.high
    above, below = 0.36, -0.36
    parts = [
        ("lower whisker", box.lower_whisker, 0.12, above),
        ("first quartile", box.q1, 0.19, above),
        ("median", box.median, 0.19, above),
        ("third quartile", box.q3, 0.19, above),
        ("upper whisker", box.upper_whisker, 0.12, above),
        ("soft: the true quartile\nis here, 95 % sure", (box.q3 + high.q3) / 2, -0.19, below),
        ("outliers, counted\nand not drawn", 1.06 * high.upper_whisker, -0.04, below),
    ]
    for text, x, y, label in parts:
        ax.annotate(
            text,
            (x, y),
            (x, label),
            ha="center",
            va="bottom" if label > 0 else "top",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "#5b5a55", "shrinkA": 2, "shrinkB": 2},
        )
    ax.set_ylim(-0.65, 0.5)
    _save(figure, "box")


def _save(figure: Any, name: str) -> None:
    figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None})
    _pyplot.close(figure)


def main() -> None:
    """Draw them all."""
    mpl.use("agg")
    gallery()
    one_map()
    scores()
    components()
    one_box()


if __name__ == "__main__":
    main()

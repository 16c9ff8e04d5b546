"""What releases of all kinds have in common: they say whether they are private, and to whom."""

from __future__ import annotations

from datetime import date
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.releases import document
from sfumato.releases.release import WATERMARK, Release
from sfumato.render.look import NAMES

DAYS = (date(2026, 1, 1), date(2026, 12, 31))
CHARTS: dict[str, dict[str, Any]] = {
    "histplot": {"x": "age", "bounds": (0, 90)},
    "boxplot": {"y": "age", "bounds": (0, 90)},
    "quantiles": {"x": "age", "bounds": (0, 90)},
    "heatmap": {"x": "age", "y": "pay", "bounds": {"age": (0, 90), "pay": (0, 9)}},
}


def table(rows: int, largest: float) -> pa.Table:
    values = np.linspace(-largest, largest, rows)
    days = np.full(rows, np.datetime64("2031-05-05", "D"))
    return pa.table({"age": values, "pay": values[::-1], "day": days})


def released(kind: str, **more: Any) -> Release:
    return getattr(sf, kind)(table(100, 50.0), budget=1.0, **CHARTS[kind], **more)


@pytest.mark.parametrize("kind", CHARTS)
def test_every_picture_of_simulated_noise_says_so_and_no_other_does(kind: str) -> None:
    with sf.testing.seeded(3):
        simulated = released(kind)
    assert not simulated.private
    assert simulated.figure().watermark == WATERMARK
    assert WATERMARK in simulated.caption()
    real = released(kind)
    assert real.private
    assert real.figure().watermark == ""
    assert WATERMARK not in real.caption()


@pytest.mark.parametrize("rows", [0, 1, 50])
def test_the_axes_of_counts_end_where_was_declared_whatever_the_data(rows: int) -> None:
    far = table(rows, 1e6)
    session = sf.Session(far, domain=sf.Domain(age=(0, 90), pay=(-1, 9), day=DAYS), budget=9)
    alone = session.histplot(x="age", budget=1).figure().panels[0]
    assert alone.x.limits == (0, 90)
    edges = session.histplot(x="pay", bins=[0, 1, 5], budget=1).figure().panels[0]
    assert edges.x.limits == (0, 5)
    dated = session.histplot(x="day", budget=1).figure().panels[0]
    first, last = sf.Bounds.of(DAYS).lower, sf.Bounds.of(DAYS).upper
    assert dated.x.limits == (first, last)
    both = session.histplot(x="age", y="pay", budget=1).figure().panels[0]
    assert (both.x.limits, both.y.limits) == ((0, 90), (-1, 9))


VERBS = ("plot", "to_vega", "to_html", "save")
CHOICES = {
    "histogram": ["sort", "top", "orient", "multiple"],
    "boxplot": ["sort"],
    "quantiles": [],
    "distribution": ["view"],
    "heatmap": ["smooth", "leaves", "background", "basemap", "panels", "view"],
    "means": ["orient", "merge"],
    "choropleth": [],
    "regional_means": [],
    "pairplot": [],
    "pca": ["view"],
    "scoreplot": ["panels", "loadings", "points"],
}


@pytest.mark.parametrize("kind", document.kinds())
@pytest.mark.parametrize("verb", VERBS)
def test_every_way_to_draw_is_written_once_and_names_the_choices_of_its_figure(kind, verb):
    release = document.kinds()[kind]
    shown = signature(getattr(release, verb)).parameters
    before = {"plot": ["ax"], "save": ["path"]}.get(verb, [])
    choices = [*CHOICES[kind], *NAMES]
    assert list(shown) == ["self", *before, *choices]
    assert all(shown[name].kind is Parameter.KEYWORD_ONLY for name in choices)
    assert list(signature(release.figure).parameters) == ["self", *choices]
    assert getattr(release, verb).__wrapped__ is getattr(Release, verb)


def test_a_choice_that_there_is_not_is_refused_where_it_is_made(tmp_path: Path) -> None:
    made = released("histplot")
    for draw in (made.plot, made.to_vega, made.to_html, partial(made.save, tmp_path / "a.json")):
        with pytest.raises(TypeError, match="smooth"):
            draw(smooth=1)  # pyright: ignore
    assert not list(tmp_path.iterdir())

import json
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.domain import Bounds, Categories
from sfumato.errors import ReleaseError
from sfumato.grid import Grid, Labels
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document
from sfumato.releases.quantiles import METHODS, QuantilesRelease, RankMeasured

WAIT = Grid("wait", Bounds(0, 100), 1000)
WARD = Labels("ward", Categories(("A", "B")))
MANY = Labels("ward", Categories(tuple("ABCDE")))
DAY = Grid("day", Bounds.of((date(2026, 1, 1), date(2026, 12, 31))), 364)
QUARTERS = (0.25, 0.5, 0.75)


def release(cells=(200, 400, 700), **changes) -> QuantilesRelease:
    grid = changes.get("value", WAIT)
    middle = grid.edge(np.array(cells, dtype=np.float64) + 0.5)
    width = grid.bounds.width / 50
    parts = {
        "label": "quantiles of wait",
        "guarantee": Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        "cost": Cost.pure(Fraction(1, 2)),
        "private": True,
        "value": grid,
        "by": None,
        "levels": QUARTERS,
        "method": "jointexp",
        "step": None,
        "cells": cells,
        "low": tuple((middle - width).tolist()),
        "high": tuple((middle + width).tolist()),
        "coverage": 0.95,
    }
    return QuantilesRelease(**(parts | changes))


SAMPLES = {
    "one": release(),
    "by ward": release((100, 200, 300, 400, 500, 600), by=WARD),
    "many": release(tuple(range(100, 850, 50)), by=MANY),
    "median": release((9, 8, 7, 6, 5), by=MANY, levels=(0.5,), method="single"),
    "whole numbers": release((3, 5, 8), value=Grid("wait", Bounds(-0.5, 100.5), 101), step=1.0),
    "days": release((30, 90, 200), value=DAY),
    "known size": release(guarantee=Guarantee(1.0, 0.0, PrivacyUnit.rows(), size=900)),
    "no intervals": release(coverage=0.0, method="unbounded"),
    "partly told": release(
        (100, 200, 300, 400, 500, 600), by=WARD, reliable=(True,) * 3 + (False, True, False)
    ),
    "some groups told": release(
        tuple(range(100, 850, 50)), by=MANY, reliable=tuple(i // 3 in (0, 2, 3) for i in range(15))
    ),
    "too few": release(reliable=(False,) * 3),
    "days, too few": release((30, 90, 200), value=DAY, reliable=(False, True, False)),
    "no bounds": release(reliable=(False,) * 3, bounds_found=False, found=("wait",)),
    "measured": release(
        reliable=(True,) * 3,
        measured=(RankMeasured(900, (0, 1, 200, 999), (3, -5, 80, 7)),),
        beyond=(0.0, 0.02),
    ),
    "nothing found": release((), by=Labels("job", Categories(())), found=("job",)),
    "simulated": release(private=False),
}


def panel(sample):
    (only,) = sample.figure().panels
    return only


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(sample, tmp_path):
    path = sample.save(tmp_path / "release.json")
    assert sf.load(path) == sample
    assert sf.load(path).to_dict() == sample.to_dict()


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("ending", ["svg", "html"])
def test_every_release_can_be_drawn(sample, ending, tmp_path):
    assert sample.save(tmp_path / f"picture.{ending}").stat().st_size > 500


def test_quantiles_are_the_middles_of_the_chosen_cells():
    assert SAMPLES["by ward"].quantiles == pytest.approx(
        np.array([[10.05, 20.05, 30.05], [40.05, 50.05, 60.05]])
    )
    assert SAMPLES["whole numbers"].quantiles.tolist() == [[3, 5, 8]]


def test_a_frame_has_one_row_per_group_and_level():
    frame = SAMPLES["by ward"].to_frame()
    assert list(frame) == ["ward", "level", "quantile", "low", "high", "reliable"]
    assert frame["ward"].tolist() == ["A"] * 3 + ["B"] * 3
    assert frame["level"].tolist() == [*QUARTERS, *QUARTERS]
    assert frame["quantile"].tolist() == SAMPLES["by ward"].quantiles.ravel().tolist()
    assert all(frame["low"] < frame["quantile"]) and all(frame["quantile"] < frame["high"])


def test_a_column_named_like_a_number_does_not_hide_it():
    clash = release((1, 2, 3, 4, 5, 6), by=Labels("level", Categories(("low", "high"))))
    assert clash.records()[0]["level_group"] == "low"
    assert clash.records()[0]["level"] == 0.25


def test_moments_are_told_as_moments():
    row = SAMPLES["days"].records()[0]
    assert [row[name].year for name in ("quantile", "high")] == [2026, 2026]


def test_numbers_of_numpy_are_saved_as_plain_ones(tmp_path):
    arrays = release(tuple(np.arange(3)), low=tuple(np.zeros(3)))
    assert sf.load(arrays.save(tmp_path / "release.json")) == arrays


def test_there_is_one_cell_and_one_interval_per_group_and_level():
    for wrong in ({"by": WARD}, {"low": ()}, {"levels": (0.5,)}):
        with pytest.raises(ValueError, match="one cell and one interval"):
            release(**wrong)


def test_few_groups_are_curves_of_levels():
    drawn = panel(SAMPLES["by ward"])
    assert drawn.y.label == "level" and drawn.y.limits == (0, 1)
    assert [mark.series for mark in drawn.marks] == ["A", "B"]
    assert all(mark.joined and mark.y == QUARTERS for mark in drawn.marks)
    assert drawn.marks[1].x.value == tuple(SAMPLES["by ward"].quantiles[1])
    assert SAMPLES["by ward"].figure().legend == "ward"


def test_many_groups_are_rows_of_quantiles():
    drawn = panel(SAMPLES["many"])
    assert drawn.y.categories == tuple("EDCBA")
    assert [mark.series for mark in drawn.marks] == ["0.25", "0.5", "0.75"]
    assert drawn.marks[1].x.value == tuple(SAMPLES["many"].quantiles[:, 1])
    assert drawn.marks[1].y == (4, 3, 2, 1, 0)
    assert SAMPLES["many"].figure().legend == "level"


def test_the_axis_follows_the_quantiles_and_not_the_bounds():
    wide = release(value=Grid("wait", Bounds(0, 1e6), 10**6), low=(190,) * 3, high=(720,) * 3)
    low, high = panel(wide).x.limits
    assert 100 < low < 190 and 720 < high < 800


@pytest.mark.parametrize("method", METHODS)
def test_the_caption_tells_promise_method_and_bounds(method):
    caption = release(method=method).caption()
    for part in ("Privacy: ε = 0.5. Protects each row.", "95 %", "clipped to [0, 100]"):
        assert part in caption
    assert len({release(method=other).caption() for other in METHODS}) == len(METHODS)


def test_a_public_size_is_said_wherever_the_promise_is(tmp_path):
    sample = SAMPLES["known size"]
    assert "their number is public" in sample.caption()
    plain = sample.to_dict()["guarantee"]
    assert plain["size"] == 900
    assert plain["neighbours"] == "replace one row of 900"
    assert plain["replace_one"] == [1.0, 0.0]
    loaded = sf.load(sample.save(tmp_path / "release.json"))
    assert loaded.guarantee.size == 900


def test_a_release_from_before_sizes_were_known_is_read():
    plain = release().to_dict()
    del plain["guarantee"]["size"]
    assert document.read(plain) == release()


def test_the_caption_says_when_there_are_no_intervals():
    assert "No interval available." in SAMPLES["no intervals"].caption()


def test_a_release_from_before_there_were_intervals_is_read_and_drawn():
    plain = SAMPLES["no intervals"].to_dict()
    for name in ("reliable", "measured", "beyond"):
        del plain["values"][name]
    for name in ("unit_step", "bounds_found"):
        del plain["parameters"][name]
    old = document.read(plain)
    assert old == SAMPLES["no intervals"]
    assert all(record["reliable"] for record in old.records())
    assert len(panel(old).marks[0].x.value) == 3
    assert "No interval available." in old.caption()


def test_levels_of_which_there_are_too_few_to_say_are_nan_and_not_drawn():
    partly = SAMPLES["partly told"]
    frame = partly.to_frame()
    assert frame["reliable"].tolist() == list(partly.reliable)
    assert frame["quantile"].isna().tolist() == [not told for told in partly.reliable]
    assert frame["low"].isna().tolist() == frame["high"].isna().tolist()
    (first, second) = panel(partly).marks
    assert first.y == QUARTERS and second.y == (0.5,)
    assert "Levels not drawn: too few data." in partly.caption()
    assert "Bars: 95 % confidence intervals." in partly.caption()


def test_a_group_of_too_few_says_so_where_its_numbers_would_stand():
    rows = panel(SAMPLES["some groups told"]).marks
    assert [mark.too_few for mark in rows] == [(3.0, 0.0), (), ()]
    assert all(mark.y == (4, 2, 1) for mark in rows)
    curves = panel(release((1, 2, 3, 4, 5, 6), by=WARD, reliable=(True,) * 3 + (False,) * 3))
    assert [mark.series for mark in curves.marks] == ["A", "B (too few data)"]
    (alone,) = panel(SAMPLES["too few"]).marks
    assert alone.too_few == (0.5,) and alone.y == ()
    for sample in ("too few", "some groups told"):
        for text in (SAMPLES[sample].to_html(), json.dumps(SAMPLES[sample].to_vega())):
            assert "too few data" in text


def test_a_quantile_that_counts_rule_out_gives_way_to_the_nearest_that_they_do_not():
    moved = release((200, 400, 990), low=(19, 39, 68), high=(21, 41, 72))
    assert moved.quantiles[0].tolist() == pytest.approx([20.05, 40.05, 72])


def test_a_search_that_found_nothing_is_said_with_its_price():
    nothing = SAMPLES["no bounds"]
    words = "The search for bounds found nothing: too few rows for ε = 0.5."
    assert words in nothing.caption() and words in nothing.figure().notes
    cut = release(beyond=(0.2, 0.31), found=("wait",))
    assert "Bounds too narrow: 20–31 % of rows lie at or beyond them." in cut.caption()
    assert "narrow" not in release(beyond=(0.0, 0.03), found=("wait",)).caption()


def test_simulated_noise_is_said_everywhere():
    sample = SAMPLES["simulated"]
    for text in (sample.caption(), sample.to_html(), json.dumps(sample.to_vega())):
        assert "NOT PRIVATE" in text


def changed(guarantee=None, parameters=None, **values):
    plain = release().to_dict()
    plain["guarantee"] |= guarantee or {}
    plain["parameters"] |= parameters or {}
    plain["values"] |= values
    return plain


@pytest.mark.parametrize(
    "plain",
    [
        changed(guarantee={"size": 0}),
        changed(guarantee={"size": 1.5}),
        changed(guarantee={"size": 9, "unit": {"column": "user", "max_rows": None}}),
        changed(parameters={"levels": [0.25, 0.75, 0.5]}),
        changed(parameters={"levels": [0.25, 0.5, 1.0]}),
        changed(parameters={"levels": [0.25, 0.5]}),
        changed(parameters={"levels": []}, cells=[], low=[], high=[]),
        changed(parameters={"method": "magic"}),
        changed(parameters={"step": -1}),
        changed(parameters={"coverage": 1.5}),
        changed(parameters={"by": {"column": "ward", "categories": ["A", "B"]}}),
        changed(cells=[1, 2]),
        changed(cells=[1, 2, 1000]),
        changed(cells=[-1, 2, 3]),
        changed(cells=[1, 2, 3.0]),
        changed(low=[0, 0, 99]),
        changed(low=[0, 0]),
        changed(high=[99, 99, None]),
        changed(reliable=[True, True]),
        changed(reliable=[True, True, 1]),
        changed(measured=[{"size": 9, "starts": [0, 5, 5], "counts": [1, 2, 3]}]),
        changed(measured=[{"size": 9, "starts": [1, 5], "counts": [1, 2]}]),
        changed(measured=[{"size": 9, "starts": [0, 1000], "counts": [1, 2]}]),
        changed(measured=[{"size": 9, "starts": [0, 5], "counts": [1]}]),
        changed(measured=[{"size": 9, "starts": [], "counts": []}]),
        changed(beyond=[0.3, 0.2]),
        changed(beyond=[0.3, 1.2]),
        changed(beyond=[0.3]),
        changed(parameters={"bounds_found": None}),
        changed(parameters={"unit_step": 0}),
    ],
)
def test_a_changed_document_is_refused_with_one_clear_error(plain):
    with pytest.raises(ReleaseError, match=r"not a release, or it was changed") as caught:
        document.read(plain)
    assert caught.value.__context__ is None

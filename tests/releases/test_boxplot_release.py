import json
import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.domain import Bounds, Categories
from sfumato.errors import ReleaseError
from sfumato.figure import Boxes
from sfumato.grid import Grid, Labels
from sfumato.postprocess.box import Box, Summary
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document
from sfumato.releases.boxplot import METHODS, NUMBERS, PLACES, BoxplotRelease, MeasuredBoxes

PRICE = Grid("price", Bounds(0, 500), 2**20)
WARD = Labels("ward", Categories(("A", "B", "C")))
SEX = Labels("sex", Categories(("f", "m")))
DAY = Grid("day", Bounds.of((date(2026, 1, 1), date(2026, 12, 31))), 2**16)


def summary(middle=100.0, outliers=40.0, reliable=True, scale=1.0, start=0.0, size=900.0):
    places = [start + scale * (middle + part) for part in (-40, -20, 0.1, 30, 110)]
    low = [place - 3 * scale for place in places]
    high = [place + 5 * scale for place in places]
    return Summary(
        Box(0.0, *places, outliers),
        Box(-8.0, *low, outliers - 25),
        Box(8.0, *high, outliers + 25),
        size,
        reliable,
    )


def release(**changes) -> BoxplotRelease:
    parts = {
        "label": "boxplot of price",
        "guarantee": Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        "cost": Cost.pure(Fraction(1, 2)),
        "private": True,
        "value": PRICE,
        "x": None,
        "hue": None,
        "orient": "v",
        "method": "fence",
        "whis": 1.5,
        "step": None,
        "coverage": 0.95,
        "summaries": (summary(),),
        "unit_step": 1.0,
    }
    parts |= changes
    groups = len(parts["summaries"])
    measured = tuple(MeasuredBoxes((k, k + 1, 2**40), (-3, 5)) for k in range(groups))
    return BoxplotRelease(**({"measured": measured} | parts))


BY_WARD = release(x=WARD, summaries=tuple(summary(m) for m in (90, 120, 70)))
SIX = tuple(summary(60 + 10 * place) for place in range(6))
SAMPLES = {
    "one": release(),
    "by ward": BY_WARD,
    "by ward and sex": release(x=WARD, hue=SEX, summaries=SIX),
    "by sex": release(hue=SEX, summaries=SIX[:2]),
    "level": release(x=WARD, hue=SEX, summaries=SIX, orient="h"),
    "too few": release(x=WARD, summaries=(SIX[0], summary(reliable=False), SIX[1])),
    "all too few": release(summaries=(summary(reliable=False),)),
    "whole numbers": release(value=Grid("price", Bounds(-0.5, 500.5), 501), step=1.0),
    "days": release(value=DAY, summaries=(summary(scale=86_400e6, start=DAY.bounds.lower),)),
    "people": release(guarantee=Guarantee(1.0, 0, PrivacyUnit.users("person")), unit_step=2**-30),
    "no intervals": release(method="single", coverage=0.0),
    "nothing found": release(x=Labels("job", Categories(())), summaries=(), found=("job",)),
    "found": release(x=WARD, summaries=SIX[:3], found=("ward", "price")),
    "no bounds": release(
        summaries=(summary(reliable=False),), found=("price",), bounds_found=False
    ),
    "simulated": release(private=False),
}


def marks(sample: BoxplotRelease) -> list[Boxes]:
    (panel,) = sample.figure().panels
    return list(panel.marks)


def limits(sample: BoxplotRelease) -> tuple[float, float]:
    (panel,) = sample.figure().panels
    return (panel.y if sample.orient == "v" else panel.x).limits


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(sample, tmp_path):
    path = sample.save(tmp_path / "release.json")
    assert sf.load(path) == sample
    assert sf.load(path).to_dict() == sample.to_dict()


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("ending", ["svg", "html"])
def test_every_release_can_be_drawn(sample, ending, tmp_path):
    assert sample.save(tmp_path / f"picture.{ending}").stat().st_size > 500


def test_numbers_of_numpy_are_saved_as_plain_ones(tmp_path):
    box = summary()
    arrays = Summary(
        Box(*(np.float64(getattr(box.box, name)) for name in NUMBERS)),
        box.low,
        box.high,
        np.float64(box.size),
        np.bool_(True),
    )
    measured = (MeasuredBoxes(tuple(np.arange(3)), tuple(np.arange(2))),)
    sample = release(summaries=(arrays,), measured=measured)
    assert sf.load(sample.save(tmp_path / "release.json")) == sample


def test_a_number_that_no_file_can_hold_is_refused(tmp_path):
    path = release().save(tmp_path / "boxes.json")
    text = path.read_text()
    for place in re.finditer(r"-?\d+\.\d+", text):
        path.write_text(text[: place.start()] + "1e999" + text[place.end() :])
        with pytest.raises(ReleaseError, match="not a release"):
            sf.load(path)


def test_there_is_one_summary_and_one_measurement_per_group():
    for wrong in ({"summaries": SIX}, {"x": WARD}, {"measured": ()}):
        with pytest.raises(ValueError, match="one summary and one measurement"):
            release(**wrong)


def test_a_record_has_seven_numbers_their_intervals_and_the_size():
    first, *_, last = SAMPLES["by ward and sex"].records()
    assert list(first) == [
        "ward",
        "sex",
        *NUMBERS,
        *(f"{name}_{end}" for name in NUMBERS for end in ("low", "high")),
        "size",
        "reliable",
    ]
    assert (first["ward"], first["sex"], first["median"]) == ("A", "f", 60.1)
    assert (last["ward"], last["sex"], last["q3_low"], last["q3_high"]) == ("C", "m", 137, 145)
    assert (last["outliers_above"], last["outliers_above_low"]) == (40, 15)


def test_a_column_named_like_a_number_does_not_hide_it():
    clash = release(x=Labels("size", Categories((1, 2))), summaries=SIX[:2])
    assert [row["size_group"] for row in clash.records()] == [1, 2]
    assert [row["size"] for row in clash.records()] == [900, 900]


def test_moments_are_told_as_moments_and_counts_as_numbers():
    (row,) = SAMPLES["days"].records()
    assert [row[name].year for name in PLACES] == [2026] * 5
    assert row["upper_whisker_high"].tzinfo is not None
    assert row["outliers_above_high"] == 65


def test_a_frame_has_one_row_per_group():
    frame = SAMPLES["too few"].to_frame()
    assert frame["reliable"].tolist() == [True, False, True]
    assert frame["ward"].tolist() == ["A", "B", "C"]


def test_boxes_and_intervals_are_at_hand():
    assert BY_WARD.boxes[1].median == 120.1
    interval = BY_WARD.uncertainty["median"]
    assert (interval.low[0], interval.high[0], interval.coverage) == (87.1, 95.1, 0.95)
    assert list(BY_WARD.uncertainty) == list(NUMBERS)


def test_groups_stand_side_by_side_and_hues_within_them():
    first, second = marks(SAMPLES["by ward and sex"])
    assert (first.series, second.series) == ("f", "m")
    assert first.median.value == (60.1, 80.1, 100.1)
    assert second.median.value == (70.1, 90.1, 110.1)
    assert [round(place) for place in first.position] == [0, 1, 2]
    gaps = [b - a for a, b in zip(first.position, second.position, strict=True)]
    assert gaps == pytest.approx([0.4] * 3)
    assert first.width < gaps[0], "boxes do not touch"


def test_what_comes_first_stands_on_top_of_level_boxes():
    (panel,) = SAMPLES["level"].figure().panels
    first, second = panel.marks
    assert panel.y.categories == ("C", "B", "A")
    assert [panel.y.categories[round(place)] for place in first.position] == ["A", "B", "C"]
    assert first.position[0] > second.position[0]
    assert panel.x.label == "price"


def test_one_box_is_not_as_wide_as_the_picture():
    assert marks(release())[0].width < 0.4
    assert marks(release(x=WARD, hue=SEX, summaries=SIX))[0].width > 0.3


def test_the_axis_follows_what_was_released_and_not_the_bounds():
    wide = replace(BY_WARD, value=Grid("price", Bounds(0, 500_000), 2**20))
    low, high = limits(wide)
    assert -20 < low < 30 < 230 < high < 300


def test_the_axis_leaves_room_for_counts_where_they_are_written():
    quiet = release(summaries=(summary(outliers=10.0),))
    assert limits(release())[1] > limits(quiet)[1]
    assert limits(release())[0] == pytest.approx(limits(quiet)[0], abs=2)


def test_a_group_too_small_does_not_stretch_the_axis():
    vague = Summary(
        Box(0, 400, 410, 420, 430, 440, 0),
        Box(0, 0, 0, 0, 0, 0, 0),
        Box(9, *[500_000] * 5, 9),
        3.0,
        False,
    )
    sample = release(x=WARD, summaries=(SIX[0], vague, SIX[1]))
    assert limits(sample)[1] < 300
    assert limits(release(summaries=(vague,)))[1] > 450, "alone it has all of the axis"


def test_a_whisker_at_the_bound_is_not_cut():
    edge = Summary(Box(0, 0, 1, 2, 3, 500, 0), *[Box(0, 0, 1, 2, 3, 500, 0)] * 2, 99.0, True)
    low, high = limits(release(summaries=(edge,)))
    assert low < 0 and high > 500


def test_constant_data_still_have_an_axis():
    flat = Summary(*[Box(0, 7, 7, 7, 7, 7, 0)] * 3, 99.0, True)
    low, high = limits(release(summaries=(flat,)))
    assert low < 7 < high


def test_an_interval_far_beyond_the_axis_is_told_about():
    vague = replace(SIX[0], high=replace(SIX[0].high, upper_whisker=499.0))
    sample = release(x=WARD, summaries=(vague, SIX[1], SIX[2]))
    assert limits(sample)[1] < 400
    assert sample.figure().notes == ("Some soft edges extend beyond the axis.",)
    assert BY_WARD.figure().notes == ()


@pytest.mark.parametrize("method", METHODS)
def test_the_caption_tells_promise_method_and_bounds(method):
    caption = release(method=method).caption()
    for part in ("Privacy: ε = 0.5. Protects each row.", "95 %", "clipped to [0, 500]", "in rows"):
        assert part in caption
    assert len(caption) < 300
    assert len({release(method=other).caption() for other in METHODS}) == len(METHODS)


@pytest.mark.parametrize(
    ("sample", "part"),
    [
        ("too few", "Dashed: too few data."),
        ("whole numbers", "clipped to [0, 500]"),
        ("days", "clipped to [2026-01-01, 2026-12-31]"),
        ("people", "in person (weight 1 each)"),
        ("no intervals", "No interval available"),
        ("found", "Rare categories of ward are left out."),
        ("found", "found privately"),
        ("simulated", "NOT PRIVATE"),
    ],
)
def test_the_caption_says_what_is_special(sample, part):
    plain = release(value=Grid("price", Bounds(1, 400), 2**20))
    assert part in SAMPLES[sample].caption()
    assert part not in plain.caption()


def test_the_caption_claims_its_coverage_without_condition_only_where_there_is_a_step():
    untied = "Soft edges: 95 % intervals if few values are equal; else declare a step."
    assert untied in BY_WARD.caption()
    stepped = SAMPLES["whole numbers"].caption()
    assert "Soft edges: 95 % intervals." in stepped
    assert "equal" not in stepped + SAMPLES["no intervals"].caption()


def test_the_caption_explains_only_what_is_drawn():
    assert "Outliers" not in release(summaries=(summary(outliers=10.0),)).caption()
    assert "Soft" not in SAMPLES["all too few"].caption()
    assert "Soft" not in SAMPLES["no intervals"].caption()
    assert "Dashed" not in BY_WARD.caption()
    assert "box lengths" not in BY_WARD.caption()
    assert "within 3 box lengths" in release(whis=3.0).caption()


def test_simulated_noise_is_said_everywhere():
    sample = SAMPLES["simulated"]
    for text in (sample.caption(), sample.to_html(), json.dumps(sample.to_vega())):
        assert "NOT PRIVATE" in text
    assert "Privacy:" not in sample.caption()


def test_a_search_that_found_nobody_says_so():
    assert SAMPLES["nothing found"].figure().notes == (
        "No category has enough people to be shown.",
    )
    assert SAMPLES["nothing found"].records() == []


def test_the_page_tells_every_number_of_every_group():
    text = re.sub(r"<svg.*?</svg>", "", SAMPLES["by ward and sex"].to_html(), flags=re.S)
    assert text.count("<tr>") == 7
    assert "100.1 (97.1 to 105.1)" in text


def changed(parameters=None, **values):
    plain = release().to_dict()
    plain["parameters"] |= parameters or {}
    plain["values"] |= values
    return plain


def box(**changes):
    plain = release().to_dict()["values"]["summaries"][0]
    for name, numbers in changes.items():
        plain[name] = {**plain[name], **numbers} if isinstance(numbers, dict) else numbers
    return {"summaries": [plain]}


def test_the_unchanged_document_is_read():
    assert document.read(changed(**box())) == release()


@pytest.mark.parametrize(
    "plain",
    [
        changed({"method": "magic"}),
        changed({"orient": "diagonal"}),
        changed({"whis": -1}),
        changed({"whis": "1.5"}),
        changed({"step": 0}),
        changed({"coverage": 1}),
        changed({"coverage": True}),
        changed({"unit_step": 2}),
        changed({"value": None}),
        changed({"value": {"column": "price", "categories": ["A"]}}),
        changed({"x": {"column": "price", "bounds": {}, "bins": 3}}),
        changed({"x": {"column": "ward", "categories": ["A", "B"]}}),
        changed(summaries=[]),
        changed(measured=[]),
        changed(measured=[{"cells": [1.5], "counts": []}]),
        changed(measured=[{"cells": [2**70], "counts": []}]),
        changed(measured=[{"cells": [True], "counts": []}]),
        changed(**box(box={"median": 1000.0})),
        changed(**box(box={"median": "60"})),
        changed(**box(box={"median": True})),
        changed(**box(box={"q1": float("inf")})),
        changed(**box(low={"median": 400.0})),
        changed(**box(size=None)),
        changed(**box(size=True)),
        changed(**box(clear=1)),
        changed(**box(box=[1, 2, 3, 4, 5, 6, 7])),
    ],
)
def test_a_changed_document_is_refused_with_one_clear_error(plain):
    with pytest.raises(ReleaseError, match=r"not a release, or it was changed") as caught:
        document.read(plain)
    assert caught.value.__context__ is None


def test_a_moment_that_no_calendar_holds_is_refused():
    plain = SAMPLES["days"].to_dict()
    plain["values"]["summaries"][0]["high"]["upper_whisker"] = 1e30
    with pytest.raises(ReleaseError):
        document.read(plain)

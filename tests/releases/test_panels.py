"""Panels, order, choice and direction of bars: all from released numbers and public names."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from sfumato.domain import Bounds, Categories
from sfumato.ends import CYCLES
from sfumato.errors import ReleaseError
from sfumato.figure import Bars, Figure
from sfumato.grid import Grid, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.histogram import HistogramRelease
from sfumato.releases.histogram import figure as drawing
from sfumato.render import html, vega
from sfumato.render.matplotlib import render_picture
from sfumato.render.scale import title_of, x_limits, y_limits


def labels(column: str, *names: str) -> Labels:
    return Labels(column, Categories(names))


AGE = Grid("age", Bounds(0, 90), 3)
WARDS = labels("ward", "A", "B", "C")
MONTHS = labels("month", "May", "June")
MANY = labels("carrier", *"ABCDEFGHIJKL")


def release(x: Any = AGE, steps: Any = (3, 4, 5), **more: Any) -> HistogramRelease:
    return HistogramRelease(
        label="histogram of age",
        guarantee=Guarantee(0.5, 0.0, PrivacyUnit.rows()),
        cost=Cost.pure(Fraction(1, 2)),
        private=True,
        x=x,
        y=more.pop("y", None),
        hue=more.pop("hue", None),
        stat=more.pop("stat", "count"),
        noise=NoiseLaw("laplace", 2.0),
        step=1.0,
        steps=tuple(steps),
        **more,
    )


def bars(figure: Figure) -> list[Bars]:
    return [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, Bars)]


def titles(figure: Figure) -> list[str]:
    return [title_of(figure, panel) for panel in figure.panels]


def test_panels_share_axes_caption_and_intervals_that_hold_for_all_of_them():
    whole = release(steps=range(0, 90, 5), col=MONTHS, row=WARDS)
    shown = whole.figure()
    assert shown.columns == 2
    assert titles(shown)[:3] == [
        "ward = A | month = May",
        "ward = A | month = June",
        "ward = B | month = May",
    ]
    assert [mark.height for mark in bars(shown)][4] == (60, 65, 70)
    assert len({y_limits(panel, shown) for panel in shown.panels}) == 1
    assert "thin: 96 % for all 18 jointly" in shown.caption
    one = whole.facet(col="June", row="C")
    assert "for all 3 jointly" in one.caption()
    assert bars(one.figure())[0].simultaneous.high[0] < bars(shown)[5].simultaneous.high[0]


def test_panels_are_drawn_by_every_renderer_with_one_legend():
    hue = labels("sex", "f", "m")
    shown = release(steps=range(18), hue=hue, col=WARDS, col_wrap=2).figure()
    page, specification = html.build_html(shown), vega.build_vega(shown)
    assert page.count("<td>C</td>") == 6
    assert str(specification).count("'symbolType'") == hue.cells  # all in the first panel
    assert str(specification).count("'columns': 2") >= 1
    assert render_picture(shown, "png")[1:4] == b"PNG"


def test_more_groups_than_can_be_told_apart_have_panels_of_their_own():
    crowd = release(steps=range(36), hue=MANY)
    assert titles(crowd.figure())[:2] == ["carrier = A", "carrier = B"]
    assert not crowd.figure().legend and not bars(crowd.figure())[0].outline
    layered = crowd.figure(multiple="layer")
    assert (len(layered.panels), layered.legend) == (1, "carrier")
    assert crowd.figure().caption == layered.caption
    few = release(steps=range(6), hue=MONTHS)
    assert len(few.figure().panels) == 1 and len(few.figure(multiple="panels").panels) == 2


def test_what_is_chosen_by_its_released_count_has_joint_intervals_alone():
    whole = release(MANY, steps=[5, 50, -3, 7, 7, 90, 1, 0, 2, 3, 4, 6])
    shown = whole.figure(top=3)
    (mark,) = bars(shown)
    assert shown.panels[0].x.categories == ("F", "B", "D")
    assert mark.pointwise is None
    every = bars(whole.figure())[0].simultaneous
    assert mark.simultaneous.high == tuple(every.high[place] for place in (5, 1, 3))
    assert mark.simultaneous.coverage == every.coverage
    assert "Thin bars: 96 % for all 12 jointly." in shown.caption
    assert shown.notes == ("3 of 12 categories of carrier, by released count.",)
    assert "triangle" not in shown.caption  # what is below zero is not drawn
    ordered = whole.figure(sort="count")
    assert ordered.panels[0].x.categories == tuple("FBDELAKJIGHC")
    assert "Ordered by released count." in ordered.caption and not ordered.notes


def test_intervals_of_the_chosen_alone_would_be_noticed(monkeypatch: pytest.MonkeyPatch):
    whole = release(MANY, steps=range(12))
    every = bars(whole.figure(top=2))[0].simultaneous

    def narrower(release: Any, view: Any, pane: Any) -> Any:
        few = replace(release, x=view.key, steps=tuple(release.steps[p] for p in (11, 10)))
        return real(few, replace(view, choice=None), pane)

    real = drawing._numbers  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(drawing, "_numbers", narrower)
    assert bars(whole.figure(top=2))[0].simultaneous.high != every.high


def test_names_that_do_not_fit_below_bars_stand_beside_them():
    long = labels("industry", *(f"{name} and all that belongs to it" for name in "abcde"))
    (mark,) = bars(release(long, steps=range(5)).figure())
    assert mark.orient == "h"
    shown = release(long, steps=range(5)).figure()
    assert shown.panels[0].y.reversed and shown.panels[0].y.kind == "category"
    assert x_limits(shown.panels[0], shown)[0] == 0
    assert bars(release(WARDS).figure())[0].orient == "v"
    assert bars(release(WARDS).figure(orient="h"))[0].orient == "h"
    hours = Labels("when", Categories(CYCLES["hour of day"]), "hour of day")
    assert bars(release(hours, steps=range(24)).figure())[0].orient == "v"


def test_hundreds_of_categories_have_a_page_that_is_as_long():
    from sfumato.render.matplotlib.drawing import natural_size

    crowd = release(labels("c", *map(str, range(221))), steps=range(221)).figure()
    assert natural_size(crowd) == (6.4, 32.0)
    height = vega.build_vega(crowd)["vconcat"][0]["vconcat"][0]["height"]
    assert height == 221 * 15


@pytest.mark.parametrize(
    ("view", "x"),
    [
        ({"sort": "count"}, AGE),
        ({"top": 2}, AGE),
        ({"orient": "h"}, AGE),
        ({"sort": "median"}, WARDS),
        ({"top": 0}, WARDS),
        ({"top": True}, WARDS),
        ({"multiple": "stack"}, WARDS),
        ({"orient": "up"}, WARDS),
    ],
)
def test_a_way_to_draw_that_there_is_not_is_refused(view: dict[str, Any], x: Any):
    with pytest.raises(ReleaseError):
        release(x).figure(**view)


@pytest.mark.parametrize(
    "wrong", [{"col_wrap": 2}, {"col": MONTHS}, {"row": labels("ward")}, {"col_wrap": 0}]
)
def test_panels_that_do_not_belong_to_the_numbers_are_no_release(wrong: dict[str, Any]):
    with pytest.raises(ValueError, match=r"anels|integer"):
        release(**wrong)

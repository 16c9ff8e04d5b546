"""What a release of means says and draws, as values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.figure import Curve, Summaries
from sfumato.grid import Edges, Labels
from sfumato.postprocess.clip_choice import choose_clip
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.means import MeansRelease

SPAN = Edges("y", Bounds(0, 100), (0.0, 100.0))
LAW = NoiseLaw("laplace", 10.0)


def release(**changes) -> MeansRelease:
    parts = {
        "label": "mean of y by g",
        "guarantee": Guarantee(1.0, 0.0, PrivacyUnit.rows()),
        "cost": Cost.pure(Fraction(1)),
        "column": "y",
        "declared": SPAN,
        "clipped": SPAN,
        "x": Labels("g", Categories(("a", "b", "c"))),
        "hue": None,
        "estimator": "mean",
        "noise": LAW,
        "step": 0.1,
        "steps": (7500, 2500, 5000, 5000, 3, -9),
    }
    return MeansRelease(**(parts | changes))


def test_a_bar_stands_for_each_group_and_words_for_those_of_too_few():
    (panel,) = release().figure().panels
    (bars,) = panel.marks
    assert isinstance(bars, Summaries)
    assert bars.value.value[:2] == (25.0, 50.0)
    assert bars.reliable == (True, True, False)
    assert bars.muted == (False, False, False)
    assert bars.width > 0
    assert not bars.joined
    assert panel.y.label == "mean of y"


def test_what_noise_alone_could_have_made_is_grey():
    (panel,) = release(steps=(5000, 5, 5000, 5000, 5000, 5000)).figure().panels
    assert panel.marks[0].muted == (True, False, False)
    assert "Grey" in release(steps=(5000, 5, 5000, 5000, 5000, 5000)).caption()


def test_points_and_lines_are_joined_and_lines_along_bins_have_a_band():
    (points,) = release(view="points").figure().panels[0].marks
    assert (points.width, points.joined) == (0.0, True)
    bins = Edges("x", Bounds(0, 3), (0.0, 1.0, 2.0, 3.0))
    (line,) = release(view="line", x=bins).figure().panels[0].marks
    assert isinstance(line, Curve)
    assert line.x == (0.5, 1.5)  # the third bin has too few
    assert "Band" in release(view="line", x=bins).caption()


def test_sums_weigh_both_ends_and_counts_are_both_together():
    shifted = Edges("y", Bounds(0, 100), (10.0, 60.0))
    total = release(estimator="sum", clipped=shifted, steps=(100, 300) * 3)
    assert total.estimates.value == pytest.approx([(10 * 100 + 60 * 300) / 10] * 3)
    assert total.counts == pytest.approx([40.0] * 3)


def test_bias_is_none_where_declared_bounds_were_kept_and_told_where_they_were_not():
    assert release().bias_range == (0.0, 0.0)
    near = Edges("y", Bounds(0, 50), (0.0, 50.0))
    cut = release(
        clipped=near,
        ladder=(0.0, 25.0, 50.0, 100.0),
        ladder_steps=(5000, 3000, 900),
        ladder_noise=LAW,
    )
    assert cut.beyond == pytest.approx((0.0, 900 / 8900))
    assert cut.bias == pytest.approx(-25 * 900 / 8900)
    low, high = cut.bias_range
    assert low < cut.bias < 0 == high
    assert "Clipping moves" in cut.caption()


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": (1, 2)},
        {"column": None},
        {"clipped": None},
        {"estimator": "proportion"},
        {"estimator": "median"},
        {"ladder": (0.0, 1.0)},
        {"ladder": (1.0, 0.0), "ladder_steps": (1,), "ladder_noise": LAW},
    ],
)
def test_what_contradicts_itself_is_no_release(changes):
    with pytest.raises(ValueError, match=r"\."):
        release(**changes)


def test_another_estimate_of_the_same_numbers_is_drawn_from_them():
    assert replace(release(), estimator="sum").figure().panels[0].y.label == "sum of y"


def test_clipping_keeps_bounds_that_are_full_to_their_ends():
    edges = np.linspace(0.0, 100.0, 9)
    clip = choose_clip(edges, np.full(8, 5000.0), deviation=15.0, worth=3.0)
    assert (clip.low, clip.high) == (0, 8)


def test_clipping_leaves_empty_ends_out():
    edges = np.array([-1e4, -100, -10, 0, 10, 20, 40, 1e3, 1e5])
    counts = np.array([3.0, -9, 4, 5000, 6000, 700, -6, 2])
    clip = choose_clip(edges, counts, deviation=10.0, worth=20.0)
    assert edges[clip.low] >= -100
    assert 40 <= edges[clip.high] <= 1e3

"""What a release of means says and draws, as values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.figure import Curve, Summaries
from sfumato.grid import Edges, Labels
from sfumato.postprocess.clip_choice import Ladder, choose_clip
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
    assert cut.bias == pytest.approx(-25 * 900 / 8900)
    low, high = cut.bias_range
    hidden = 1.65 * np.sqrt(LAW.variance)
    assert (low, high) == (pytest.approx(-50 * (900 + hidden) / 8900), 0.0)
    assert "Clipping moves" in cut.caption()


def test_a_bias_that_may_exceed_the_range_is_said_to_be_unknown():
    far = Edges("y", Bounds(0, 1e6), (0.0, 1e6))
    cut = release(
        declared=far,
        clipped=SPAN,
        ladder=(0.0, 0.001, 50.0, 100.0, 1e6),
        ladder_steps=(5000, 3000, 900, 4),
        ladder_noise=LAW,
        ladder_seen=(0.001, 50.0),
    )
    assert cut.bias_range[0] < -1000 < -1 < cut.bias < 0
    assert "unknown" in cut.caption()
    assert cut.clip_found
    assert cut.estimates.reliable.any()
    alone = replace(cut, ladder_steps=(5000, 3, 0, 4), ladder_seen=())
    assert not alone.clip_found
    assert not alone.estimates.reliable.any()
    assert not replace(alone, estimator="sum").estimates.reliable.any()


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
        {"ladder_seen": (0.0, 1.0)},
    ],
)
def test_what_contradicts_itself_is_no_release(changes):
    with pytest.raises(ValueError, match=r"\."):
        release(**changes)


def test_another_estimate_of_the_same_numbers_is_drawn_from_them():
    assert replace(release(), estimator="sum").figure().panels[0].y.label == "sum of y"


def test_clipping_keeps_bounds_that_are_full_to_their_ends():
    ladder = Ladder.of(np.linspace(0.0, 100.0, 9), np.full(8, 5000.0), deviation=15.0)
    assert choose_clip(ladder, worth=3.0, within=(0.0, 100.0)) == (0.0, 100.0)


def test_clipping_leaves_empty_ends_out():
    edges = np.array([-1e4, -100, -10, 0, 10, 20, 40, 1e3, 1e5])
    counts = np.array([3.0, -9, 4, 5000, 6000, 700, -6, 2])
    ladder = Ladder.of(edges, counts, deviation=10.0)
    low, high = choose_clip(ladder, worth=20.0, within=(-1e4, 1e5))
    assert -100 <= low <= 0
    assert 20 <= high <= 1e3


def test_what_walks_have_seen_is_kept_unless_the_counts_deny_it():
    edges = np.array([0.0, 1, 2, 4, 8, 16, 32, 1000])
    counts = np.array([900.0, 2, -8, 30, 25, 5, 4])
    ladder = Ladder.of(edges, counts, deviation=10.0, seen=(1.0, 8.0))
    assert ladder.clear == (0, 4)
    assert choose_clip(ladder, worth=2.0, within=(0.0, 1000.0))[1] >= 8
    denied = Ladder.of(edges, counts * [1, 1, 1, 0, 0, -3, 1], deviation=10.0, seen=(1.0, 8.0))
    assert denied.clear == (0, 0)


def test_an_end_is_no_nearer_to_the_only_value_seen_than_a_part_of_the_range():
    edges = np.concatenate([[0.0], 2.0 ** np.arange(-20, 11)])
    ladder = Ladder.of(edges, np.array([900.0, *np.zeros(30)]), deviation=10.0)
    assert ladder.degenerate
    assert choose_clip(ladder, worth=2.0, within=(0.0, 1024.0))[1] == pytest.approx(32, rel=0.01)

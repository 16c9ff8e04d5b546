"""Points and margins ask what a heatmap asks, are answered alike, and hold what they state."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.redrawn import Jointplot, Scatterplot
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError, ReleaseError
from sfumato.figure import Clouds, Curve, Dots, Heat
from sfumato.releases.heatmap.joint import _add_squares, _choose_width, find_margin
from sfumato.render.matplotlib import render_picture
from sfumato.render.vega import build_vega
from sfumato.testing import measure_planned, seeded

BOUNDS = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
DOMAIN = sf.Domain(**BOUNDS, g=["a", "b"])


def make_table(rows: int = 3000) -> pa.Table:
    generator = np.random.default_rng(7)
    group = generator.choice(["a", "b"], rows, p=[0.7, 0.3])
    x = generator.normal(np.where(group == "a", 0.3, 0.7), 0.07)
    return pa.table({"x": x, "y": generator.beta(2, 5, rows), "g": group})


def measure(chart: Heatmap | Scatterplot | Jointplot, seed: int = 3, rows: int = 3000):
    plan = chart.plan(DOMAIN, sf.PrivacyUnit.rows(), sf.Budget(1))
    with seeded(seed):
        return measure_planned(chart, DuckEngine(make_table(rows)), plan)


def test_density_points_and_margins_are_one_release_and_paid_once() -> None:
    session = sf.Session(make_table(), domain=DOMAIN, budget=sf.Budget(3))
    density = session.heatmap(x="x", y="y", budget=1)
    spent = session.ledger.spent
    points = session.scatterplot(x="x", y="y", budget=1)
    joint = session.jointplot(x="x", y="y", budget=0.5)
    again = session.heatmap(x="x", y="y", budget=1)
    assert density.noisy == points.noisy == joint.noisy == again.noisy
    views = [each.view for each in (density, points, joint, again)]
    assert views == ["density", "scatter", "joint", "density"]
    assert session.ledger.spent == spent


def test_other_columns_rows_or_groups_are_charged() -> None:
    session = sf.Session(make_table(), domain=DOMAIN, budget=sf.Budget(4))
    session.heatmap(x="x", y="y", budget=1)
    for asked in ({"x": "y", "y": "x"}, {"x": "x", "y": "y", "where": "x > 0"},
                  {"x": "x", "y": "y", "hue": "g"}):  # fmt: skip
        spent = session.ledger.spent
        session.scatterplot(**asked, budget=1)
        assert session.ledger.spent != spent


def test_points_say_that_they_are_synthetic() -> None:
    release = measure(Scatterplot("x", "y"))
    figure = release.figure()
    assert isinstance(figure.panels[0].marks[0], Dots)
    assert figure.title.startswith("Synthetic points")
    assert figure.caption == release.caption()
    assert "none of them anybody's" in figure.caption
    assert figure.panels[0].ratio == 0


def test_points_of_degrees_keep_the_shape_of_a_map() -> None:
    window = {"lon": (-30.1, -29.9), "lat": (44.94, 45.06)}
    with seeded(2):
        from sfumato.city import checkins

        release = sf.scatterplot(
            checkins(300), x="lon", y="lat", bounds=window, unit="person_id", budget=1
        )
    assert 0.5 < release.figure().panels[0].ratio < 1.2
    assert render_picture(release.figure(), "svg")


@pytest.mark.parametrize("chart", [Scatterplot, Jointplot])
@pytest.mark.parametrize("hue", [None, "g"])
def test_the_view_survives_a_file_and_is_drawn_in_both_ways(chart, hue, tmp_path) -> None:
    release = measure(chart("x", "y", hue=hue))
    release.save(tmp_path / "release.json")
    again = sf.load(tmp_path / "release.json")
    assert again.view == chart.view
    assert again.figure() == release.figure()
    assert render_picture(release.figure(), "svg")
    assert build_vega(release.figure())["vconcat"]


def test_margins_stand_beside_the_density_on_shared_axes() -> None:
    above, centre, beside = measure(Jointplot("x", "y")).figure().panels
    assert [panel.place for panel in (above, centre, beside)] == [(0, 0), (1, 0), (1, 1)]
    assert (above.x, beside.y) == (centre.x, centre.y)
    assert isinstance(centre.marks[0], Heat)
    assert [mark.orient for mark in (*above.marks, *beside.marks)] == ["v", "h"]


def test_margins_of_groups_are_drawn_over_each_other() -> None:
    above, centre, _ = measure(Jointplot("x", "y", hue="g")).figure().panels
    assert isinstance(centre.marks[0], Clouds)
    assert [mark.series for mark in above.marks if isinstance(mark, Curve)] == ["a", "b"]
    assert max(max(mark.y.value) for mark in above.marks if isinstance(mark, Curve)) == 1


def measure_loosely(seed: int, rows: int, wide: float):
    """Return the map of a window so many times as wide as what lies in it."""
    ends = 0.5 - wide / 2, 0.5 + wide / 2
    chart = Jointplot("x", "y")
    plan = chart.plan(sf.Domain(x=ends, y=ends), sf.PrivacyUnit.rows(), sf.Budget(1))
    with seeded(seed):
        return measure_planned(chart, DuckEngine(make_table(rows)), plan)


@pytest.mark.parametrize("wide", [1, 8])
def test_intervals_of_margins_cover_what_they_state(wide: float) -> None:
    held = []
    for seed, rows in [*((seed, 3000) for seed in range(20)), *((seed, 60) for seed in range(40))]:
        columns = {name: make_table(rows)[name].to_numpy() for name in ("x", "y")}
        reach = max(0.5, wide / 2)
        inside = np.all([np.abs(each - 0.5) <= reach for each in columns.values()], axis=0)
        release = measure_loosely(seed, rows, wide)
        for side in ("x", "y"):
            margin = find_margin(release, side)
            truth, _ = np.histogram(columns[side][inside], margin.edges)
            held += ((margin.low <= truth) & (truth <= margin.high)).tolist()
    assert 0.93 <= np.mean(held) <= 0.975


@pytest.mark.parametrize(("rows", "fewest"), [(1000, 4), (3000, 6), (20_000, 12)])
def test_margins_under_loose_bounds_have_bins_where_people_are(rows: int, fewest: int) -> None:
    release = measure_loosely(1, rows, 8)
    widest = int(release.leaves.span.max())
    coarse = _choose_width(release.leaves.shape[0], widest) * 8 / release.leaves.shape[0]
    for side in ("x", "y"):
        margin = find_margin(release, side)
        inside = (margin.edges[1:] > 0) & (margin.edges[:-1] < 1)
        significant = margin.low > 0
        assert np.count_nonzero(significant & inside) >= fewest
        assert np.count_nonzero(significant) <= 64
        assert np.diff(margin.edges)[0] <= coarse


def measure_ages(ends: tuple[float, float], *, whole: bool):
    generator = np.random.default_rng(8)
    drawn = {name: generator.normal(50, 12, 40_000) for name in ("x", "y")}
    table = pa.table({name: np.rint(each) if whole else each for name, each in drawn.items()})
    plan = Jointplot("x", "y").plan(
        sf.Domain(x=ends, y=ends), sf.PrivacyUnit.rows(), sf.Budget(2, weak=True)
    )
    with seeded(2):
        return measure_planned(Jointplot("x", "y"), DuckEngine(table), plan)


def count_peaks(counts: np.ndarray) -> int:
    """Return how many bins stand a tenth above both of their neighbours, where people are."""
    middle, sides = counts[1:-1], np.maximum(counts[:-2], counts[2:])
    return int(np.count_nonzero((middle > 1.1 * sides) & (middle > 0.2 * counts.max())))


@pytest.mark.parametrize("ends", [(0, 104), (17, 90)])
def test_margins_of_whole_numbers_have_no_peaks_made_by_where_bins_lie(ends) -> None:
    release = measure_ages(ends, whole=True)
    margin = find_margin(release, "x")
    assert np.count_nonzero(margin.low > 0) >= 8
    assert count_peaks(margin.value) <= 1
    narrow = _add_squares(release, "x", release.leaves.shape[0], 4)
    assert count_peaks(narrow.noisy) >= 4


@pytest.mark.parametrize("ends", [(0, 104), (17, 90)])
def test_margins_of_other_numbers_have_as_fine_bins_whatever_their_bounds(ends) -> None:
    margin = find_margin(measure_ages(ends, whole=False), "x")
    assert np.count_nonzero(margin.low > 0) >= 25
    assert count_peaks(margin.value) <= 1


def test_wide_squares_are_shared_by_the_bins_they_cross_and_widen_intervals() -> None:
    release = measure(Jointplot("x", "y"), 3, 1000)
    cells = release.leaves.shape[0]
    fine, coarse = (_add_squares(release, "x", cells, width) for width in (1, cells))
    assert fine.mass.sum() == pytest.approx(coarse.mass.sum())
    assert fine.noisy.sum() == pytest.approx(coarse.noisy.sum())
    assert fine.variance.sum() <= coarse.variance.sum()
    assert (fine.below <= fine.mass + 1e-9).all() and fine.above.sum() > fine.below.sum() > 0
    assert coarse.above.sum() == coarse.below.sum() == 0


def test_margins_of_nothing_are_grey() -> None:
    grey = [mark.muted for seed in range(5)
            for panel in measure(Jointplot("x", "y"), seed, 0).figure().panels
            for mark in panel.marks if isinstance(mark, Curve)]  # fmt: skip
    assert np.mean([each for muted in grey for each in muted]) > 0.9


def test_bins_of_a_margin_are_crossed_by_squares_with_few_people_alone() -> None:
    release = measure(Jointplot("x", "y"))
    edges = find_margin(release, "x").edges
    left, right, _, _ = release.ends
    crossed = np.searchsorted(edges, left, "right") != np.searchsorted(edges, right, "left")
    assert release.leaves.mass[crossed].sum() < 0.1 * release.total
    dense = measure(Heatmap("x", "y", (30, 20), "laplace"))
    assert len(find_margin(dense, "x").value) == 30
    assert find_margin(dense, "y").value.sum() > 0


def test_what_no_heatmap_is_asked_is_refused() -> None:
    with pytest.raises(DomainError, match="different columns"):
        Scatterplot("x", "x")
    with pytest.raises(ReleaseError, match="joint"):
        measure(Heatmap("x", "y")).figure(view="points")  # pyright: ignore[reportArgumentType]

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.privacy.budget import to_fraction

PEOPLE = pa.table(
    {
        "age": [5.0, 15.0, 70.0, 99.0],
        "pay": [1.0, 2.0, 9.0, 3.0],
        "ward": ["A", "A", "B", "Z"],
        "person": ["u", "u", "v", "w"],
    }
)
NO_NOISE = sf.Budget(1e4, weak=True)


def test_one_line_with_bounds():
    release = sf.histplot(PEOPLE, x="age", bounds=(0, 100), bins=2, budget=NO_NOISE)
    assert release.counts.tolist() == [2, 2]


def test_every_one_line_chart_takes_a_table_with_limits():
    table = sf.Table(PEOPLE, threads=1, memory_limit="100MB")
    facts = {"bounds": {"age": (0, 100), "pay": (0, 10)}, "budget": sf.Budget(1, 1e-6)}
    for chart, asked in (
        (sf.histplot, {"x": "age"}),
        (sf.boxplot, {"x": "ward", "y": "age", "order": ["A"]}),
        (sf.boxplot, {"x": "ward", "y": "age", "order": ["A"], "bounds": (0, 100)}),
        (sf.quantiles, {"x": "age"}),
        (sf.heatmap, {"x": "age", "y": "pay", "resolution": 4}),
        (sf.pca, {"columns": ["age", "pay"]}),
        (sf.scoreplot, {"columns": ["age", "pay"], "bins": 4}),
    ):
        assert chart(table, **(facts | asked)).private
    assert table.source is PEOPLE


def test_one_line_with_edges_that_declare_the_bounds():
    for edges in ([0, 18, 65, 110], np.array([0, 18, 65, 110])):
        release = sf.histplot(PEOPLE, x="age", bins=edges, budget=NO_NOISE)
        assert release.counts.tolist() == [2, 0, 2]


def test_one_line_with_orders():
    release = sf.histplot(
        PEOPLE, x="ward", order=["B", "A"], hue="person", hue_order=["u", "v"], budget=NO_NOISE
    )
    assert release.counts.tolist() == [[0, 2], [1, 0]]


def test_one_line_in_two_dimensions():
    bounds = {"age": (0, 100), "pay": (0, 10)}
    release = sf.histplot(PEOPLE, x="age", y="pay", bounds=bounds, bins=2, budget=NO_NOISE)
    assert release.counts.tolist() == [[2, 0], [1, 1]]
    with pytest.raises(sf.DomainError, match="cannot serve x and y"):
        sf.histplot(PEOPLE, x="age", y="pay", bounds=(0, 100), budget=1)


def test_one_line_for_people():
    release = sf.histplot(PEOPLE, x="ward", order=["A", "B"], unit="person", budget=NO_NOISE)
    assert release.counts == pytest.approx([1, 1], abs=0.01)


@pytest.mark.parametrize(
    ("budget", "delta"), [(1.0, 1e-6), (sf.Budget(1.0, 1e-6), 3e-7), (0.3, 1e-9)]
)
def test_one_line_with_a_search_spends_just_its_budget(budget, delta):
    searches = {"order": sf.private(delta=delta), "hue_order": sf.private(delta=delta)}
    release = sf.histplot(PEOPLE, x="ward", hue="person", **searches, budget=budget)
    assert release.guarantee.epsilon == sf.Budget.of(budget).epsilon
    assert release.cost.delta == 2 * to_fraction(delta)
    assert release.guarantee.delta >= float(release.cost.delta)


def test_one_line_with_gaussian_noise():
    release = sf.histplot(PEOPLE, x="age", bounds=(0, 9), budget=sf.Budget(0.5, 1e-6))
    assert release.noise.kind == "gaussian"
    assert release.cost.rho == sf.Budget(0.5, 1e-6, reserve=0).rho


@pytest.mark.parametrize("bins", [[], [1], "ten", [[1, 2], [3]]])
def test_bins_that_make_no_sense_are_refused(bins):
    with pytest.raises(sf.DomainError):
        sf.histplot(PEOPLE, x="age", bins=bins, budget=1)


@pytest.mark.parametrize("bounds", [sf.private(), {"age": sf.private()}])
def test_bounds_are_not_searched_for(bounds):
    with pytest.raises(sf.DomainError, match="cannot search for its bounds"):
        sf.histplot(PEOPLE, x="age", bounds=bounds, budget=1)


def test_a_missing_declaration_says_what_to_type():
    with pytest.raises(sf.DomainError, match=r"bounds=\(lower, upper\) for numbers"):
        sf.histplot(PEOPLE, x="age", budget=1)


def test_every_public_name_is_there_and_nothing_heavy_is_loaded_for_it():
    code = (
        "import sys, sfumato as sf\n"
        "heavy = {'duckdb', 'opendp', 'pandas', 'pyarrow', 'matplotlib', 'scipy', 'cryptography'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "[getattr(sf, name) for name in sf.__all__]\n"
        "assert set(sf.__all__) <= set(dir(sf))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'scatter'"):
        sf.scatter  # noqa: B018


def test_a_search_whose_deltas_have_no_short_sum_still_fits_its_own_budget():
    deltas = 1.2345678901234567e-07, 7.654321098765433e-13
    searches = {"order": sf.private(delta=deltas[0]), "hue_order": sf.private(delta=deltas[1])}
    for budget in (0.7, sf.Budget(0.7, 1e-6)):
        sf.histplot(PEOPLE, x="ward", hue="person", **searches, budget=budget)


def test_the_largest_promise_can_still_be_saved(tmp_path):
    release = sf.histplot(PEOPLE, x="age", bounds=(0, 9), budget=sf.Budget(1e12, weak=True))
    assert sf.load(release.save(tmp_path / "release.json")) == release
    with pytest.raises(sf.BudgetError):
        sf.Budget(1e308)


METHODS = ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")
CHOICES = ("joint", "jointexp", "approx", "single", "unbounded")
VISITS = pa.table(
    {
        "wait": np.linspace(0, 200, 900),
        "ward": ["A", "B", "C"] * 300,
        "sex": ["f", "m"] * 450,
        "person": np.arange(900) // 2,
        "year": [2024, 2025, 2026] * 300,
    }
)


@pytest.mark.parametrize("method", METHODS)
def test_one_line_with_boxes(method):
    release = sf.boxplot(
        VISITS,
        x="ward",
        y="wait",
        order=["B", "A"],
        bounds=(0, 240),
        method=method,
        budget=sf.Budget(50, weak=True),
    )
    assert [box.median for box in release.boxes] == pytest.approx([100, 100], abs=12)
    assert (release.method, release.orient) == (method, "v")
    assert release.guarantee.epsilon == 50 and release.cost.epsilon == 50
    assert release.label == "boxplot of wait by ward"


def test_one_line_with_lying_boxes_and_hues():
    release = sf.boxplot(
        VISITS,
        x="wait",
        y="ward",
        hue="sex",
        order=["A"],
        hue_order=["m", "f"],
        bounds=(0, 240),
        step=10,
        whis=1,
        budget=sf.Budget(20, weak=True),
    )
    assert (release.orient, release.whis, release.step) == ("h", 1, 10)
    assert release.label == "boxplot of wait by ward and sex"
    assert [record["sex"] for record in release.records()] == ["m", "f"]


@pytest.mark.parametrize(
    ("ask", "orient", "value"),
    [
        (dict(x="year", y="wait", order=[2024]), "v", "wait"),
        (dict(x="wait", y="year", order=[2024], orient="h"), "h", "wait"),
        (dict(x="wait", y="year", order=[2024], bounds={"wait": (0, 240)}), "h", "wait"),
        (dict(x="year", y="wait", order=[2024], bounds={"wait": (0, 240)}), "v", "wait"),
        (dict(x="wait"), "h", "wait"),
        (dict(y="wait"), "v", "wait"),
        (dict(y="wait", hue="ward", hue_order=["A"]), "v", "wait"),
        (dict(x="wait", y="ward", order=["A"], bounds=sf.private()), "h", "wait"),
        (dict(x="ward", y="wait", order=sf.private(delta=1e-6)), "v", "wait"),
    ],
)
def test_one_line_tells_by_the_columns_which_has_the_values(ask, orient, value):
    release = sf.boxplot(VISITS, **({"bounds": (0, 240), "budget": 2.0} | ask))
    assert (release.orient, release.value.column) == (orient, value)


@pytest.mark.parametrize("budget", [2.0, sf.Budget(2.0, 1e-6)], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_one_line_with_every_search_spends_just_its_budget(method, budget):
    search = sf.private(share=0.2, delta=3e-7)
    release = sf.boxplot(
        VISITS,
        x="ward",
        y="wait",
        hue="sex",
        order=search,
        hue_order=search,
        bounds=sf.private(),
        method=method,
        unit=sf.PrivacyUnit.users("person", max_rows=2),
        budget=budget,
    )
    assert release.cost.delta == 2 * to_fraction(3e-7)
    assert release.guarantee.epsilon == 2 and release.guarantee.delta >= float(release.cost.delta)
    assert release.found[-1] == "wait"


@pytest.mark.parametrize("method", [*CHOICES, None])
def test_one_line_with_quantiles(method):
    release = sf.quantiles(
        VISITS, x="wait", q=[0.25, 0.75], hue="ward", hue_order=["C"], bounds=(0, 240),
        method=method, unit="person", budget=sf.Budget(50, weak=True),
    )  # fmt: skip
    assert release.quantiles[0] == pytest.approx([50, 150], abs=12)
    assert release.label == "quantiles of wait by ward"


@pytest.mark.parametrize("method", CHOICES)
def test_one_line_with_a_public_number_of_rows_promises_less_and_says_so(method):
    release = sf.quantiles(
        VISITS, x="wait", q=0.5, bounds=(0, 240), neighbours="replace", n=900, method=method,
        budget=sf.Budget(20, weak=True),
    )  # fmt: skip
    assert release.quantiles[0] == pytest.approx([100], abs=8)
    assert release.guarantee.neighbours == "replace one row of 900"
    assert release.guarantee.replace_one == (20, 0)
    assert "their number is public" in release.caption()


@pytest.mark.parametrize("make", ["boxplot", "quantiles"])
def test_a_release_of_boxes_or_quantiles_can_be_saved_and_loaded(make, tmp_path):
    ask = {"y": "wait"} if make == "boxplot" else {"x": "wait"}
    more = {"step": np.int64(2), "budget": 1}
    release = getattr(sf, make)(VISITS, **ask, bounds=(0, 240), hue="sex", hue_order=["f"], **more)
    assert sf.load(release.save(tmp_path / "release.json")) == release


@pytest.mark.parametrize("method", METHODS)
def test_boxes_of_hardly_anyone_can_be_saved_too(method, tmp_path):
    few = VISITS.slice(0, 2)
    for unit in (None, "person"):
        release = sf.boxplot(few, y="wait", bounds=(-3, 240), method=method, unit=unit, budget=0.1)
        assert sf.load(release.save(tmp_path / "release.json")) == release


def test_boxes_that_nobody_can_draw_say_what_to_type():
    with pytest.raises(sf.DomainError, match=r"Declare them: bounds=\(lower, upper\)\."):
        sf.boxplot(VISITS, y="wait", budget=1)
    with pytest.raises(sf.DomainError, match=r"Declare them: order=\['A', 'B'\]\."):
        sf.boxplot(VISITS, x="ward", y="wait", bounds=(0, 240), budget=1)
    with pytest.raises(sf.SourceError, match="no column 'job'"):
        sf.boxplot(VISITS, x="job", y="wait", order=["A"], bounds=(0, 240), budget=1)

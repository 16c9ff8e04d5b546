import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf

PEOPLE = pa.table(
    {
        "age": [5.0, 15.0, 70.0, 99.0],
        "pay": [1.0, 2.0, 9.0, 3.0],
        "ward": ["A", "A", "B", "Z"],
        "person": ["u", "u", "v", "w"],
    }
)
NO_NOISE = 1e4


def test_one_line_with_bounds():
    release = sf.histplot(PEOPLE, x="age", bounds=(0, 100), bins=2, budget=NO_NOISE)
    assert release.counts.tolist() == [2, 2]


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
    assert release.cost.delta == 2 * sf.privacy.amount.exactly(delta)
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
    with pytest.raises(sf.DomainError, match=r"Domain\(age=\(lower, upper\)\)"):
        sf.histplot(PEOPLE, x="age", budget=1)


def test_every_public_name_is_there_and_nothing_heavy_is_loaded_for_it():
    code = (
        "import sys, sfumato as sf\n"
        "heavy = {'duckdb', 'opendp', 'pandas', 'pyarrow', 'matplotlib', 'scipy'}\n"
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
    release = sf.histplot(PEOPLE, x="age", bounds=(0, 9), budget=1e12)
    assert sf.load(release.save(tmp_path / "release.json")) == release
    with pytest.raises(sf.BudgetError):
        sf.Budget(1e308)

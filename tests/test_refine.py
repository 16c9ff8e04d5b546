"""A release is refined for what is spent besides, and states what both cost."""

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import beta

import sfumato as sf
from sfumato.postprocess.combined_noise import CombinedNoise
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.releases import document
from sfumato.testing import checkins, city, seeded

TABLE = city(people=400)
DOMAIN = {"age": (0, 100), "district": ["Lantern", "Vesper"]}
APPROXIMATE = sf.Budget(1, 1e-6)


def session(table: object = TABLE, **changes) -> sf.Session:
    return sf.Session(table, **({"domain": DOMAIN, "budget": 4.0} | changes))


def ages(s: sf.Session, budget: object = 0.5, **changes) -> sf.Release:
    return s.histplot(**({"x": "age", "bins": 10, "budget": budget} | changes))


def test_laplace_noise_is_continued_in_a_pure_ledger():
    s = session()
    fine = s.refine(ages(s), budget=0.5)
    assert fine.noise == NoiseLaw("laplace", 1.0)
    assert fine.cost == sum((entry.cost for entry in s.ledger.entries), Cost.nothing())
    assert fine.cost.epsilon == 1
    assert fine.guarantee.epsilon == 1.0
    assert [entry.cost.epsilon for entry in s.ledger.entries] == [Fraction(1, 2)] * 2
    assert document.read(fine.to_dict()) == fine


def test_it_can_be_continued_again_and_costs_what_one_release_would():
    s = session()
    finest = s.refine(s.refine(ages(s, 0.25), budget=0.25), budget=0.5)
    assert finest.noise == NoiseLaw("laplace", 1.0)
    assert s.ledger.spent.epsilon == 1


def test_one_draw_is_continued_once_and_then_measured_anew():
    s = session()
    rough = ages(s)
    first = s.refine(rough, budget=0.5)
    second = s.refine(rough, budget=0.5, fresh=True)
    assert isinstance(first.noise, NoiseLaw)
    assert isinstance(second.noise, CombinedNoise)
    assert second.guarantee.epsilon == 1.0


def test_refining_twice_in_the_same_way_is_free():
    s = session()
    rough = ages(s)
    assert s.refine(rough, budget=0.5) is s.refine(rough, budget=0.5)
    assert len(s.ledger.entries) == 2


def test_the_chart_itself_is_answered_with_the_better_release():
    s = session()
    fine = s.refine(ages(s), budget=0.5)
    assert ages(s) is fine and ages(s, 1.0) is fine
    assert ages(s, 1.1) is not fine


def test_a_release_is_refined_by_a_session():
    s = session()
    assert ages(s).refine(s, budget=0.5).guarantee.epsilon == 1.0


def test_gaussian_noise_is_combined_without_loss():
    s = session(budget=sf.Budget(4, 1e-5))
    rough = ages(s, APPROXIMATE)
    fine = s.refine(rough, budget=APPROXIMATE)
    assert len(fine.noise.terms) == 2
    assert fine.noise.variance == pytest.approx(fine.noise.least_variance, rel=2e-4)
    assert fine.cost.rho == pytest.approx(2 * rough.cost.rho, rel=0.02)
    assert document.read(fine.to_dict()) == fine


def test_a_ledger_that_counts_divergences_does_not_continue_noise():
    s = session(budget=sf.Budget(4, 1e-5))
    fine = s.refine(ages(s, 0.5), budget=0.5)
    assert isinstance(fine.noise, CombinedNoise)
    assert {entry.cost for entry in s.ledger.entries} == {Cost.laplace(Fraction(1, 2), 1)}


def test_a_loaded_release_is_measured_again_and_combined(tmp_path):
    path = ages(session()).save(tmp_path / "ages.json")
    s = session()
    fine = s.refine(sf.load(path), budget=0.25)
    assert len(fine.noise.terms) == 2
    assert (fine.guarantee.epsilon, s.ledger.spent.epsilon) == (0.75, Fraction(1, 4))


def test_categories_that_were_found_are_counted_again_and_not_searched_for():
    s = session(budget=sf.Budget(4, 1e-5))
    rough = s.histplot(x="district", order=sf.private(delta=1e-6), budget=1.0)
    fine = s.refine(rough, budget=0.5)
    assert (fine.x, fine.found) == (rough.x, ("district",))
    assert s.ledger.spent.delta == rough.cost.delta


def test_a_map_of_every_cell_is_refined():
    window = {"lon": (-30.1, -29.9), "lat": (44.94, 45.06)}
    s = session(checkins(people=200), domain=window, unit="person_id")
    rough = s.heatmap(x="lon", y="lat", resolution=4, method="laplace", budget=0.5)
    fine = s.refine(rough, budget=1.0)
    assert (fine.noise.variance < rough.noise.variance / 4).all()
    assert document.read(fine.to_dict()) == fine
    with pytest.raises(sf.ReleaseError, match="another window"):
        other = {"lon": (-30.1, -29.8), "lat": (44.94, 45.06)}
        session(checkins(people=200), domain=other, unit="person_id").refine(rough, budget=1.0)


def test_choices_cannot_be_refined():
    s = session()
    with pytest.raises(sf.ReleaseError, match="cannot be refined"):
        s.refine(s.quantiles(x="age", budget=0.5), budget=0.5)
    assert len(s.ledger.entries) == 1


def test_counts_of_regions_are_refused_for_a_reason_that_holds():
    s = session(checkins(people=20), unit="person_id")
    once = s.choropleth(x="lon", y="lat", regions=sf.testing.districts(), budget=0.5)
    with pytest.raises(sf.ReleaseError, match="Only histograms, and heatmaps of every cell"):
        s.refine(once, budget=0.5)
    again = s.choropleth(x="lon", y="lat", regions=sf.testing.districts(), budget=0.25, fresh=True)
    with pytest.raises(sf.ReleaseError, match="Only histograms, and heatmaps that measured"):
        sf.combine(once, again)


def test_another_unit_is_refused():
    rough = ages(session())
    with pytest.raises(sf.LedgerError, match="another unit"):
        session(unit="person_id").refine(rough, budget=0.5)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(TABLE, path := tmp_path / "people.parquet")
    return path


def test_a_table_that_has_changed_is_not_mixed_with_what_it_was(file):
    s = session(file)
    rough = ages(s)
    pq.write_table(city(people=300), file)
    with pytest.raises(sf.ReleaseError, match="has changed since"):
        s.refine(rough, budget=0.5)
    assert len(s.ledger.entries) == 1


def test_a_continued_release_is_about_the_rows_that_were_counted():
    """Rows change in place, unnoticed: a continued draw still knows the counts of its first."""
    frame = TABLE.to_pandas()
    s = session(frame, budget=10)
    rough = ages(s, 9)
    frame["age"] = 5
    fine = s.refine(rough, budget=1)
    truth = np.histogram(TABLE["age"], 10, (0, 100))[0]
    assert np.abs(fine.counts - truth).max() < 20


def test_what_is_refused_costs_nothing_and_can_still_be_continued():
    s = session(budget=1.0)
    rough = ages(s)
    with pytest.raises(sf.BudgetError):
        s.refine(rough, budget=0.6)
    assert s.refine(rough, budget=0.5).noise == NoiseLaw("laplace", 1.0)
    assert s.ledger.spent.epsilon == 1


def test_simulated_releases_are_refined_in_simulations_alone():
    s = session()
    with seeded(2):
        rough = ages(s)
        fine = s.refine(rough, budget=0.5)
    assert not fine.private and isinstance(fine.noise, CombinedNoise)
    with pytest.raises(sf.ReleaseError, match="simulated"):
        s.refine(rough, budget=0.5)
    with seeded(2):
        assert not s.refine(ages(s, bins=5), budget=0.5).private


def test_a_plan_says_what_it_will_be_worth():
    s = session()
    rough = ages(s)
    plan = s.plan_refinement(rough, budget=0.5)
    assert plan.continued and plan.noise == NoiseLaw("laplace", 1.0)
    assert "continues the first draw" in str(plan)
    loaded = pickle.loads(pickle.dumps(rough))  # the session does not know this one
    plan = s.plan_refinement(loaded, budget=0.5)
    assert not plan.continued and "summed cost" in str(plan)
    assert plan.expected_error > s.plan_refinement(rough, budget=0.5).expected_error
    assert len(s.ledger.entries) == 1


@pytest.mark.parametrize("price", [0.25, APPROXIMATE], ids=["continued", "combined"])
def test_a_refined_release_names_both_payments_and_is_verified(price, tmp_path):
    total = 1.0 if price == 0.25 else sf.Budget(4, 1e-5)
    s = session(budget=total, ledger=tmp_path / "people.ledger", name="people")
    fine = s.refine(ages(s, price), budget=price)
    assert [payment.number for payment in fine.paid] == [1, 2]
    (found,) = s.ledger.verify(fine).findings
    assert found.problems == ()


def test_releases_carry_no_true_number():
    s = session()
    fine = s.refine(ages(s), budget=0.5)
    assert pickle.loads(pickle.dumps(fine)) == fine


def test_a_release_of_some_rows_is_refined_by_the_same_rows_alone():
    young, half = {"where": "age < 50"}, {"columns": {"half": "age / 2"}}
    bounds = {"domain": DOMAIN | {"half": (0, 50)}}
    for of, others in (
        (young, ({}, {"where": "age < 51"})),
        (half, ({}, {"columns": {"half": "age / 3"}})),
    ):
        x = "half" if of == half else "age"
        s = session(**bounds, **of)
        rough = ages(s, x=x)
        assert s.refine(rough, budget=0.5).selection == rough.selection
        assert session(**bounds, **of).refine(rough, budget=0.5).selection == rough.selection
        for other in others:
            elsewhere = session(**bounds, **other)
            with pytest.raises(sf.ReleaseError, match="other rows or columns"):
                elsewhere.refine(rough, budget=0.5)
            assert not elsewhere.ledger.entries


def test_a_map_of_some_rows_is_refined():
    bounds = {"age": (0, 100), "half": (0, 50)}
    s = session(domain=bounds, where="age > 5", columns={"half": "age / 2"})
    rough = s.heatmap(x="age", y="half", resolution=4, method="laplace", budget=0.5, where="age<50")
    fine = s.refine(rough, budget=0.5)
    assert (fine.selection, fine.label) == (rough.selection, rough.label)


def test_columns_of_a_table_do_not_change_behind_a_session():
    table = sf.Table(TABLE, columns={"half": "age / 2"})
    with pytest.raises(TypeError):
        table.columns["half"] = "age / 3"  # type: ignore[index]
    assert repr(table).endswith("columns={'half': 'age / 2'})")


SESSIONS, CHANCE = 300, 1e-10


def test_continued_intervals_cover_what_they_state():
    """Real noise, in 3,000 independent cells: a true test fails once in 10^10 runs."""
    truth = np.histogram(TABLE["age"], 10, (0, 100))[0]
    held, stated = 0, 0.0
    for _ in range(SESSIONS):
        s = session()
        sure = s.refine(ages(s, 0.2), budget=0.3).uncertainty.pointwise
        stated = sure.coverage
        held += int(((np.array(sure.low) <= truth) & (truth <= np.array(sure.high))).sum())
    total = 10 * SESSIONS
    assert beta.ppf(CHANCE / 2, held, total - held + 1) <= stated
    assert stated <= beta.ppf(1 - CHANCE / 2, held + 1, total - held)

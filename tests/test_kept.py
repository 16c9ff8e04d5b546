"""The same chart asked again is free, and whatever differs is measured and paid for."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato import kept
from sfumato.engines.snapshot import take_snapshot
from sfumato.testing import city, seeded

AGE, WARD = {"age": (0, 100)}, {"district": ["Lantern", "Vesper"]}
TABLE = city(people=300)


def session(table: object = TABLE, **changes) -> sf.Session:
    return sf.Session(table, **({"domain": AGE | WARD, "budget": 4.0} | changes))


def ask(s: sf.Session, **changes) -> sf.Release:
    return s.histplot(**({"x": "age", "bins": 10, "budget": 0.5} | changes))


def test_the_same_chart_is_returned_free_and_said_so(capsys):
    s = session()
    first = ask(s)
    assert capsys.readouterr().err == ""
    assert ask(s) is first
    said = capsys.readouterr()
    assert (said.out, len(s.ledger.entries)) == ("", 1)
    assert "histogram of age: the release in hand, free of charge" in said.err
    assert "fresh=True" in said.err


def test_less_budget_is_answered_and_more_is_measured():
    s = session()
    first = ask(s)
    assert ask(s, budget=0.2) is first
    assert ask(s, budget=0.6) is not first
    assert [float(entry.cost.epsilon) for entry in s.ledger.entries] == [0.5, 0.6]
    assert ask(s, budget=0.5) is ask(s, budget=0.6)  # the better one


def test_fresh_asks_again_and_pays():
    s = session()
    assert ask(s) is not ask(s, fresh=True)
    assert len(s.ledger.entries) == 2


def test_it_is_free_when_nothing_is_left():
    s = session(budget=0.5)
    first = ask(s)
    assert ask(s) is first
    with pytest.raises(sf.BudgetError):
        ask(s, fresh=True)


OTHERS = [
    {"bins": 11},
    {"stat": "density"},
    {"hue": "district"},
    {"x": "district", "bins": None},
]


@pytest.mark.parametrize("change", OTHERS, ids=str)
def test_another_chart_is_paid_for(change):
    s = session()
    ask(s)
    ask(s, **change)
    assert len(s.ledger.entries) == 2


def test_true_is_another_category_than_one():
    s = session(pa.table({"sick": [True, False]}), domain={"sick": [True, False]})
    s.histplot(x="sick", order=[True], budget=0.1)
    with pytest.raises(sf.DomainError):
        s.histplot(x="sick", order=[1], budget=0.1)
    assert len(s.ledger.entries) == 1


def test_categories_that_are_flags_answer_no_question_of_numbers(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("g\n" + "0\n" * 90 + "1\n" * 50 + "True\n" * 30)
    s = session(path, domain={}, budget=10.0)
    numbers, flags = (
        s.histplot(x="g", bounds={"g": each}, budget=2.0) for each in ([0, 1], [False, True])
    )
    assert len(s.ledger.entries) == 2
    assert numbers.counts[0] > 70 and flags.counts[0] < 20


def test_a_heatmap_by_flags_counts_other_rows_than_one_by_numbers(tmp_path):
    """Though the one before had the same columns, bounds and cells."""
    path = tmp_path / "visits.csv"
    path.write_text("x,y,h\n" + "1,1,0\n" * 200 + "1,1,True\n" * 400)
    totals = []
    for groups in ([0, 1], [False, True]):
        domain = {"x": (0, 2), "y": (0, 2), "h": groups}
        s = session(path, domain=domain, budget=10.0)
        release = s.heatmap(x="x", y="y", hue="h", resolution=2, budget=5.0)
        totals.append(sum(each["mass"] for each in release.records()))
    assert totals == pytest.approx([200, 400], abs=30)


def test_a_copy_that_is_free_says_which_rows_it_is_of(tmp_path):
    ledger = tmp_path / "city.ledger"
    domain = {"income": (0, 150_000), "district": ["Lantern", "Vesper"]}
    s = session(domain=domain, budget=4.0, ledger=ledger, name="city")
    asked = {"x": "district", "y": "income", "where": "age > 40", "budget": 1.0}
    paid, again = s.pointplot(**asked), s.pointplot(**asked)
    summed = s.barplot(**asked, estimator="sum")
    assert len(s.ledger.entries) == 1
    assert paid.label == again.label == summed.label == s.ledger.entries[0].label
    assert paid.label.endswith("where age > 40")
    assert summed.heading == "sum of income by district where age > 40"
    assert summed.figure().title == "Sum of income by district where age > 40"
    assert all(s.ledger.verify(each).passed for each in (paid, again, summed))


def test_a_list_that_changed_since_is_another_question():
    s, order = session(), ["Lantern"]
    first = s.histplot(x="district", order=order, budget=0.1)
    order.append("Vesper")
    assert s.histplot(x="district", order=order, budget=0.1) != first
    assert s.histplot(x="district", order=["Lantern"], budget=0.1) is first


def test_arrays_that_do_not_say_whether_they_are_equal_are_asked_again():
    s = session()
    charts = [sf.Histogram(x="district", order=np.array(["Lantern", "Vesper"])) for _ in range(2)]
    for chart in charts:
        object.__setattr__(chart, "order", np.array(["Lantern", "Vesper"]))
        s.release(chart, budget=0.1)
    assert len(s.ledger.entries) == 2


def test_a_delta_asks_for_another_noise():
    s = session(budget=sf.Budget(4, 1e-6))
    precise = ask(s, budget=sf.Budget(2, 1e-6))
    assert ask(s, budget=0.5) is not precise  # which would have been less noisy
    assert ask(s, budget=sf.Budget(1, 1e-6)) is precise


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(TABLE, path := tmp_path / "people.parquet")
    return path


def test_a_file_that_was_written_to_is_measured_again(file):
    s = session(file)
    first = ask(s)
    assert ask(s) is first
    pq.write_table(city(people=200), file)
    assert ask(s) is not first
    assert len(s.ledger.entries) == 2


def test_a_twin_that_looks_at_sizes_alone_returns_a_stale_chart(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    for look, charges in ((take_snapshot, 2), (lambda _: path.stat().st_size, 1)):
        monkeypatch.setattr("sfumato.session.take_snapshot", look)
        path.write_text("age\n" + "10\n" * 50)
        s = session(path, domain=AGE)
        ask(s)
        path.write_text("age\n" + "90\n" * 50)
        ask(s)
        assert len(s.ledger.entries) == charges


def test_a_table_of_which_nothing_is_known_is_paid_for_again(file):
    import duckdb

    s = session(duckdb.read_parquet(str(file)))
    assert ask(s) is not ask(s)
    assert len(s.ledger.entries) == 2


def test_simulated_releases_are_not_kept_and_private_ones_not_simulated():
    s = session()
    with seeded(1):
        simulated = ask(s)
    real = ask(s)
    assert (simulated.private, real.private) == (False, True)
    with seeded(1):
        assert ask(s) == simulated
    assert ask(s) is real


def test_other_sessions_know_nothing_of_it():
    assert ask(session()) is not ask(session())


def test_a_refused_request_is_refused_although_an_answer_is_in_hand():
    s = session(budget=sf.Budget(20, weak=True))
    ask(s, budget=sf.Budget(12, weak=True))
    with pytest.raises(sf.BudgetError, match="protects little"):
        ask(s, budget=11)


def test_only_the_newest_are_kept(monkeypatch):
    monkeypatch.setattr(kept, "MOST", 2)
    s = session()
    first, *_ = [ask(s, bins=bins) for bins in (4, 5, 6)]
    assert ask(s, bins=4) is not first
    assert len(s.ledger.entries) == 4


def test_a_score_plot_of_other_components_is_another_question():
    domain = {"systolic": (70, 230), "glucose": (40, 260), "bmi": (10, 60)}
    s = session(domain=domain, budget=sf.Budget(8, 1e-5))
    price = sf.Budget(1, 1e-6)
    pair = [s.pca(columns=list(domain), budget=price, fresh=True) for _ in range(2)]
    plots = [s.scoreplot(components, budget=price) for components in (*pair, *pair)]
    assert plots[0] is plots[2] and plots[1] is plots[3] and plots[0] is not plots[1]

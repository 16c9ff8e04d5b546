"""`where=` and derived columns at every door: free, told, kept, and refused before a charge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.releases.document import read
from sfumato.testing import seeded

TEN = pa.table(
    {
        "who": ["p"] * 10,
        "borough": ["Queens"] + ["Bronx"] * 9,
        "hour": [8.0] * 10,
        "n": list(range(10)),
    }
)
SURE = sf.Budget(1000, weak=True)
QUEENS = "borough == 'Queens'"


def session(table: object = TEN, **more: Any) -> sf.Session:
    domain = {"hour": (0, 24), "n": (0, 10), "twice": (0, 48)}
    return sf.Session(table, domain=domain, budget=sf.Budget(10_000, weak=True), **more)


def test_a_caption_says_whose_weight_the_filter_leaves() -> None:
    with seeded(0):
        own = session(unit="who").histplot(x="hour", bins=3, where=QUEENS, budget=SURE)
        shared = session(unit="who", where=QUEENS).histplot(x="hour", bins=3, budget=SURE)
        both = session(unit="who", where="n < 5").histplot(
            x="hour", bins=3, where=QUEENS, budget=SURE
        )
        rows = session(where=QUEENS).histplot(x="hour", bins=3, budget=SURE)
    assert [round(each.counts[1], 1) for each in (own, shared, both, rows)] == [0.1, 1, 0.2, 1]
    assert f"Rows where {QUEENS}. Weights are shared among all rows of each who." in own.caption()
    assert f"Rows where {QUEENS}. Weights are shared among these rows." in shared.caption()
    assert f"Rows where {QUEENS}, of those where n < 5. Weights are shared among the latter." in (
        both.caption()
    )
    assert f"Rows where {QUEENS}." in rows.caption() and "Weights" not in rows.caption()
    assert own.label == f"histogram of hour where {QUEENS}" and own.figure().title.endswith("'")


@pytest.mark.parametrize("unit", [None, "who"])
def test_a_filter_never_changes_the_price(unit: str | None) -> None:
    asked = session(unit=unit)
    plain = asked.plan(sf.Histogram(x="hour"), budget=0.5)
    filtered = asked.plan(sf.Histogram(x="hour", where=QUEENS), budget=0.5)
    among = session(unit=unit, where=QUEENS).plan(sf.Histogram(x="hour"), budget=0.5)
    assert plain.cost == filtered.cost == among.cost
    assert plain.noise == filtered.noise == among.noise


def test_a_release_says_what_it_is_of_and_is_read_back() -> None:
    asked = session(where="n < 9", columns={"twice": "hour * 2", "unused": "n + 1"})
    with seeded(1):
        release = asked.histplot(x="twice", where=QUEENS, budget=1)
        plain = session().histplot(x="hour", budget=1)
    document = release.to_dict()
    assert document["selection"] == {
        "where": QUEENS,
        "session_where": "n < 9",
        "columns": [{"name": "twice", "definition": "hour * 2"}],
    }
    assert read(document) == release and "twice = hour * 2." in release.caption()
    assert "selection" not in plain.to_dict()
    for broken in ("", " ", 7, None, "n" * 99_999 + " < 9"):
        changed = {**document, "selection": {**document["selection"], "session_where": broken}}
        with pytest.raises(sf.ReleaseError):
            read(changed)


def test_the_same_chart_of_other_rows_is_measured_again() -> None:
    asked = session()
    first = asked.histplot(x="hour", bins=3, where=QUEENS, budget=1)
    assert asked.histplot(x="hour", bins=3, where="borough=='Queens'", budget=1) is first
    assert asked.histplot(x="hour", bins=3, where="borough != 'Queens'", budget=1) is not first
    assert asked.histplot(x="hour", bins=3, budget=1) is not first
    assert len(asked.ledger.entries) == 3


def test_a_refinement_is_of_the_same_rows() -> None:
    asked = session(where="n < 9")
    with seeded(3):
        rough = asked.histplot(x="hour", bins=3, where=QUEENS, budget=5)
        fine = asked.refine(rough, budget=5)
    assert fine.selection == rough.selection and fine.label == rough.label
    assert abs(fine.counts[1] - 1) < 2
    with seeded(4):
        other = session(where="n < 9").histplot(x="hour", bins=3, budget=10)
    with pytest.raises(sf.ReleaseError, match="the rows they are of"):
        sf.combine(rough, other)


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ({}, {"where": "nowhere > 1"}),
        ({}, {"where": "borough == 5"}),
        ({}, {"where": "hour.mean() > 5"}),
        ({}, {"where": 7}),
        ({"columns": {"who": "n"}}, {}),
        ({"columns": {"id": "who"}, "unit": "id"}, {}),
        ({"columns": ["n + 1"]}, {}),
        ({"where": "hour"}, {}),
        ({"size": 10}, {"where": QUEENS}),
    ],
)
def test_what_cannot_work_is_refused_before_a_charge(
    made: dict[str, Any], asked: dict[str, Any], tmp_path: Path
) -> None:
    kept = tmp_path / "some.ledger"
    with pytest.raises(SfumatoError) as refused:
        one = session(ledger=None if "size" in made else kept, **made)
        one.histplot(x="hour", budget=1, **asked)
    assert all((refused.value.what, refused.value.why, refused.value.advice))
    assert not kept.exists() or not sf.Ledger.open(kept).entries


def test_one_line_functions_and_the_shell_filter_and_derive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sfumato.cli.run import run

    place = tmp_path / "ten.parquet"
    pq.write_table(TEN, place)
    with seeded(5):
        alone = sf.histplot(
            place,
            x="twice",
            bins=3,
            bounds=(0, 48),
            where=QUEENS,
            columns={"twice": "hour * 2"},
            budget=10,
        )
    assert round(alone.counts[1]) == 1
    words = ["histplot", str(place), "--x", "twice", "--bins", "3", "--bounds", "0,48", "--where"]
    words += [QUEENS, "--column", "twice=hour * 2", "--epsilon", "10"]
    out = tmp_path / "chart.json"
    assert run([*words, "-o", str(out)]) == 0, capsys.readouterr()
    assert sf.load(out).selection == alone.selection


def test_components_of_derived_columns_are_asked_of_a_table() -> None:
    table = sf.Table(TEN, columns={"twice": "n * 2"})
    with seeded(6):
        release = sf.pca(
            table,
            columns=["n", "twice"],
            bounds={"n": (0, 10), "twice": (0, 20)},
            where="n > 0",
            budget=sf.Budget(1, 1e-6),
        )
    assert "twice = n * 2." in release.caption() and release.label.endswith("where n > 0")

"""Whose presence is hidden: units of several columns, and what they are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.cli.spelling import read_unit
from sfumato.errors import DomainError, LedgerError
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit, describe_protected

FLIGHTS = pd.DataFrame(
    {
        "tailnum": [f"N{number % 40}" for number in range(400)],
        "year": [2013 + number % 2 for number in range(400)],
        "delay": [float(number % 60) for number in range(400)],
        "origin": ["EWR", "JFK"] * 200,
        "lon": [number % 7 / 7 for number in range(400)],
        "lat": [number % 11 / 11 for number in range(400)],
    }
)
BOTH = PrivacyUnit.users("tailnum", "year")


def say_all(release: Any) -> str:
    return json.dumps(release.to_vega(), ensure_ascii=False) + release.caption()


def test_figures_and_plans_call_people_by_their_name() -> None:
    asked: dict[str, Any] = {"unit": "tailnum", "unit_name": "aircraft", "budget": 1.0}
    session = sf.Session(
        FLIGHTS, unit="tailnum", unit_name="aircraft", domain={"delay": (0, 60)}, budget=9.0
    )
    window = {"lon": (0, 1), "lat": (0, 1)}
    releases = [
        sf.histplot(FLIGHTS, "delay", bounds=(0, 60), **asked),
        sf.boxplot(FLIGHTS, "origin", "delay", order=["EWR"], bounds=(0, 60), **asked),
        sf.heatmap(FLIGHTS, "lon", "lat", bounds=window, **asked),
        sf.quantiles(FLIGHTS, "delay", bounds=(0, 60), **asked),
        session.histplot("delay", budget=1.0),
    ]
    for release in releases:
        said = say_all(release)
        assert "Protects each aircraft (total weight 1)" in said
        assert "people" not in said and "tailnum" not in said
    plans: list[Any] = [
        session.plan(sf.Quantiles("delay", bounds=sf.private()), budget=1.0),
        session.plan(sf.Boxplot(y="delay"), budget=1.0),
    ]
    for plan in plans:
        assert "aircraft" in str(plan) and "people" not in str(plan)


def test_a_name_is_words_only_and_survives_a_file(tmp_path: Path) -> None:
    named, plain = PrivacyUnit.users("tailnum", name="aircraft"), PrivacyUnit.users("tailnum")
    assert named == plain and named.protects == plain.protects
    ledger = tmp_path / "flights.ledger"
    for unit_name in ("aircraft", None, "planes"):
        session = sf.Session(
            FLIGHTS, unit="tailnum", unit_name=unit_name, ledger=ledger, name="f", budget=9.0
        )
        release = session.histplot("delay", bounds=(0, 60), budget=1.0)
    release = sf.histplot(FLIGHTS, "delay", bounds=(0, 60), unit=named, budget=1.0)
    release.save(tmp_path / "delay.json")
    document = json.loads((tmp_path / "delay.json").read_text())
    assert document["guarantee"]["unit"]["name"] == "aircraft"
    assert sf.load(tmp_path / "delay.json").guarantee.unit.name == "aircraft"
    del document["guarantee"]["unit"]["name"]  # as in a file that was written before
    (tmp_path / "old.json").write_text(json.dumps(document))
    assert sf.load(tmp_path / "old.json").guarantee.unit == plain
    unnamed = sf.histplot(FLIGHTS, "delay", bounds=(0, 60), unit=plain, budget=1.0)
    both = sf.combine(release, unnamed)
    assert both.guarantee.unit.name == "aircraft"


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a\nb", "\x1b[2J", " aircraft", 7])
def test_a_name_is_short_and_printable(name: Any) -> None:
    with pytest.raises(DomainError, match="called by a short text"):
        PrivacyUnit.users("tailnum", name=name)


def test_rows_are_called_rows() -> None:
    with pytest.raises(DomainError, match="they are rows"):
        sf.histplot(FLIGHTS, "delay", bounds=(0, 60), unit_name="aircraft", budget=1.0)


def test_several_columns_name_a_unit_that_says_what_it_leaves_out() -> None:
    for unit in (["tailnum", "year"], ("tailnum", "year"), BOTH):
        release = sf.histplot(FLIGHTS, "delay", bounds=(0, 60), unit=unit, budget=1.0)
        assert release.guarantee.unit == BOTH
        said = "Protects each tailnum × year (total weight 1), not each tailnum as a whole."
        assert said in release.caption()
    assert "one tailnum and year, which count once" in release.guarantee.neighbours
    assert repr(BOTH) == "PrivacyUnit.users('tailnum', 'year')"
    assert str(Guarantee(1.0, 0.0, BOTH)).endswith("not each tailnum as a whole")


def test_a_file_says_all_columns_of_its_unit(tmp_path: Path) -> None:
    release = sf.histplot(FLIGHTS, "delay", bounds=(0, 60), unit=BOTH, budget=1.0)
    release.save(tmp_path / "delay.json")
    loaded = sf.load(tmp_path / "delay.json")
    assert loaded.guarantee.unit == BOTH != PrivacyUnit.users("tailnum")


def test_a_ledger_for_a_household_is_none_for_its_years(tmp_path: Path) -> None:
    place = tmp_path / "flights.ledger"
    sf.Session(FLIGHTS, unit=BOTH, ledger=place, name="f", budget=1.0)
    # The order of columns says nothing, and another file of the same ledger may have it.
    sf.Session(FLIGHTS, unit=["year", "tailnum"], ledger=place, name="f", budget=1.0)
    for other in ("tailnum", "year", None, ["tailnum", "origin"], ["tailnum", "year", "origin"]):
        with pytest.raises(LedgerError, match="is kept for the unit"):
            sf.Session(FLIGHTS, unit=other, ledger=place, name="f", budget=1.0)
    assert "protecting each tailnum × year" in str(sf.Ledger.open(place))


def test_no_two_units_of_other_columns_are_written_alike() -> None:
    units = [
        BOTH,
        PrivacyUnit.users("tailnum × year"),
        PrivacyUnit.users('["tailnum", "year"]'),
        PrivacyUnit.users('tailnum", "year', "x"),
        PrivacyUnit.users("tailnum", 'year", "x'),
        PrivacyUnit.users('s ["tailnum", "year"]'),
        PrivacyUnit.rows(),
        PrivacyUnit.users("row"),
    ]
    assert len({unit.protects for unit in units}) == len(units)
    assert describe_protected(BOTH.protects) == "tailnum × year"


@pytest.mark.parametrize("unit", [["a", "a"], ["a", ""], [], ["a", None], list("abcdefghi"), [3]])
def test_a_unit_names_each_column_once(unit: Any) -> None:
    with pytest.raises(DomainError):
        PrivacyUnit.of(unit)


def test_a_shell_spells_the_same_units() -> None:
    assert read_unit("tailnum,year") == BOTH
    assert read_unit("tailnum,year:3") == PrivacyUnit.users("tailnum", "year", max_rows=3)
    assert read_unit('"a,b"') == PrivacyUnit.users("a,b")
    assert read_unit("tailnum", "aircraft").name == "aircraft"


@pytest.mark.parametrize("words", ["users [", "users 5", 'users {"a": 1}', "users " + "[" * 9999])
def test_what_a_stranger_s_ledger_protects_is_told_whatever_it_says(words: str) -> None:
    assert describe_protected(words).startswith("users")

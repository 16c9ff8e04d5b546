"""Accounts and reports, from a session and from a shell."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from pyarrow import parquet

import sfumato as sf
from sfumato.cli.run import run
from sfumato.errors import BudgetError, LedgerError
from sfumato.testing import city

AGE = ["histplot", "people.parquet", "--x", "age", "--bounds", "0,100", "--bins", "10"]
PAID = ["--ledger", "people.ledger"]
CHART = sf.Histogram(x="age", bins=10)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sf.Ledger:
    """A folder to work in, with a table and a ledger of ε = 1."""
    monkeypatch.chdir(tmp_path)
    parquet.write_table(city(1000), "people.parquet")
    return sf.Ledger.create("people.ledger", budget=1.0, table="people")


def session(ledger: sf.Ledger, who: str | None = None, purpose: str | None = None) -> sf.Session:
    domain = sf.Domain(age=(0, 100))
    return sf.Session("people.parquet", domain=domain, ledger=ledger, who=who, purpose=purpose)


def test_a_session_says_who_asks_and_what_for(ledger: sf.Ledger) -> None:
    session(ledger, "Ada", "study").release(CHART, budget=0.25)
    session(ledger).release(CHART, budget=0.25)
    assert [(e.who, e.purpose) for e in ledger.entries] == [("Ada", "study"), (None, None)]


@pytest.mark.parametrize("said", [{"who": "a\nb"}, {"purpose": ""}])
def test_what_cannot_be_written_down_is_refused_before_a_ledger_is_begun(
    ledger: sf.Ledger, said: dict[str, str]
) -> None:
    with pytest.raises(LedgerError, match="must be a short text"):
        sf.Session("people.parquet", budget=1, ledger="new.ledger", **said)
    assert not Path("new.ledger").exists()


def test_a_session_spends_its_account_and_no_more(ledger: sf.Ledger) -> None:
    ledger.account("Ada", 0.5)
    ledger.account("Grace", 0.8)
    ada, grace = session(ledger, "Ada"), session(ledger, "Grace")
    assert str(ada.remaining) == "ε = 0.5"
    ada.release(CHART, budget=ada.remaining / 2)
    with pytest.raises(BudgetError) as refused:
        ada.release(CHART, budget=0.3)
    assert "(account Ada) costs ε = 0.3, but 0.25 of 0.5 is spent" in str(refused.value)
    assert "Ask for at most Budget(epsilon=0.25)" in str(refused.value)
    assert "at most ε = 0.25 is left" in str(ada.plan(CHART, budget=0.3))
    grace.release(CHART, budget=0.6)
    assert str(ada.remaining) == "ε = 0.15"
    ada.release(CHART, budget=ada.remaining, fresh=True)
    assert ledger.spent.epsilon == 1


def test_a_session_without_an_account_is_refused_before_anything_is_charged(
    ledger: sf.Ledger,
) -> None:
    ledger.account("Ada", 0.5)
    for who in (None, "Eve"):
        stranger = session(ledger, who)
        for ask in (stranger.release, stranger.plan):
            with pytest.raises(LedgerError, match="divided into accounts"):
                ask(CHART, budget=0.1)
    assert ledger.entries == ()


def test_accounts_are_opened_raised_and_charged_in_a_shell(
    ledger: sf.Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ledger", "account", "people.ledger", "Ada", "--epsilon", "0.4"]) == 0
    told = capsys.readouterr()
    assert "Account of Ada: Budget(epsilon=0.4). Left: ε = 0.4." in told.out
    assert "guarantee nothing by themselves" in told.err
    asked = [*AGE, "--epsilon", "0.3", *PAID]
    assert run([*asked, "--who", "Ada", "--purpose", "study"]) == 0
    assert run([*asked, "--who", "Ada"]) == 2
    assert "--epsilon 0.1" in capsys.readouterr().err
    assert run(asked) == run([*asked, "--who", "Eve"]) == 2
    assert "--who analyst-1" in capsys.readouterr().err
    assert run(["ledger", "account", "people.ledger", "Ada", "--epsilon", "0.3"]) == 2
    assert run(["ledger", "account", "people.ledger", "Ada", "--epsilon", "0.6"]) == 0
    assert run(["plan", *asked, "--who", "Ada"]) == 0
    assert run([*asked, "--who", "Ada"]) == 0
    assert ledger.spent.epsilon == Fraction(6, 10)


@pytest.mark.parametrize("by", ["who", "purpose", "day"])
def test_a_report_is_printed(
    ledger: sf.Ledger, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*AGE, "--epsilon", "0.3", *PAID, "--who", "Ada", "--purpose", "study"]) == 0
    capsys.readouterr()
    assert run(["ledger", "report", "people.ledger", "--by", by]) == 0
    assert capsys.readouterr().out.strip() == str(ledger.report(by)).strip()


def test_a_report_by_anything_else_says_what_there_is(
    ledger: sf.Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ledger", "report", "people.ledger", "--by", "label"]) == 2
    assert "--by who" in capsys.readouterr().err


def test_who_asks_is_not_said_to_nobody(
    ledger: sf.Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*AGE, "--epsilon", "0.3", "--who", "Ada"]) == 2
    assert "--ledger visits.ledger" in capsys.readouterr().err

"""What people read of a ledger."""

import sys
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from sfumato.errors import LedgerError
from sfumato.privacy import ledger as ledger_module
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger

TENTH = Cost.pure(Fraction(1, 10))
DAYS = [datetime(2026, 5, day, 23, 59, tzinfo=UTC) for day in (1, 1, 2, 3)]
SAID = [("Ada", "study"), ("Grace", None), (None, "study"), ("Ada", "<b>report</b>")]


@pytest.fixture
def ledger(monkeypatch):
    """Four charges, by two people and nobody, for two purposes and none, on three days."""
    made = Ledger.memory(budget=Budget(2, 1e-6), table="visits")
    moments = iter(DAYS)

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return next(moments)

    monkeypatch.setattr(ledger_module, "datetime", Clock)
    for who, purpose in SAID:
        cost = Cost.gaussian(Fraction(1, 100)) if who == "Grace" else TENTH
        made.charge("histogram of age", cost, who=who, purpose=purpose)
    return made


def test_people_and_purposes_are_shown_where_somebody_said_them():
    ledger = Ledger.memory(budget=1)
    ledger.charge("histogram of age", TENTH)
    assert str(ledger).splitlines()[2].split() == ["time", "(UTC)", "what", "for", "share", "ε"]
    ledger.charge("histogram of age", TENTH, purpose="study")
    head = str(ledger).splitlines()[2].split()
    assert "purpose" in head and "who" not in head
    ledger.charge("histogram of age", TENTH, who="Ada")
    head = str(ledger).splitlines()[2].split()
    assert head.index("who") < head.index("purpose") < head.index("share")


def test_no_person_and_no_purpose_becomes_markup(ledger):
    for page in (ledger._repr_html_(), ledger.report("purpose")._repr_html_()):
        assert "<b>" not in page
        assert "&lt;b&gt;report&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("who", {"Ada": 2, "Grace": 1, None: 1}),
        ("purpose", {"<b>report</b>": 1, "study": 2, None: 1}),
        ("day", {"2026-05-01": 2, "2026-05-02": 1, "2026-05-03": 1}),
    ],
)
def test_a_report_adds_up_to_what_was_spent(ledger, by, expected):
    report = ledger.report(by=by)
    assert {part.key: part.charges for part in report.parts} == expected
    assert sum((part.cost for part in report.parts), Cost.nothing()) == ledger.spent
    assert len(str(report).splitlines()) == 6 + len(expected)
    assert str(report).splitlines()[-1].split()[:2] == ["spent", "4"]


def test_a_report_by_person_says_what_is_used_of_their_account_also_if_nothing_is():
    ledger = Ledger.memory(budget=2)
    ledger.charge("chart", TENTH, who="Eve")
    ledger.account("Ada", 0.4)
    ledger.account("Grace", 0.5)
    ledger.charge("chart", TENTH, who="Ada")
    report = ledger.report("who")
    assert [(part.key, part.charges) for part in report.parts] == [
        ("Ada", 1),
        ("Eve", 1),
        ("Grace", 0),
    ]
    lines = str(report).splitlines()
    assert lines[4].endswith("25.0 % of Budget(epsilon=0.4)")
    assert lines[5].endswith("none")
    assert lines[6].endswith("0.0 % of Budget(epsilon=0.5)")
    assert "account" not in str(ledger.report("day"))


def test_an_empty_ledger_has_empty_reports():
    ledger = Ledger.memory(budget=1)
    for by in ("who", "purpose", "day"):
        report = ledger.report(by)
        assert report.parts == ()
        assert report.to_frame().columns.tolist()[:2] == [by, "charges"]
    assert ledger.to_frame().empty


def test_a_report_by_anything_else_is_refused(ledger):
    with pytest.raises(LedgerError, match="by who, by purpose or by day"):
        ledger.report(by="label")


def test_a_ledger_is_a_frame_with_a_row_for_each_charge(ledger):
    frame = ledger.to_frame()
    assert frame.columns.tolist() == [
        *("number", "time", "label", "who", "purpose"),
        *("epsilon", "rho", "delta", "renyi"),
    ]
    assert frame["number"].tolist() == [1, 2, 3, 4]
    assert frame["time"].tolist() == DAYS
    assert frame["epsilon"].isna().tolist() == [False, True, False, False]
    assert frame["who"].fillna("–").tolist() == ["Ada", "Grace", "–", "Ada"]
    price = ledger.rule.price(TENTH)
    assert price <= Fraction(frame["renyi"][0]) <= price * Fraction(1 + 10**-15)


def test_a_pure_ledger_has_no_order_and_its_frame_no_divergence():
    ledger = Ledger.memory(budget=1)
    ledger.charge("chart", TENTH)
    assert ledger.to_frame()["renyi"].isna().all()


def test_amounts_in_a_frame_are_rounded_up():
    ledger = Ledger.memory(budget=1)
    third = Fraction(1, 3)
    ledger.charge("chart", Cost.pure(third), who="Ada")
    for frame in (ledger.to_frame(), ledger.report("who").to_frame()):
        assert Fraction(frame["epsilon"][0]) >= third


def test_without_pandas_a_frame_says_what_to_use(ledger, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for make in (ledger.to_frame, ledger.report("who").to_frame):
        with pytest.raises(LedgerError, match="needs pandas") as refused:
            make()
        assert refused.value.__context__ is None
    assert len(ledger.report("who").records()) == 3

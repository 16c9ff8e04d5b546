"""Ledgers that an older version began: read and charged as they were, and never rewritten."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from privacy.forging import lay_version_1, rewrite
from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger

TENTH = Cost.pure(Fraction(1, 10))
COSTS = [
    TENTH,
    Cost.exponential(Fraction(1, 7)),
    Cost.pure(Fraction(1, 10), delta=Fraction(1, 10**7)),
    Cost.gaussian(Fraction(1, 1000)),
]


@pytest.fixture
def path(tmp_path):
    return lay_version_1(tmp_path / "visits.ledger")


def schema(path):
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return version, connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()


def test_it_is_read_as_it_was_written(path):
    before = path.read_bytes()
    ledger = Ledger(path)
    assert (ledger.budget, ledger.table) == (Budget(2, 1e-6), "visits")
    assert ledger.protects == "user user_id"
    plain = [Cost(cost.epsilon, cost.rho, cost.delta) for cost in COSTS]
    assert [entry.cost for entry in ledger.entries] == plain
    assert ledger.entries[3].label == "pca of height, weight"
    assert ledger.entries[0].time == datetime(2026, 5, 1, 10, 0, 0, 991187, tzinfo=UTC)
    assert all(entry.seal is entry.who is entry.purpose is None for entry in ledger.entries)
    assert str(ledger).count("\n") == 12
    assert path.read_bytes() == before


def test_it_is_charged_in_its_own_format(path):
    before = schema(path)
    ledger = Ledger.at(path, budget=Budget(2, 1e-6), unit="user_id", table="visits")
    made = ledger.charge("histogram of wait", TENTH)
    assert (made.number, made.seal) == (5, None)
    assert Ledger.open(path).entries[4] == made
    assert schema(path) == before
    with closing(sqlite3.connect(path)) as connection:
        last = connection.execute("SELECT * FROM entry WHERE number = 5").fetchone()
    moment = made.time.isoformat()
    assert last == (5, moment, "histogram of wait", "1/10", "1/200", "0/1")


def test_it_is_spent_to_its_old_end_and_no_further(path):
    ledger = Ledger.open(path)
    left = ledger.budget.rho - sum(cost.rho for cost in COSTS)
    for cost in (Cost.gaussian(left + Fraction(1, 10**9)), Cost.pure(Fraction(2))):
        with pytest.raises(BudgetError, match="costs ρ"):
            ledger.charge("chart", cost)
    ledger.charge("chart", Cost.gaussian(left))
    assert ledger.remaining.rho == 0
    with pytest.raises(BudgetError):
        ledger.charge("chart", Cost.gaussian(Fraction(1, 10**9)))


@pytest.mark.parametrize("said", [{"who": "analyst-1"}, {"purpose": "quarterly report"}])
def test_it_has_no_room_for_people_and_purposes(path, said):
    ledger, before = Ledger.open(path), path.read_bytes()
    with pytest.raises(LedgerError, match="begin a new ledger"):
        ledger.charge("chart", TENTH, **said)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET epsilon = '-1/10' WHERE number = 1",
        "UPDATE entry SET rho = '1/0'",
        "UPDATE entry SET epsilon = x'312f32'",
        "UPDATE entry SET rho = printf('%.*c', 9999, '1') || '/1'",
        "UPDATE entry SET label = CAST(x'ff' AS TEXT)",
        "UPDATE entry SET label = x'00'",
        "UPDATE entry SET time = 'yesterday'",
        "DELETE FROM entry WHERE number = 1",
        "UPDATE meta SET value = '1/3' WHERE name = 'epsilon'",
        "INSERT INTO meta VALUES ('version', '2')",
        "INSERT INTO meta VALUES ('order', '5/1')",
        "PRAGMA user_version = 2",
        "ALTER TABLE entry ADD COLUMN seal TEXT",
    ],
)
def test_one_that_makes_no_sense_is_refused(path, change):
    opened = Ledger.open(path)
    rewrite(path, change)
    before = path.read_bytes()
    for attempt in (lambda: Ledger.open(path), lambda: opened.charge("chart", TENTH)):
        with pytest.raises(LedgerError) as refused:
            attempt()
        assert refused.value.__context__ is None
    assert path.read_bytes() == before


def test_an_older_copy_of_it_is_noticed_by_whoever_saw_more(path, tmp_path):
    ledger = Ledger.open(path)
    shutil.copy(path, tmp_path / "copy")
    ledger.charge("chart", TENTH)
    path.unlink()
    shutil.copy(tmp_path / "copy", path)
    with pytest.raises(LedgerError, match="has lost entries"):
        ledger.charge("chart", TENTH)
    assert len(Ledger.open(path).entries) == len(COSTS)

"""The chain of seals: whatever is changed, put in, left out or exchanged is noticed."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from privacy.forging import chain, lay_version_1, reseal, rewrite
from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy import records
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.currency import Concentrated, Renyi
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.records import Terms, read_terms, write_terms
from sfumato.privacy.store import Book, Row

TENTH = Cost.pure(Fraction(1, 10))
CHARGES = 4


def charged(path: Path) -> Ledger:
    ledger = Ledger.create(path, budget=Budget(2, 1e-6), unit="user_id", table="visits")
    for number in range(1, CHARGES + 1):
        ledger.charge(f"chart {number}", TENTH, who="analyst-1" if number % 2 else None)
    return ledger


@pytest.fixture
def path(tmp_path):
    charged(tmp_path / "visits.ledger")
    return tmp_path / "visits.ledger"


def rows(path: Path) -> list[tuple[int, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT number, body, seal FROM entry ORDER BY number").fetchall()


def replace_rows(path: Path, new: list[tuple[int, str, str]]) -> None:
    rewrite(path, "DELETE FROM entry")
    for row in new:
        rewrite(path, "INSERT INTO entry VALUES (?, ?, ?)", values=row)


def is_refused(path: Path) -> bool:
    """Tell whether a ledger cannot be opened."""
    try:
        Ledger.open(path)
    except LedgerError:
        return True
    return False


def test_a_chain_is_what_its_description_says(path):
    with closing(sqlite3.connect(path)) as connection:
        facts = dict(connection.execute("SELECT name, value FROM meta"))
    kept = rows(path)
    seals = chain(facts, [body.encode() for _, body, _ in kept])
    assert [seal for _, _, seal in kept] == seals[1:]
    assert [entry.seal for entry in Ledger.open(path).entries] == seals[1:]
    assert kept[0][1].startswith(
        '{"delta":"0/1","epsilon":"1/10","kind":"charge","label":"chart 1"'
    )
    assert '"who":"analyst-1"' in kept[0][1]
    assert '"who"' not in kept[1][1]


def unnoticed_flips(path: Path, column: str) -> int:
    """Change every byte of a body, or of a seal, one at a time; count what is not noticed."""
    unnoticed = 0
    for number, body, seal in rows(path):
        whole = (body if column == "body" else seal).encode()
        for place in range(len(whole)):
            flipped = bytearray(whole)
            flipped[place] ^= 1
            with closing(sqlite3.connect(path)) as connection:
                text = flipped.decode("ascii")
                change = f"UPDATE entry SET {column} = ? WHERE number = ?"
                connection.execute("DROP TRIGGER IF EXISTS entry_UPDATE")
                connection.execute(change, (text, number))
                unnoticed += not _is_noticed(connection)
    return unnoticed


def _is_noticed(connection: sqlite3.Connection) -> bool:
    book = Rows(
        dict(connection.execute("SELECT name, value FROM meta")),
        [Row(*row) for row in connection.execute("SELECT number, body, seal FROM entry")],
    )
    try:
        records.read_log(book, read_terms(book))
    except records.UnreadableError:
        return True
    return False


class Rows(Book):
    """A book that is two plain lists: all that a ledger needs of a database."""

    version = 2

    def __init__(self, facts: dict[str, str], kept: list[Row]) -> None:
        self.facts, self.kept = facts, kept

    def check(self) -> None: ...

    def read_facts(self) -> dict[str, str]:
        return self.facts

    def read_rows(self) -> list[Row]:
        return self.kept

    def append(self, row: Row) -> None:
        self.kept.append(row)


@pytest.mark.parametrize("column", ["body", "seal"])
def test_every_byte_of_every_entry_is_guarded(path, column):
    assert unnoticed_flips(path, column) == 0


def leave_out(kept, at):
    return [row for row in kept if row[0] != at]


def leave_out_and_count_anew(kept, at):
    left = leave_out(kept, at)
    return [(number, body, seal) for number, (_, body, seal) in enumerate(left, 1)]


def write_twice(kept, at):
    doubled = [*kept[:at], kept[at - 1], *kept[at:]]
    return [(number, body, seal) for number, (_, body, seal) in enumerate(doubled, 1)]


def swap_bodies(kept, at):
    bodies = [body for _, body, _ in kept]
    bodies[at - 1], bodies[at] = bodies[at], bodies[at - 1]
    return [(number, body, seal) for (number, _, seal), body in zip(kept, bodies, strict=True)]


def swap_rows(kept, at):
    order = [*kept[: at - 1], kept[at], kept[at - 1], *kept[at + 1 :]]
    return [(number, body, seal) for number, (_, body, seal) in enumerate(order, 1)]


FORGERIES = [leave_out, leave_out_and_count_anew, write_twice, swap_bodies, swap_rows]


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("forgery", FORGERIES)
def test_entries_left_out_put_in_or_exchanged_are_refused(path, forgery, at):
    opened = Ledger.open(path)
    replace_rows(path, forgery(rows(path), at))
    assert is_refused(path)
    with pytest.raises(LedgerError):
        opened.charge("chart", TENTH)


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("forgery", FORGERIES[1:])
def test_seals_that_forget_what_was_before_would_notice_nothing(path, forgery, at, monkeypatch):
    """The broken twin: each entry is sealed by itself, as if a seal were a mere checksum."""

    def forgetful(before: str, body: str) -> str:
        return hashlib.sha256(body.encode()).hexdigest()

    monkeypatch.setattr(records, "_seal", forgetful)
    twin = path.with_name("twin.ledger")
    charged(twin)
    kept = rows(twin)
    replace_rows(twin, forgery(kept, at))
    assert is_refused(twin) == (forgery is swap_bodies)


def test_the_entries_of_another_ledger_are_noticed(path, tmp_path):
    other = tmp_path / "other.ledger"
    charged(other)
    mine, others = rows(path), rows(other)
    replace_rows(path, others)
    assert is_refused(path)
    replace_rows(path, [*mine[:2], *others[2:]])
    assert is_refused(path)
    replace_rows(path, mine)
    assert not is_refused(path)


def test_other_terms_than_those_that_were_sealed_are_noticed(path):
    rewrite(path, "UPDATE meta SET value = '9/1' WHERE name = 'epsilon'")
    assert is_refused(path)
    reseal(path)
    assert Ledger.open(path).budget == Budget(9, 1e-6)


def put_back(path: Path, copy: Path) -> None:
    path.unlink()
    shutil.copy(copy, path)


def test_an_older_copy_that_is_put_back_is_refused_by_whoever_saw_more(path, tmp_path):
    ledger, copy = Ledger.open(path), tmp_path / "copy"
    shutil.copy(path, copy)
    ledger.charge("chart", TENTH)
    whole = path.read_bytes()
    put_back(path, copy)
    for attempt in (lambda: ledger.charge("chart", TENTH), lambda: ledger.entries):
        with pytest.raises(LedgerError, match="has lost entries that it had before") as refused:
            attempt()
        assert refused.value.__context__ is None
    assert len(Ledger.open(path).entries) == CHARGES, "nobody else can know"
    path.write_bytes(whole)
    assert ledger.charge("chart", TENTH).number == CHARGES + 2


def test_an_older_copy_that_went_on_otherwise_is_noticed_too(path, tmp_path):
    ledger, copy = Ledger.open(path), tmp_path / "copy"
    shutil.copy(path, copy)
    ledger.charge("chart", TENTH)
    put_back(path, copy)
    other = Ledger.open(path)
    for _ in range(3):
        other.charge("another chart", TENTH)
    with pytest.raises(LedgerError, match="has lost entries"):
        ledger.charge("chart", TENTH)


def test_a_refused_charge_is_not_remembered(path):
    ledger = Ledger.open(path)
    for cost in (Cost.pure(Fraction(9)), Cost.gaussian(Fraction(1, 10**700))):
        with pytest.raises((BudgetError, LedgerError)):
            ledger.charge("chart", cost)
    assert len(ledger.entries) == CHARGES
    assert ledger.charge("chart", TENTH).number == CHARGES + 1


def test_who_and_purpose_are_kept_as_they_were_said(path):
    ledger = Ledger.open(path)
    made = ledger.charge("chart", TENTH, who="Zoë", purpose="quarterly report")
    assert (made.who, made.purpose) == ("Zoë", "quarterly report")
    assert Ledger.open(path).entries[-1] == made


@pytest.mark.parametrize("text", ["", "a\nb", "x" * 301, 5, "\x1b[31m"])
@pytest.mark.parametrize("name", ["who", "purpose"])
def test_who_and_purpose_are_short_texts_on_one_line(path, name, text):
    ledger = Ledger.open(path)
    with pytest.raises(LedgerError, match=f"{name} must be a short text") as refused:
        ledger.charge("chart", TENTH, **{name: text})
    assert "\x1b" not in str(refused.value)
    assert len(ledger.entries) == CHARGES


@pytest.mark.parametrize(
    "terms",
    [
        Terms(Budget(1), "row", "visits", "a"),
        Terms(Budget(2, 1e-6), "user user_id", "visits", "a", Fraction(93, 4), Fraction(1, 3)),
        Terms(Budget(2, 1e-6, reserve=1e-7), "row", "visits", "a", version=1),
    ],
)
def test_terms_come_back_as_they_were(terms):
    book = Rows(write_terms(terms), [])
    book.version = terms.version
    assert read_terms(book) == terms
    assert set(write_terms(terms)) >= {"epsilon", "delta", "protects", "table", "identity"}


def test_a_ledger_knows_which_one_it_is(path):
    assert Ledger(path).identity == Ledger.open(str(path)).identity
    assert Ledger.memory(budget=1).identity != Ledger.memory(budget=1).identity


def test_a_ledger_keeps_the_order_and_the_limit_that_it_was_begun_with(tmp_path: Path) -> None:
    budget = Budget(1, 1e-6)
    begun = Ledger.create(tmp_path / "a.ledger", budget=budget, table="people").rule
    assert begun == PrivacyFilter.of(budget) == Ledger.open(tmp_path / "a.ledger").rule
    old = Ledger.open(lay_version_1(tmp_path / "old.ledger")).rule
    assert old == PrivacyFilter.concentrated(old.budget)
    for rule in (begun, old):
        assert rule.keeps_its_promise
        assert rule.currency == (Concentrated() if rule is old else Renyi(begun.order))

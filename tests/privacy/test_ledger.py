import copy
import pickle
import random
import sqlite3
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy.forging import reseal, rewrite
from sfumato.errors import LONGEST_LABEL, BudgetError, LedgerError
from sfumato.privacy import ledger as ledger_module
from sfumato.privacy import records, sqlite
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.ledger import Ledger

TENTH = Cost.pure(Fraction(1, 10))
BOTH = Budget(2, 1e-6)


@pytest.fixture(params=["file", "memory", "server"])
def begin(request, tmp_path):
    """Begin a ledger with this budget, in a file, in memory or on a server."""
    if request.param == "memory":
        return lambda budget: Ledger.memory(budget=budget, table="visits")
    if request.param == "server":
        address = request.getfixturevalue("address")
        return lambda budget: Ledger.create(address, budget=budget, table="visits")
    return lambda budget: Ledger.create(tmp_path / "visits.ledger", budget=budget, table="visits")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.ledger"


def test_ten_tenths_are_charged_and_the_eleventh_is_not(begin):
    ledger = begin(1)
    for number in range(1, 11):
        assert ledger.charge("histogram of age", TENTH).number == number
    with pytest.raises(BudgetError):
        ledger.charge("histogram of age", TENTH)
    assert ledger.spent.epsilon == 1
    assert ledger.remaining.epsilon == 0


def test_a_refused_charge_leaves_the_ledger_as_it_was(begin):
    ledger = begin(1)
    ledger.charge("histogram of age", TENTH)
    before = ledger.entries
    with pytest.raises(BudgetError):
        ledger.charge("histogram of wait", Cost.pure(Fraction(1)))
    assert ledger.entries == before
    assert ledger.charge("histogram of ward", Cost.pure(Fraction(9, 10))).number == 2


def test_a_charge_is_kept_as_it_was_made(begin):
    ledger = begin(BOTH)
    costs = [
        Cost.pure(Fraction(1, 3)),
        Cost.exponential(Fraction(1, 7)),
        Cost.pure(Fraction(1, 10), delta=Fraction(1, 3 * 10**7)),
        Cost.gaussian(Fraction(0.00123)),
    ]
    made = [ledger.charge(f"chart {index}", cost) for index, cost in enumerate(costs)]
    assert list(ledger.entries) == made
    assert [entry.cost for entry in ledger.entries] == costs
    assert ledger.spent == sum(costs, Cost.nothing())
    assert all(entry.time.tzinfo == UTC for entry in ledger.entries)


@given(st.fractions(0, Fraction(1, 50)), st.fractions(0, Fraction(1, 50)))
def test_amounts_come_back_to_the_last_digit(epsilon, rho):
    ledger = Ledger.memory(budget=BOTH)
    cost = Cost(epsilon, rho, Fraction(1, 10**7))
    ledger.charge("chart", cost)
    assert ledger.spent == cost


@pytest.mark.parametrize(
    ("budget", "spent", "cost", "words"),
    [
        (
            2,
            Cost.pure(Fraction(5, 4)),
            Cost.pure(Fraction(5)),
            "boxplot of wait by ward costs ε = 5, but 1.25 of 2 is spent. "
            "All charts together must stay within the budget. "
            "Ask for less, or draw a saved release again: drawing is free.",
        ),
        (2, Cost.nothing(), Cost.gaussian(Fraction(1)), "uses Gaussian noise, which needs δ"),
        (2, Cost.nothing(), Cost.pure(Fraction(1), delta=Fraction(1, 10**9)), "δ = 1e-09 for its"),
        (BOTH, Cost.nothing(), Cost.pure(Fraction(3)), "costs ε = 3, but 0 of 2 is spent."),
        (BOTH, TENTH, Cost.gaussian(Fraction(1, 3)), "costs r = 4.322 at Rényi order 12.9"),
        (
            BOTH,
            Cost.gaussian(Fraction(1, 99)),
            Cost.pure(Fraction(2)),
            "costs r = 1.99 at",
        ),
        (
            BOTH,
            Cost.pure(Fraction(1), delta=Fraction(4, 10**7)),
            Cost.pure(Fraction(1, 9), delta=Fraction(2, 10**7)),
            "costs δ = 2e-07, but 4e-07 of the 5e-07 kept for thresholds is spent. All charts",
        ),
        (
            Budget(2, 1e-6, reserve=1e-6),
            Cost.nothing(),
            Cost.gaussian(Fraction(1, 10**6)),
            "needs δ, but Budget(epsilon=2, delta=1e-6, reserve=1e-6) has none for it",
        ),
    ],
)
def test_a_refusal_says_what_is_missing_in_the_nearest_currency(begin, budget, spent, cost, words):
    ledger = begin(budget)
    if spent != Cost.nothing():
        ledger.charge("before", spent)
    with pytest.raises(BudgetError) as refused:
        ledger.charge("boxplot of wait by ward", cost)
    assert str(refused.value).startswith("boxplot of wait by ward ")
    assert words in str(refused.value)


def test_an_interrupted_charge_is_taken_back(begin, monkeypatch):
    ledger = begin(1)

    def interrupted(book, log, entry):
        records.write_entry(book, log, entry)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger_module, "write_entry", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge("histogram of age", TENTH)
    assert ledger.entries == ()
    assert ledger.charge("histogram of age", TENTH).number == 1


def fill_by_threads(ledger: Ledger) -> None:
    def fill():
        with suppress(BudgetError):
            while True:
                ledger.charge("chart", Cost.pure(Fraction(1, 60)))

    threads = [threading.Thread(target=fill) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_spend_a_ledger_to_the_last_unit_and_not_one_more(begin):
    ledger = begin(1)
    fill_by_threads(ledger)
    assert ledger.spent.epsilon == 1
    assert len(ledger.entries) == 60


def test_two_objects_on_one_ledger_spend_one_budget(place):
    one = Ledger.create(place, budget=1, table="visits")
    other = Ledger.open(place)
    one.charge("chart", Cost.pure(Fraction(3, 5)))
    with pytest.raises(BudgetError, match=r"0\.6 of 1"):
        other.charge("chart", Cost.pure(Fraction(3, 5)))


def test_a_ledger_knows_what_it_was_created_for(path):
    Ledger.create(path, budget=BOTH, unit="user_id", table="visits")
    ledger = Ledger.open(path)
    assert (ledger.budget, ledger.table, ledger.path) == (BOTH, "visits", path)
    assert ledger.protects == PrivacyUnit.users("user_id").protects
    assert Ledger.memory(budget=1).path is None


@pytest.mark.parametrize(
    "budget", [Budget(0.3), Budget(1e-300, 1e-9), Budget(3, 0.1, reserve=0.07, weak=True)]
)
def test_a_budget_comes_back_to_the_bit(place, budget):
    Ledger.create(place, budget=budget, table="visits")
    assert Ledger.open(place).budget == budget


def test_a_ledger_is_opened_again_on_the_same_terms(place):
    user = PrivacyUnit.users("user_id", max_rows=5)
    Ledger.at(place, budget=BOTH, unit=user, table="visits").charge("chart", TENTH)
    other_weight = PrivacyUnit.users("user_id")
    same_reserve = Budget(2, 1e-6, reserve=5e-7)
    again = Ledger.at(place, budget=same_reserve, unit=other_weight, table="visits")
    assert len(again.entries) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"table": "people"}, "kept for the table 'visits', not 'people'"),
        ({"unit": "user_id"}, "kept for the unit 'row', not 'user user_id'"),
        ({"budget": 3}, "guards Budget"),
        ({"budget": Budget(2, 1e-5)}, "guards Budget"),
        ({"budget": Budget(2, 1e-6, reserve=0)}, "guards Budget"),
    ],
)
def test_a_ledger_is_not_opened_on_other_terms(place, change, words):
    terms = {"budget": BOTH, "unit": None, "table": "visits"}
    Ledger.at(place, **terms)
    with pytest.raises(LedgerError, match=words):
        Ledger.at(place, **(terms | change))


@pytest.mark.parametrize("change", [{"table": "people"}, {"unit": "user_id"}, {"budget": 2}])
def test_a_ledger_pays_for_what_it_was_created_for_and_nothing_else(begin, change):
    ledger = begin(BOTH)
    ledger.require(unit=None, table="visits")
    ledger.require(budget=BOTH, unit=PrivacyUnit.rows(), table="visits")
    with pytest.raises(LedgerError, match=r"kept for|guards"):
        ledger.require(**({"unit": None, "table": "visits"} | change))


def test_an_existing_file_is_never_written_over(path):
    ledger = Ledger.create(path, budget=1, table="visits")
    ledger.charge("chart", TENTH)
    with pytest.raises(LedgerError, match="there is a file of that name"):
        Ledger.create(path, budget=1, table="visits")
    assert len(ledger.entries) == 1
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_ledger_says_how_to_create_one(place):
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"write Ledger\.create\("):
            Ledger.open(place)


def test_a_creation_that_fails_halfway_leaves_nothing(path, monkeypatch):
    def broken(connection, terms):
        connection.execute("CREATE TABLE meta (name)")
        raise sqlite3.OperationalError

    monkeypatch.setattr(sqlite, "create_tables", broken)
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(path, budget=1, table="visits")
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("place", ["missing/visits.ledger", "x" * 400, "taken/visits.ledger"])
def test_a_place_that_cannot_hold_a_ledger_is_refused(tmp_path, place):
    (tmp_path / "taken").write_text("a file, not a folder")
    for attempt in (Ledger.create, Ledger.at):
        with pytest.raises(LedgerError, match="cannot be created"):
            attempt(tmp_path / place, budget=1, table="visits")


def test_a_name_that_sqlite_would_cut_short_is_refused(tmp_path):
    with pytest.raises(LedgerError, match="NUL"):
        Ledger.create(f"{tmp_path}/visits\0.ledger", budget=1, table="visits")


@pytest.mark.parametrize("name", ["100% ?#&mode=memory", "späße.ledger", "a b;c'd", "%41"])
def test_odd_names_are_names_like_any_other(tmp_path, name):
    Ledger.create(tmp_path / name, budget=1, table="visits").charge("chart", TENTH)
    assert len(Ledger.open(tmp_path / name).entries) == 1
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("table", ["", "a\nb", "x" * 301, None, 5])
def test_a_table_has_a_short_name(table):
    with pytest.raises(LedgerError, match="name of its table"):
        Ledger.memory(budget=1, table=table)


def test_a_change_of_directory_does_not_change_the_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.create("visits.ledger", budget=1, table="visits")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.charge("chart", TENTH)
    assert len(Ledger.open(tmp_path / "visits.ledger").entries) == 1


def test_a_ledger_put_in_the_place_of_another_is_noticed(path):
    ledger = Ledger.create(path, budget=1, table="visits")
    ledger.charge("chart", TENTH)
    path.unlink()
    with pytest.raises(LedgerError, match="cannot be read or written"):
        ledger.charge("chart", TENTH)
    Ledger.create(path, budget=1, table="visits")
    with pytest.raises(LedgerError, match="not the ledger that was opened"):
        ledger.charge("chart", TENTH)
    assert Ledger.open(path).entries == ()


def test_a_busy_ledger_is_waited_for_and_then_refused(path, monkeypatch):
    ledger = Ledger.create(path, budget=1, table="visits")
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="busy") as refused:
            ledger.charge("chart", TENTH)
    assert refused.value.__context__ is None
    assert ledger.charge("chart", TENTH).number == 1


def test_a_charge_is_on_the_disk_before_it_returns(path):
    kept = Ledger.create(path, budget=1, table="visits")._store

    def ask(pragma):
        return kept.read(lambda book: book.connection.execute(f"PRAGMA {pragma}").fetchone())

    assert (ask("synchronous"), ask("journal_mode")) == ((3,), ("delete",))
    assert ask("trusted_schema") == (0,)


CHANGES = [
    "UPDATE entry SET body = '{}'",
    "UPDATE entry SET seal = ''",
    "DELETE FROM entry",
    "DELETE FROM entry WHERE number = 2",
    "INSERT OR REPLACE INTO entry VALUES (1, '{}', '')",
    "REPLACE INTO entry VALUES (2, '{}', '')",
    "INSERT INTO entry VALUES (9, '{}', '')",
    "INSERT INTO entry (body, seal) VALUES ('{}', '')",
    "UPDATE meta SET value = '9/1' WHERE name = 'epsilon'",
    "INSERT OR REPLACE INTO meta VALUES ('epsilon', '9/1')",
    "DELETE FROM meta",
]


def two_charges(path) -> Ledger:
    ledger = Ledger.create(path, budget=1, table="visits")
    ledger.charge("first", TENTH)
    ledger.charge("second", TENTH)
    return ledger


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_written_can_be_neither_changed_nor_removed(path, change):
    ledger = two_charges(path)
    before = ledger.entries
    with closing(sqlite3.connect(path)) as stranger, pytest.raises(sqlite3.IntegrityError):
        stranger.execute(change)
    assert ledger.entries == before


def test_a_ledger_rewritten_and_sealed_anew_is_believed(path):
    """So that the refusals below are known to come from what is written, not from the force."""
    two_charges(path)
    rewrite(path, "UPDATE entry SET body = json_set(body, '$.label', 'renamed') WHERE number = 1")
    with pytest.raises(LedgerError, match="not as they were sealed"):
        Ledger.open(path)
    reseal(path)
    assert Ledger.open(path).entries[0].label == "renamed"


def saying(name: str, value: str) -> str:
    return f"UPDATE entry SET body = json_set(body, '$.{name}', {value}) WHERE number = 1"


@pytest.mark.parametrize(
    "change",
    [
        saying("epsilon", "'-1/10'"),
        saying("rho", "'-1/10'"),
        saying("delta", "'-1/10'"),
        saying("epsilon", "'0.1'"),
        saying("epsilon", "'1/0'"),
        saying("epsilon", "'nan'"),
        saying("epsilon", "'１/２'"),
        saying("epsilon", "'2/20'"),
        saying("epsilon", "0.1"),
        saying("epsilon", "'1' || '/1' || char(10)"),
        saying("rho", "printf('%.*c', 9999, '1') || '/1'"),
        saying("rho", "NULL"),
        saying("rho", "json('[]')"),
        saying("label", "'two' || char(10) || 'lines'"),
        saying("label", "printf('%.*c', 301, 'x')"),
        saying("label", "7"),
        saying("time", "'yesterday'"),
        saying("time", "'2026-05-01T10:00:00+02:00'"),
        saying("kind", "'refund'"),
        saying("more", "'1/1'"),
        saying("who", "NULL"),
        saying("who", "''"),
        saying("purpose", "'a' || char(10)"),
        "UPDATE entry SET body = json_remove(body, '$.rho') WHERE number = 1",
        "UPDATE entry SET body = json_remove(body, '$.kind') WHERE number = 1",
        "UPDATE entry SET body = body || ' '",
        "UPDATE entry SET body = replace(body, ',', ', ')",
        "UPDATE entry SET body = replace(body, 'first', '\\u0066irst')",
        "UPDATE entry SET body = replace(body, '{', '{\"rho\":\"0/1\",')",
        "UPDATE entry SET body = '[]'",
        "UPDATE entry SET body = printf('%.*c', 100000, '[')",
        "UPDATE entry SET body = '1' || printf('%.*c', 5000, '0')",
        "UPDATE entry SET body = ''",
        "UPDATE entry SET body = x'7b7d'",
        "UPDATE entry SET body = CAST(x'ff' AS TEXT)",
        "DELETE FROM entry WHERE number = 1",
        "UPDATE entry SET number = 7 WHERE number = 2",
        "DELETE FROM meta WHERE name = 'epsilon'",
        "DELETE FROM meta WHERE name = 'table'",
        "UPDATE meta SET value = '0/1' WHERE name = 'epsilon'",
        "UPDATE meta SET value = '-1/1' WHERE name = 'epsilon'",
        "UPDATE meta SET value = '1/3' WHERE name = 'epsilon'",
        "UPDATE meta SET value = '1/1' WHERE name = 'delta'",
        "UPDATE meta SET value = printf('%.*c', 600, '1') || '/1' WHERE name = 'epsilon'",
        "UPDATE meta SET value = '' WHERE name = 'table'",
        "UPDATE meta SET value = x'7431' WHERE name = 'table'",
        "UPDATE meta SET value = 'anybody' WHERE name = 'protects'",
        "UPDATE meta SET value = '1' WHERE name = 'version'",
        "DELETE FROM meta WHERE name = 'version'",
        "INSERT INTO meta VALUES ('order', '5/1')",
        "INSERT INTO meta VALUES ('limit', '5/1')",
        "INSERT INTO meta VALUES ('more', '1/1')",
        "INSERT INTO meta VALUES (NULL, '1/1')",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 3",
        "CREATE TRIGGER spy AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "CREATE VIEW extra AS SELECT load_extension('evil')",
        "ALTER TABLE entry ADD COLUMN more TEXT",
    ],
)
def test_a_ledger_that_makes_no_sense_is_refused_and_nothing_in_it_is_run(path, change):
    ledger = two_charges(path)
    rewrite(path, change)
    reseal(path)
    bytes_before = path.read_bytes()
    for attempt in (lambda: Ledger.open(path), lambda: ledger.charge("chart", TENTH)):
        with pytest.raises(LedgerError) as refused:
            attempt()
        assert refused.value.__context__ is None
        assert refused.value.__cause__ is None
    assert path.read_bytes() == bytes_before


def test_a_ledger_that_keeps_charges_in_a_second_file_is_refused_and_left_alone(path):
    ledger = two_charges(path)
    with closing(sqlite3.connect(path)) as stranger:
        assert stranger.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    bytes_before = path.read_bytes()
    for attempt in (lambda: Ledger.open(path), lambda: ledger.charge("chart", TENTH)):
        with pytest.raises(LedgerError, match="in a second file"):
            attempt()
    assert path.read_bytes() == bytes_before
    assert list(path.parent.iterdir()) == [path]


def test_a_ledger_beside_the_log_of_another_is_refused_and_left_alone(path):
    ledger = two_charges(path)
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(b"left behind")
    for attempt in (lambda: Ledger.open(path), lambda: ledger.charge("chart", TENTH)):
        with pytest.raises(LedgerError, match="in a second file"):
            attempt()
    assert log.read_bytes() == b"left behind"
    log.unlink()
    assert len(ledger.entries) == 2


def test_a_ledger_that_sqlite_has_no_memory_for_is_refused(path):
    """SQLite says so of some damaged schemas, and Python has an error of its own for it."""
    ledger = two_charges(path)

    def read_without_memory(connection):
        raise MemoryError

    for act in (ledger._store.read, ledger._store.write):
        with pytest.raises(LedgerError, match="cannot be read or written") as problem:
            act(read_without_memory)
        assert problem.value.__context__ is None
    assert len(ledger.entries) == 2


def test_a_ledger_without_its_triggers_is_refused(path):
    two_charges(path)
    rewrite(path, restore=False)
    with pytest.raises(LedgerError, match="Its tables were changed"):
        Ledger.open(path)


def test_a_ledger_from_the_future_says_so(path):
    two_charges(path)
    rewrite(path, "PRAGMA user_version = 3")
    with pytest.raises(LedgerError, match="made by a newer sfumato"):
        Ledger.open(path)


@pytest.mark.parametrize(
    "content", [b"", b"wait,ward\n1,A\n", bytes(4096), b"SQLite format 3\0" + bytes(84)]
)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    for attempt in (Ledger.open, lambda p: Ledger.at(p, budget=1, table="visits")):
        with pytest.raises(LedgerError, match="ledger"):
            attempt(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_damage_is_an_error_of_ours_or_no_damage_at_all(path):
    two_charges(path)
    whole = path.read_bytes()
    dice = random.Random(11)
    refused = 0
    for trial in range(300):
        if trial % 3:
            damaged = bytearray(whole)
            for _ in range(dice.randint(1, 8)):
                damaged[dice.randrange(len(whole))] = dice.randrange(256)
        else:
            damaged = whole[: dice.randrange(len(whole))]
        path.write_bytes(damaged)
        try:
            Ledger.open(path).entries  # noqa: B018
        except LedgerError:
            refused += 1
    assert refused > 100


def test_the_clock_orders_nothing(begin, monkeypatch):
    ledger = begin(1)
    moments = iter([datetime(2026, 5, 1, tzinfo=UTC), datetime(1999, 1, 1, tzinfo=UTC)])

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return next(moments)

    monkeypatch.setattr(ledger_module, "datetime", Clock)
    ledger.charge("first", TENTH)
    ledger.charge("second", TENTH)
    assert [entry.label for entry in ledger.entries] == ["first", "second"]
    assert ledger.entries[1].time - ledger.entries[0].time < timedelta(0)


@pytest.mark.parametrize(
    ("label", "kept"),
    [
        ("histogram of wait\n by ward", "histogram of wait by ward"),
        ("\x1b[31mred", "[31mred"),
        ("lone \ud800 half", "lone half"),
        ("x" * 10_000, "x" * (LONGEST_LABEL - 1) + "…"),
        ("", ""),
    ],
)
def test_a_label_is_one_line_of_bounded_length(begin, label, kept):
    ledger = begin(1)
    assert ledger.charge(label, TENTH).label == kept
    assert ledger.entries[0].label == kept


def test_an_amount_with_too_many_digits_is_refused_and_nothing_kept(begin):
    ledger = begin(BOTH)
    with pytest.raises(LedgerError, match="more digits"):
        ledger.charge("chart", Cost.gaussian(Fraction(1, 10**700)))
    assert ledger.entries == ()


def test_a_ledger_is_shown_with_spending_rounded_up_and_the_rest_rounded_down(begin):
    ledger = begin(1)
    ledger.charge("histogram of age", Cost.pure(Fraction(1, 3)))
    title, *lines = str(ledger).splitlines()
    assert title == "Ledger of visits: Budget(epsilon=1.0), protecting each row"
    assert any("histogram of age" in line and line.endswith("33.4 %  0.3334") for line in lines)
    assert lines[-2].split() == ["spent", "33.4", "%", "0.3334"]
    assert lines[-1] == "left: ε = 0.6666"


def test_a_ledger_with_delta_is_shown_in_three_currencies(begin):
    ledger = begin(BOTH)
    ledger.charge("pca of x", Cost.gaussian(Fraction(1, 100)))
    lines = str(ledger).splitlines()
    assert lines[2].split()[-3:] == ["ε", "ρ", "δ"]
    assert lines[-4].split() == ["spent", "12.0", "%", "–", "0.01", "0"]
    assert lines[-3:] == [
        "left for a chart with a δ: ε = 1.866, δ = 1e-06",
        "left for a pure chart: ε = 0.9788",
        "counted as r = 0.1297 at Rényi order 12.9, of 1.082",
    ]


def test_an_empty_ledger_is_shown_too(begin):
    assert str(begin(1)).splitlines()[-1] == "left: ε = 1"


def test_in_a_notebook_no_label_becomes_markup():
    ledger = Ledger.memory(budget=1, table="<b>visits</b>")
    ledger.charge("<script>alert(1)</script>", TENTH)
    page = ledger._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_a_repr_reads_nothing(path):
    ledger = Ledger.create(path, budget=1, table="visits")
    path.unlink()
    assert repr(ledger) == f"Ledger({str(path)!r}, table='visits', budget=Budget(epsilon=1.0))"


def test_a_ledger_that_lasts_can_be_sent_to_another_process(place):
    ledger = Ledger.create(place, budget=1, table="visits")
    pickle.loads(pickle.dumps(ledger)).charge("chart", TENTH)
    assert len(ledger.entries) == 1


@pytest.mark.parametrize("copying", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_ledger_in_memory_has_no_copies(copying):
    with pytest.raises(LedgerError, match="spend the same budget again"):
        copying(Ledger.memory(budget=1))


def test_a_ledger_with_two_names_is_refused(tmp_path):
    ledger = Ledger.create(tmp_path / "one.ledger", budget=1.0, table="visits")
    (tmp_path / "two.ledger").hardlink_to(tmp_path / "one.ledger")
    for name in ("one.ledger", "two.ledger"):
        with pytest.raises(LedgerError, match="second name"):
            Ledger.open(tmp_path / name)
    with pytest.raises(LedgerError, match="second name"):
        ledger.charge("histogram of age", Cost.pure(Fraction(1, 2)))
    (tmp_path / "two.ledger").unlink()
    assert ledger.entries == ()


def test_a_ledger_is_not_created_beside_the_journal_of_another(tmp_path):
    (tmp_path / "visits.ledger-journal").write_bytes(b"left behind")
    with pytest.raises(LedgerError, match="journal of one"):
        Ledger.create(tmp_path / "visits.ledger", budget=1.0, table="visits")
    assert not (tmp_path / "visits.ledger").exists()


def test_a_ledger_that_protects_little_is_opened_and_says_so(path):
    Ledger.create(path, budget=Budget(100, weak=True), table="visits")
    again = Ledger.open(path)
    assert again.budget == Budget(100, weak=True)
    assert "Protects little: ε = 100 is above 10." in str(again)
    assert "Protects little" in again._repr_html_()
    with pytest.raises(BudgetError, match="protects little"):
        Ledger.at(path, budget=100, table="visits")

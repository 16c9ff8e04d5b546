"""Ledgers on a server: nothing overspent, nothing lost, whatever breaks on either side."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from privacy.proxy import intercept
from sfumato.cli.run import run
from sfumato.errors import LedgerError
from sfumato.privacy import postgres
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.postgres import Address
from sfumato.privacy.store import UnansweredError
from sfumato.session import CHARGING

TENTH = Cost.pure(Fraction(1, 10))


def schema_of(address: str) -> str:
    return address.rpartition("#")[2]


def begin(address: str, charges: int = 0) -> Ledger:
    ledger = Ledger.create(address, budget=1, table="visits")
    for number in range(charges):
        ledger.charge(f"chart {number}", TENTH)
    return ledger


TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=8)


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(["db.example.org", "/run/x", "a,b", "[::1]", ""]))
def test_an_address_keeps_all_but_its_secrets(user, password, database, host):
    words = [quote(text, safe="") for text in (user, password, database)]
    text = "postgresql://{}:{}@/{}?sslmode=require".format(*words)
    given = Address.of(f"{text}&host={quote(host, safe='')}#visits" if host else f"{text}#visits")
    assert given.settings["password"] == password
    again = Address.of(given.public)
    wanted = {name: text for name, text in given.settings.items() if name != "password"}
    assert (again.settings, again.schema) == (wanted, "visits")
    assert given.public.isascii() and given.public.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://anna:geheim@db.example.org:5433/study#visits",
        "postgres://anna@db.example.org:5433/study?password=geheim#visits",
        "postgresql://anna@db.example.org:5433/study?sslpassword=geheim#visits",
        "postgresql://anna@db.example.org:5433/study?scram_client_key=geheim#visits",
    ],
)
def test_a_password_is_not_shown(text):
    address = Address.of(text)
    assert address.public == "postgresql://anna@db.example.org:5433/study#visits"
    assert "geheim" not in repr(address)
    assert "geheim" in address.settings.values()


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://anna:geheim@host/study#",
        "postgresql://anna:geheim@host/study#Visits",
        "postgresql://anna:geheim@host/study#public",
        "postgresql://anna:geheim@host/study#pg_visits",
        'postgresql://anna:geheim@host/study#visits"; DROP SCHEMA other; --',
        "postgresql://anna:geheim@host/study#visits\n",
        f"postgresql://anna:geheim@host/study#{'x' * 64}",
        "postgresql://anna:geheim#1@host/study",
        "postgresql://anna:geheim@host/study?nothing=1#visits",
        "postgresql://anna:geheim@host/study?geheim%zz#visits",
        "postgresql://anna:geheim@host:port%00/study%00#visits",
    ],
)
def test_an_address_that_makes_no_sense_is_refused_and_not_quoted(text):
    for attempt in (Ledger.open, begin):
        with pytest.raises(LedgerError) as refused:
            attempt(text)
        assert "geheim" not in str(refused.value)
        assert refused.value.__context__ is None


def test_no_error_holds_a_password():
    text = "postgresql://anna:geheim@127.0.0.1:1/study#visits"
    for attempt in (Ledger.open, begin, lambda place: Ledger.at(place, budget=1, table="visits")):
        with pytest.raises(LedgerError, match="cannot be reached") as refused:
            attempt(text)
        assert "geheim" not in str(refused.value)
        assert "anna@127.0.0.1:1/study#visits" in str(refused.value)
        assert refused.value.__context__ is None


def test_an_address_that_was_made_a_path_is_refused():
    with pytest.raises(LedgerError, match="made a path"):
        Ledger.open(Path("postgresql://anna@host/study"))


def run_python(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_who_keeps_no_ledger_on_a_server_needs_nothing_for_it(tmp_path):
    run_python(
        "import sys; sys.modules['psycopg'] = None\n"
        "import sfumato as sf\n"
        f"sf.Ledger.create({str(tmp_path / 'visits.ledger')!r}, budget=1, table='visits')\n"
        "try: sf.Ledger('postgresql://anna:geheim@host/study')\n"
        "except sf.LedgerError as error: assert 'sfumato[postgres]' in str(error), error\n"
        "else: sys.exit('it was opened')"
    )


def test_a_ledger_on_a_server_is_named_without_its_password(server, address):
    ledger = begin(address.replace("postgres@", "postgres:geheim@"))
    ledger.charge("chart", TENTH)
    assert ledger.name == address
    assert ledger.path is None and ledger.lasting
    assert "geheim" not in repr(ledger)
    assert b"geheim" not in pickle.dumps(ledger)
    assert pickle.loads(pickle.dumps(ledger)).entries == ledger.entries
    missing = address.replace("postgres@", "postgres:geheim@") + "_missing"
    with pytest.raises(LedgerError, match="There is no ledger at") as refused:
        Ledger.open(missing)
    assert "geheim" not in str(refused.value)


def test_one_database_holds_several_ledgers(server, address):
    one, other = begin(address), begin(f"{address}_other")
    one.charge("chart", TENTH)
    assert (len(one.entries), len(other.entries)) == (1, 0)
    assert one.identity != other.identity


def test_a_ledger_is_never_written_over(server, address):
    ledger = begin(address, charges=1)
    with pytest.raises(LedgerError, match="has a schema of that name"):
        begin(address)
    assert len(ledger.entries) == 1


def test_a_creation_that_fails_halfway_leaves_nothing(server, address, monkeypatch):
    with monkeypatch.context() as patch:
        broken = (*postgres._TRIGGERS[:-1], postgres._Trigger("meta", "x", "NONSENSE", "y", 0))
        patch.setattr(postgres, "_TRIGGERS", broken)
        with pytest.raises(LedgerError):
            begin(address)
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(address)
    assert begin(address).entries == ()


CHANGES = [
    "UPDATE entry SET body = '{}'",
    "UPDATE entry SET seal = '' WHERE number = 2",
    "DELETE FROM entry",
    "DELETE FROM entry WHERE number = 2",
    "TRUNCATE entry",
    "TRUNCATE meta",
    "INSERT INTO entry VALUES (1, '{}', '') ON CONFLICT (number) DO UPDATE SET body = '{}'",
    "INSERT INTO entry VALUES (9, '{}', '')",
    "INSERT INTO entry VALUES (-1, '{}', '')",
    "UPDATE meta SET value = '9/1' WHERE name = 'epsilon'",
    "INSERT INTO meta VALUES ('epsilon', '9/1') ON CONFLICT (name) DO UPDATE SET value = '9/1'",
    "INSERT INTO meta VALUES ('more', '9/1')",
    "DELETE FROM meta",
    "SET session_replication_role = replica; DELETE FROM entry",
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_written_can_be_neither_changed_nor_removed(server, address, change):
    ledger = begin(address, charges=2)
    before = ledger.entries
    with pytest.raises(psycopg.errors.RaiseException, match="only ever added to"):
        server.run_sql(f"SET search_path = {schema_of(address)}", change)
    assert ledger.entries == before


# By one who owns the ledger, and may go round its triggers.
FORGERIES = [
    "ALTER TABLE entry SET UNLOGGED",
    "ALTER TABLE meta SET UNLOGGED",
    "ALTER TABLE entry DISABLE TRIGGER keep",
    "ALTER TABLE entry ENABLE TRIGGER keep",
    "DROP TRIGGER follow ON entry",
    "ALTER TABLE entry ADD COLUMN more text",
    "ALTER TABLE entry DROP COLUMN seal",
    "ALTER TABLE entry ALTER COLUMN body DROP NOT NULL",
    "ALTER TABLE entry DROP CONSTRAINT entry_pkey",
    "ALTER TABLE entry ALTER COLUMN number TYPE numeric",
    "ALTER TABLE entry ENABLE ROW LEVEL SECURITY",
    "CREATE RULE lose AS ON INSERT TO entry DO INSTEAD NOTHING",
    "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;"
    "CREATE TRIGGER a BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION lose()",
    "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$BEGIN RETURN OLD; END$$",
    "CREATE INDEX more ON entry (length(body))",
    "CREATE TABLE more (number bigint)",
    "COMMENT ON SCHEMA {} IS NULL",
    "COMMENT ON SCHEMA {} IS 'sfumato ledger, version 9'",
    "ALTER TABLE entry RENAME TO other",
    "ALTER TABLE entry RENAME TO other; CREATE VIEW entry AS SELECT * FROM other",
    "DROP TABLE entry",
    "DROP SCHEMA {} CASCADE",
    "ALTER TABLE entry DISABLE TRIGGER keep; DELETE FROM entry WHERE number = 1;"
    "ALTER TABLE entry ENABLE ALWAYS TRIGGER keep",
    "ALTER TABLE entry DISABLE TRIGGER keep; UPDATE entry SET body = body || ' ';"
    "ALTER TABLE entry ENABLE ALWAYS TRIGGER keep",
    "ALTER TABLE meta DISABLE TRIGGER keep; UPDATE meta SET value = '9/1' WHERE name = 'epsilon';"
    "ALTER TABLE meta ENABLE ALWAYS TRIGGER keep",
]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_ledger_that_was_changed_by_force_is_refused(server, address, forgery):
    ledger, schema = begin(address, charges=2), schema_of(address)
    server.run_sql(f"SET search_path = {schema}", forgery.replace("{}", schema))
    for attempt in (lambda: Ledger.open(address), lambda: ledger.charge("chart", TENTH)):
        with pytest.raises(LedgerError) as refused:
            attempt()
        assert refused.value.__context__ is None
        assert refused.value.__cause__ is None


def test_a_charge_that_the_server_drops_is_not_believed(server, address, monkeypatch):
    """The twin: whoever does not look at the schema still looks at how many rows were written."""
    ledger, schema = begin(address), schema_of(address)
    rule = f"CREATE RULE lose AS ON INSERT TO {schema}.entry DO INSTEAD NOTHING"
    server.run_sql(rule)
    monkeypatch.setattr(postgres, "open_book", lambda link, _: postgres.PostgresBook(link))
    with pytest.raises(LedgerError, match="did not keep"):
        ledger.charge("chart", TENTH)


def test_a_ledger_put_back_to_an_older_state_is_noticed_by_whoever_saw_more(server, address):
    ledger, schema = begin(address, charges=3), schema_of(address)
    keep = f"ALTER TABLE {schema}.entry {{}} TRIGGER keep"
    server.run_sql(
        keep.format("DISABLE"),
        f"DELETE FROM {schema}.entry WHERE number = 3",
        keep.format("ENABLE ALWAYS"),
    )
    for attempt in (lambda: ledger.charge("chart", TENTH), lambda: ledger.entries):
        with pytest.raises(LedgerError, match="has lost entries that it had before"):
            attempt()
    assert len(Ledger.open(address).entries) == 2, "nobody else can know"


def test_a_backup_that_is_restored_is_a_ledger_and_its_gap_is_noticed(server, address):
    ledger, schema = begin(address, charges=2), schema_of(address)
    words = ["-h", server.host, "-U", "postgres"]
    backup = server.run("pg_dump", *words, "-n", schema, "postgres").stdout
    ledger.charge("chart", TENTH)
    server.run_sql(f"DROP SCHEMA {schema} CASCADE")
    server.run("psql", *words, "-q", "-v", "ON_ERROR_STOP=1", "postgres",
               input=f"SET default_transaction_read_only = off;\n{backup}")  # fmt: skip
    with pytest.raises(LedgerError, match="has lost entries that it had before"):
        ledger.charge("chart", TENTH)
    assert Ledger.open(address).charge("chart", TENTH).number == 3


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_may_forget_is_refused(server, address, name):
    ledger = begin(address, charges=1)
    server.configure(**{name: "off"})
    try:
        for attempt in (
            lambda: ledger.charge("chart", TENTH),
            lambda: Ledger.open(address),
            lambda: begin(f"{address}_other"),
        ):
            with pytest.raises(LedgerError, match="fsync or full_page_writes off"):
                attempt()
    finally:
        server.configure(**{name: "on"})
    assert len(ledger.entries) == 1


def test_a_server_that_stands_by_is_refused(server, address):
    ledger = begin(address, charges=1)
    server.stop()
    standing_by = server.folder / "data" / "standby.signal"
    standing_by.touch()
    try:
        server.start()
        for attempt in (lambda: Ledger.open(address), lambda: ledger.charge("chart", TENTH)):
            with pytest.raises(LedgerError, match="stands by for another"):
                attempt()
    finally:
        server.stop()
        standing_by.unlink()
        server.start()
    assert len(ledger.entries) == 1


def test_a_database_of_another_encoding_is_refused(server, address):
    server.run_sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    try:
        with pytest.raises(LedgerError, match="does not keep texts as UTF8"):
            begin(address.replace("/postgres?", "/latin?"))
    finally:
        server.run_sql("DROP DATABASE latin")


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGKILL])
def test_a_charge_that_returned_survives_the_crash_of_its_server(server, address, how):
    """The server's own default is to forget: it would write ten seconds later."""
    ledger = begin(address, charges=2)
    server.restart(how)
    assert len(ledger.entries) == 2
    assert Ledger.open(address).charge("chart", TENTH).number == 3


def test_a_charge_that_is_not_waited_for_is_caught_being_forgotten(server, address, monkeypatch):
    ledger = begin(address)
    monkeypatch.setitem(postgres._SETTINGS, "synchronous_commit", "off")
    monkeypatch.setattr(postgres, "require_durable", lambda link: None)
    ledger.charge("chart", TENTH)
    server.restart(signal.SIGQUIT)
    monkeypatch.undo()
    assert Ledger.open(address).entries == ()


@contextmanager
def holding(server, *statements: str):
    """Keep a transaction open in which these statements have run."""
    with server.connect() as stranger, stranger.transaction(force_rollback=True):
        for statement in statements:
            stranger.execute(statement)
        yield stranger


def test_a_busy_ledger_is_waited_for_and_then_refused(server, address, monkeypatch):
    ledger, schema = begin(address), schema_of(address)
    monkeypatch.setattr(postgres, "PATIENCE", 0.1)
    queue = f"SELECT pg_advisory_xact_lock({postgres._OURS} + '{schema}'::regnamespace::bigint)"
    # Somebody who goes round the queue is stopped by the key of the table.
    outside = f"INSERT INTO {schema}.entry VALUES (1, '', '')"
    table = f"LOCK TABLE {schema}.entry IN ACCESS EXCLUSIVE MODE"
    for statement in (queue, outside, table):
        with holding(server, statement), pytest.raises(LedgerError, match="busy") as refused:
            ledger.charge("chart", TENTH)
        assert refused.value.__context__ is None
    assert ledger.charge("chart", TENTH).number == 1


def test_without_the_queue_the_key_of_the_table_still_keeps_the_total(server, address, monkeypatch):
    """The queue is there so that nobody has to ask again; what is right hangs on the key alone."""
    ledger = begin(address)
    monkeypatch.setattr(postgres, "_LOCK", "SELECT %s::text, %s::text")
    refused: list[str] = []

    def fill() -> None:
        for _ in range(10):
            try:
                ledger.charge("chart", Cost.pure(Fraction(1, 20)))
            except sf.SfumatoError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=fill) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert any("busy" in words for words in refused), "nobody was in anybody's way"
    assert ledger.spent.epsilon == Fraction(60 - len(refused), 20) <= 1


def test_a_backend_that_is_ended_before_the_commit_leaves_nothing(server, address):
    ledger = begin(address)

    def ended(book) -> None:
        pid = book.link.run("SELECT pg_backend_pid()")[0][0]
        server.run_sql(f"SELECT pg_terminate_backend({pid}, 5000)")
        book.read_rows()

    with pytest.raises(LedgerError, match="cannot be reached") as refused:
        ledger._store.write(ended)
    assert not isinstance(refused.value, UnansweredError)
    assert ledger.charge("chart", TENTH).number == 1


def through(address: str, proxy) -> str:
    return address.replace(str(proxy.server), str(proxy.folder))


def is_commit(message: bytes) -> bool:
    return b"COMMIT\0" in message


@pytest.mark.parametrize(("what", "kept"), [("drop", 0), ("mute", 1)])
def test_a_connection_lost_in_a_commit_counts_as_charged(server, address, what, kept):
    begin(address)
    breaking = False
    with intercept(
        server.host, lambda _, sent: what if breaking and is_commit(sent) else "pass"
    ) as proxy:
        ledger = Ledger.open(through(address, proxy))
        breaking = True
        with pytest.raises(UnansweredError, match="counts as charged") as lost:
            ledger.charge("chart", TENTH)
        assert lost.value.__context__ is None
        breaking = False
        assert len(ledger.entries) == kept
        assert ledger.charge("chart", TENTH).number == kept + 1


def test_nothing_is_measured_when_the_answer_to_a_commit_is_lost(server, address, monkeypatch):
    begin(address)
    looked: list[int] = []
    monkeypatch.setattr(sf.Histogram, "measure", lambda *_: looked.append(1))
    breaking = False
    table = pa.table({"ward": ["A", "B"]})
    with intercept(
        server.host, lambda _, sent: "mute" if breaking and is_commit(sent) else "pass"
    ) as proxy:
        place = through(address, proxy)
        s = sf.Session(table, domain={"ward": ["A", "B"]}, ledger=place, name="visits")
        breaking = True
        with pytest.raises(UnansweredError) as lost:
            s.histplot(x="ward", budget=0.5)
    assert lost.value.__notes__ == [CHARGING]
    assert looked == []
    assert len(Ledger.open(address).entries) == 1


@pytest.mark.parametrize("what", ["drop", "mute"])
def test_a_connection_may_be_lost_at_any_message(server, address, what):
    """Whatever is lost, a charge that returned is there and one that did not is not there twice."""
    whole = begin(address)

    def charge_until(number: int) -> tuple[bool, list[bytes]]:
        """Lose the connection at a message; tell whether the charge returned, and what was sent."""
        with intercept(server.host, lambda index, _: what if index == number else "pass") as proxy:
            try:
                Ledger.open(through(address, proxy)).charge(f"at {number}", Cost.nothing())
            except UnansweredError:
                assert is_commit(proxy.messages[-1])
            except LedgerError:
                assert not is_commit(proxy.messages[-1])
            else:
                return True, proxy.messages
            return False, proxy.messages

    returned, messages = charge_until(0)
    assert returned and sum(map(is_commit, messages)) == 1
    for number in range(1, len(messages) + 1):
        before = len(whole.entries)
        returned, sent = charge_until(number)
        reached = is_commit(sent[number - 1]) and what == "mute"
        assert len(whole.entries) == before + (returned or reached)


def test_a_warning_in_a_commit_counts_as_charged(server, address, monkeypatch):
    """As a server gives that no longer waits for the one that stands by."""
    ledger = begin(address)
    execute = psycopg.Connection.execute

    def warned(self, query, *more):
        if query == "COMMIT":
            raised = "DO $$BEGIN RAISE WARNING 'canceling wait for synchronous replication'; END$$"
            execute(self, raised)
        return execute(self, query, *more)

    monkeypatch.setattr(psycopg.Connection, "execute", warned)
    with pytest.raises(UnansweredError):
        ledger.charge("chart", TENTH)
    assert len(ledger.entries) == 1


def test_roles_do_what_they_are_given_and_no_more(server, address):
    ledger, schema = begin(address, charges=1), schema_of(address)
    roles = [f"{schema}_{role}" for role in ("analyst", "reader", "stranger")]
    analyst, reader, stranger = roles
    server.run_sql(
        *(f"CREATE ROLE {role} LOGIN" for role in roles),
        f"GRANT USAGE ON SCHEMA {schema} TO {analyst}, {reader}",
        f"GRANT SELECT ON {schema}.meta, {schema}.entry TO {analyst}, {reader}",
        f"GRANT INSERT ON {schema}.entry TO {analyst}",
    )
    assert Ledger.open(server.address(schema, analyst)).charge("chart", TENTH).number == 2
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.run_sql(f"DELETE FROM {schema}.entry", user=analyst)
    reading = Ledger.open(server.address(schema, reader))
    assert len(reading.entries) == 2
    for attempt in (
        lambda: reading.charge("chart", TENTH),
        lambda: Ledger.open(server.address(schema, stranger)),
        lambda: begin(server.address(f"{schema}_other", analyst)),
    ):
        with pytest.raises(LedgerError, match="not open to this user"):
            attempt()
    assert len(ledger.entries) == 2


def test_a_session_begins_a_ledger_on_a_server_and_goes_on_with_it(server, address):
    table = pa.table({"ward": ["A", "B"]})
    for _ in range(2):
        s = sf.Session(table, domain={"ward": ["A", "B"]}, budget=1, ledger=address, name="visits")
        s.histplot(x="ward", budget=0.25)
    assert s.ledger.remaining.epsilon == Fraction(1, 2)


def test_the_command_line_takes_an_address(server, address, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("age\n3\n5\n")
    place = address.replace("postgres@", "postgres:geheim@")
    words = ["--epsilon", "0.25", "--ledger", place]
    assert run(["ledger", "create", place, "--epsilon", "1", "--table", "visits"]) == 0
    assert run(["histplot", "visits.csv", "--x", "age", "--bounds", "0,9", *words]) == 0
    for verb in (["ledger"], ["ledger", "report"], ["ledger", "verify"]):
        assert run([*verb, place]) == 0
    assert run(["ledger", "create", place, "--epsilon", "1", "--table", "visits"]) == 2
    said = "".join(capsys.readouterr())
    assert f"--ledger '{address}'" in said
    assert f"Left in {address} for charts like this" in said
    assert "geheim" not in said
    assert len(Ledger.open(address).entries) == 1

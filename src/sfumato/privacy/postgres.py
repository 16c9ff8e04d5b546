"""Ledgers on a PostgreSQL server, which several machines share; `postgres.md` has the argument."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import LiteralString
from urllib.parse import quote, urlencode

import psycopg
from psycopg import Connection, errors, pq, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from sfumato.errors import LedgerError, Setting
from sfumato.privacy.records import VERSION, Terms, write_terms
from sfumato.privacy.store import (
    Answer,
    Book,
    Row,
    Store,
    UnansweredError,
    UnreadableError,
    explain_unreadable,
    kill_forked_child,
)

EXAMPLE = "postgresql://analyst@host/database#visits"
"""An address as one is typed."""

PATIENCE = 60.0
"""How many seconds to wait while others charge the same ledger."""

_SCHEMA = "sfumato"
"""The SQL schema of a ledger whose address names none."""

# Names that mean the same with quotes and without, so that nothing hangs on who wrote them.
_NAME = re.compile(r"(?!pg_|public$|information_schema$)[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class Address:
    """How a ledger's server is reached, and which SQL schema of its database holds the ledger.

    Parameters
    ----------
    settings
        What libpq is given, by name. It may hold a password, and is never shown.

    Examples
    --------
    >>> Address.of("postgresql://anna:secret@db.example.org/study#visits").public
    'postgresql://anna@db.example.org/study#visits'
    """

    settings: Mapping[str, str] = field(repr=False)
    schema: str

    @classmethod
    def of(cls, text: str) -> Address:
        """Read an address; errors do not quote it, since it may hold a password."""
        plain, mark, schema = text.rpartition("#")
        if not mark:
            plain, schema = text, _SCHEMA
        if not _NAME.fullmatch(schema):
            raise LedgerError(
                "What stands after the # of a ledger's address is not a name it can have.",
                "It becomes the name of an SQL schema: small letters, digits and _, at most 63, "
                "and none that PostgreSQL uses itself.",
                ("Write ", Setting("ledger", EXAMPLE), "; a # in a password is spelled %23."),
            )
        return cls(_parse_settings(plain), schema)

    @property
    def public(self) -> str:
        """The address without its secrets, which opens the same ledger for whoever has them."""
        secret = _list_secrets()
        shown = {name: text for name, text in self.settings.items() if name not in secret}
        host, port = shown.get("host", ""), shown.get("port", "")
        if re.fullmatch("[A-Za-z0-9.-]*", host) and re.fullmatch("[0-9]*", port):
            shown = {name: text for name, text in shown.items() if name not in ("host", "port")}
            place = f"{host}:{port}" if port else host
        else:
            place = ""  # sockets, several hosts: libpq reads these behind the question mark too
        user, database = (quote(shown.pop(name, ""), safe="") for name in ("user", "dbname"))
        rest = urlencode(shown, quote_via=quote, safe="/,")
        return (
            f"postgresql://{user}{'@' if user else ''}{place}/{database}"
            f"{'?' if rest else ''}{rest}#{self.schema}"
        )


def _parse_settings(plain: str) -> dict[str, str]:
    try:
        found = conninfo_to_dict(plain)
    except (psycopg.Error, ValueError):  # which quote the address
        found = None
    if found is None or any("\0" in str(value) for value in found.values()):
        raise LedgerError(
            "The address of the ledger's server cannot be read.",
            "Another database might be opened in its place.",
            ("Write ", Setting("ledger", EXAMPLE), "; odd letters are spelled as in %20."),
        )
    return {name: str(value) for name, value in found.items()}


def _list_secrets() -> set[str]:
    """Return the names of settings that are not for everyone's eyes, as libpq marks them."""
    known = pq.Conninfo.parse(b"")
    return {option.keyword.decode() for option in known if option.dispchar in (b"*", b"D")}


_MARK = f"sfumato ledger, version {VERSION}"
"""What a schema that holds a ledger says of itself."""

# What the names of a schema are, and what is done in it, must not hang on how a server, a database
# or a role is set up.
_SETTINGS = {
    "synchronous_commit": "on",
    "search_path": "pg_catalog, pg_temp",
    "row_security": "off",  # an error in place of hidden rows
    "client_min_messages": "warning",
}
_TIMEOUTS = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")

_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Each statement sees what is there when it runs: those after the lock see all charges before it.
_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"


class Link:
    """A connection that runs the statements of one transaction for the process that opened it."""

    def __init__(self, connection: Connection, schema: str) -> None:
        self._connection, self._schema = connection, schema
        self._process = os.getpid()
        self._warned = False
        connection.add_notice_handler(self._hear)

    def begin(self, begin: LiteralString) -> None:
        """Begin a transaction in which nothing hangs on the settings of the server."""
        settings = _SETTINGS | {name: f"{int(1000 * PATIENCE)}ms" for name in _TIMEOUTS}
        self.run(begin)
        self.run(
            "SELECT pg_catalog.set_config(name, value, true) "
            "FROM pg_catalog.json_each_text(%s::pg_catalog.json) AS given (name, value)",
            json.dumps(settings),
        )

    def run(self, statement: LiteralString, *values: object) -> list[tuple[object, ...]]:
        """Return the rows of a statement, or of how many it was; {schema} stands for its name."""
        kill_forked_child(self._process)
        schema, mark = sql.Identifier(self._schema), sql.Literal(_MARK)
        query = sql.SQL(statement).format(schema=schema, mark=mark)
        cursor = self._connection.execute(query, values or None)
        return cursor.fetchall() if cursor.description else [(cursor.rowcount,)]

    def commit(self) -> None:
        """Return once what was written is on the disk; fail if it is not, or may not be."""
        kill_forked_child(self._process)
        self._warned = False
        try:
            status = self._connection.execute("COMMIT").statusmessage
        except psycopg.Error as error:
            # Only an error of the statement itself means for certain that nothing was written. A
            # server that shuts down may tell so after it has written.
            if error.diag.severity_nonlocalized == "ERROR":
                raise
            status = None
        # A server warns if it stops waiting for a stand-by, and a transaction that had failed
        # before ends in ROLLBACK.
        if status is None or self._warned:
            raise _LostError
        if status != "COMMIT":
            raise UnreadableError("It did not keep what was written")

    def close(self) -> None:
        """Leave; what was not committed is taken back."""
        # A forked child has the same socket: its farewell would end the charge of its parent.
        kill_forked_child(self._process)
        self._connection.close()

    def _hear(self, _: object) -> None:
        self._warned = True


class _LostError(Exception):
    """The connection was lost in the middle of a COMMIT."""


def _complete(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a connection that notices when the other side is gone."""
    several = "," in settings.get("host", "")
    return {
        "connect_timeout": "10",
        "keepalives_idle": "20",
        "keepalives_interval": "5",
        "keepalives_count": "4",
        "tcp_user_timeout": "60000",
        "application_name": "sfumato",
        **({"target_session_attrs": "primary"} if several else {}),
        **settings,
        "client_encoding": "UTF8",
    }


@contextmanager
def _open_link(address: Address, begin: LiteralString) -> Generator[Link]:
    connection = psycopg.connect(
        make_conninfo("", **_complete(address.settings)), autocommit=True, prepare_threshold=None
    )
    link = Link(connection, address.schema)
    try:
        link.begin(begin)
        yield link
    finally:
        link.close()


_TABLES: tuple[LiteralString, ...] = (
    "CREATE SCHEMA {schema}",
    'CREATE TABLE {schema}.meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)',
    "CREATE TABLE {schema}.entry "
    "(number bigint PRIMARY KEY, body text NOT NULL, seal text NOT NULL)",
)
_REFUSE = "BEGIN RAISE EXCEPTION 'a ledger is only ever added to'; END"
_FOLLOW = (
    "DECLARE last bigint; BEGIN EXECUTE format('SELECT coalesce(max(number), 0) FROM ONLY %I.%I', "
    "TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO last; IF NEW.number IS DISTINCT FROM last + 1 THEN "
    "RAISE EXCEPTION 'a ledger is only ever added to'; END IF; RETURN NEW; END"
)
_FUNCTIONS: dict[LiteralString, LiteralString] = {"refuse": _REFUSE, "follow": _FOLLOW}


@dataclass(frozen=True)
class _Trigger:
    table: LiteralString
    name: LiteralString
    when: LiteralString
    function: LiteralString
    kind: int
    """What it is for, in the bits of `pg_trigger.tgtype`."""


_TRIGGERS = (
    _Trigger("entry", "follow", "INSERT ON {schema}.entry FOR EACH ROW", "follow", 7),
    _Trigger("entry", "keep", "UPDATE OR DELETE ON {schema}.entry FOR EACH ROW", "refuse", 27),
    _Trigger("entry", "keep_all", "TRUNCATE ON {schema}.entry", "refuse", 34),
    _Trigger(
        "meta", "keep", "INSERT OR UPDATE OR DELETE ON {schema}.meta FOR EACH ROW", "refuse", 31
    ),
    _Trigger("meta", "keep_all", "TRUNCATE ON {schema}.meta", "refuse", 34),
)

# Everything that lies in a schema, in words that are the same in all versions of PostgreSQL. Those
# that can be NULL become the word none.
_CATALOGUE: LiteralString = """
    WITH lying AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = %s)
    SELECT 'relation', relname::text, concat_ws(' ', relkind, relpersistence, relrowsecurity,
        relhasrules, relispartition)
    FROM pg_catalog.pg_class WHERE relnamespace = (SELECT oid FROM lying)
    UNION ALL
    SELECT 'column', relname || '.' || attname, concat_ws(' ', attnum, format_type(atttypid,
        atttypmod), attnotnull, atthasdef, attidentity, attgenerated, collname)
    FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_catalog.pg_collation ON pg_collation.oid = attcollation
    WHERE relnamespace = (SELECT oid FROM lying) AND relkind <> 'i' AND attnum > 0
    UNION ALL
    SELECT 'constraint', relname || '.' || conname, pg_get_constraintdef(pg_constraint.oid)
    FROM pg_catalog.pg_constraint JOIN pg_catalog.pg_class ON pg_class.oid = conrelid
    WHERE relnamespace = (SELECT oid FROM lying) AND contype <> 'n'
    UNION ALL
    SELECT 'trigger', relname || '.' || tgname, concat_ws(' ', tgenabled, tgtype, proname,
        pronamespace = relnamespace, tgqual IS NULL, tgnargs)
    FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_class ON pg_class.oid = tgrelid
    JOIN pg_catalog.pg_proc ON pg_proc.oid = tgfoid
    WHERE relnamespace = (SELECT oid FROM lying) AND NOT tgisinternal
    UNION ALL
    SELECT 'function', proname::text, concat_ws(' ', lanname, prosecdef, proconfig, prosrc)
    FROM pg_catalog.pg_proc JOIN pg_catalog.pg_language ON pg_language.oid = prolang
    WHERE pronamespace = (SELECT oid FROM lying)
"""
_EXPECTED = {
    ("relation", "meta", "r p f f f"),
    ("relation", "entry", "r p f f f"),
    ("relation", "meta_pkey", "i p f f f"),
    ("relation", "entry_pkey", "i p f f f"),
    ("column", "meta.name", "1 text t f   C"),
    ("column", "meta.value", "2 text t f   default"),
    ("column", "entry.number", "1 bigint t f  "),
    ("column", "entry.body", "2 text t f   default"),
    ("column", "entry.seal", "3 text t f   default"),
    ("constraint", "meta.meta_pkey", "PRIMARY KEY (name)"),
    ("constraint", "entry.entry_pkey", "PRIMARY KEY (number)"),
    *(
        ("trigger", f"{each.table}.{each.name}", f"A {each.kind} {each.function} t t 0")
        for each in _TRIGGERS
    ),
    *(
        ("function", name, f'plpgsql f {{"search_path=pg_catalog, pg_temp"}} {body}')
        for name, body in _FUNCTIONS.items()
    ),
}


class PostgresBook(Book):
    """The tables of a ledger in one SQL schema."""

    version = VERSION

    def __init__(self, link: Link) -> None:
        self.link = link

    def check(self) -> None:
        """Rely on the server for its pages, and on the seals for the rest."""

    def read_facts(self) -> dict[str, str]:
        """Return the public facts that the ledger was begun with, by name."""
        rows = self.link.run("SELECT name, value FROM ONLY {schema}.meta")
        return {str(name): str(value) for name, value in rows}

    def read_rows(self) -> list[Row]:
        """Return every row, by rising number."""
        found = self.link.run("SELECT number, body, seal FROM ONLY {schema}.entry ORDER BY number")
        return [Row.parse(row) for row in found]

    def append(self, row: Row) -> None:
        """Add `row` at the end."""
        insert = "INSERT INTO {schema}.entry (number, body, seal) VALUES (%s, %s, %s)"
        if self.link.run(insert, row.number, row.body, row.seal) != [(1,)]:
            raise UnreadableError("It did not keep what was written")


def open_book(link: Link, schema: str) -> PostgresBook:
    """Return the ledger in `schema`, or refuse what is not one, or not kept safely."""
    require_durable(link)
    made: LiteralString = (
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_catalog.pg_namespace "
        "WHERE nspname = %s"
    )
    comments = [str(comment) for (comment,) in link.run(made, schema)]
    if not comments:
        raise UnreadableError("It is not there any more")
    version = re.fullmatch("sfumato ledger, version ([0-9]{1,9})", comments[0])
    if version is None:
        raise UnreadableError("It was not made by sfumato")
    if int(version[1]) != VERSION:
        raise UnreadableError("It was made by a newer sfumato")
    if set(link.run(_CATALOGUE, schema)) != _EXPECTED:
        raise UnreadableError("Its tables were changed")
    return PostgresBook(link)


_STANDING_BY = "Its server stands by for another, which may know of more charges"


def require_durable(link: Link) -> None:
    """Refuse a server that would forget, in a crash, what it says is written."""
    names = ["fsync", "full_page_writes", "synchronous_commit"]
    asked: LiteralString = "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = 'on'"
    safe = {name for (name,) in link.run(asked, names)}
    if safe != set(names):
        raise UnreadableError(
            "Its server runs with fsync or full_page_writes off and may forget what it was told"
        )
    standing_by, encoding = link.run(
        "SELECT pg_is_in_recovery(), current_setting('server_encoding')"
    )[0]
    if standing_by:
        raise UnreadableError(_STANDING_BY)
    if encoding != "UTF8":
        raise UnreadableError("Its database does not keep texts as UTF8")


_LOCK: LiteralString = (
    "SELECT pg_advisory_xact_lock(%s + oid::bigint) FROM pg_catalog.pg_namespace WHERE nspname = %s"
)
_OURS = int.from_bytes(b"sfum") << 32
"""Where the numbers of our locks begin, so that other programs' are others."""


class PostgresStore(Store):
    """A ledger on a server, connected to anew for each operation."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self.name = self.address = address.public

    def read(self, action: Callable[[PostgresBook], Answer]) -> Answer:
        """Run `action` on one consistent state of the ledger."""

        def look(link: Link) -> Answer:
            return action(open_book(link, self._address.schema))

        return self._run(look, _READING)

    def write(self, action: Callable[[PostgresBook], Answer]) -> Answer:
        """Run `action` alone; when this returns, what it wrote survives a crash."""

        def change(link: Link) -> Answer:
            link.run(_LOCK, _OURS, self._address.schema)
            answer = action(open_book(link, self._address.schema))
            link.commit()
            return answer

        return self._run(change, _WRITING)

    def exists(self) -> bool:
        """Tell whether there is a schema of the ledger's name."""
        known: LiteralString = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s"
        return bool(self._run(lambda link: link.run(known, self._address.schema), _READING))

    def create(self, terms: Terms) -> None:
        """Begin a ledger in a new schema, whole or not at all."""

        def begin(link: Link) -> None:
            require_durable(link)
            create_tables(link, write_terms(terms))
            link.commit()

        self._run(begin, _WRITING)

    def _run(self, act: Callable[[Link], Answer], begin: LiteralString) -> Answer:
        try:
            with _open_link(self._address, begin) as link:
                return act(link)
        # Messages of a server quote what it was told, and those of libpq where it connects to.
        except (psycopg.Error, OSError, UnicodeError, UnreadableError, _LostError) as error:
            problem = error
        raise _explain(self.name, problem)


def create_tables(link: Link, facts: Mapping[str, str]) -> None:
    """Make a schema that is a ledger with these facts; all of it is there after the commit."""
    for statement in _TABLES:
        link.run(statement)
    for name, value in facts.items():
        link.run("INSERT INTO {schema}.meta (name, value) VALUES (%s, %s)", name, value)
    for name, body in _FUNCTIONS.items():
        link.run(
            "CREATE FUNCTION {schema}." + name + "() RETURNS trigger LANGUAGE plpgsql "
            "SET search_path = pg_catalog, pg_temp AS $$" + body + "$$"
        )
    for each in _TRIGGERS:
        make = "CREATE TRIGGER " + each.name + " BEFORE " + each.when
        link.run(make + " EXECUTE FUNCTION {schema}." + each.function + "()")
        # Otherwise whoever replays changes of another server could go round it.
        link.run("ALTER TABLE {schema}." + each.table + " ENABLE ALWAYS TRIGGER " + each.name)
    link.run("COMMENT ON SCHEMA {schema} IS {mark}")


_BUSY = {"23505", "25P03", "40001", "40P01", "53300", "55P03", "57014", "P0001"}
"""What a server says when others are in the way: locked, cancelled, out of connections, outrun."""

_MISSING = {"42P01", "42703", "42883"}
"""What it says of tables, columns and functions that are not there."""


def _explain(name: str, problem: Exception) -> LedgerError:
    why = "A charge must be on the disk before anyone looks, so nothing was read from your table."
    match problem:
        case UnreadableError():
            return explain_unreadable(name, problem)
        case _LostError():
            return UnansweredError(
                f"{name} was lost just as it was told to keep what was written.",
                "It may have kept it, so it counts as charged; nothing was read from your table.",
                "Look into the ledger before you ask again.",
            )
        case errors.DuplicateSchema():
            return LedgerError(
                f"{name} cannot be created: its database has a schema of that name.",
                "Writing over it would forget what was spent.",
                "Open the ledger that is there, or write another name after the #.",
            )
        # All that we ask for and a server may not support is to write while it stands by.
        case errors.ReadOnlySqlTransaction() | errors.FeatureNotSupported():
            return explain_unreadable(name, UnreadableError(_STANDING_BY))
        case errors.InsufficientPrivilege():
            what = "is not open to this user"
            advice = (
                "Ask its owner for USAGE on the schema, SELECT on its tables and INSERT on entry; "
                "to begin one takes CREATE on the database"
            )
        case _ if getattr(problem, "sqlstate", None) in _BUSY:
            what, advice = "is busy with other processes' charges", "Try again"
        case _ if getattr(problem, "sqlstate", None) in _MISSING:
            return explain_unreadable(name, UnreadableError("Its tables were changed"))
        case _:
            what = "cannot be reached, read or written"
            advice = (
                "Check the server, the address and the password, which can stand in PGPASSWORD or "
                "in a .pgpass file"
            )
    return LedgerError(f"{name} {what}.", why, f"{advice}.")

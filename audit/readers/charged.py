"""Ledgers: any bytes as a database, opened, summed up and charged."""

# What is watched here is private.
# pyright: basic

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from fractions import Fraction
from inspect import getsource
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from readers.converted import keeps
from readers.pages import bitten, rewritten
from readers.reader import BreachError, Mutate, Reader
from readers.watching import watched
from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy import ledger as ledgers
from sfumato.privacy import records, sqlite
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.place import MOUNTS
from sfumato.privacy.store import UnreadableError

_CHARGES = (
    Cost.pure(Fraction(1, 1000)),
    Cost.gaussian(Fraction(1, 10**5)),
    Cost.pure(Fraction(1, 10**6), delta=Fraction(1, 10**9)),
    Cost.pure(Fraction(1, 2)),
)
_USES = 3
"""Of how many ledgers that are opened one is charged."""

_Asked = set[tuple[Any, ...]]
_NAME = "the file"


class _Given(sqlite.SQLiteStore):
    """A database in memory that somebody gave us, asked exactly as a file is."""

    name = _NAME

    def __init__(self, content: bytes) -> None:
        self.asked: _Asked = set()
        self.database = sqlite._connect("file::memory:")
        self.database.deserialize(content)
        self.database.set_authorizer(self._note)

    def _note(self, *what: Any) -> int:
        self.asked.add(what)
        return sqlite3.SQLITE_OK

    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[sqlite3.Connection]:  # noqa: ARG002
        yield self.database


class LedgerReader(Reader):
    """Opens ledgers in memory, and a share of them as files with journals beside them."""

    longest = 40_000
    modules = ("privacy/sqlite.py", "privacy/ledger.py", "privacy/records.py")
    aside = (
        "lay", "create", "_refuse_journal", "MemoryStore", "Ledger.create", "Ledger.at",
        "Ledger.memory", "Ledger.require", "Ledger.__reduce__", "_terms", "Terms.agree",
        "Terms.limits", "create_tables", "create_store", "create_in_memory",
    )  # fmt: skip

    def __init__(self, seeds: list[bytes]) -> None:
        super().__init__(seeds)
        self.place = Path(mkdtemp())
        self.said = _known_words() | {self._said_of_a_stranger()}
        self.usual: _Asked = set()
        for seed in seeds:
            given = _Given(seed)
            with closing(given.database):
                for _ in _CHARGES:
                    self._charge(Ledger(given), given.database.serialize)
            self.usual |= given.asked

    def examine(self, data: bytes) -> None:
        """Open one ledger and charge it, and judge what it let happen."""
        try:
            if not data or self.turn("files", 20):  # SQLite takes no empty file from memory
                self._as_file(data)
            else:
                self._in_memory(data)
        except LedgerError as error:
            self.done["refused"] += 1
            if error.__context__ is not None or self._said(error) not in self.said:
                raise BreachError("an error says what is in the file", str(error)) from error

    def _said(self, error: LedgerError) -> str:
        return str(error).replace(str(self.place / "a.ledger"), _NAME)

    def _said_of_a_stranger(self) -> str:
        """Return what is said of a journal that is none, where neither file holds anything else."""
        path = self.place / "a.ledger"
        journal = path.with_name(path.name + "-journal")
        path.touch()
        journal.write_bytes(b"?")
        try:
            Ledger.open(path)
        except LedgerError as error:
            return self._said(error)
        finally:
            path.unlink()
            journal.unlink()
        raise AssertionError("a journal that is none was taken for one")

    def mutate(self, data: bytes, size: int, seed: int, plainly: Mutate) -> bytes:
        """Change rows or schema by SQL, or bytes of pages, or bytes of any kind."""
        dice = Random(seed)
        chosen = dice.random()
        if chosen < 0.05:
            return plainly(data, size)
        source = data if dice.random() < 0.5 else dice.choice(self.seeds)
        found = rewritten(source, dice) if chosen < 0.4 else bitten(source, dice)
        return (bitten(data, dice) if found is None else found)[:size]

    def _in_memory(self, data: bytes) -> None:
        given = _Given(data)
        with closing(given.database):
            try:
                with watched():
                    ledger = Ledger(given)
                    ledger.entries  # noqa: B018
                if given.database.total_changes:
                    raise BreachError("reading changed a ledger")
                self._use(ledger, given.database.serialize)
            finally:
                if given.asked - self.usual:
                    strange = sorted(map(repr, given.asked - self.usual))
                    raise BreachError("a ledger had SQLite do something", strange[0])

    def _as_file(self, data: bytes) -> None:
        path = self.place / "a.ledger"
        path.write_bytes(data)
        self.done["from files"] += 1
        beside = self._put_beside(path, data)
        known = set(self.place.iterdir())
        try:
            with watched(_opening(path)):
                ledger = Ledger.open(path)
                ledger.entries  # noqa: B018
            if set(self.place.iterdir()) - known or (not beside and path.read_bytes() != data):
                raise BreachError("reading changed a file")
            self._use(ledger, path.read_bytes)
        finally:
            for each in self.place.iterdir():
                each.unlink()

    def _put_beside(self, path: Path, data: bytes) -> bool:
        """Put a journal of ours, or anything at all, where SQLite looks for one."""
        turn = self.done["from files"] % 8
        if turn < 5:
            return False
        name, content = (
            ("-journal", data[512:1024] + data[:64]),
            ("-journal", bytes.fromhex("d9d505f920a163d7") + bytes([0, 0, 0, 1]) + data[:1024]),
            ("-wal", bytes.fromhex("377f0682002de218") + data[:2048]),
        )[turn - 5]
        path.with_name(path.name + name).write_bytes(content)
        return True

    def _use(self, ledger: Ledger, content: Any) -> None:
        self.done["accepted"] += 1
        if self.turn("uses", _USES):
            self._charge(ledger, content)

    def _charge(self, ledger: Ledger, content: Any) -> None:
        """Say what a ledger holds, and charge it a little, too much, and a little too much."""
        for describe in (str, repr, lambda each: each.spent, lambda each: each.remaining):
            describe(ledger)
        ledger._repr_html_()
        one = _CHARGES[sum(self.done.values()) % len(_CHARGES)]
        for cost in (one, _rest(ledger)):
            before = ledger.entries
            try:
                entry = ledger.charge("probe", cost)
            except BudgetError as error:
                _judge_refusal(str(error), ledger)
                self.done["charges refused"] += 1
            else:
                self.done["charges made"] += 1
                if ledger.entries != (*before, entry):
                    raise BreachError("a charge changed what was charged before")
                _judge_total(content())


def _opening(path: Path) -> list[str]:
    """Return what may happen when a ledger is opened.

    Its file, its folder and the list of mounts are opened, and what lies where SQLite looks for a
    journal, which is only ever read.
    """
    ours = [f"open({each!r}" for each in map(str, (path, path.parent, MOUNTS))]
    journal = f"open({str(path) + '-journal'!r}, 'r',"
    return ["sqlite3.connect", *ours, journal, "fcntl.fcntl", "time.sleep"]


def _rest(ledger: Ledger) -> Cost:
    """Return what is left of the budget by one of both counts, and a little more."""
    left = ledger.remaining
    return Cost(left.epsilon and left.epsilon + Fraction(1, 10**30), left.rho + Fraction(1, 10**30))


def _known_words() -> set[str]:
    """Return every sentence that the source has for a file it cannot use."""
    source = "".join(map(getsource, (records, ledgers, sqlite)))
    reasons = re.findall(r'UnreadableError\("([^"]+)"\)', source)
    said = {str(sqlite._explain(_NAME, UnreadableError(reason))) for reason in reasons}
    for code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR):
        problem = sqlite3.Error()
        problem.sqlite_errorcode = code
        said.add(str(sqlite._explain(_NAME, problem)))
    return said


def _judge_refusal(said: str, ledger: Ledger) -> None:
    texts = [ledger.table, ledger.protects, *(entry.label for entry in ledger.entries)]
    if any(len(text) > 5 and text in said for text in texts):
        raise BreachError("a refused charge says what is in the file", said)


def _is_within_order(facts: dict[str, str], charges: list[dict[str, Any]]) -> bool:
    """Tell whether divergences at the ledger's order fit a limit that implies its promise."""
    order, limit = Fraction(facts["order"]), Fraction(facts["limit"])
    delta = Fraction(facts["delta"])
    reserve = Fraction(facts["reserve"]) if "reserve" in facts else delta / 2
    alpha, left = float(order), float(delta - reserve)
    if alpha <= 1 or left <= 0:
        return False
    # Canonne, Kamath and Steinke 2020, Proposition 12.
    implied = float(limit) + math.log1p(-1 / alpha) - math.log(left * alpha) / (alpha - 1)
    counted = sum((records.parse_cost(charge).diverge(order) for charge in charges), Fraction(0))
    thresholds = sum((Fraction(charge["delta"]) for charge in charges), Fraction(0))
    promised = float(Fraction(facts["epsilon"])) * (1 + 1e-9)
    return counted <= limit and thresholds <= reserve and implied <= promised


def _judge_total(content: bytes) -> None:
    """Add up a ledger that was just charged, by its rows alone."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(content)
        facts = dict(connection.execute("SELECT name, value FROM meta").fetchall())
        if connection.execute("PRAGMA user_version").fetchone() == (1,):
            rows = connection.execute("SELECT epsilon, rho, delta FROM entry").fetchall()
        else:
            found = connection.execute("SELECT body FROM entry").fetchall()
            bodies = [json.loads(body) for (body,) in found]
            charges = [body for body in bodies if body["kind"] == "charge"]
            rows = [(body["epsilon"], body["rho"], body["delta"]) for body in charges]
            if "order" in facts and _is_within_order(facts, charges):
                return
    pure = [None if row[0] is None else Fraction(row[0]) for row in rows]
    spent = (
        None if None in pure else sum((each for each in pure if each is not None), Fraction(0)),
        sum((Fraction(row[1]) for row in rows), Fraction(0)),
        sum((Fraction(row[2]) for row in rows), Fraction(0)),
    )
    delta = Fraction(facts["delta"])
    reserve = Fraction(facts["reserve"]) if "reserve" in facts else delta / 2
    if not keeps(Fraction(facts["epsilon"]), delta, spent, reserve):
        raise BreachError("a charge went beyond the budget")

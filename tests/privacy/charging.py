"""What the child processes of `test_ledger_processes.py` do; run as a program."""

import os
import resource
import signal
import sqlite3
import sys
import threading
import time
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.records import Entry, Log, Mark, read_log, sum_costs, write_entry
from sfumato.privacy.store import Book


class CarelessLedger(Ledger):
    """Broken on purpose: looks whether a charge fits before it has the ledger to itself."""

    def charge(self, label: str, cost: Cost) -> Entry:
        if not PrivacyFilter.of(self.budget).admits(sum_costs(self.entries), cost):
            raise BudgetError(label, "Why.", "Next.")
        time.sleep(0.002)

        def add(book: Book) -> Entry:
            log = read_log(book, self._terms)
            return write_entry(book, log, Entry(0, datetime.now(UTC), label, cost))[0]

        return self._store.write(add)


def fill(path: str, start: str, price: str, careless: str = "") -> None:
    """Create or open the ledger together with everyone else, and charge until it is full."""
    print("ready", flush=True)
    while not Path(start).exists():
        time.sleep(0.001)
    kind = CarelessLedger if careless else Ledger
    ledger, cost, charged = kind.at(path, budget=1, table="visits"), Cost.pure(Fraction(price)), 0
    try:
        while True:
            ledger.charge(f"chart of {os.getpid()}", cost)
            charged += 1
    except BudgetError:
        print(charged)


class CarelessTreasurer(Ledger):
    """Broken on purpose: looks at the account before it has the ledger to itself."""

    def charge(self, label: str, cost: Cost, *, who: str | None = None) -> Entry:
        standing = self.stand(who)
        if not standing.admits(cost):
            raise standing.make_refusal(label, cost)
        time.sleep(0.002)

        def add(book: Book, log: Log) -> tuple[Entry, Mark]:
            if not self.rule.admits(sum_costs(log.entries), cost):
                raise standing.make_refusal(label, cost)
            return write_entry(book, log, Entry(0, datetime.now(UTC), label, cost, who))

        return self._add(add)


def fill_account(path: str, start: str, price: str, who: str, careless: str = "") -> None:
    """Charge one account together with everyone else, until it or the ledger is full."""
    print("ready", flush=True)
    while not Path(start).exists():
        time.sleep(0.001)
    kind = CarelessTreasurer if careless else Ledger
    ledger, cost, charged = kind.open(path), Cost.pure(Fraction(price)), 0
    try:
        while True:
            ledger.charge(f"chart of {os.getpid()}", cost, who=who)
            charged += 1
    except BudgetError:
        print(charged)


def mark(path: str, markers: str, price: str) -> None:
    """Charge and, once a charge has returned, write down what would now be read."""
    ledger = Ledger.open(path)
    descriptor = os.open(markers, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    number = 0
    while True:
        label = f"{os.getpid()}-{time.monotonic_ns()}-{number}"
        ledger.charge(label, Cost.pure(Fraction(price)))
        _look(descriptor, label)
        number += 1


def mark_on(path: str, markers: str, price: str) -> None:
    """Charge as `mark` does, and go on when the server has gone and come back."""
    while True:
        try:
            mark(path, markers, price)
        except LedgerError:
            time.sleep(0.01)


def die_at_statement(path: str, markers: str, price: str, count: str, hasty: str = "") -> None:
    """Charge once, and be killed as statement number `count` is about to run.

    If `hasty`, broken on purpose: looks at the data first and charges then.
    """
    _die_before(int(count))
    label = str(os.getpid())
    descriptor = os.open(markers, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if hasty:
        _look(descriptor, label)
    Ledger.open(path).charge(label, Cost.pure(Fraction(price)))
    if not hasty:
        _look(descriptor, label)


def _die_before(left: int) -> None:
    """Be killed before statement number `left`, in whatever database."""
    import psycopg

    connect, execute = sqlite3.connect, psycopg.Cursor.execute

    def before_each(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(*arguments, **more):
        connection = connect(*arguments, **more)
        connection.set_trace_callback(before_each)
        return connection

    def counted(*arguments, **more):
        before_each()
        return execute(*arguments, **more)

    sqlite3.connect, psycopg.Cursor.execute = watched, counted


def die_at_byte(path: str, markers: str, price: str, limit: str) -> None:
    """Charge once, and be killed by the first write beyond `limit` bytes, in whatever file."""
    ledger = Ledger.open(path)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
    ledger.charge(f"byte-{limit}", Cost.pure(Fraction(price)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    _look(os.open(markers, os.O_WRONLY | os.O_CREAT | os.O_APPEND), f"byte-{limit}")


def run_out_of_disk(path: str) -> None:
    """Charge until the disk is full, make room, and charge again."""
    ledger = Ledger.create(path, budget=1, table="visits")
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_960, resource.RLIM_INFINITY))
    charged, refusal = 0, None
    while refusal is None:
        try:
            ledger.charge("chart " * 40, Cost.pure(Fraction(1, 10_000)))
            charged += 1
        except LedgerError as error:
            refusal = error
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert len(ledger.entries) == charged, "a refused charge was kept"
    assert ledger.charge("after", Cost.pure(Fraction(1, 10_000))).number == charged + 1
    print(charged, refusal)


def meet_a_wall(folder: str) -> None:
    """Read, charge and create where nothing may be written."""
    if os.geteuid() == 0:
        os.setuid(65534)
    ledger = Ledger.open(f"{folder}/visits.ledger")
    print(len(ledger.entries))
    attempts = (
        lambda: ledger.charge("chart", Cost.pure(Fraction(1, 10))),
        lambda: Ledger.create(f"{folder}/other.ledger", budget=1, table="visits"),
        lambda: Ledger.at(f"{folder}/other.ledger", budget=1, table="visits"),
    )
    for attempt in attempts:
        try:
            attempt()
        except LedgerError as error:
            print(error)


def fork_in_memory() -> None:
    """Let a forked child try to spend its copy of a ledger in memory."""
    ledger = Ledger.memory(budget=1, table="visits")
    tries = (lambda: ledger.charge("copy", Cost.pure(Fraction(1))), lambda: ledger.entries)
    for attempt in tries:
        if os.fork() == 0:
            try:
                attempt()
            except LedgerError as error:
                print(error, flush=True)
            os._exit(0)
        os.wait()
    print(ledger.charge("own", Cost.pure(Fraction(1))).number)


def fork_in_mid_charge(path: str) -> None:
    """Fork children that charge the file while another thread is charging it."""
    ledger = Ledger.create(path, budget=1, table="visits")
    price = Cost.pure(Fraction(1, 1000))
    thread = threading.Thread(target=lambda: [ledger.charge("thread", price) for _ in range(100)])
    thread.start()
    children: list[int] = []
    while thread.is_alive() and len(children) < 20:
        child = os.fork()
        if child == 0:
            ledger.charge("child", price)
            os._exit(0)
        children.append(child)
    thread.join()
    assert all(os.waitpid(child, 0)[1] == 0 for child in children), "a child failed"
    assert len(ledger.entries) == 100 + len(children)
    print(len(children))


def _look(descriptor: int, label: str) -> None:
    os.write(descriptor, f"{label}\n".encode())
    os.fsync(descriptor)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

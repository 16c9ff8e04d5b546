"""What a ledger asks of its place, and what is lost where nobody asks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.errors import LedgerError
from sfumato.privacy import place, sqlite
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.place import is_mounted, lock_file, sync_folder

TENTH = Cost.pure(Fraction(1, 10))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "visits.ledger", budget=1, table="visits")


def mounts(folder: Path, *places: str) -> Path:
    listed = folder / "mountinfo"
    lines = (f"36 35 98:0 /source {name} rw,noatime - ext4 /dev/root rw" for name in places)
    listed.write_text("\n".join(lines) + "\n")
    return listed


def test_a_ledger_mounted_without_its_folder_is_refused(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "MOUNTS", mounts(tmp_path, "/", f"{tmp_path}/visits.ledger"))
    for attempt in (lambda: ledger.charge("chart", TENTH), lambda: Ledger.open(ledger.path or "")):
        with pytest.raises(LedgerError, match="mounted without its folder"):
            attempt()
    monkeypatch.setattr(place, "MOUNTS", mounts(tmp_path, "/", str(tmp_path)))
    assert ledger.charge("chart", TENTH).number == 1


@pytest.mark.parametrize(
    ("listed", "name"),
    [("/a\\040b", "/a b"), ("/a\\134b", "/a\\b"), ("/a\\012b", "/a\nb"), ("/ä", "/ä")],
)
def test_odd_names_are_found_among_the_mounts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str, name: str
) -> None:
    monkeypatch.setattr(place, "MOUNTS", mounts(tmp_path, listed))
    assert is_mounted(Path(name))
    assert not is_mounted(Path("/a"))


def test_where_nothing_is_listed_nothing_is_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "MOUNTS", tmp_path / "missing")
    assert not is_mounted(tmp_path)


CHARGE = """
import sys
from sfumato.errors import LedgerError
from sfumato.privacy import sqlite
from sfumato.privacy.ledger import Ledger
sqlite.PATIENCE = 0.1
try:
    Ledger.open(sys.argv[1])
except LedgerError as refusal:
    print(refusal)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lock is SQLite's alone")
def test_a_file_closed_elsewhere_in_the_process_does_not_let_others_in(ledger: Ledger) -> None:
    path = ledger.path
    assert path is not None
    command = [sys.executable, "-c", CHARGE, str(path)]
    with lock_file(path, alone=True, patience=1):
        with path.open("rb"):
            pass
        refusal = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "is busy with other processes' charges" in refusal
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lock is SQLite's alone")
def test_readers_share_a_file_and_whoever_charges_has_it_alone(ledger: Ledger) -> None:
    path = ledger.path
    assert path is not None
    with (
        lock_file(path, alone=False, patience=0),
        lock_file(path, alone=False, patience=0),
        pytest.raises(TimeoutError),
        lock_file(path, alone=True, patience=0),
    ):
        pass
    with lock_file(path, alone=True, patience=0):
        pass


def test_a_folder_that_cannot_be_synced_is_refused_before_anything_is_written(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ledger.path
    assert path is not None
    before = path.read_bytes()

    def shut(folder: Path) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "sync_folder", shut)
        with pytest.raises(LedgerError, match="cannot be read or written") as refused:
            ledger.charge("chart", TENTH)
        assert ledger.entries == ()
    assert refused.value.__context__ is None
    assert path.read_bytes() == before


def test_a_folder_is_synced_when_the_work_is_done_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def sync(_: int) -> None:
        done.append("synced")

    monkeypatch.setattr(os, "fsync", sync)
    with sync_folder(tmp_path):
        done.append("worked")
    assert done == ["worked", "synced"]
    with pytest.raises(KeyError), sync_folder(tmp_path):
        raise KeyError
    assert done == ["worked", "synced"]


FORK = """
import os, sys
from fractions import Fraction
from sfumato.privacy import ledger as ledgers
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
write = ledgers.write_entry
def forking(*its):
    written = write(*its)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return written
ledgers.write_entry = forking
Ledger.open(sys.argv[1]).charge("chart", Cost.pure(Fraction(1, 10)))
print("charged", flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_child_forked_inside_a_charge_does_not_go_on_with_it(ledger: Ledger) -> None:
    command = [sys.executable, "-c", FORK, str(ledger.path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.split() == [str(-signal.SIGKILL.value), "charged"]
    assert len(ledger.entries) == 1


def test_a_thread_that_waits_for_a_file_gives_up_in_time(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.05)
    path = ledger.path
    assert path is not None
    refusals: list[str] = []

    def charge() -> None:
        try:
            ledger.charge("chart", TENTH)
        except LedgerError as refusal:
            refusals.append(str(refusal))

    with lock_file(path, alone=True, patience=0):
        thread = threading.Thread(target=charge)
        thread.start()
        thread.join()
    assert len(refusals) == (1 if sys.platform == "linux" else 0)


NAMES_OF_SQLITE = (
    "a.ledger-journal",
    "a.ledger-wal",
    "a.ledger-shm",
    "a.ledger-mj0F3A219C4",
    "A.LEDGER-JOURNAL",
    "a.ledger-\u017fhm",
    "a.ledger-journal. ",
    "a.nal",
    "a.9c4",
)


@pytest.mark.parametrize("name", NAMES_OF_SQLITE)
def test_a_ledger_that_sqlite_could_take_for_a_journal_is_not_created(
    tmp_path: Path, name: str
) -> None:
    for begin in (Ledger.create, Ledger.at):
        with pytest.raises(LedgerError, match="SQLite gives to journals"):
            begin(tmp_path / name, budget=1, table="visits")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES_OF_SQLITE)
def test_a_ledger_that_got_such_a_name_is_kept_closed_until_it_is_renamed(
    ledger: Ledger, tmp_path: Path, name: str
) -> None:
    ledger.charge("chart", TENTH)
    renamed = (tmp_path / "visits.ledger").rename(tmp_path / name)
    (tmp_path / "link.ledger").symlink_to(renamed)
    for path in (renamed, tmp_path / "link.ledger"):
        with pytest.raises(LedgerError, match="is renamed together with its own journal"):
            Ledger.open(path)
    assert len(Ledger.open(renamed.rename(tmp_path / "b.ledger")).entries) == 1


@pytest.mark.parametrize("name", ["journal", "a-journal.ledger", "wal.ledger", "a-mj.ledger"])
def test_names_that_only_resemble_those_of_sqlite_are_taken(tmp_path: Path, name: str) -> None:
    assert Ledger.create(tmp_path / name, budget=1, table="visits").entries == ()


def test_opening_a_ledger_never_deletes_another_that_is_named_as_its_journal(
    ledger: Ledger, tmp_path: Path
) -> None:
    other = Ledger.create(tmp_path / "other.ledger", budget=1, table="visits")
    other.charge("chart", TENTH)
    eaten = (tmp_path / "other.ledger").rename(tmp_path / "visits.ledger-journal")
    before = eaten.read_bytes()
    for attempt in (
        lambda: Ledger.open(tmp_path / "visits.ledger"),
        lambda: ledger.charge("chart", TENTH),
        lambda: ledger.entries,
    ):
        with pytest.raises(LedgerError, match=r"visits.ledger-journal is not a journal"):
            attempt()
    assert eaten.read_bytes() == before
    assert len(Ledger.open(eaten.rename(tmp_path / "other.ledger")).entries) == 1
    assert ledger.charge("chart", TENTH).number == 1


def test_a_journal_that_is_a_link_a_folder_or_a_pipe_is_left_alone(
    ledger: Ledger, tmp_path: Path
) -> None:
    beside = tmp_path / "visits.ledger-journal"
    (tmp_path / "other").write_bytes(JOURNAL_MARK)
    for make in (lambda: beside.symlink_to("other"), beside.mkdir, lambda: os.mkfifo(beside)):
        make()
        with pytest.raises(LedgerError, match="is not a journal"):
            ledger.charge("chart", TENTH)
        assert os.path.lexists(beside)
        beside.rmdir() if beside.is_dir() else beside.unlink()


JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")


def hot_journal(tmp_path: Path, *, then: bytes = b"") -> Path:
    """Write the journal of a charge that was cut off, and what a stranger puts behind it."""
    path = tmp_path / "visits.ledger"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE half (way)")
    connection.executemany("INSERT INTO half VALUES (?)", [("x" * 3000,)] * 50)
    halfway, journal = path.read_bytes(), (tmp_path / "visits.ledger-journal").read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    path.write_bytes(halfway)
    (tmp_path / "visits.ledger-journal").write_bytes(journal + then)
    return tmp_path / "visits.ledger-journal"


def test_the_journal_of_a_charge_that_was_cut_off_is_rolled_back(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.charge("chart", TENTH)
    journal = hot_journal(tmp_path)
    assert journal.read_bytes().startswith(JOURNAL_MARK)
    assert len(ledger.entries) == 1
    assert not journal.exists()


def test_a_journal_that_names_a_further_file_deletes_nothing(
    ledger: Ledger, tmp_path: Path
) -> None:
    victim = tmp_path / "victim.ledger"
    Ledger.create(victim, budget=1, table="visits")
    name = str(victim).encode()
    end = [len(name).to_bytes(4), sum(name).to_bytes(4), JOURNAL_MARK]
    locked = (2**30 // 4096 + 1).to_bytes(4)  # the page that no journal holds
    hot_journal(tmp_path, then=b"".join([locked, name, *end]))
    with pytest.raises(LedgerError, match="is not a journal"):
        Ledger.open(tmp_path / "visits.ledger")
    assert len(Ledger.open(victim).entries) == 0

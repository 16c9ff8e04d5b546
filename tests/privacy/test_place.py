"""What a ledger asks of its place, and what is lost where nobody asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.errors import LedgerError
from sfumato.privacy import place, store
from sfumato.privacy.cost import Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.place import held, is_mounted, synced

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
from sfumato.privacy import store
from sfumato.privacy.ledger import Ledger
store.PATIENCE = 0.1
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
    with held(path, alone=True, patience=1):
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
        held(path, alone=False, patience=0),
        held(path, alone=False, patience=0),
        pytest.raises(TimeoutError),
        held(path, alone=True, patience=0),
    ):
        pass
    with held(path, alone=True, patience=0):
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
        patch.setattr(store, "synced", shut)
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
    with synced(tmp_path):
        done.append("worked")
    assert done == ["worked", "synced"]
    with pytest.raises(KeyError), synced(tmp_path):
        raise KeyError
    assert done == ["worked", "synced"]


FORK = """
import os, sys
from fractions import Fraction
from sfumato.privacy import ledger as ledgers
from sfumato.privacy.cost import Cost
from sfumato.privacy.ledger import Ledger
write = ledgers.write_entry
def forking(*its):
    write(*its)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
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
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    path = ledger.path
    assert path is not None
    refusals: list[str] = []

    def charge() -> None:
        try:
            ledger.charge("chart", TENTH)
        except LedgerError as refusal:
            refusals.append(str(refusal))

    with held(path, alone=True, patience=0):
        thread = threading.Thread(target=charge)
        thread.start()
        thread.join()
    assert len(refusals) == (1 if sys.platform == "linux" else 0)

"""The ledger under real processes: many at once, killed, out of disk, forked."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger

PROGRAM = Path(__file__).with_name("charging.py")
PRICE = Fraction(1, 120)


def start(task: str, *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), task, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(task: str, *words: object) -> str:
    process = start(task, *words)
    output, trouble = process.communicate(timeout=60)
    assert process.returncode == 0, trouble
    return output


def fill_together(folder: Path, place: str, *more: str) -> Ledger:
    """Let eight processes begin one ledger and charge it until each is refused."""
    signal_file = folder / "go"
    processes = [start("fill", place, signal_file, PRICE, *more) for _ in range(8)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    signal_file.touch()
    charged = 0
    for process in processes:
        output, trouble = process.communicate(timeout=120)
        assert process.returncode == 0, trouble
        charged += int(output)
    ledger = Ledger.open(place)
    assert len(ledger.entries) == charged
    return ledger


def test_eight_processes_spend_a_ledger_to_the_last_unit_and_not_one_more(tmp_path, place):
    ledger = fill_together(tmp_path, place)
    assert ledger.spent.epsilon == 1
    assert len(ledger.entries) == 120
    assert len(Counter(entry.label for entry in ledger.entries)) > 1
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_charge_that_looks_before_it_locks_is_caught_overspending(tmp_path):
    place = str(tmp_path / "visits.ledger")
    assert fill_together(tmp_path, place, "careless").spent.epsilon > 1


@pytest.mark.slow
def test_a_charge_on_a_server_that_looks_before_it_locks_is_caught(tmp_path, address):
    assert fill_together(tmp_path, address, "careless").spent.epsilon > 1


def fill_accounts(folder: Path, accounts: dict[str, int], *more: str) -> Ledger:
    """Let eight processes fill accounts of so many charges each, of a ledger that has 120."""
    path, signal_file = folder / "visits.ledger", folder / "go"
    ledger = Ledger.create(path, budget=1, table="visits")
    for name, room in accounts.items():
        ledger.account(name, room / 120)
    names = list(accounts) * (8 // len(accounts))
    processes = [start("fill_account", path, signal_file, PRICE, name, *more) for name in names]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    signal_file.touch()
    charged = Counter()
    for name, process in zip(names, processes, strict=True):
        output, trouble = process.communicate(timeout=120)
        assert process.returncode == 0, trouble
        charged[name] += int(output)
    assert Counter(entry.who for entry in ledger.entries) == charged
    return ledger


def test_processes_spend_each_account_to_the_last_unit_and_not_one_more(tmp_path):
    """Rooms of 30 and 60 are exact in decimals, and less than the ledger has."""
    rooms = {"Ada": 30, "Grace": 60}
    ledger = fill_accounts(tmp_path, rooms)
    assert Counter(entry.who for entry in ledger.entries) == rooms


def test_processes_with_more_in_their_accounts_than_there_is_never_exceed_the_table(tmp_path):
    ledger = fill_accounts(tmp_path, {"Ada": 90, "Grace": 75})
    spent = Counter(entry.who for entry in ledger.entries)
    assert ledger.spent.epsilon == 1
    assert spent["Ada"] <= 90
    assert spent["Grace"] <= 75


def test_a_charge_that_looks_at_its_account_before_it_locks_is_caught(tmp_path):
    ledger = fill_accounts(tmp_path, {"Ada": 60}, "careless")
    assert len(ledger.entries) > 60


def looked(markers: Path) -> list[str]:
    return markers.read_text().splitlines() if markers.exists() else []


def check_nothing_was_forgotten(place: Path | str, markers: Path) -> Ledger:
    marked = looked(markers)  # before the ledger is read: others may be charging it
    ledger = Ledger.open(place)
    kept = Counter(entry.label for entry in ledger.entries)
    assert [label for label in marked if kept[label] != 1] == []
    return ledger


def wait_until_charging(markers: Path, before: int) -> None:
    deadline = time.monotonic() + 30
    while len(looked(markers)) < before + 2:
        assert time.monotonic() < deadline, "no child has charged anything"
        time.sleep(0.001)


# Every system call of a charge is such a moment in `audit/fire`.
@pytest.mark.parametrize("times", [8, pytest.param(30, marks=pytest.mark.slow)])
def test_a_process_killed_at_any_moment_forgets_no_charge_that_was_looked_at(tmp_path, times):
    path, markers = tmp_path / "visits.ledger", tmp_path / "looked"
    ledger = Ledger.create(path, budget=Budget(10**6, weak=True), table="visits")
    moments = random.Random(7)
    for killed in range(2, 2 + 2 * times, 2):
        before = len(looked(markers))
        processes = [start("mark", path, markers, PRICE) for _ in range(2)]
        wait_until_charging(markers, before)
        time.sleep(moments.uniform(0, 0.01))
        for process in processes:
            process.kill()
            _, trouble = process.communicate()
            assert process.returncode == -signal.SIGKILL, trouble
        ledger = check_nothing_was_forgotten(path, markers)
        assert len(ledger.entries) <= len(looked(markers)) + killed
    ledger.charge("afterwards", Cost.pure(PRICE))


@pytest.mark.parametrize("crashes", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_server_that_crashes_while_it_is_charged_forgets_nothing(
    tmp_path, server, address, crashes
):
    markers, moments = tmp_path / "looked", random.Random(7)
    Ledger.create(address, budget=Budget(10**6, weak=True), table="visits")
    processes = [start("mark_on", address, markers, PRICE) for _ in range(3)]
    for crash in range(crashes):
        wait_until_charging(markers, len(looked(markers)))
        time.sleep(moments.uniform(0, 0.03))
        server.restart(signal.SIGQUIT if crash % 2 else signal.SIGKILL)
        check_nothing_was_forgotten(address, markers)
    for process in processes:
        process.kill()
        process.communicate()
    ledger = check_nothing_was_forgotten(address, markers)
    # At most one charge of each process a crash was written and not looked at.
    assert len(ledger.entries) <= len(looked(markers)) + 3 * (crashes + 1)


def test_a_process_killed_before_any_statement_leaves_a_ledger_that_opens(tmp_path, place):
    markers = tmp_path / "looked"
    Ledger.create(place, budget=Budget(10**6, weak=True), table="visits")
    killed = 0
    while True:
        process = start("die_at_statement", place, markers, PRICE, killed + 1)
        _, trouble = process.communicate(timeout=60)
        ledger = check_nothing_was_forgotten(place, markers)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, trouble
        assert ledger.entries == ()
        killed += 1
    assert killed > 15
    assert len(ledger.entries) == 1


def test_a_process_that_looks_before_it_charges_is_caught(tmp_path):
    path, markers = tmp_path / "visits.ledger", tmp_path / "looked"
    Ledger.create(path, budget=1, table="visits")
    start("die_at_statement", path, markers, PRICE, 10, "hasty").communicate(timeout=60)
    with pytest.raises(AssertionError):
        check_nothing_was_forgotten(path, markers)


def test_a_process_killed_while_writing_leaves_a_ledger_that_opens(tmp_path):
    path, markers = tmp_path / "visits.ledger", tmp_path / "looked"
    ledger = Ledger.create(path, budget=Budget(10**6, weak=True), table="visits")
    while path.stat().st_size < 20_000:
        ledger.charge("so that the journal has pages to keep", Cost.pure(PRICE))
    killed = halfway = 0
    for limit in range(0, path.stat().st_size + 4096, 1024):
        process = start("die_at_byte", path, markers, PRICE, limit)
        _, trouble = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGXFSZ), trouble
        killed += process.returncode != 0
        halfway += path.with_name("visits.ledger-journal").exists()
        check_nothing_was_forgotten(path, markers)
    assert killed > 5
    assert halfway > 5
    assert "byte" in markers.read_text()


def test_a_full_disk_refuses_the_charge_and_keeps_the_ledger(tmp_path):
    charged, refusal = run("run_out_of_disk", tmp_path / "visits.ledger").split(maxsplit=1)
    assert int(charged) > 10
    assert "nothing was read from your table" in refusal


def test_where_nothing_may_be_written_a_ledger_can_be_read_and_not_charged():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger = Ledger.create(folder / "visits.ledger", budget=1, table="visits")
        ledger.charge("chart", Cost.pure(PRICE))
        ledger.path.chmod(0o444)
        folder.chmod(0o555)
        entries, charge, create, at = run("meet_a_wall", folder).splitlines()
        folder.chmod(0o755)
        assert entries == "1"
        assert "cannot be read or written" in charge
        assert "cannot be created" in create
        assert "cannot be created" in at
        assert len(ledger.entries) == 1
        assert [file.name for file in folder.iterdir()] == ["visits.ledger"]


def test_a_forked_child_cannot_spend_a_ledger_in_memory():
    refused_charge, refused_look, number = run("fork_in_memory").splitlines()
    assert "spent twice" in refused_charge
    assert "spent twice" in refused_look
    assert number == "1"


def test_children_forked_in_the_middle_of_a_charge_share_the_ledger(place):
    assert int(run("fork_in_mid_charge", place)) > 0

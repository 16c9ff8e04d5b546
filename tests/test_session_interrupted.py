"""A release that does not come to its end has a price all the same, and whoever pays learns it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.charts.histogram import Histogram
from sfumato.session import CHARGED, CHARGING, UNCHARGED

TABLE = pa.table({"ward": ["A", "B"]})


def failing(problem: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise problem

    return fail


def notes(problem: BaseException) -> list[str]:
    return getattr(problem, "__notes__", [])


def ended(s: sf.Session, problem: type[BaseException]) -> list[str]:
    with pytest.raises(problem) as caught:
        s.histplot(x="ward", budget=0.5)
    return notes(caught.value)


@pytest.fixture
def s() -> sf.Session:
    return sf.Session(TABLE, domain={"ward": ["A", "B"]}, budget=1)


@pytest.mark.parametrize(
    ("place", "note", "charges"),
    [
        ((Histogram, "plan"), UNCHARGED, 0),
        ((sf.Ledger, "charge"), CHARGING, 0),
        ((Histogram, "measure"), CHARGED, 1),
    ],
)
def test_an_interrupt_tells_what_became_of_the_price(
    s: sf.Session,
    monkeypatch: pytest.MonkeyPatch,
    place: tuple[type, str],
    note: str,
    charges: int,
) -> None:
    monkeypatch.setattr(*place, failing(KeyboardInterrupt()))
    assert ended(s, KeyboardInterrupt) == [note]
    assert len(s.ledger.entries) == charges


def test_an_interrupt_right_after_the_charge_does_not_deny_it(
    s: sf.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge = sf.Ledger.charge

    def charged(*its: Any, **more: Any) -> None:
        charge(*its, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(sf.Ledger, "charge", charged)
    assert ended(s, KeyboardInterrupt) == [CHARGING]
    assert len(s.ledger.entries) == 1


@pytest.mark.parametrize(
    "problem", [sf.SourceError("It could not be read.", "Why.", "Next."), ZeroDivisionError()]
)
def test_an_error_tells_of_the_price_if_it_was_charged_and_only_then(
    s: sf.Session, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Histogram, "measure", failing(problem))
        assert ended(s, sf.SourceError) == [CHARGED]  # whose words any other error is given
    monkeypatch.setattr(Histogram, "plan", failing(type(problem)(*problem.args)))
    assert ended(s, type(problem)) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_forked_in_mid_release_publishes_nothing(
    s: sf.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handler of a signal may fork, and return in both processes."""
    measure, parent, reading_end = Histogram.measure, os.getpid(), os.pipe()

    def forking(*its: Any) -> Any:
        release = measure(*its)
        os.fork()
        return release

    monkeypatch.setattr(Histogram, "measure", forking)
    told = b"released"
    try:
        s.histplot(x="ward", budget=0.5)
    except sf.LedgerError:
        told = b"refused"
    if os.getpid() != parent:
        os.write(reading_end[1], told)
        os._exit(0)
    os.wait()
    assert told == b"released"
    assert os.read(reading_end[0], 99) == b"refused"
    for end in reading_end:
        os.close(end)


def test_a_refused_charge_needs_no_note(s: sf.Session) -> None:
    s.histplot(x="ward", stat="proportion", budget=0.75)
    assert ended(s, sf.BudgetError) == []


PYTHON = """
    import duckdb, sys
    import sfumato as sf
    moment, ledger = sys.argv[1:]
    duckdb.sql("SET enable_progress_bar = false")  # of the user's own DuckDB
    rows = 10**12 if moment == "reading" else 4 * 10**6
    table = duckdb.sql(f"SELECT range % 9 AS x, range AS u FROM range({rows})")
    unit = sf.PrivacyUnit.users("u", max_rows=2)
    s = sf.Session(sf.Table(table, threads=1), unit=unit, domain={"x": (0, 9)}, ledger=ledger)
    s.histplot(x="x", bins=9, budget=0.5)
"""

SHELL = """
    import sys
    from sfumato.cli import main
    moment, ledger = sys.argv[1:]
    unit = [] if moment == "reading" else ["--unit", "u:2"]
    chart = "histplot rows/*.parquet --x x --bounds 0,9 --epsilon 0.5 --threads 1 -o out.json"
    sys.argv[1:] = [*chart.split(), *unit, "--ledger", ledger, "--table", "table"]
    main()
"""

# Tells that all rows are read, and that people are being grouped.
TELLING = """
    from sfumato.engines import bounding
    weigh, told = bounding._PeopleTask.weigh, []
    def weighing(*its):
        if not told:
            told.append(1)
            print("fed", flush=True)
        weigh(*its)
    bounding._PeopleTask.weigh = weighing
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, where passing files go to `passing`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "passing").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "passing"))
    return tmp_path


def write_rows(moment: str) -> None:
    """Write a thousand million rows that take no room, or four million people."""
    rows, copies = (10**7, 100) if moment == "reading" else (4 * 10**6, 1)
    u = np.arange(rows) if moment == "grouping" else np.zeros(rows, dtype=np.int64)
    Path("rows").mkdir()
    table = pa.table({"x": np.zeros(rows), "u": u})
    pq.write_table(table, "rows/0.parquet", row_group_size=10**6)
    for copy in range(1, copies):
        shutil.copy("rows/0.parquet", f"rows/{copy}.parquet")


def wait_for_charge(ledger: Path) -> None:
    deadline = time.monotonic() + 60
    while not sf.Ledger.open(ledger).entries and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.parametrize("moment", ["reading", "grouping"])
@pytest.mark.parametrize(("program", "status"), [(PYTHON, -signal.SIGINT), (SHELL, 130)])
def test_control_c_is_heard_charged_and_reported_and_leaves_nothing_behind(
    folder: Path, program: str, status: int, moment: str
) -> None:
    unit = None if (program, moment) == (SHELL, "reading") else "u"
    sf.Ledger.create("rows.ledger", budget=1.0, unit=unit, table="table")
    if program == SHELL:
        write_rows(moment)
    script = textwrap.dedent(TELLING) + textwrap.dedent(program)
    command = [sys.executable, "-c", script, moment, "rows.ledger"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_for_charge(folder / "rows.ledger")
            if moment == "grouping":
                assert process.stdout is not None and process.stdout.readline() == "fed\n"
            os.kill(process.pid, signal.SIGINT)
            printed, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (printed, process.returncode) == ("", status)
    assert told.count("stays charged") == 1 and "could not be read" not in told
    # Between the making of a folder and its first use an interrupt may leave it, empty.
    assert not [each for each in (folder / "passing").rglob("*") if not each.is_dir()]
    assert not list(folder.glob("*.json"))
    ledger = sf.Ledger.open("rows.ledger")
    (entry,) = ledger.entries
    assert ledger.charge("again", entry.cost).number == 2

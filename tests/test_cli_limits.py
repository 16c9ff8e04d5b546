"""The command line within limits: threads and memory are words too, and a failure is told once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import sfumato as sf
from sfumato.charts.histogram import Histogram
from sfumato.charts.kinds import CHARTS
from sfumato.cli.commands import whole
from sfumato.cli.run import run
from sfumato.engines.dispatch import DuckEngine
from sfumato.testing import city

pytestmark = pytest.mark.usefixtures("no_python_in_a_shell")

AGE = ["histplot", "people.parquet", "--x", "age", "--bounds", "0,100"]
PAID = ["--epsilon", "0.25", "--ledger", "people.ledger"]
CANARY = "CANARY-7f3a"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table and a ledger."""
    monkeypatch.chdir(tmp_path)
    parquet.write_table(city(500), "people.parquet")
    sf.Ledger.create("people.ledger", budget=1.0, table="people")
    return tmp_path


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object]]:
    """The limits of every engine that is made."""
    told: list[tuple[object, object]] = []
    create = DuckEngine.__init__

    def created(self: DuckEngine, table: object, **options: Any) -> None:
        told.append((options["threads"], options["memory_limit"]))
        create(self, table, **options)

    monkeypatch.setattr(DuckEngine, "__init__", created)
    return told


def charges() -> int:
    return len(sf.Ledger.open("people.ledger").entries)


def test_every_chart_and_every_plan_can_be_limited() -> None:
    group = whole()
    for commands in (group.commands, group.commands["plan"].commands):
        for chart in CHARTS:
            words = {word for option in commands[chart.verb].params for word in option.opts}
            assert {"--threads", "--memory-limit", "--decimal", "--thousands"} <= words


@pytest.mark.parametrize("first", [[], ["plan"]])
def test_limits_reach_the_engine(
    folder: Path, limits: list[tuple[object, object]], first: list[str]
) -> None:
    assert run([*first, *AGE, *PAID, "--threads", "2", "--memory-limit", "200MB"]) == 0
    assert set(limits) == {(2, "200MB")}
    limits.clear()
    assert run([*first, *AGE, *PAID]) == 0
    assert set(limits) == {(None, None)}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--threads", "0"], "--threads 0 is not valid"),
        (["--threads", "1000000"], "--threads 1000000 is not valid"),
        (["--threads", "two"], "'--threads': Input should be a valid integer"),
        (["--memory-limit", "much"], "--memory-limit much is not valid"),
        (["--memory-limit", "1KB"], "--memory-limit 1KB is not valid"),
        (["--threads", "2", "--memory-limit", "1"], "--threads 2 or --memory-limit 1 is not"),
    ],
)
@pytest.mark.parametrize("first", [[], ["plan"]])
def test_limits_that_make_no_sense_are_refused_in_shell_words_before_the_charge(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    first: list[str],
    words: list[str],
    told: str,
) -> None:
    output = [] if first else ["-o", "age.json"]
    assert run([*first, *AGE, *PAID, *words, *output]) == 2
    answer = capsys.readouterr()
    assert answer.out == "" and answer.err.startswith("Error: ")
    assert told in answer.err
    assert ". " in answer.err and "threads=" not in answer.err and "memory_limit=" not in answer.err
    assert charges() == 0 and not Path("age.json").exists()


def test_numbers_are_read_as_they_are_said_to_be_written(folder: Path) -> None:
    Path("prices.csv").write_text("price\n" + '"1.234,5"\n' * 1000, encoding="utf-8")
    ask = ["histplot", "prices.csv", "--x", "price", "--bounds", "0,2000", "--bins", "2"]
    written = ["--decimal", ",", "--thousands", "."]
    for marks, counted in ((written, 1000), ([], 0)):
        assert run([*ask, "--epsilon", "8", *marks, "-o", "prices.json"]) == 0
        assert sf.load("prices.json").to_frame()["count"].sum() == pytest.approx(counted, abs=50)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--decimal", ";"], "Write --decimal ',' or --decimal '.', and for --thousands a point"),
        (["--thousands", "."], "Write --decimal ',' --thousands '.'"),
        (["--decimal", ","], "--decimal and --thousands are for CSV files."),
    ],
)
def test_numbers_that_cannot_be_written_so_are_refused_in_shell_words_before_the_charge(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert run([*AGE, *PAID, *words]) == 2
    assert told in " ".join(capsys.readouterr().err.split())
    assert charges() == 0


@pytest.mark.parametrize("paid", [PAID, ["--epsilon", "0.25"]])
@pytest.mark.parametrize(
    "problem", [sf.SourceError("No.", "Why.", "Next."), ZeroDivisionError(CANARY)]
)
def test_a_failure_after_the_charge_is_told_once_without_what_others_noted(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    problem: Exception,
    paid: list[str],
) -> None:
    def measure(*_: object) -> None:
        problem.__dict__.pop("__notes__", None)
        problem.add_note(f"while reading {CANARY}")
        raise problem

    monkeypatch.setattr(Histogram, "measure", measure)
    assert run([*AGE, *paid, "-o", "age.json"]) == 2
    answer = capsys.readouterr()
    assert answer.err.count("stays charged") == 1
    assert CANARY not in answer.err + answer.out
    assert not Path("age.json").exists()


def test_a_refusal_before_the_charge_says_nothing_of_a_charge(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*AGE, "--epsilon", "5", "--ledger", "people.ledger"]) == 2
    assert "charged" not in capsys.readouterr().err
    assert charges() == 0

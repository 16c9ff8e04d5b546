"""The command line, as someone types it: what is printed, what is written, what is charged."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pytest
import typer
from pyarrow import parquet

import sfumato as sf
from sfumato.charts.histogram import Histogram
from sfumato.charts.kinds import CHARTS
from sfumato.cli import options
from sfumato.cli import output as publish
from sfumato.cli.commands import app, joined, whole
from sfumato.cli.options import Asked
from sfumato.cli.output import show_table
from sfumato.cli.run import run
from sfumato.cli.spelling import (
    read_bins,
    read_bounds,
    read_bounds_or_search,
    read_levels,
    read_order,
    read_resolution,
    read_split,
    read_unit,
)
from sfumato.domain import Categories
from sfumato.private_search import Private
from sfumato.releases import boxplot, heatmap, quantiles
from sfumato.releases.histogram import HistogramRelease
from sfumato.releases.release import Release
from sfumato.testing import city

pytestmark = pytest.mark.usefixtures("no_python_in_a_shell")

AGE = ["--x", "age", "--bounds", "0,100", "--bins", "10"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a table and a ledger of ε = 1."""
    monkeypatch.chdir(tmp_path)
    parquet.write_table(city(1000), "people.parquet")
    sf.Ledger.create("people.ledger", budget=1.0, table="people")
    return tmp_path


def charges() -> list[str]:
    return [entry.label for entry in sf.Ledger.open("people.ledger").entries]


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    command = command or typer.main.get_command(app)
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_the_help_of_every_command_has_an_example(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*path, "--help"]) == 0
    help_text = " ".join(capsys.readouterr().out.split())
    assert f"sfumato {' '.join(path)}".strip() in help_text.split("Usage:")[1]
    assert "Example: sfumato" in help_text or "To start: sfumato" in help_text


def test_every_example_in_the_help_can_be_parsed(folder: Path) -> None:
    for example in (chart.example.command for chart in CHARTS):
        rows = (
            "age,income,user_id,ward,wait,lon,lat,pulse,pressure,sugar",
            "30,20000,a,A,9,-74,40.7,60,120,5",
            "40,30000,b,B,7,-73.9,40.6,70,130,6",
        )
        Path("visits.csv").write_text("\n".join(rows))
        Path("districts.geojson").write_text(json.dumps(sf.testing.districts()))
        assert run(["plan", *example.split()]) == 0
        assert run(example.split()) == 0


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"sfumato {sf.__version__}\n"


HELPED = [[], ["histplot"], ["plan", "scoreplot"], ["draw"], ["ledger", "create"]]


@pytest.mark.parametrize("path", HELPED, ids=" ".join)
def test_help_loads_neither_a_chart_nor_the_parser(path: list[str]) -> None:
    program = (
        "import sys\n"
        "from sfumato.cli.run import run\n"
        f"run({[*path, '--help']})\n"
        "heavy = 'numpy pyarrow duckdb pandas scipy matplotlib rich typer click pydantic'.split()\n"
        "ours = [name for name in sys.modules if name.startswith('sfumato')]\n"
        "print([name for name in heavy if name in sys.modules], len(ours) < 10, end='')"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[] True")


def test_the_first_help_names_every_chart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(chart.verb in shown for chart in CHARTS)


@pytest.mark.parametrize("columns", ["80", "120"])
def test_help_fits_the_terminal(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for path in commands():
        run([*path, "--help"])
        *screen, _, example = capsys.readouterr().out.splitlines()
        assert max(map(len, screen)) <= int(columns), path
        assert example.startswith(("Example: sfumato", "To start: sfumato"))


def test_pandas_is_not_loaded_for_a_command(folder: Path) -> None:
    program = "import sys; from sfumato.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    program += "print([name for name in ('pandas', 'scipy', 'rich') if name in sys.modules])"
    words = ["histplot", "people.parquet", *AGE, "--epsilon", "0.5"]
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_choices_are_completed_by_a_shell() -> None:
    program = "from sfumato.cli import main; main()"
    asked = {"_SFUMATO_COMPLETE": "complete_bash", "COMP_CWORD": "4"}
    asked |= {"COMP_WORDS": "sfumato boxplot a.csv --orient "}
    command, heard = [sys.executable, "-c", program], {**os.environ, **asked}
    done = subprocess.run(command, env=heard, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["v", "h"]


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) in (0, 2)
    answer = capsys.readouterr()
    assert "Usage: sfumato" in answer.out
    assert answer.err == ""


def test_a_chart_without_an_output_prints_numbers_with_intervals(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["histplot", "people.parquet", *AGE, "--epsilon", "1"]) == 0
    answer = capsys.readouterr()
    lines = answer.out.splitlines()
    assert lines[0].strip() == "Histogram of age"
    assert lines[1].split() == ["age", "count", "95", "%", "interval", "joint", "interval"]
    assert [line.split()[0] for line in lines[2:12]] == [str(low) for low in range(0, 100, 10)]
    assert "protecting each row" in lines[-1]
    assert "is not recorded" in answer.err


def test_whole_numbers_are_printed_one_by_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "visits.csv").write_text("month\n" + "1\n12\n" * 20)
    words = ["histplot", "visits.csv", "--x", "month", "--bounds", "month=1..12", "--epsilon", "1"]
    assert run(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:14]] == [str(month) for month in range(1, 13)]


def test_numbers_are_never_cut_to_fit(capsys: pytest.CaptureFixture[str]) -> None:
    long = "a very long category that does not fit into eighty columns " * 3
    show_table("title", {"name": [long], "count": ["1"]}, 1)
    printed = capsys.readouterr().out
    assert long.strip() in printed
    assert "…" not in printed


def test_a_category_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_table("title", {"name": ["\x1b[2Jgone\x07", "[bold]kept[/bold]"]}, 1)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\x07" not in printed
    assert "[bold]kept[/bold]" in printed


def test_one_paid_release_can_be_written_in_several_forms(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--epsilon", "0.25", "--ledger", "people.ledger"]
    forms = ["age.svg", "age.json", "age.html", "age.png", "age.pdf"]
    outputs = [word for form in forms for word in ("-o", form)]
    assert run(["histplot", "people.parquet", *AGE, *words, *outputs]) == 0
    assert charges() == ["histogram of age"]
    assert all(Path(form).stat().st_size for form in forms)
    assert sf.load("age.json").guarantee.epsilon == 0.25
    answer = capsys.readouterr()
    assert answer.out == ""
    assert "Wrote age.json" in answer.err
    assert "Spent: ε = 0.25. Left in" in answer.err
    assert answer.err.endswith("for charts like this: --epsilon 0.75.\n")


def test_a_price_that_protects_little_takes_a_word_and_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["people.parquet", *AGE, "--epsilon", "20"]
    for command in (["histplot"], ["plan", "histplot"]):
        assert run([*command, *words]) == 2
        refused = " ".join(capsys.readouterr().err.split())
        assert "--epsilon 20 protects little: ε = 20 is above 10." in refused
        assert refused.endswith("--epsilon 20 --weak.")
        assert run([*command, *words, "--weak"]) == 0
        assert "Protects little: ε = 20 is above 10" in capsys.readouterr().out
    create = ["ledger", "create", "weak.ledger", "--epsilon", "20", "--table", "visits"]
    assert run(create) == 2
    assert run([*create, "--weak"]) == 0
    assert "Protects little: ε = 20 is above 10." in capsys.readouterr().out


def test_a_ledger_is_charged_until_it_is_empty(folder: Path) -> None:
    words = [*AGE, "--epsilon", "0.4", "--ledger", "people.ledger"]
    assert [run(["histplot", "people.parquet", *words]) for _ in range(3)] == [0, 0, 2]
    assert len(charges()) == 2


def test_the_ledger_of_another_table_is_refused(folder: Path) -> None:
    words = ["--epsilon", "0.4", "--ledger", "people.ledger"]
    assert run(["histplot", "people.parquet", *AGE, *words, "--table", "animals"]) == 2
    parquet.write_table(city(10), "animals.parquet")
    assert run(["histplot", "animals.parquet", *AGE, *words]) == 2
    assert charges() == []
    assert run(["histplot", "animals.parquet", *AGE, *words, "--table", "people"]) == 0


def test_a_plan_spends_nothing_and_tells_the_price(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*AGE, "--epsilon", "0.5", "--ledger", "people.ledger"]
    assert run(["plan", "histplot", "people.parquet", *words]) == 0
    answer = capsys.readouterr()
    assert "ε = 0.5" in answer.out and "expected error" in answer.out
    assert "affordable; leaves ε = 0.5" in " ".join(answer.out.split())
    assert charges() == []


def test_a_plan_tells_the_price_of_a_wanted_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "histplot", "people.parquet", *AGE, "--error", "10"]) == 0
    assert "ε = 0.09984" in capsys.readouterr().out


def test_a_plan_needs_a_price_or_an_error(folder: Path) -> None:
    assert run(["plan", "histplot", "people.parquet", *AGE]) == 2
    both = ["--epsilon", "1", "--error", "10"]
    assert run(["plan", "histplot", "people.parquet", *AGE, *both]) == 2


def test_a_saved_release_is_drawn_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["histplot", "people.parquet", *AGE, "--epsilon", "1", "-o", "age.json"])
    capsys.readouterr()
    assert run(["draw", "age.json"]) == 0
    assert "Histogram of age" in capsys.readouterr().out
    assert run(["draw", "age.json", "-o", "age.svg", "-o", "again.json"]) == 0
    assert Path("age.svg").read_text().count("<svg") == 1
    assert Path("again.json").read_bytes() == Path("age.json").read_bytes()


def test_two_saved_releases_are_combined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for epsilon in ("1", "2"):
        price = ["--epsilon", epsilon, "-o", f"{epsilon}.json"]
        assert run(["histplot", "people.parquet", *AGE, *price]) == 0
    capsys.readouterr()
    assert run(["combine", "1.json", "2.json", "-o", "both.json"]) == 0
    assert sf.load("both.json").guarantee.epsilon == 3
    assert run(["combine", "1.json", "1.json"]) == 2
    assert "one release twice" in capsys.readouterr().err


def test_a_ledger_is_created_once_and_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--epsilon", "2", "--delta", "1e-6", "--unit", "user_id", "--table", "visits"]
    assert run(["ledger", "create", "visits.ledger", *words]) == 0
    assert run(["ledger", "create", "visits.ledger", *words]) == 2
    ledger = sf.Ledger.open("visits.ledger")
    assert ledger.budget == sf.Budget(epsilon=2, delta=1e-6)
    assert ledger.protects == "user user_id"
    capsys.readouterr()
    assert run(["ledger", "visits.ledger"]) == 0
    assert capsys.readouterr().out.strip() == str(ledger).strip()
    assert run(["ledger", "show", "visits.ledger"]) == 0


def test_a_missing_ledger_is_an_error_and_is_not_made(folder: Path) -> None:
    words = ["--epsilon", "1", "--ledger", "nowhere.ledger"]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 2
    assert run(["ledger", "nowhere.ledger"]) == 2
    assert not Path("nowhere.ledger").exists()


@pytest.mark.parametrize("output", ["age.jpeg", "age", "missing/age.svg", "folder.svg"])
def test_what_cannot_be_written_is_refused_before_the_charge(folder: Path, output: str) -> None:
    Path("folder.svg").mkdir()
    words = ["--epsilon", "0.5", "--ledger", "people.ledger", "-o", "age.json", "-o", output]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 2
    assert charges() == []
    assert not Path("age.json").exists()


class PanicError(BaseException):
    """What compiled code raises when it gives up."""


def failing(
    original: Callable[..., Path], *fails: str, problem: BaseException
) -> Callable[..., Path]:
    def save(self: Release, path: Path) -> Path:
        if Path(path).name in fails:
            raise problem
        return original(self, path)

    return save


@pytest.mark.parametrize(
    "problem",
    [
        sf.ReleaseError("It is full.", "Nothing fits.", "Empty it."),
        RuntimeError("ink"),
        PanicError("paper"),
    ],
)
def test_a_release_that_cannot_be_written_after_the_charge_is_not_lost(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    problem: BaseException,
) -> None:
    save = failing(Release.save, "age.svg", problem=problem)
    monkeypatch.setattr(HistogramRelease, "save", save)
    words = ["--epsilon", "0.5", "--ledger", "people.ledger", "-o", "age.svg"]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 2
    assert len(charges()) == 1
    (kept,) = folder.glob("sfumato-*.json")
    assert kept.name in capsys.readouterr().err
    assert sf.load(kept).guarantee.epsilon == 0.5


def test_an_interrupt_while_drawing_does_not_lose_what_was_paid_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save = failing(Release.save, "age.svg", problem=KeyboardInterrupt())
    monkeypatch.setattr(HistogramRelease, "save", save)
    words = ["--epsilon", "0.5", "--ledger", "people.ledger", "-o", "age.svg"]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 130
    (kept,) = folder.glob("sfumato-*.json")
    assert kept.name in capsys.readouterr().err
    assert sf.load(kept).guarantee.epsilon == 0.5


def test_a_release_is_printed_where_no_file_can_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def save(self: Release, path: Path) -> Path:
        raise sf.ReleaseError("The disk is full.", "Nothing fits.", "Empty it.")

    monkeypatch.setattr(HistogramRelease, "save", save)
    words = ["--epsilon", "0.5", "--ledger", "people.ledger", "-o", "age.svg"]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 2
    printed = json.loads(capsys.readouterr().out)
    assert printed["guarantee"]["epsilon"] == 0.5


def test_a_release_is_kept_when_nobody_listens(folder: Path) -> None:
    program = "from sfumato.cli import main; main()"
    words = ["histplot", "people.parquet", *AGE, "--epsilon", "0.5", "--ledger", "people.ledger"]
    listening, speaking = os.pipe()
    os.close(listening)
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, stdout=speaking, stderr=subprocess.PIPE, text=True, check=False)
    os.close(speaking)
    assert done.returncode == 0
    (kept,) = folder.glob("sfumato-*.json")
    assert kept.name in done.stderr
    assert "Traceback" not in done.stderr and "Error" not in done.stderr
    assert sf.load(kept).guarantee.epsilon == 0.5


def test_a_release_that_cannot_be_printed_is_not_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unprintable(release: Release) -> None:
        raise TypeError("ink")

    monkeypatch.setattr(publish, "show_numbers", unprintable)
    words = ["--epsilon", "0.5", "--ledger", "people.ledger"]
    assert run(["histplot", "people.parquet", *AGE, *words]) == 2
    (kept,) = folder.glob("sfumato-*.json")
    error = capsys.readouterr().err
    assert kept.name in error and "TypeError" in error and "ink" not in error
    assert sf.load(kept).guarantee.epsilon == 0.5


@pytest.mark.parametrize(
    "words", [["draw", "age.json"], ["ledger", "people.ledger"], ["--help"], ["plan", "histplot"]]
)
def test_a_closed_pipe_is_no_error(folder: Path, words: list[str]) -> None:
    if words[0] == "draw":
        asked = ["people.parquet", *AGE, "--epsilon", "0.5", "-o", "age.json"]
        assert run(["histplot", *asked]) == 0
    if words[0] == "plan":
        words = [*words, "people.parquet", *AGE, "--epsilon", "0.5"]
    program = "from sfumato.cli import main; main()"
    listening, speaking = os.pipe()
    os.close(listening)
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, stdout=speaking, stderr=subprocess.PIPE, text=True, check=False)
    os.close(speaking)
    assert (done.returncode, done.stderr) == (0, "")


def test_files_are_written_though_nobody_hears_of_them(folder: Path) -> None:
    program = "from sfumato.cli import main; main()"
    words = ["histplot", "people.parquet", *AGE, "--epsilon", "0.5", "-o", "age.json"]
    listening, speaking = os.pipe()
    os.close(listening)
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, stdout=speaking, stderr=speaking, check=False)
    os.close(speaking)
    assert done.returncode == 0
    assert sf.load("age.json").guarantee.epsilon == 0.5


@pytest.mark.parametrize(("moment", "charged"), [("plan", 0), ("measure", 1)])
def test_an_interrupt_tells_whether_the_price_was_charged(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    moment: str,
    charged: int,
) -> None:
    words = ["--epsilon", "0.5", "--ledger", "people.ledger"]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Histogram, moment, interrupted)
    assert run(["histplot", "people.parquet", *AGE, *words]) == 130
    assert len(charges()) == charged
    said = capsys.readouterr().err
    assert ("stays charged" in said) == bool(charged)
    assert ("Nothing was charged" in said) == (not charged)


@pytest.mark.parametrize("bug", [ZeroDivisionError, PanicError])
def test_a_bug_shows_its_class_and_nothing_else(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    bug: type[BaseException],
) -> None:
    def broken(*_: object) -> None:
        raise bug("CANARY-7f3a")

    asked = ["histplot", "people.parquet", *AGE, "--epsilon", "1"]
    with monkeypatch.context() as before_the_charge:
        before_the_charge.setattr(Histogram, "plan", broken)
        assert run(asked) == 1
        planning = capsys.readouterr()
    monkeypatch.setattr(Histogram, "measure", broken)
    assert run(asked) == 2
    measuring = capsys.readouterr()
    assert bug.__name__ in planning.err
    assert bug.__name__ not in measuring.err  # where even the class may depend on a value
    for answer in (planning, measuring):
        assert "CANARY" not in answer.out + answer.err
        assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "words", [["hist"], ["histplot"], ["histplot", "a.csv", "--x", "a", "--epsilon", "much"]]
)
def test_a_misspelt_command_is_one_paragraph(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1
    assert "--help" in answer.err


def test_a_private_search_needs_no_declaration(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--x", "district", "--order", "private:1e-6:0.5", "--epsilon", "2"]
    assert run(["histplot", "people.parquet", *words]) == 0
    assert "Larkfield" in capsys.readouterr().out


def test_two_dimensions_take_bins_and_bounds_for_each(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--x", "age", "--y", "income", "--bins", "2", "--bins", "0,20000,90000"]
    bounds = ["--bounds", "age=0,100", "--bounds", "income=0,90000"]
    assert run(["histplot", "people.parquet", *words, *bounds, "--epsilon", "1"]) == 0
    assert "20,000 – 90,000" in capsys.readouterr().out


def test_a_chart_and_its_plan_take_the_same_options() -> None:
    group = whole()
    plans = group.commands["plan"]
    for chart in CHARTS:
        paid, free = group.commands[chart.verb], plans.commands[chart.verb]
        names = [{parameter.name for parameter in command.params} for command in (paid, free)]
        drawn = {parameter.name for parameter in group.commands["draw"].params}
        assert "output" in names[0] - names[1] <= drawn  # a plan draws nothing
        assert names[1] - names[0] == {"error"}


def test_a_command_is_two_halves() -> None:
    def pie(*, slices: Annotated[str | None, typer.Option()] = None) -> Asked:
        return Asked(Histogram(x=slices or ""))

    done: list[tuple[object, ...]] = []

    def act(asked: Asked, table: options.Table, unit: options.Unit = None) -> None:
        done.append((asked.chart, table, unit))

    joined(pie, act)(table="a.csv", slices="ward", unit=None)
    assert done == [(Histogram(x="ward"), "a.csv", None)]


def test_spellings_are_read_as_python_would() -> None:
    assert read_bounds([]) is None
    assert read_bounds(["0,240"]) == sf.Bounds(0, 240)
    assert read_bounds(["-5,-1"]) == sf.Bounds(-5, -1)
    assert read_bounds(["1..12"]) == sf.Bounds(1, 12, step=1)
    assert read_bounds(["month=-3..3", "n=0..95..5"]) == {
        "month": sf.Bounds(-3, 3, step=1),
        "n": sf.Bounds(0, 95, step=5),
    }
    for wrong in ("1..", "..12", "1..2..", "1.5..3", "3..1", "0..9..0", "0..9..-1", "1..2..3..4"):
        with pytest.raises(sf.DomainError):
            read_bounds([wrong])
    assert read_bounds(["a=b=0,1"]) == {"a=b": sf.Bounds(0, 1)}
    days = read_bounds(["day=2026-01-01,2027-01-01"])
    assert isinstance(days, dict) and days["day"].time
    assert read_bins([]) is None
    assert read_bins(["0,1.5"]) == (0.0, 1.5)
    assert read_bins([" 7\x1f"]) == 7 and read_resolution("\x1c8, 9") == (8, 9)
    assert read_order("2024,2025", "--order") == Categories((2024, 2025))
    assert read_order("true,false", "--order") == Categories((True, False))
    assert read_order("007,008", "--order") == Categories(("007", "008"))
    assert read_order('"Smith, J",B', "--order") == Categories(("Smith, J", "B"))
    assert read_order("private:1e-6:0.2", "--order") == Private(0.2, 1e-6)
    assert read_bounds_or_search(["private"]) == (None, Private())
    assert read_bounds_or_search(["private:0.3"]) == (None, Private(0.3))
    assert read_bounds_or_search(["0,1"]) == (sf.Bounds(0, 1), None)
    assert read_bounds_or_search(["a=0,1", "b=0,2"])[0] == read_bounds(["a=0,1", "b=0,2"])
    assert read_bounds_or_search([]) == (None, None)
    assert read_levels("0.25, 0.5") == (0.25, 0.5)
    assert read_resolution("256") == 256 and read_resolution("320, 240") == (320, 240)
    assert read_resolution("²") == "²"
    assert read_split("halves") == "halves" and read_split("0.4,0.6") == (0.4, 0.6)
    assert read_resolution("1" * 5000) == "1" * 5000
    assert read_order("1" * 5000, "--order") == Categories.of(["1" * 5000])
    assert read_unit(None) == sf.PrivacyUnit.rows()
    assert read_unit("a:b") == sf.PrivacyUnit.users("a:b")


@pytest.mark.parametrize(
    "bad",
    [
        lambda: read_bounds(["0"]),
        lambda: read_bounds(["0,1,2"]),
        lambda: read_bounds(["0,1", "a=0,1"]),
        lambda: read_bounds(["a=0,1", "a=0,2"]),
        lambda: read_bounds(["0,2026-01-01"]),
        lambda: read_bins(["many"]),
        lambda: read_bins(["1", "2", "3"]),
        lambda: read_bounds_or_search(["private:much"]),
        lambda: read_bounds_or_search(["private:0"]),
        lambda: read_bounds_or_search(["private:0.1:0.1"]),
        lambda: read_bounds_or_search(["private", "0,1"]),
        lambda: read_order("private", "--order"),
        lambda: read_order("private:small", "--order"),
        lambda: read_order("", "--order"),
        lambda: read_order("A\nB", "--order"),
        lambda: read_unit("user:0"),
        lambda: read_unit(""),
    ],
)
def test_a_spelling_that_means_nothing_is_refused(bad: Callable[[], object]) -> None:
    with pytest.raises(sf.DomainError):
        bad()


WINDOW = ["--bounds", "age=0,100", "--bounds", "bmi=10,50"]


@pytest.mark.parametrize("method", heatmap.METHODS)
def test_maps_by_every_method_are_paid_for_once(folder: Path, method: str) -> None:
    words = ["--x", "age", "--y", "bmi", *WINDOW, "--resolution", "32,24", "--method", method]
    files = ["-o", "map.json", "-o", "map.svg", "-o", "map.geojson"]
    assert run(["heatmap", "people.parquet", *words, *PAID, *files]) == 0
    release = sf.load("map.json")
    assert isinstance(release, heatmap.HeatmapRelease)
    assert release.method == method and release.to_array().shape == (24, 32)
    assert charges() == ["heatmap of age and bmi"]
    assert len(json.loads(Path("map.geojson").read_text())["features"]) == len(release.noisy)


def test_only_maps_are_written_for_map_tools(folder: Path) -> None:
    words = ["--x", "age", "--bounds", "0,100", "-o", "age.geojson"]
    assert run(["histplot", "people.parquet", *words, *PAID]) == 2
    assert charges() == []


BOXES = ["--x", "district", "--order", "Larkfield,Old Town", "--y", "age", "--bounds", "0,100"]
PAID = ["--epsilon", "0.25", "--ledger", "people.ledger"]


@pytest.mark.parametrize("method", boxplot.METHODS)
def test_boxes_by_every_method_are_paid_for_once(folder: Path, method: str) -> None:
    words = [*BOXES, "--method", method, "--step", "1", "--whis", "2", *PAID]
    assert run(["boxplot", "people.parquet", *words, "-o", "age.json", "-o", "age.svg"]) == 0
    release = sf.load("age.json")
    assert isinstance(release, boxplot.BoxplotRelease)
    assert (release.method, release.step, release.whis, release.orient) == (method, 1, 2, "v")
    assert len(release.boxes) == 2
    assert charges() == ["boxplot of age by district"]


def test_a_line_is_merged_as_it_is_made_and_as_it_is_drawn_again(folder: Path) -> None:
    asked = ["lineplot", "people.parquet", "--x", "age", "--bounds", "0,100", "--bins", "50"]
    asked += ["--estimator", "count", "--epsilon", "1", "--merge", "-o", "a.svg", "-o", "a.json"]
    assert run(asked) == 0
    assert run(["draw", "a.json", "--merge", "-o", "b.svg"]) == 0
    assert run(["draw", "a.json", "-o", "c.svg"]) == 0
    merged, again, alone = (Path(f"{name}.svg").read_text() for name in "abc")
    assert merged == again != alone
    assert "averages per" in merged


@pytest.mark.parametrize(
    ("words", "orient"),
    [
        (["--x", "age", "--bounds", "0,100"], "h"),
        (["--y", "age", "--bounds", "0,100"], "v"),
        (["--x", "age", "--y", "district", "--order", "Larkfield", "--bounds", "age=0,100"], "h"),
        (["--x", "age", "--y", "district", "--order", "Larkfield", "--bounds", "0,100",
          "--orient", "h"], "h"),
        (["--x", "age", "--y", "district", "--order", "Larkfield", "--bounds", "0,100"], "h"),
        (["--x", "district", "--y", "age", "--order", "private:1e-6:0.3", "--bounds",
          "private:0.2"], "v"),
        (["--y", "age", "--hue", "district", "--hue-order", "Larkfield", "--bounds", "private",
          "--unit", "person:1"], "v"),
    ],
)  # fmt: skip
def test_boxes_stand_or_lie_as_the_words_say(folder: Path, words: list[str], orient: str) -> None:
    parquet.write_table(city(1000).append_column("person", [list(range(1000))]), "rows.parquet")
    assert run(["boxplot", "rows.parquet", *words, "--epsilon", "2", "-o", "age.json"]) == 0
    release = sf.load("age.json")
    assert isinstance(release, boxplot.BoxplotRelease)
    assert (release.orient, release.value.column) == (orient, "age")


def test_boxes_and_maps_of_others_take_their_own_numbers(folder: Path) -> None:
    words = [*BOXES, "--method", "dpboxplot", "--buffer", "0.4", *PAID]
    assert run(["boxplot", "people.parquet", *words]) == 0
    words = ["--x", "age", "--y", "bmi", *WINDOW, "--resolution", "32", "--method", "pyramid"]
    words += ["--width", "4", "--decay", "0.5", "--levels", "3", *PAID, "-o", "map.json"]
    assert run(["heatmap", "people.parquet", *words]) == 0
    release = sf.load("map.json")
    assert isinstance(release, heatmap.HeatmapRelease) and len(release.noisy) <= 4**3


def test_a_public_number_of_rows_is_typed_too_and_goes_into_no_ledger(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["quantiles", "people.parquet", "--x", "age", "--bounds", "0,100"]
    words += ["--neighbours", "replace", "--n", "1000"]
    assert run([*words, "--epsilon", "1", "-o", "age.json"]) == 0
    assert sf.load("age.json").guarantee.size == 1000
    assert run(["plan", *words, "--epsilon", "1"]) == 0
    capsys.readouterr()
    assert run([*words, *PAID]) == 2
    assert "Leave out --n, or --ledger." in capsys.readouterr().err
    assert charges() == []


@pytest.mark.parametrize("method", [None, *quantiles.METHODS])
def test_quantiles_by_every_method_are_paid_for_once(folder: Path, method: str | None) -> None:
    words = ["--x", "age", "-q", "0.1,0.9", "--bounds", "0,100", "--step", "1", *PAID]
    words += ["--method", method] if method else []
    assert run(["quantiles", "people.parquet", *words, "-o", "age.json"]) == 0
    release = sf.load("age.json")
    assert isinstance(release, quantiles.QuantilesRelease)
    assert release.method == (method or "joint") and release.levels == (0.1, 0.9)
    assert charges() == ["quantiles of age"]


@pytest.mark.usefixtures("folder")
def test_numbers_of_some_rows_are_printed_with_whose_weight_they_share(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["histplot", "people.parquet", "--x", "half", "--column", "half=age / 2"]
    more = ["--bounds", "0,50", "--bins", "2", "--unit", "district", "--epsilon", "0.5"]
    assert run([*words, *more, "--where", "half > 9"]) == 0
    told = capsys.readouterr().out
    assert "Rows where half > 9. Weights are shared among all rows of each district." in told
    assert "half = age / 2." in told


@pytest.mark.parametrize(
    ("words", "numbers", "known"),
    [
        (["quantiles", "--x", "age"], {"level", "quantile"}, True),
        (["boxplot", "--y", "age", "--method", "single"], {"q1", "median", "q3"}, False),
        (["boxplot", "--y", "age"], {"q1", "median", "q3"}, True),
    ],
)
def test_intervals_are_printed_where_they_are_known_and_nowhere_else(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    numbers: set[str],
    known: bool,
) -> None:
    assert run([words[0], "people.parquet", *words[1:], "--bounds", "0,100", "--epsilon", "1"]) == 0
    printed = capsys.readouterr().out
    assert numbers <= set(printed.split())
    assert ("95 % interval" in printed) == known and "_low" not in printed


@pytest.mark.parametrize(
    "words",
    [
        ["boxplot", "people.parquet", "--y", "age", "--bounds", "0,100"],
        ["quantiles", "people.parquet", "--x", "age", "--bounds", "private"],
    ],
)
def test_a_plan_of_boxes_or_quantiles_spends_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run(["plan", *words, *PAID]) == 0
    told = capsys.readouterr().out
    assert "ε = 0.25" in told and "expected error" in told and "ranks" in told
    assert run(["plan", *words, "--error", "20", "--ledger", "people.ledger"]) == 0
    assert charges() == []


def test_the_command_line_starts_without_the_engines() -> None:
    program = (
        "import sys, sfumato.cli.run\n"
        "heavy = 'duckdb opendp pyarrow pandas matplotlib numpy scipy rich'.split()\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_csv_files_and_patterns_are_tables_too(folder: Path) -> None:
    for name in ("visits-1.csv", "visits-2.csv"):
        Path(name).write_text("age,who\n30,a\n40,b\n")
    assert run(["histplot", "visits-*.csv", *AGE, "--epsilon", "1", "-o", "age.json"]) == 0


def test_flags_and_numbers_can_be_categories(folder: Path) -> None:
    table = pa.table({"year": [2024, 2025, 2025], "member": [True, False, True]})
    parquet.write_table(table, "members.parquet")
    for words in (
        ["--x", "year", "--order", "2024,2025"],
        ["--x", "member", "--order", "true,false"],
    ):
        assert run(["histplot", "members.parquet", *words, "--epsilon", "1"]) == 0


@pytest.mark.parametrize("width", ["40", "200"])
@pytest.mark.parametrize("sizes", [(900, 900), (900, 0), (0, 900), (0, 0)])
def test_quantiles_of_dates_are_printed_whoever_is_told(
    sizes: tuple[int, int],
    width: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    days = pa.array(range(20454, 20454 + 300), pa.date32()).take(
        pa.array([row % 300 for row in range(sum(sizes))], pa.int64())
    )
    groups = pa.array(["A"] * sizes[0] + ["B"] * sizes[1], pa.string())
    parquet.write_table(pa.table({"day": days, "g": groups}), folder / "days.parquet")
    words = ["--x", "day", "--hue", "g", "--hue-order", "A,B", "--bounds", "2026-01-01,2027-01-01"]
    assert run(["quantiles", "days.parquet", *words, "--epsilon", "1", "--q", "0.5"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("too few") == sizes.count(0)
    assert printed.count("2026-0") >= len(sizes) - sizes.count(0)


def test_a_column_may_be_called_as_a_verdict_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(pa.table({"reliable": ["no", "yes"] * 50}), folder / "words.parquet")
    words = ["--x", "reliable", "--order", "no,yes", "--epsilon", "1"]
    assert run(["histplot", "words.parquet", *words]) == 0
    printed = capsys.readouterr().out
    assert "no" in printed and "yes" in printed


SAVED = sorted((Path(__file__).parent / "releases" / "saved").glob("*.json"))


@pytest.mark.parametrize("place", SAVED, ids=lambda place: place.stem)
def test_every_release_is_written_as_a_table_and_as_vega_lite(place: Path, folder: Path) -> None:
    assert run(["draw", str(place), "-o", "numbers.csv", "-o", "picture.vl.json"]) == 0
    release = sf.load(place)
    with Path("numbers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(release.records())
    for row, record in zip(rows, release.records(), strict=True):
        assert [name for name in row if name != "note"] == list(record)
        for name, value in record.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert value != value or float(row[name]) == value
    assert json.loads(Path("picture.vl.json").read_text()) == release.to_vega()


def test_a_table_of_simulated_noise_says_so_in_every_row(folder: Path) -> None:
    with sf.testing.seeded(1):
        release = sf.histplot("people.parquet", x="age", bounds=(0, 100), budget=1)
    release.save("age.csv")
    lines = Path("age.csv").read_text().splitlines()
    assert all("NOT PRIVATE" in line for line in lines[1:])


def test_a_map_is_summarised(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--x", "age", "--y", "income", "--bins", "20", "--bins", "20"]
    bounds = ["--bounds", "age=0,100", "--bounds", "income=0,90000"]
    assert run(["histplot", "people.parquet", *words, *bounds, "--epsilon", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("the 10 largest of 400 cells")
    assert "interval" not in lines[1]  # which would not hold for cells chosen by their counts
    assert len(lines) < 20 and any("-o cells.csv" in line for line in lines)

"""Names that a stranger chose steer no terminal and stop no drawing, whatever prints them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.console import Console

import sfumato as sf
from privacy.forging import lay_version_1, reseal, rewrite
from sfumato import progress
from sfumato.cli.output import say, show, show_table
from sfumato.cli.run import run
from sfumato.errors import abbreviate, make_printable
from sfumato.releases.document import read

ODD = "a\x1b]0;owned\x07\x9b2J\u202eb\u2066\x00\x7f\r\b\u2028\ufeff[bold red]"
"""Escape sequences of seven and eight bits, turned writing, a bell, and markup of Rich."""

STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

X, Y, GROUP, WHO = (f"{name}{ODD}" for name in ("x", "y", "g", "w"))
ORDER = [f"A{ODD}", "B"]
BOUNDS = {X: (0, 4), Y: (0, 5)}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    """A table whose columns and categories have such names, also as a file in this folder."""
    monkeypatch.chdir(tmp_path)
    columns = {
        X: [1.0, 2.0, 3.0] * 40,
        Y: [2.0, 1.0, 4.0] * 40,
        GROUP: ORDER * 60,
        WHO: [str(person) for person in range(120)],
    }
    listed = dict(zip(_LISTED, (columns[X], columns[Y]), strict=True))
    parquet.write_table(pa.table(columns | listed), "odd.parquet")
    return pa.table(columns)


SPENT = sf.Budget(9, 1e-5)
CHARTS: dict[str, Callable[[pa.Table], sf.Release]] = {
    "histplot": lambda table: sf.histplot(
        table, x=X, hue=GROUP, hue_order=ORDER, bounds=(0, 4), unit=WHO, budget=5
    ),
    "boxplot": lambda table: sf.boxplot(
        table, x=GROUP, y=X, order=ORDER, bounds=(0, 4), unit=WHO, budget=5
    ),
    "quantiles": lambda table: sf.quantiles(
        table, x=X, hue=GROUP, hue_order=ORDER, bounds=(0, 4), budget=5
    ),
    "heatmap": lambda table: sf.heatmap(table, x=X, y=Y, bounds=BOUNDS, unit=WHO, budget=5),
    "pca": lambda table: sf.pca(table, columns=[X, Y], bounds=BOUNDS, budget=SPENT),
    "scoreplot": lambda table: sf.scoreplot(
        table, columns=[X, Y], bounds=BOUNDS, hue=GROUP, hue_order=ORDER, budget=SPENT
    ),
}
_LISTED = [name.replace("\0", "").replace("\r", "") for name in (X, Y)]  # ends of a list's line
_BOUNDS = ["--bounds", f"{X}=0,4", "--bounds", f"{Y}=0,5"]
_MORE = ["--bounds", f"{_LISTED[0]}=0,4", "--bounds", f"{_LISTED[1]}=0,5"]
_PAID = ["--epsilon", "5", "--delta", "1e-5"]
WORDS: dict[str, list[str]] = {
    "histplot": ["--x", X, "--bounds", "0,4", "--unit", WHO, "--epsilon", "5"],
    "boxplot": ["--x", GROUP, "--y", X, "--order", "A,B", "--bounds", "0,4", "--epsilon", "5"],
    "quantiles": ["--x", X, "--bounds", "0,4", "--unit", WHO, "--epsilon", "5"],
    "heatmap": ["--x", X, "--y", Y, *_BOUNDS, "--unit", WHO, "--epsilon", "5"],
    "pca": ["--columns", ",".join(_LISTED), *_MORE, *_PAID],
    "scoreplot": ["--columns", ",".join(_LISTED), *_MORE, *_PAID],
}


def printed(words: Sequence[str], capsys: pytest.CaptureFixture[str], status: int = 0) -> str:
    """Return all that a command prints, after a look at every letter of it."""
    found = run(words)
    output = "".join(capsys.readouterr())
    assert (found, STEERS.findall(output)) == (status, []), output
    return output


@pytest.mark.parametrize("chart", CHARTS)
def test_a_strangers_release_is_printed_without_control_characters(
    chart: str, table: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    CHARTS[chart](table).save("odd.json")
    assert "]0;owned" in printed(["draw", "odd.json"], capsys)
    assert printed(["draw", "odd.json", "-o", "odd.json.\x1b[2J"], capsys, 2)


@pytest.mark.parametrize("chart", WORDS)
def test_charts_and_plans_of_a_strangers_table_are_printed_without_control_characters(
    chart: str, table: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table.num_rows
    for command in ([chart], ["plan", chart]):
        assert printed([*command, "odd.parquet", *WORDS[chart]], capsys)


def test_a_strangers_ledger_is_printed_without_control_characters(
    table: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    unit = sf.PrivacyUnit.users(WHO)
    ledger = sf.Ledger.create("odd.ledger", budget=1, unit=unit, table="odd")
    session = sf.Session(table, unit=unit, domain={X: (0, 4)}, ledger=ledger, name="odd")
    session.histplot(x=X, bins=2, budget=0.5)
    assert printed(["ledger", "odd.ledger"], capsys).count("\n") == 8
    for words in (str(ledger), repr(ledger), ledger._repr_html_()):
        assert not STEERS.findall(words)
    rewrite(Path("odd.ledger"), "UPDATE entry SET body = json_set(body, '$.label', 'a\x9b2J')")
    reseal(Path("odd.ledger"))
    assert printed(["ledger", "odd.ledger"], capsys, 2)


@pytest.mark.usefixtures("table")
def test_a_strangers_old_ledger_is_printed_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its entries were not sealed, and may say anything."""
    path = lay_version_1(Path("old.ledger"))
    rewrite(path, "UPDATE entry SET label = ?", values=(f"chart\n{ODD}",))
    assert printed(["ledger", "old.ledger"], capsys).count("\n") == 13
    ledger = sf.Ledger(path)
    for words in (str(ledger), repr(ledger), ledger._repr_html_()):
        assert not STEERS.findall(words)


@pytest.mark.parametrize(
    "words",
    [
        ["histplot", f"{ODD}.parquet", "--x", "x", "--epsilon", "1"],
        ["histplot", "odd.parquet", "--x", f"unknown{ODD}", "--bounds", "0,1", "--epsilon", "1"],
        ["histplot", "odd.parquet", "--x", X, "--epsilon", "1"],
        ["histplot", "odd.parquet", "--x", X, "--order", f"{ODD}:", f"--{ODD}"],
        ["draw", f"{ODD}.json"],
        ["draw", "odd.parquet", "-o", ODD],
        ["ledger", f"{ODD}.ledger"],
        ["ledger", "create", ODD, "--epsilon", "1", "--table", ODD],
        [ODD],
    ],
    ids=range(9),
)
def test_what_is_refused_is_told_without_control_characters(
    words: list[str], table: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert table.num_rows
    assert printed([word.replace("\0", "") for word in words], capsys, 2)


def test_everything_is_printed_by_three_functions(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"{ODD}\n{ODD}")
    show(f"{ODD}\n{ODD}")
    show_table(ODD, {ODD: [ODD, "b" * 10**6], "number": ["1", "2"]}, 1)
    output = "".join(capsys.readouterr())
    assert not STEERS.findall(output)
    assert "[bold red]" in output
    assert len(output) < 10_000


@pytest.mark.parametrize("chart", CHARTS)
def test_a_name_of_a_million_letters_is_loaded_and_cut_where_it_is_drawn(
    chart: str, table: pa.Table
) -> None:
    plain = json.dumps(CHARTS[chart](table).to_dict())
    short, long = (
        read(json.loads(plain.replace(json.dumps(ODD)[1:-1], name))) for name in ("n", "n" * 10**6)
    )
    figure = long.figure()
    axes = [axis.label for panel in figure.panels for axis in (panel.x, panel.y)]
    assert max(map(len, [figure.title, figure.legend, *axes])) <= 300
    assert len(figure.caption) < len(short.figure().caption) + 1000
    assert len(long.to_html()) < 2 * len(short.to_html())


@pytest.mark.parametrize("chart", ["histplot", "boxplot"])
def test_pictures_of_odd_names_are_well_formed(chart: str, table: pa.Table) -> None:
    CHARTS[chart](table).save("odd.svg")
    picture = Path("odd.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(picture)
    assert not STEERS.findall(picture.replace("\ufeff", ""))


def test_a_plan_and_a_promise_are_one_line_for_each_fact(table: pa.Table) -> None:
    column = f"x\nguarantee  ε = 0.001{ODD}"
    named = table.rename_columns([column, Y, GROUP, WHO])
    s = sf.Session(named, unit=WHO, domain={column: (0, 4)}, budget=1)
    words = str(s.plan(sf.Histogram(column), budget=0.5))
    assert not STEERS.findall(words)
    assert [line for line in words.splitlines() if line.startswith("guarantee")] == [
        f"guarantee       ε = 0.5, protecting {s.unit}"
    ]
    with pytest.raises(sf.BudgetError) as refused:
        s.histplot(x=column, budget=2)
    assert not STEERS.findall(str(refused.value))


def test_a_progress_bar_is_steered_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    with Console(record=True) as console:
        monkeypatch.setattr("rich.console.Console", lambda **_: console)
        bar = progress._start_bar(ODD * 100)
        bar.stop()
    (task,) = bar.tasks
    assert not STEERS.findall(task.description)
    assert len(task.description) <= 120


def test_letters_that_join_are_kept_and_names_are_cut() -> None:
    assert make_printable("می\u200cخواهم 👩\u200d👧") == "می\u200cخواهم 👩\u200d👧"
    assert make_printable("a\u2029b\ud800c") == "a b c"
    assert abbreviate("x" * 121) == "x" * 119 + "…"

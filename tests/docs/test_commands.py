"""The page about the command line shows every command, every option, and nothing else."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import sfumato as sf
from commands import EVERY_CHART, EVERY_PLAN, MARK, Option, commands, filled, options
from sfumato.charts.kinds import CHARTS as KINDS
from sfumato.charts.option import options as chart_options

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "cli.md").read_text(encoding="utf-8")
PLANS = [name for name in commands() if name.startswith("plan ")]
CHARTS = [name.removeprefix("plan ") for name in PLANS]


def shown(name: str) -> list[Option]:
    """What a reader of the page learns about a command: its own table, and those it shares."""
    chart = name.removeprefix("plan ")
    own = options(chart) + options(EVERY_CHART) if chart in CHARTS else options(name)
    return own + options(EVERY_PLAN) if name in PLANS else own


def test_every_option_of_every_command_is_shown():
    for name, command in commands().items():
        missing = {*map(Option.of, command.params)} - {*shown(name)}
        assert missing == set(), name


def test_the_page_asks_for_the_options_of_every_command():
    asked = {mark[2] for mark in MARK.finditer(PAGE) if mark[1] == "options"}
    # A ledger is shown by its name alone.
    assert asked == {*commands(), EVERY_CHART, EVERY_PLAN} - {*PLANS, "ledger show"}


def test_the_reference_shows_every_option_of_every_chart():
    page = (DOCS / "reference" / "charts.md").read_text(encoding="utf-8")
    asked = [mark[2] for mark in MARK.finditer(page) if mark[1] == "parameters"]
    assert {*asked} == {chart.__name__ for chart in KINDS}
    shown = filled(page)
    for chart in KINDS:
        for option in chart_options(chart):
            assert f"| `{option.name}` | {option.about['help'].replace('``', '`')}" in shown


def test_what_is_asked_for_is_put_into_the_page():
    text = filled(PAGE)
    assert "<!--" not in text
    for words in ("| `--whis NUMBER` | The longest whisker", "`sparse`", "**Required.**", "`1.5`"):
        assert words in text
        assert words not in PAGE


def test_every_command_has_an_example():
    examples = re.findall(r"^sfumato (.+)$", PAGE, re.MULTILINE)
    for name in {*commands()} - {*PLANS, "ledger show"}:
        assert any(example.startswith(f"{name} ") for example in examples), name


def test_all_that_python_takes_can_be_typed():
    for name in CHARTS:
        typed = {parameter.name for parameter in commands()[name].params}
        # One column is derived at a time; the columns of components have the longer name.
        typed |= {"columns"} if "column" in typed else set[str]()
        taken = {*inspect.signature(getattr(sf, name)).parameters}
        assert taken - typed - {"columns"} == {"budget", "data"}, name  # typed as --column

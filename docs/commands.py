"""The options of every command and every chart, as tables read from where they are defined.

A line ``<!-- options of draw -->`` on a page is replaced by the options of that command. What all
charts take alike stands once, at ``<!-- options of every chart -->``. A line ``<!-- parameters of
Histogram -->`` is replaced by what can be asked of that chart in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

MARK = re.compile(r"<!-- (options|help|parameters) of (.+?) -->")
EVERY_CHART, EVERY_PLAN = "every chart", "every plan"


@dataclass(frozen=True)
class Option:
    """One option or argument: what is typed, and what it means."""

    panel: str
    typed: str
    meaning: str

    @classmethod
    def of(cls, parameter: Any) -> Option:
        """Read what Typer knows of it."""
        names = [] if parameter.param_type_name == "argument" else sorted(parameter.opts, key=len)
        value = "" if getattr(parameter, "is_flag", False) else parameter.metavar or "WORD"
        typed = " ".join(filter(None, [", ".join(names), value]))
        panel = getattr(parameter, "rich_help_panel", None) or "Files"
        return cls(panel, typed, _meaning(parameter))


@cache
def commands() -> dict[str, Any]:
    """Return every command by the words that call it; groups hold others and are not among them."""
    from sfumato.cli.commands import whole

    return dict(_inside(whole(), ()))


def options(name: str) -> list[Option]:
    """Return the options of a command; of a chart or a plan, without those that others share."""
    known = commands()
    plans = [word for word in known if word.startswith("plan ")]
    charts = [word.removeprefix("plan ") for word in plans]
    if name == EVERY_CHART:
        return _shared(charts)
    if name == EVERY_PLAN:
        return [option for option in _shared(plans) if option not in _shared(charts)]
    left_out = _shared(charts) if name in charts else []
    return [option for option in _listed(name) if option not in left_out]


def table(listed: Sequence[Option]) -> str:
    """Return one table for each panel, in the order of the command line."""
    parts = list[str]()
    for panel in dict.fromkeys(option.panel for option in listed):
        rows = [option for option in listed if option.panel == panel]
        lines = [f"| `{option.typed}` | {option.meaning} |" for option in rows]
        parts.append("\n".join([f"| {panel} | |", "| --- | --- |", *lines]))
    return "\n\n".join(parts)


def filled(markdown: str) -> str:
    """Return a page with what its marks ask for."""

    def answer(mark: re.Match[str]) -> str:
        if mark[1] == "help":
            return str(commands()[mark[2]].help)
        if mark[1] == "parameters":
            return parameters(mark[2])
        return table(options(mark[2]))

    return MARK.sub(answer, markdown)


def parameters(name: str) -> str:
    """Return what can be asked of a chart, as its definition says it to a reader of Python."""
    from sfumato.charts.kinds import CHARTS
    from sfumato.charts.option import in_python, options

    (chart,) = (chart for chart in CHARTS if chart.__name__ == name)
    lines = ["| parameter | |", "| --- | --- |"]
    for option in options(chart):
        meaning = in_python(option, session=True).replace("``", "`").replace("|", r"\|")
        left_out = "**Required.**" if option.required else f"Otherwise `{option.default!r}`."
        shown = "" if option.default is None else left_out
        lines.append(f"| `{option.name}` | {f'{meaning} {shown}'.strip()} |")
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill the marks of a page while the site is built."""
    return filled(markdown)


def _inside(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    inner: dict[str, Any] = getattr(command, "commands", {})
    if not inner:
        yield " ".join(words), command
    for name, each in inner.items():
        yield from _inside(each, (*words, name))


def _listed(name: str) -> list[Option]:
    return [Option.of(parameter) for parameter in commands()[name].params]


def _shared(names: Sequence[str]) -> list[Option]:
    first, *others = map(_listed, names)
    return [option for option in first if all(option in each for each in others)]


def _meaning(parameter: Any) -> str:
    """Return the help, the words or numbers that can be given, and what happens otherwise."""
    choices = getattr(parameter.type_descriptor, "choices", None) or ()
    parts = [parameter.help.replace("|", r"\|")]
    parts += [f"One of {', '.join(f'`{word}`' for word in choices)}."] if choices else []
    if parameter.min is not None:
        parts.append(f"From {parameter.min:,} to {parameter.max:,}.")
    if parameter.required:
        parts.append("**Required.**")
    elif parameter.default not in (None, 0.0, False):
        shown = parameter.show_default
        parts.append(f"Otherwise `{shown if isinstance(shown, str) else parameter.default}`.")
    return " ".join(parts)

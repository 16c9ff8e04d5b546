"""The options of a chart's command, made from its definition: texts in, what is asked out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from sfumato.cli import spelling

if TYPE_CHECKING:
    from sfumato.charts.chart import Chart
    from sfumato.charts.option import Option


_PUBLIC = "What is public"


@dataclass(frozen=True)
class Asked:
    """A chart, and what was said to be public about its columns."""

    chart: Chart[Any, Any]
    bounds: object = None


@dataclass(frozen=True)
class Spelling:
    """How the value of an option is typed: as what, and how that is read."""

    type: Any
    read: Callable[[Any, str], object]


SPELLINGS = {
    "bins": Spelling(list[str], lambda texts, _: spelling.read_bins(texts)),
    "cells": Spelling(str, lambda text, _: spelling.read_resolution(text)),
    "columns": Spelling(str, lambda text, _: spelling.read_columns(text)),
    "components": Spelling(Path, lambda path, _: _loaded(path)),
    "levels": Spelling(str, lambda text, _: spelling.read_levels(text)),
    "order": Spelling(str, spelling.read_order),
    "scale": Spelling(list[str], lambda texts, _: spelling.read_scale(texts)),
    "split": Spelling(str, lambda text, _: spelling.read_split(text)),
}
"""What a shell cannot read by its type alone, by the word that a definition has for it."""


def asking(chart: type[Chart[Any, Any]]) -> Callable[..., Asked]:
    """Return a function that takes the options of a chart as they are typed, panel by panel."""
    from sfumato.charts.option import Panel, options

    searches = any(option.name == "bounds" for option in options(chart))
    shown = [option for option in options(chart) if option.name != "bounds"]

    def ask(*, bounds: Sequence[str] | None, **typed: Any) -> Asked:
        declared, search = _read_bounds(bounds or [], searches)
        values = {option.name: _read(option, typed[option.name]) for option in shown}
        if searches:
            values["bounds"] = search
        return Asked(chart(**values), declared if search is None else search)

    ask.__name__, ask.__doc__ = chart.verb, chart.summary
    parameters = {panel: list[Parameter]() for panel in get_args(Panel)}
    parameters[_PUBLIC].append(_bounds(chart))
    for option in shown:
        parameters[option.about.get("panel", "Chart")].append(_parameter(option))
    ask.__dict__["__signature__"] = Signature(
        [each for panel in parameters.values() for each in panel]
    )
    return ask


def _parameter(option: Option) -> Parameter:
    """Return an option as Typer takes it."""
    from sfumato.charts.option import in_a_shell

    about, default = option.about, option.default
    kind = option.plain or _spelling(option).type
    long = isinstance(default, float) and len(str(default)) > 8
    settings: dict[str, Any] = {"show_default": f"{default:.4g}"} if long else {}
    if option.plain is None and not option.required:
        default = _typed(default)
    given = typer.Option(
        *_names(option),
        metavar=about.get("metavar"),
        help=in_a_shell(option),
        rich_help_panel=about.get("panel", "Chart"),
        **settings,
    )
    return Parameter(
        option.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if option.required else default,
        annotation=Annotated[kind if default is not None else kind | None, given],
    )


def _bounds(chart: type[Chart[Any, Any]]) -> Parameter:
    given = typer.Option(
        "--bounds",
        metavar=chart.ranges.metavar,
        help=chart.ranges.typed,
        rich_help_panel=_PUBLIC,
    )
    annotation = Annotated[list[str] | None, given]
    return Parameter("bounds", Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _spelling(option: Option) -> Spelling:
    return SPELLINGS[option.about.get("spelled", option.name)]


def _names(option: Option) -> tuple[str, ...]:
    return option.about.get("names", (f"--{option.name.replace('_', '-')}",))


def _read(option: Option, value: Any) -> object:
    if option.plain is not None or value is None or value == []:
        return value
    return _spelling(option).read(value, _names(option)[-1])


def _read_bounds(texts: Sequence[str], searches: bool) -> tuple[object, object]:
    if searches:
        return spelling.read_bounds_or_search(texts)
    return spelling.read_bounds(texts), None


def _typed(default: object) -> str | None:
    """Return a default as it would be typed."""
    match default:
        case None:
            return None
        case tuple():
            return ",".join(map(str, default))  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return str(default)


def _loaded(path: Path) -> object:
    from sfumato.releases.document import load

    return load(path)

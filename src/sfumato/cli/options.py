"""The options of commands: those all charts share, and those a chart's definition gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from sfumato.cli import spelling
from sfumato.errors import ReleaseError

if TYPE_CHECKING:
    from sfumato.charts.chart import Chart
    from sfumato.charts.option import Option


def _privacy(text: str, metavar: str | None, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="Privacy")


def _limit(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text, rich_help_panel="Limits of this machine")


def _file(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text, rich_help_panel="How numbers are written")


Table = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV or Parquet; a pattern of several goes in quotes; - reads CSV that is piped in.",
    ),
]

Unit = Annotated[
    str | None,
    _privacy(
        "The column that identifies people: all rows of a person are protected together (total "
        "weight 1; with :20, at most 20 rows). Several columns: household,year. Default: each row "
        "is protected.",
        "COLUMN[:ROWS]",
    ),
]
UnitName = Annotated[str | None, _privacy("What people are called on figures: aircraft.", "NAME")]
Price = Annotated[float, _privacy("The cost of this chart.", "ε", "--epsilon")]
PriceToTry = Annotated[float | None, _privacy("The ε to plan for.", "ε", "--epsilon")]
Total = Annotated[float, _privacy("The total budget.", "ε", "--epsilon")]
Delta = Annotated[
    float,
    _privacy(
        "The probability that the guarantee fails; above 0, most charts add Gaussian noise.", "δ"
    ),
]
Weak = Annotated[
    bool,
    _privacy(
        "Allow a guarantee that protects little: ε above 10, or δ from 0.001.", None, "--weak"
    ),
]
Error = Annotated[
    float | None, _privacy("Instead of ε: the expected error that you accept.", "NUMBER")
]
LedgerPlace = Annotated[
    str | None,
    _privacy(
        "The ledger to charge: a file, or postgresql://…; create it with 'sfumato ledger create'.",
        "FILE",
        "--ledger",
    ),
]
KeptLedger = Annotated[
    str, typer.Argument(metavar="FILE", help="The ledger: a file, or an address postgresql://…")
]
TableName = Annotated[
    str | None,
    _privacy("The table's name in the ledger, if it is not the file's name.", "NAME", "--table"),
]
Who = Annotated[
    str | None,
    _privacy(
        "Who asks, recorded in the ledger; if it has accounts, whose account is charged.", "NAME"
    ),
]
Purpose = Annotated[str | None, _privacy("What for, recorded in the ledger. Never data.", "TEXT")]
Threads = Annotated[int | None, _limit("How many threads to use; default: all cores.", "NUMBER")]
MemoryLimit = Annotated[
    str | None,
    _limit("Memory to use before grouped rows are spilled to disk.", "1GB"),
]
Decimal = Annotated[str, _file("The decimal mark in a CSV file: , for 1,5 instead of 1.5.", "MARK")]
Thousands = Annotated[str | None, _file("The thousands separator in a CSV file.", "MARK")]
Encoding = Annotated[
    str, _file("The encoding of a CSV file, by name: latin-1, cp1252, utf-16.", "NAME")
]
Delimiter = Annotated[
    str | None,
    _file("What separates fields in a CSV file: ; or tab. Default: the first line tells.", "MARK"),
]
Dates = Annotated[
    list[str] | None,
    _file(
        "How dates are written in a CSV file: when=%d/%m/%Y; repeat for several.", "COLUMN=FORMAT"
    ),
]
Derived = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=EXPRESSION",
        help="A further column, derived row by row: 'speed=distance / air_time * 60'; repeat for "
        "several. Declare its bounds or categories as for any column.",
        rich_help_panel="Chart",
    ),
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=".json (the release), .csv (its numbers), .svg .png .pdf .html .vl.json (pictures), "
        "for maps .geojson; repeat for several. Default: print the numbers.",
    ),
]


def _figure(text: str, metavar: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="Figure")


Title = Annotated[str | None, _figure("What stands above the picture.", "TEXT")]
FigSize = Annotated[str | None, _figure("Width and height in inches.", "WIDTH,HEIGHT", "--figsize")]
Dpi = Annotated[float | None, _figure("Points per inch of a .png file.", "NUMBER")]
Palette = Annotated[
    str | None,
    _figure(
        "Colours of groups: a name such as Set2, colours with commas between them, or NAME=COLOUR.",
        "COLOURS",
    ),
]
Cmap = Annotated[str | None, _figure("Colours of a scale of numbers, such as viridis.", "NAME")]
Caption = Annotated[
    str | None,
    _figure("How much stands below the picture; none leaves ε and the unit.", "none|short|full"),
]
MapFile = Annotated[
    Path | None,
    _figure("For maps: your own GeoJSON file, whose lines are drawn. It must be public.", "FILE"),
]
LogScale = Annotated[str | None, _figure("Which axes are logarithmic: x, y or x,y.", "AXES")]


VIEWS: dict[str, Any] = {
    "sort": Annotated[
        str | None, _figure("Order of the categories, by what is released.", "count|median")
    ],
    "top": Annotated[
        int | None, _figure("Draw so many categories, those with the largest counts.", "NUMBER")
    ],
    "orient": Annotated[str | None, _figure("Direction of the bars.", "v|h")],
    "merge": Annotated[
        bool | None,
        _figure(
            "Merge neighbouring bins where noise could have made their differences.", "", "--merge"
        ),
    ],
    "multiple": Annotated[
        str | None, _figure("Groups of hue in one panel, or each in its own.", "layer|panels")
    ],
    "view": Annotated[
        str | None,
        _figure(
            "What to draw of a release that has several pictures: scree, loadings or "
            "correlations of components, density or scatter of a heatmap.",
            "WORD",
        ),
    ],
}
"""What some releases can be told when they are drawn."""


def view_parameters(names: Sequence[str]) -> list[Parameter]:
    """Return ways to draw that only some releases have, as Typer takes them."""
    kind = Parameter.KEYWORD_ONLY
    return [Parameter(name, kind, default=None, annotation=VIEWS[name]) for name in names]


def looks(
    *,
    title: Title = None,
    figsize: FigSize = None,
    dpi: Dpi = None,
    palette: Palette = None,
    cmap: Cmap = None,
    caption: Caption = None,
    log_scale: LogScale = None,
    basemap: MapFile = None,
) -> dict[str, Any]:
    """Read how a picture is to look, and refuse what no picture can."""
    from sfumato.figure import Figure
    from sfumato.render.look import dress

    told: dict[str, Any] = {
        "title": title,
        "figsize": None if figsize is None else spelling.read_numbers(figsize),
        "dpi": dpi,
        "palette": None if palette is None else spelling.read_palette(palette),
        "cmap": cmap,
        "caption": False if caption == "none" else caption,
        "log_scale": None if log_scale is None else spelling.read_axes(log_scale),
    }
    chosen: dict[str, Any] = {name: each for name, each in told.items() if each is not None}
    # Colours by category are checked where the categories are known.
    general = {name: chosen[name] for name in chosen if not isinstance(chosen[name], dict)}
    dress(Figure("", (), ""), {**general, "log_scale": None})
    if basemap is not None:
        from sfumato.releases.heatmap.basemap import read_lines

        read_lines(basemap)
        chosen["basemap"] = basemap
    return chosen


def check_basemap(looks: dict[str, Any], *, drawn: bool) -> None:
    """Refuse a map where none is drawn, before anything is paid for."""
    if "basemap" in looks and not drawn:
        raise ReleaseError(
            "Only heatmaps have a basemap.",
            "A chart must not be paid for and then lost.",
            "Leave out --basemap.",
        )


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
    "regions": Spelling(Path, lambda path, _: path),
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
        values: dict[str, Any] = {each.name: _read(each, typed[each.name]) for each in shown}
        if searches:
            values["bounds"] = search
        return Asked(chart(**values), _join_bounds(declared, search))

    ask.__name__, ask.__doc__ = chart.verb, chart.summary
    ask.__dict__["views"] = chart.views
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


def _join_bounds(declared: object, search: object) -> object:
    """Return declared ranges and searches as Python takes them together."""
    if isinstance(search, dict) and isinstance(declared, dict | None):
        ranges = cast("dict[str, object]", declared or {})
        return ranges | cast("dict[str, object]", search)
    return declared if search is None else cast(object, search)


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

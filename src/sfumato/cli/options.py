"""Every option, declared once; a command picks those it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def _chart(text: str, metavar: str | None = None, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="Chart")


def _public(text: str, metavar: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="What is public")


def _privacy(text: str, metavar: str | None, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="Privacy")


def _limit(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text, rich_help_panel="Limits of this machine")


def _file(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text, rich_help_panel="How numbers are written")


Table = Annotated[
    str,
    typer.Argument(metavar="FILE", help="CSV or Parquet; a pattern of several goes in quotes."),
]
X = Annotated[str, _chart("The column along the x axis.", "COLUMN")]
Y = Annotated[str | None, _chart("The column along the y axis.", "COLUMN")]
Hue = Annotated[str | None, _chart("The column to tell groups by colour.", "COLUMN")]
Bins = Annotated[
    list[str] | None,
    _chart("A number, or edges 0,18,65,110; twice for two axes: first x, then y.", "BINS"),
]
XIfAny = Annotated[str | None, _chart("The column along the x axis, if any.", "COLUMN")]
Orient = Annotated[
    Literal["v", "h"] | None, _chart("v for values on y, h for values on x; v if left out.")
]
BoxMethod = Annotated[
    Literal["fence", "dpboxplot", "jointexp", "approx", "single", "unbounded"],
    _chart("How boxes are measured; the others are there to be compared with."),
]
QuantileMethod = Annotated[
    Literal["joint", "jointexp", "approx", "single", "unbounded"] | None,
    _chart("How quantiles are chosen; their number decides if left out."),
]
Whis = Annotated[float, _chart("How far whiskers may reach, in lengths of the box.", "NUMBER")]
Step = Annotated[
    float | None,
    _chart("How far apart values lie: 1 for whole numbers; types tell if left out.", "NUMBER"),
]
Levels = Annotated[str, _chart("Levels between 0 and 1, rising.", "LEVELS", "-q", "--q")]
YToo = Annotated[str, _chart("The column along the y axis.", "COLUMN")]
Resolution = Annotated[
    str, _chart("How many cells a side the picture has; 320,240 for x and y.", "CELLS")
]
HeatMethod = Annotated[
    Literal["adaptive", "pyramid", "laplace", "dense"],
    _chart("How the map is measured; the others are there to be compared with."),
]
Decoder = Annotated[
    Literal["lp", "bayes"] | None, _chart("For pyramid: lp as published, or bayes; lp if left out.")
]
Top = Annotated[
    float | None, _chart("For laplace: show only this fraction of the cells.", "FRACTION")
]
WeightColumn = Annotated[
    str | None, _chart("The column that says how much a row weighs.", "COLUMN", "--weight")
]
Outside = Annotated[Literal["drop", "edge"], _chart("What becomes of rows beyond the window.")]
Origin = Annotated[Literal["lower", "upper"], _chart("upper draws y downwards, as in images.")]
Aspect = Annotated[
    Literal["map", "equal", "free"] | None,
    _chart("map for longitude and latitude, equal for one scale; names tell if left out."),
]
Stat = Annotated[Literal["count", "proportion", "density"], _chart("What the numbers mean.")]

Bounds = Annotated[
    list[str] | None,
    _public(
        "The range of x, or of a named column; repeat for several. Dates are 2026-01-31, whole "
        "numbers from 1 to 12 are 1..12.",
        "[COLUMN=]LOWER,UPPER",
    ),
]
BoundsOrSearch = Annotated[
    list[str] | None,
    _public(
        "The range of the values, 1..12 if they are whole numbers; private searches for it, "
        "private:0.2 with that share of the price.",
        "[COLUMN=]LOWER,UPPER",
        "--bounds",
    ),
]
Order = Annotated[
    str | None,
    _public("The categories of x, in order; private:1e-6 searches for them, with that δ.", "A,B"),
]
HueOrder = Annotated[
    str | None,
    _public("The categories of hue, in order; private:1e-6 searches for them too.", "A,B"),
]

Unit = Annotated[
    str | None,
    _privacy(
        "Protect all rows of one user together, who counts once; with :20, up to 20 rows count. "
        "Without it each row is protected alone.",
        "COLUMN[:ROWS]",
    ),
]
Price = Annotated[float, _privacy("The price of this chart.", "ε", "--epsilon")]
PriceToTry = Annotated[float | None, _privacy("A price to try.", "ε", "--epsilon")]
Total = Annotated[float, _privacy("All that may ever be spent.", "ε", "--epsilon")]
Delta = Annotated[
    float,
    _privacy("The chance that the promise may fail; above 0, most charts add Gaussian noise.", "δ"),
]
Weak = Annotated[
    bool,
    _privacy(
        "Allow a guarantee that protects little: ε above 10, or δ from 0.001.", None, "--weak"
    ),
]
Error = Annotated[
    float | None, _privacy("Instead of a price: the mean error you can live with.", "NUMBER")
]
LedgerFile = Annotated[
    Path | None,
    _privacy("Charge this file; make it with 'sfumato ledger create'.", "FILE", "--ledger"),
]
TableName = Annotated[
    str | None,
    _privacy("What the ledger calls the table, if not by the file's name.", "NAME", "--table"),
]
Threads = Annotated[
    int | None, _limit("How many threads to use; as many as there are cores if left out.", "NUMBER")
]
MemoryLimit = Annotated[
    str | None,
    _limit("How much memory to fill before going to disk, while rows are grouped.", "1GB"),
]
Decimal = Annotated[
    str, _file("What stands before decimals in a CSV file: , for 1,5 instead of 1.5.", "MARK")
]
Thousands = Annotated[
    str | None, _file("What stands between thousands in a CSV file, if anything.", "MARK")
]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help=".json .svg .png .pdf .html, for maps .geojson; repeat for several. Without it, "
        "numbers are printed.",
    ),
]

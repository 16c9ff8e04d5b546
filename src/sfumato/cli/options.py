"""The options that commands share; those of a chart are in its definition."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


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

"""The commands for principal components: their options in, what is asked out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from sfumato.cli.join import Asked
from sfumato.cli.options import Hue, HueOrder
from sfumato.cli.spelling import (
    read_bounds,
    read_columns,
    read_levels,
    read_order,
    read_resolution,
    read_scale,
)


def _chart(text: str, metavar: str | None = None, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel="Chart")


Bounds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=LOWER,UPPER",
        help="The range of a column; repeat for all of them.",
        rich_help_panel="What is public",
    ),
]
Columns = Annotated[str, _chart("The columns to analyse.", "A,B,C")]
ColumnsIfAny = Annotated[str | None, _chart("The columns to analyse.", "A,B,C", "--columns")]
Components = Annotated[int | None, _chart("How many components to show.", "NUMBER", "--components")]
Scale = Annotated[
    list[str] | None,
    _chart(
        "What one unit is worth in a column; repeat for all. private:0.1 measures them by their "
        "quartiles, with that share of the price.",
        "COLUMN=NUMBER",
    ),
]
Released = Annotated[
    Path | None, _chart("Components that are released already.", "FILE.json", "--pca")
]
Axes = Annotated[str, _chart("Which two components to show.", "1,2")]
Cells = Annotated[str | None, _chart("How many cells a side; 20,30 for both.", "CELLS", "--bins")]
Method = Annotated[
    Literal["haar", "additive", "sparse", "pyramid"],
    _chart("How cells are measured; the others are there to be compared with."),
]
Split = Annotated[
    str | None,
    _chart("Shares for directions, frame and histogram; or thirds, or halves.", "0.35,0.05,0.6"),
]


def pca(
    *,
    columns: Columns,
    n_components: Components = None,
    scale: Scale = None,
    bounds: Bounds = None,
) -> Asked:
    """Find the directions in which rows differ most, and draw how much."""
    from sfumato.charts.declaring import components_domain
    from sfumato.charts.pca import PCA

    chart = PCA(read_columns(columns), n_components, read_scale(scale or []))
    return Asked(chart, components_domain(read_bounds(bounds or [])))


def scoreplot(
    *,
    columns: ColumnsIfAny = None,
    pca: Released = None,
    axes: Axes = "1,2",
    bins: Cells = None,
    hue: Hue = None,
    method: Method = "haar",
    split: Split = None,
    scale: Scale = None,
    bounds: Bounds = None,
    hue_order: HueOrder = None,
) -> Asked:
    """Show where rows lie along two principal components, by groups."""
    from sfumato.charts.declaring import components_domain
    from sfumato.charts.scoreplot import Scoreplot
    from sfumato.releases.document import load

    order = read_order(hue_order, "--hue-order")
    chart = Scoreplot(
        None if pca is None else cast(Any, load(pca)),
        None if columns is None else read_columns(columns),
        cast(Any, read_resolution(axes)),
        None if bins is None else cast(Any, read_resolution(bins)),
        hue,
        order,
        method,
        split if split in (None, "halves", "thirds") else read_levels(split),
        read_scale(scale or []),
    )
    return Asked(chart, components_domain(read_bounds(bounds or []), hue, order))

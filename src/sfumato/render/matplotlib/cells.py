"""Cells shown by colour; those that noise alone could have made are struck through."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, QuadMesh

from sfumato.figure import Cells, Panel
from sfumato.render import theme
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.tones import tones
from sfumato.render.scale import Limits, strokes

_MOST_VECTOR_CELLS = 20_000


def draw_cells(ax: Axes, panel: Panel, cells: Cells, limits: Limits) -> QuadMesh:
    """Draw the grid and strike through its muted cells."""
    x, y = positions(panel.x, cells.x_edges), positions(panel.y, cells.y_edges)
    count = (len(x) - 1) * (len(y) - 1)
    mesh = ax.pcolormesh(
        x,
        y,
        cells.value,
        cmap=tones(ax).scale,
        vmin=limits[0],
        vmax=limits[1],
        rasterized=count > _MOST_VECTOR_CELLS,
        zorder=1,
    )
    lines = [[(x[c], y[r]), (x[c + 1], y[r + 1])] for r, c in strokes(cells)]
    hatch = LineCollection(
        lines,
        colors=theme.MUTED_STROKE,
        linewidths=theme.stroke_width(count),
        label="_muted",
        zorder=2,
    )
    ax.add_collection(hatch, autolim=False)
    return mesh

"""The figure an Axes belongs to."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from sfumato.errors import ReleaseError


def page(ax: Axes) -> Figure | SubFigure:
    """Return the figure or subfigure that `ax` was made in."""
    figure = ax.get_figure(root=False)
    if figure is None:
        raise ReleaseError(
            "These Axes belong to no figure any more. Nothing was charged: drawing is free. "
            "Make new ones: fig, ax = plt.subplots()."
        )
    return figure


def inches(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of `ax`."""
    box = ax.get_window_extent()
    dpi = page(ax).dpi
    return box.width / dpi, box.height / dpi

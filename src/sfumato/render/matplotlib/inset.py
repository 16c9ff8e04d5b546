"""Axes inside or beside other Axes, at a place that can be changed while drawing."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.transforms import Bbox, TransformedBbox

from sfumato.render.matplotlib.page import page


class Inset:
    """A child of `host`; its place is kept in fractions of the host, so that it moves with it."""

    def __init__(self, host: Axes) -> None:
        self.host = host
        self.bounds = Bbox.unit()
        self.axes = host.inset_axes((0, 0, 1, 1))
        self.axes.set_axes_locator(cast(Any, self))

    def __call__(self, ax: Axes, renderer: RendererBase | None) -> Bbox:  # noqa: ARG002
        """Return where the child stands, in fractions of the figure."""
        to_figure = self.host.transAxes - page(self.host).transSubfigure
        return TransformedBbox(self.bounds, to_figure).frozen()

    def place(self, box: Bbox) -> Bbox:
        """Move to a box given in pixels."""
        self.bounds = box.transformed(self.host.transAxes.inverted())
        self.axes.apply_aspect(self(self.axes, None))
        return box

"""A density shown by colour, over a picture if there is one."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from base64 import b64decode
from contextlib import suppress
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm
from matplotlib.image import imread

from sfumato.errors import ReleaseError
from sfumato.figure import Heat, Panel
from sfumato.render import theme
from sfumato.render.heat import EXPONENT, colours
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.tones import tones
from sfumato.render.scale import Limits

_MOST_VECTOR_LEAVES = 5_000


def draw_heat(ax: Axes, panel: Panel, heat: Heat, limits: Limits) -> ScalarMappable:
    """Draw the density, and return its colour scale."""
    x, y = positions(panel.x, heat.x), positions(panel.y, heat.y)
    place: dict[str, Any] = {"extent": (*x, *y), "aspect": "auto", "origin": "lower"}
    if heat.background:
        picture = _decoded(heat.background)
        # A picture's first row is its top, whichever way the axis runs.
        shown = picture if panel.y.reversed else picture[::-1]
        ax.imshow(shown, alpha=theme.BACKGROUND_OPACITY, zorder=0.5, label="_background", **place)
    shown = colours(heat, limits[1], night=tones(ax).night)
    ax.imshow(shown, interpolation="bilinear", zorder=1, label="_heat", **place)
    _draw_leaves(ax, panel, heat)
    if heat.ratio is not None:
        ax.set_aspect(heat.ratio * (x[1] - x[0]) / (y[1] - y[0]), adjustable="box")
        ax.set_anchor("NW")
    return ScalarMappable(PowerNorm(EXPONENT, *limits), tones(ax).scale)


def _draw_leaves(ax: Axes, panel: Panel, heat: Heat) -> None:
    sides = [
        [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]), (x[0], y[0])]
        for leaf in heat.leaves
        for x in [positions(panel.x, (leaf.left, leaf.right))]
        for y in [positions(panel.y, (leaf.low, leaf.high))]
    ]
    lines = LineCollection(
        sides,
        colors=tones(ax).soft_ink,
        alpha=theme.LEAF_OPACITY,
        linewidths=theme.LEAF_WIDTH,
        rasterized=len(sides) > _MOST_VECTOR_LEAVES,
        label="_leaves",
        zorder=2,
    )
    ax.add_collection(lines, autolim=False)


def _decoded(address: str) -> Any:
    kind, _, content = address.partition(";base64,")
    with suppress(Exception):  # a damaged picture can fail in as many ways as it has parts
        return imread(BytesIO(b64decode(content)), format=kind.removeprefix("data:image/"))
    raise ReleaseError(
        "The background picture is damaged, or too large. The density would be drawn over nothing. "
        "Save the picture again, or give it as an array."
    )

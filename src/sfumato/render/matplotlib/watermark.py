"""A warning written across a chart that is not private."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text

from sfumato.render import theme
from sfumato.render.matplotlib.lettering import LITERAL, measure, points, size_of
from sfumato.render.matplotlib.tones import tones
from sfumato.render.stamp import stamp
from sfumato.render.text import clean


def draw_watermark(ax: Axes, words: str) -> Text:
    """Write `words` across the middle of `ax`."""
    text = ax.text(
        0.5,
        0.5,
        clean(words),
        transform=ax.transAxes,
        ha="center",
        va="center",
        color=tones(ax).watermark,
        alpha=theme.WATERMARK_OPACITY,
        weight="bold",
        zorder=10,
        **LITERAL,
    )
    text.set_in_layout(False)
    return text


def fit_watermark(text: Text, renderer: RendererBase) -> None:
    """Turn and size a watermark so that it fills the Axes it is in."""
    if text.axes is None:
        return
    wide, size = measure(text, renderer), size_of(text) * points(renderer, 1)
    chosen = stamp(
        text.get_text(),
        width=text.axes.bbox.width,
        height=text.axes.bbox.height,
        measure=lambda words: wide(words) / size,
    )
    text.set(
        text="\n".join(chosen.lines),
        rotation=chosen.angle,
        fontsize=chosen.size / points(renderer, 1),
    )

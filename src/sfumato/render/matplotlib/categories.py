"""Names of categories on an axis, set again whenever the Axes change their size."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.ticker import Formatter

from sfumato.render.labels import LONGEST, LabelSetting, set_below, set_beside
from sfumato.render.matplotlib.lettering import LITERAL, points, ruler
from sfumato.render.matplotlib.steady import SLACK, Steady
from sfumato.render.text import shorten


class Names(Formatter):
    """Category 0, 1, 2, … by name, in lines and at a size that fit the Axes."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.setting = LabelSetting(tuple(shorten(name, LONGEST) for name in names), 0, 0)
        self.slot = Steady()

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the lines of one category's name."""
        place = round(x)
        inside = abs(x - place) < 1e-9 and 0 <= place < len(self.names)
        return self.setting.texts[place] if inside else ""


def fit_names(ax: Axes, renderer: RendererBase) -> None:
    """Set the category labels of both axes for the size `ax` has now."""
    box = ax.get_window_extent(renderer)
    point = points(renderer, 1)
    below, beside = ax.xaxis.get_major_formatter(), ax.yaxis.get_major_formatter()
    if isinstance(below, Names):
        slot = box.width / point / max(1, len(below.names))
        room = max(38.0, 0.3 * box.height / point)
        if below.slot.moved(slot):
            tight, measure = slot * (1 - SLACK), ruler(ax.xaxis, renderer)
            below.setting = set_below(below.names, slot=tight, room=room, measure=measure)
        _style(ax.get_xticklabels(), below.setting)
    if isinstance(beside, Names):
        slot = box.height / point / max(1, len(beside.names))
        room = max(50.0, 0.3 * box.width / point)
        beside.setting = set_beside(
            beside.names, slot=slot, room=room, measure=ruler(ax.yaxis, renderer)
        )
        _style(ax.get_yticklabels(), beside.setting, level="center", side="right")


def _style(
    labels: Sequence[Text], setting: LabelSetting, *, level: str = "top", side: str = "center"
) -> None:
    for label in labels:
        label.set(
            fontsize=setting.size,
            rotation=setting.angle,
            rotation_mode="anchor" if setting.angle else "default",
            horizontalalignment="right" if setting.angle else side,
            verticalalignment="center" if setting.angle == 90 else level,
            **LITERAL,
        )

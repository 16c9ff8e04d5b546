"""The colours of type and lines, which suit the paper they are drawn on."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgba

from sfumato.render import theme
from sfumato.render.matplotlib.page import page


@dataclass(frozen=True)
class Tones:
    """Paper, ink, lighter ink, and the lightest for lines behind everything."""

    paper: str
    ink: str
    soft_ink: str
    grid: str
    night: bool = False

    @property
    def scale(self) -> LinearSegmentedColormap:
        """The colours of numbers: little is hardly seen on this paper."""
        ramp = theme.RAMP[::-1] if self.night else theme.RAMP
        return LinearSegmentedColormap.from_list("sfumato", ramp)

    @property
    def watermark(self) -> str:
        """The colour of a warning across the paper."""
        return theme.mix(theme.WATERMARK, "#ffffff", 0.45) if self.night else theme.WATERMARK


DAY = Tones(theme.PAPER, theme.INK, theme.SOFT_INK, theme.GRID)


def tones(ax: Axes) -> Tones:
    """Return the tones for the paper `ax` lies on: our own by day, light ones on dark paper."""
    for surface in (page(ax), ax):
        red, green, blue, opacity = to_rgba(surface.get_facecolor())
        if opacity > 0.5:
            dark = 0.21 * red + 0.72 * green + 0.07 * blue < 0.4
            return _night(to_hex((red, green, blue))) if dark else DAY
    return DAY


def _night(paper: str) -> Tones:
    ink, soft_ink, grid = (theme.mix(paper, "#ffffff", share) for share in (0.92, 0.7, 0.2))
    return Tones(paper, ink, soft_ink, grid, night=True)

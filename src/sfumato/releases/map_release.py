"""`MapRelease`: a release whose picture can be smoothed, ruled and laid over another."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sfumato.figure import Figure
from sfumato.releases.release import Release, plain_text, write
from sfumato.releases.resolution import Smooth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sfumato.releases.background import Background


@dataclass(frozen=True, kw_only=True)
class MapRelease(Release):
    """What every map has: pictures with a filter, outlines and a background, and GeoJSON."""

    indent: ClassVar[int | None] = None
    endings: ClassVar[tuple[str, ...]] = (".geojson",)

    @abstractmethod
    def drawn(self, smooth: Smooth | None, leaves: bool, background: Background | None) -> Figure:
        """Describe the picture, over a background if there is one."""

    @abstractmethod
    def to_geojson(self) -> dict[str, Any]:
        """Return the map for use in any map tool."""

    def figure(self, *, smooth: Smooth | None = None, leaves: bool = False) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        smooth
            The standard deviation of a Gaussian filter in the units of the data, or a pair for x
            and y; 0 for no filter. If left out, 1.5 % of the window's side.
        leaves
            Draw the outlines of the squares that were measured.
        """
        return self.drawn(smooth, leaves, None)

    def plot(
        self,
        *,
        ax: Axes | None = None,
        smooth: Smooth | None = None,
        leaves: bool = False,
        background: Background | None = None,
    ) -> Axes:
        """Draw with Matplotlib, into `ax` if it is given, and return the Axes.

        Parameters
        ----------
        smooth, leaves
            As for `figure`.
        background
            A picture of the window, to draw the density over: the path of a PNG or JPEG file, or
            an array.
        """
        from sfumato.render import matplotlib

        return matplotlib.draw(self.drawn(smooth, leaves, background), ax=ax)

    def to_vega(
        self,
        *,
        smooth: Smooth | None = None,
        leaves: bool = False,
        background: Background | None = None,
    ) -> dict[str, Any]:
        """Return a Vega-Lite specification that can be panned and zoomed."""
        from sfumato.render import vega

        return vega.vega(self.drawn(smooth, leaves, background))

    def to_html(
        self,
        *,
        smooth: Smooth | None = None,
        leaves: bool = False,
        background: Background | None = None,
    ) -> str:
        """Return one self-contained page that needs no network and can be panned and zoomed."""
        from sfumato.render import html

        return html.html(self.drawn(smooth, leaves, background))

    def save(
        self,
        path: str | Path,
        *,
        smooth: Smooth | None = None,
        leaves: bool = False,
        background: Background | None = None,
    ) -> Path:
        """Write the release (``.json``), its leaves (``.geojson``) or a picture of it.

        Pictures end in ``.svg .png .pdf .html``. Only the JSON file can be loaded and drawn again.
        """
        path = Path(path)
        if path.suffix.lower() == ".geojson":
            write(path, plain_text(self.to_geojson(), indent=None))
            return path
        return self._save(path, partial(self.drawn, smooth, leaves, background))

"""Which picture of principal components is drawn: the scree plot, or the loadings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sfumato.errors import ReleaseError
from sfumato.figure import Figure
from sfumato.releases.release import Release

if TYPE_CHECKING:
    from matplotlib.axes import Axes

View = Literal["scree", "loadings"]


def known(view: View) -> View:
    """Return a view, or refuse one that there is not."""
    if view in ("scree", "loadings"):
        return view
    raise ReleaseError(
        "view must be 'scree' or 'loadings'.",
        "Both are drawn from numbers that are released already, and cost nothing.",
        "Write view='loadings'.",
    )


@dataclass(frozen=True, kw_only=True)
class PcaViews(Release):
    """The pictures of principal components."""

    @abstractmethod
    def drawn(self, view: View) -> Figure:
        """Describe one of the pictures as plain data."""

    def figure(self, *, view: View = "scree") -> Figure:
        """Describe a picture as plain data.

        Parameters
        ----------
        view
            ``"scree"`` shows the share of variance along each component, ``"loadings"`` what each
            column adds to the first components.
        """
        return self.drawn(known(view))

    def plot(self, *, ax: Axes | None = None, view: View = "scree") -> Axes:
        """Draw with Matplotlib, into `ax` if it is given, and return the Axes."""
        from sfumato.render import matplotlib

        return matplotlib.draw(self.figure(view=view), ax=ax)

    def screeplot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the share of variance along each component, and return the Axes."""
        return self.plot(ax=ax, view="scree")

    def loadings_plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw what each column adds to the first components, and return the Axes."""
        return self.plot(ax=ax, view="loadings")

    def to_vega(self, *, view: View = "scree") -> dict[str, Any]:
        """Return a Vega-Lite specification with the released numbers inside."""
        from sfumato.render import vega

        return vega.vega(self.figure(view=view))

    def to_html(self, *, view: View = "scree") -> str:
        """Return one self-contained page that needs no network."""
        from sfumato.render import html

        return html.html(self.figure(view=view))

    def save(self, path: str | Path, *, view: View = "scree") -> Path:
        """Write the release (``.json``), or a picture of a view (``.svg .png .pdf .html``).

        Only the JSON file can be loaded and drawn again.
        """
        return self._save(Path(path), partial(self.figure, view=view))

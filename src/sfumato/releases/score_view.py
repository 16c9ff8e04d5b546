"""What a picture of scores shows: groups apart or together, arrows, synthetic points."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import ReleaseError
from sfumato.figure import Figure
from sfumato.releases.release import Release

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 100_000
MOST_TOGETHER = 10
"""How many groups are laid over each other if nobody says."""


@dataclass(frozen=True)
class ScoreView:
    """How scores are drawn; nothing here costs anything.

    Parameters
    ----------
    panels
        A panel for each group, instead of all in one; if None, for more than ten.
    loadings
        How many columns have an arrow that shows how they add to both scores.
    points
        How many synthetic points are drawn.
    """

    panels: bool | None = None
    loadings: int = 0
    points: int = 0

    def __post_init__(self) -> None:
        if not _counted(self.points, MOST_POINTS):
            raise ReleaseError(
                f"points must be a whole number from 0 to {MOST_POINTS}.",
                "They are drawn from the released density, and more of them would only blur it.",
                "Write points=300.",
            )
        if not _counted(self.loadings, MOST_POINTS):
            raise ReleaseError(
                "loadings must be a whole number from 0 up.",
                "It says how many columns have an arrow, the longest first, and all are released "
                "already.",
                "Write loadings=5.",
            )

    def apart(self, groups: int) -> bool:
        """Tell whether so many groups have panels of their own; one alone always has."""
        return groups == 1 or (groups > MOST_TOGETHER if self.panels is None else self.panels)


@dataclass(frozen=True, kw_only=True)
class ScoreViews(Release):
    """The pictures of scores, each with the same choices."""

    @abstractmethod
    def drawn(self, view: ScoreView) -> Figure:
        """Describe the picture as plain data."""

    def figure(self, *, panels: bool | None = None, loadings: int = 0, points: int = 0) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        panels
            A panel for each group, instead of all in one; if left out, for more than ten.
        loadings
            Draw arrows for so many columns, those that weigh most in both components.
        points
            Draw so many synthetic points from the released density. None of them is anybody's.
        """
        return self.drawn(ScoreView(panels, loadings, points))

    def plot(
        self,
        *,
        ax: Axes | None = None,
        panels: bool | None = None,
        loadings: int = 0,
        points: int = 0,
    ) -> Axes:
        """Draw with Matplotlib, into `ax` if it is given, and return the Axes.

        The other choices are those of `figure`.
        """
        from sfumato.render import matplotlib

        return matplotlib.draw(self.drawn(ScoreView(panels, loadings, points)), ax=ax)

    def to_vega(
        self, *, panels: bool | None = None, loadings: int = 0, points: int = 0
    ) -> dict[str, Any]:
        """Return a Vega-Lite specification with the released numbers inside."""
        from sfumato.render import vega

        return vega.vega(self.drawn(ScoreView(panels, loadings, points)))

    def to_html(self, *, panels: bool | None = None, loadings: int = 0, points: int = 0) -> str:
        """Return one self-contained page that needs no network."""
        from sfumato.render import html

        return html.html(self.drawn(ScoreView(panels, loadings, points)))

    def save(
        self,
        path: str | Path,
        *,
        panels: bool | None = None,
        loadings: int = 0,
        points: int = 0,
    ) -> Path:
        """Write the release (``.json``), or a picture of it (``.svg .png .pdf .html``).

        Only the JSON file can be loaded and drawn again.
        """
        view = ScoreView(panels, loadings, points)
        return self._save(Path(path), partial(self.drawn, view))


def _counted(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most

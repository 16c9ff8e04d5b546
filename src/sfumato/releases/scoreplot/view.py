"""`ScoreView`: what a picture of scores shows."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import ReleaseError

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


def _counted(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most

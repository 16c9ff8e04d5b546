"""How synthetic points look, in every renderer alike."""

from __future__ import annotations

from sfumato.render import theme

OPACITY = 0.6


def dot_colour(index: int, ink: str = theme.INK) -> str:
    """Return the colour of a group's points, by its place in the legend."""
    return theme.mix(theme.series_colour(index), ink, 0.35)


def dot_size(count: int) -> float:
    """Return the diameter of points, in printer's points: many are drawn smaller.

    Examples
    --------
    >>> dot_size(300), dot_size(100_000)
    (2.5, 1.0)
    """
    return round(min(2.5, max(1.0, 2.5 * (600 / max(count, 1)) ** 0.25)), 2)

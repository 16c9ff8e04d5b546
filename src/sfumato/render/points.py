"""Where points stand that share a place with others, for every renderer alike."""

from __future__ import annotations

from itertools import pairwise

from sfumato.figure import Panel, Points

THICKEST = 6.0
_FILLED = 0.7


def abreast(panel: Panel) -> int:
    """Count the series of a panel."""
    return len(_series(panel))


def thickness(panel: Panel, point: float) -> float:
    """Return how thick an interval is drawn, in points, so that those of all series have room.

    Parameters
    ----------
    point
        What one point of the paper is worth on the y axis.
    """
    count = max(1, abreast(panel))
    places = sorted({place for mark in _series(panel) for place in mark.y})
    apart = min((b - a for a, b in pairwise(places)), default=1.0)
    # A curve is drawn where it lies: its series together are hardly thicker than one alone.
    curves = any(mark.joined for mark in _series(panel))
    thickest = THICKEST / count**0.8 if curves else THICKEST
    return max(0.8, min(thickest, _FILLED * apart / point / count))


def dot_size(thick: float) -> float:
    """Return the diameter of a point, in points, on an interval of this thickness."""
    return max(2.0, min(5.0, thick + 1))


def beside(panel: Panel, mark: Points, point: float) -> tuple[float, ...]:
    """Return the places of one series on the y axis, a little apart from those of the others.

    Points without intervals do not hide each other, and stand where they belong.
    """
    if not mark.coverage:
        return mark.y
    shift = _series(panel).index(mark) - (abreast(panel) - 1) / 2
    # The first series lies highest, as it stands first in the legend.
    return tuple(place - shift * 1.15 * thickness(panel, point) * point for place in mark.y)


def _series(panel: Panel) -> list[Points]:
    return [mark for mark in panel.marks if isinstance(mark, Points)]

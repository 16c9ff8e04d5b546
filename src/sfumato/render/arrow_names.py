"""Where the names of arrows stand: near their tips, within the panel, and apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.figure import Arrows, Estimates

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""The left, low, right and high end of a rectangle."""

GAP = 4.0
"""How far, in points, a name stands from the tip of its arrow and from the frame."""

_TURNS = (0, 20, -20, 40, -40, 65, -65, 90, -90, 120, -120, 150, -150, 180)  # degrees
_FARTHER = (1.0, 2.0, 3.5, 5.5)
_SHAFT = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)  # places along an arrow that names keep off
_BAR = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # and along a bar at its tip
_MARGIN = 1.0
_LEVEL = 1e-9


def place_names(
    origin: Point,
    tips: Sequence[Point],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    gap: float,
    *,
    away: Sequence[Point] = (),
) -> list[Point]:
    """Return the middle of each name.

    A name stands beyond the tip of its arrow. Where that is taken, it moves around the tip and
    away from it until it has a place for itself.

    Parameters
    ----------
    sizes
        The width and the height of each name.
    frame
        What all names must lie in.
    gap
        How far a name stands from its tip; all lengths are in one unit.
    away
        Points that names keep off, where they can, besides the arrows.

    Examples
    --------
    >>> place_names((0, 0), [(10, 0), (10, 1)], [(8, 4), (8, 4)], (-30, -30, 30, 30), 1)
    [(15.0, 0.0), (11.86, 6.3)]
    """
    shafts = [_interpolate(origin, other, part) for other in tips for part in _SHAFT]
    taken: list[Box] = []
    middles: list[Point] = []
    for tip, size in zip(tips, sizes, strict=True):
        options = _list_candidates(origin, tip, size, frame, gap)
        cost = {
            middle: rank + 40 * _count_overlaps(_box(middle, size), taken, [*shafts, *away])
            for rank, middle in reversed(list(enumerate(options)))
        }
        best = min(cost, key=lambda middle: cost[middle])
        taken.append(_box(best, size))
        middles.append((round(best[0], 2), round(best[1], 2)))
    return middles


def list_bar_points(arrows: Arrows) -> tuple[Point, ...]:
    """Return places along the bars at the tips of arrows, which names keep off.

    Examples
    --------
    >>> ends = Estimates((2.0,), (1.0,), (3.0,))
    >>> list_bar_points(Arrows((0, 0), ends, ends, ("age",), 0.95))[:3]
    ((1.0, 2.0), (1.4, 2.0), (1.8, 2.0))
    """
    if not arrows.coverage:
        return ()
    across = (_interpolate_bar(arrows.x, place) for place in range(len(arrows.label)))
    up = (_interpolate_bar(arrows.y, place) for place in range(len(arrows.label)))
    level = [(x, y) for xs, y in zip(across, arrows.y.value, strict=True) for x in xs]
    upright = [(x, y) for x, ys in zip(arrows.x.value, up, strict=True) for y in ys]
    return (*level, *upright)


def find_readable(
    middles: Sequence[Point], sizes: Sequence[tuple[float, float]], frame: Box
) -> list[bool]:
    """Tell which names can be read: those within the frame that no earlier one lies upon.

    Examples
    --------
    >>> find_readable([(0, 0), (3, 1), (9, 0)], [(8, 4)] * 3, (-30, -30, 30, 30))
    [True, False, True]
    """
    taken: list[Box] = []
    clear: list[bool] = []
    for middle, size in zip(middles, sizes, strict=True):
        box = _box(middle, size, margin=0.0)
        inside = frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2]
        clear.append(inside and box[3] <= frame[3] and not _count_overlaps(box, taken, ()))
        taken += [box] if clear[-1] else []
    return clear


def _interpolate_bar(ends: Estimates, place: int) -> list[float]:
    low, high = ends.low[place], ends.high[place]
    return [low + part * (high - low) for part in _BAR]


def _list_candidates(
    origin: Point, tip: Point, size: tuple[float, float], frame: Box, gap: float
) -> list[Point]:
    """Return middles that a name might have, the best first, all within the frame."""
    angle = math.atan2(tip[1] - origin[1], tip[0] - origin[0])
    middles: list[Point] = []
    for farther in _FARTHER:
        for turn in _TURNS:
            toward = angle + math.radians(turn)
            across, up = math.cos(toward), math.sin(toward)
            reach = gap * farther + _half(size, across, up)
            middles.append(
                _move_within((tip[0] + across * reach, tip[1] + up * reach), size, frame)
            )
    return middles


def _half(size: tuple[float, float], across: float, up: float) -> float:
    """Return how far it is from the middle of a name to its edge in a direction."""
    return min(size[0] / max(2 * abs(across), _LEVEL), size[1] / max(2 * abs(up), _LEVEL))


def _move_within(middle: Point, size: tuple[float, float], frame: Box) -> Point:
    left, low, right, high = frame
    x = min(max(middle[0], left + size[0] / 2), right - size[0] / 2)
    y = min(max(middle[1], low + size[1] / 2), high - size[1] / 2)
    return x, y


def _box(middle: Point, size: tuple[float, float], margin: float = _MARGIN) -> Box:
    across, up = size[0] / 2 + margin, size[1] / 2 + margin
    return middle[0] - across, middle[1] - up, middle[0] + across, middle[1] + up


def _interpolate(origin: Point, tip: Point, part: float) -> Point:
    return origin[0] + part * (tip[0] - origin[0]), origin[1] + part * (tip[1] - origin[1])


def _count_overlaps(box: Box, taken: Sequence[Box], shafts: Sequence[Point]) -> float:
    """Count what a name would cover: a name weighs more than a piece of an arrow."""
    left, low, right, high = box
    names = sum(
        left < other[2] and other[0] < right and low < other[3] and other[1] < high
        for other in taken
    )
    pieces = sum(left < x < right and low < y < high for x, y in shafts)
    return 10 * names + pieces

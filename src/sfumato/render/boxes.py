"""Where the parts of boxplots stand, for every renderer alike.

Sfumato: an edge is as soft as we are unsure of it. The fill of a box fades out from the inner to
the outer ends of the intervals around its quartiles, and so do the shades around its median and
its whiskers. A shade is a pile of translucent rectangles, one within the other; the outermost is
the interval, and where all of them lie the shade has its full colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sfumato.figure import Boxes, Estimates, Panel
from sfumato.render import theme
from sfumato.render.scale import value_limits

_CAP = 0.5
_END = 0.3
_FAINTEST = 0.3
_STEPS = 4, 12
_STEPS_PER_PANEL = 120
_STEPS_PER_AXIS = 150

Pair = tuple[float, float]


@dataclass(frozen=True)
class Part:
    """A rectangle, or a line, between two places along the categories and two values."""

    left: float
    right: float
    low: float
    high: float
    opacity: float = 1.0


@dataclass(frozen=True)
class Fineness:
    """How long the axis of values is, and of how many rectangles a shade may consist."""

    axis: float
    most: int

    @classmethod
    def of(cls, panel: Panel, boxes: Boxes) -> Fineness:
        """Draw coarser shades where many boxes are small anyway."""
        low, high = value_limits(panel, boxes)
        count = sum(len(mark.position) for mark in panel.marks if isinstance(mark, Boxes))
        fewest, most = _STEPS
        return cls(high - low, max(fewest, min(most, _STEPS_PER_PANEL // max(1, count))))

    def steps(self, length: float) -> int:
        """Return how many rectangles make a shade of this length look smooth."""
        return max(2, round(min(self.most, _STEPS_PER_AXIS * length / self.axis)))


def soft_boxes(boxes: Boxes, fineness: Fineness) -> list[Part]:
    """Return the fill of the boxes."""
    parts: list[Part] = []
    for place in _clear(boxes):
        q1, q3 = _edge(boxes.q1, place), _edge(boxes.q3, place)
        count = fineness.steps(max(q1[2] - q1[0], q3[2] - q3[0]))
        ends = (
            (_within(q1, 2 * step / (count - 1)), _within(q3, 2 - 2 * step / (count - 1)))
            for step in range(count)
        )
        parts += _pile(_sides(boxes, place, 1.0), ends, count, theme.BOX_OPACITY)
    return parts


def soft_medians(boxes: Boxes, fineness: Fineness) -> list[Part]:
    """Return the shades around the medians."""
    return _shades(boxes, boxes.median, fineness, 1.0, theme.MEDIAN_OPACITY)


def soft_ends(boxes: Boxes, fineness: Fineness) -> list[Part]:
    """Return the shades around the ends of the whiskers; the box covers what lies behind it."""
    below, above = boxes.lower_whisker, boxes.upper_whisker
    below = Estimates(below.value, below.low, tuple(map(min, below.high, boxes.q1.value)))
    above = Estimates(above.value, tuple(map(max, above.low, boxes.q3.value)), above.high)
    return [
        part
        for end in (below, above)
        for part in _shades(boxes, end, fineness, _END, theme.END_OPACITY)
    ]


def outlines(boxes: Boxes) -> list[Part]:
    """Return the boxes from first to third quartile."""
    return [
        Part(*_sides(boxes, place, 1.0), boxes.q1.value[place], boxes.q3.value[place])
        for place in _clear(boxes)
    ]


def medians(boxes: Boxes) -> list[Part]:
    """Return the lines across the boxes."""
    return _across(boxes, boxes.median, 1.0)


def caps(boxes: Boxes) -> list[Part]:
    """Return the lines across the ends of the whiskers."""
    return _across(boxes, boxes.lower_whisker, _CAP) + _across(boxes, boxes.upper_whisker, _CAP)


def whiskers(boxes: Boxes) -> list[Part]:
    """Return the lines from each box to the ends of its whiskers."""
    pairs = ((boxes.lower_whisker, boxes.q1), (boxes.q3, boxes.upper_whisker))
    return [
        Part(*_sides(boxes, place, 0.0), low.value[place], high.value[place])
        for low, high in pairs
        for place in _clear(boxes)
    ]


def spans(boxes: Boxes) -> list[Part]:
    """Return where a box would lie, as far as we know, for groups too small to draw one."""
    return [
        Part(*_sides(boxes, place, 1.0), boxes.q1.low[place], boxes.q3.high[place])
        for place, clear in enumerate(boxes.clear)
        if not clear
    ]


def span_sides(boxes: Boxes, limits: Pair) -> list[Part]:
    """Return the lines around the spans; one that goes on beyond the axis is open there."""
    lines: list[Part] = []
    for span in spans(boxes):
        lines += [Part(side, side, span.low, span.high) for side in (span.left, span.right)]
        ends = [end for end in (span.low, span.high) if limits[0] <= end <= limits[1]]
        lines += [Part(span.left, span.right, end, end) for end in ends]
    return lines


def reaches(boxes: Boxes) -> list[Part]:
    """Return all that is drawn for each group, to be pointed at."""
    lowest, highest = boxes.lower_whisker, boxes.upper_whisker
    return [
        Part(
            *_sides(boxes, place, 1.0),
            min(lowest.low[place], lowest.value[place]),
            max(highest.high[place], highest.value[place]),
        )
        for place in range(len(boxes.position))
    ]


def spacing(panel: Panel) -> float:
    """Return how far apart the nearest two boxes of a panel stand, in categories."""
    marks = [mark for mark in panel.marks if isinstance(mark, Boxes)]
    places = sorted(place for boxes in marks for place in boxes.position)
    return min((b - a for a, b in pairwise(places)), default=1.0)


def _clear(boxes: Boxes) -> Iterator[int]:
    return (place for place, clear in enumerate(boxes.clear) if clear)


def _sides(boxes: Boxes, place: int, share: float) -> Pair:
    half = share * boxes.width / 2
    return boxes.position[place] - half, boxes.position[place] + half


def _across(boxes: Boxes, edge: Estimates, share: float) -> list[Part]:
    return [
        Part(*_sides(boxes, place, share), edge.value[place], edge.value[place])
        for place in _clear(boxes)
    ]


def _edge(edge: Estimates, place: int) -> tuple[float, float, float]:
    return edge.low[place], edge.value[place], edge.high[place]


def _within(edge: tuple[float, float, float], share: float) -> float:
    """Return a place in an interval: 0 is its low end, 1 the value itself, 2 its high end."""
    low, value, high = edge
    return low + (value - low) * share if share < 1 else value + (high - value) * (share - 1)


def _shades(
    boxes: Boxes, edge: Estimates, fineness: Fineness, width: float, opacity: float
) -> list[Part]:
    parts: list[Part] = []
    for place in _clear(boxes):
        low, value, high = _edge(edge, place)
        count = fineness.steps(high - low)
        shares = (1 - step / count for step in range(count))
        ends = ((value + (low - value) * s, value + (high - value) * s) for s in shares)
        parts += _pile(_sides(boxes, place, width), ends, count, opacity)
    return parts


def _pile(sides: Pair, ends: Iterable[Pair], count: int, full: float) -> Iterator[Part]:
    """Lay rectangles upon each other; the deeper ones are seen through those above."""
    below = 0.0
    for step, (low, high) in enumerate(ends):
        seen = full * (_FAINTEST + (1 - _FAINTEST) * step / (count - 1))
        if low < high:
            yield Part(*sides, low, high, opacity=1 - (1 - seen) / (1 - below))
            below = seen

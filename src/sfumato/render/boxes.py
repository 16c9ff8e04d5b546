"""Where the parts of boxplots stand, and how many outliers there are, for every renderer alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sfumato.figure import Boxes, Estimates, Panel
from sfumato.render import theme
from sfumato.render.scale import value_limits
from sfumato.render.text import Measure, format_number, width
from sfumato.render.theme import CAPTION_SIZE, LINE_HEIGHT

TOO_FEW = "too few data"
GAP = 3.0
"""Between what is drawn and the number beyond it, in points."""

ROOM = 0.2
"""How much of the axis of values a number may take, beyond its whisker."""

_SMALLEST = 5.5
_MARGIN = 0.04
_LENGTHS = {True: 200.0, False: 300.0}  # points of an upright and of a level axis
_APART = 2.0  # points, between counts of neighbouring boxes
Side = Literal["below", "above"]


@dataclass(frozen=True)
class OutlierCount:
    """About how many outliers there are, and beyond which end of which box."""

    position: float
    anchor: float
    side: Side
    number: float


@dataclass(frozen=True)
class TextSetting:
    """Texts that all fit: none, if there is no room for the longest."""

    texts: tuple[str, ...]
    angle: int
    size: float


def list_counts(boxes: Boxes) -> list[OutlierCount]:
    """Return the counts to write: those that are certainly not zero."""
    found: list[OutlierCount] = []
    for place, reliable in enumerate(boxes.reliable):
        below, above = boxes.outliers_below, boxes.outliers_above
        low = min(boxes.lower_whisker.value[place], boxes.lower_whisker.low[place])
        high = max(boxes.upper_whisker.value[place], boxes.upper_whisker.high[place])
        ends: tuple[tuple[Side, float], ...] = (("below", low), ("above", high))
        for (side, anchor), outliers in zip(ends, (below, above), strict=True):
            doubt = (outliers.high[place] - outliers.low[place]) / 2
            number = round_to_noise(outliers.value[place], doubt)
            if reliable and outliers.low[place] > 0 and number > 0:
                found.append(OutlierCount(boxes.position[place], anchor, side, number))
    return found


def set_counts(
    numbers: Sequence[OutlierCount],
    *,
    across: float,
    beyond: float,
    upright: bool,
    measure: Measure,
) -> TextSetting:
    """Choose the longest way of writing that has room for every count.

    Parameters
    ----------
    across
        The room between two boxes, in points.
    beyond
        The room beyond the whiskers, in points.
    upright
        Whether boxes stand upright, so that level text runs across them.
    measure
        The width of a text of size 1, in points.
    """
    level, turned = (across - _APART, beyond) if upright else (beyond, across)
    for write in (_format_words, _format_full, _format_short):
        texts = tuple(map(write, numbers))
        widest = max(map(measure, texts), default=0.0)
        size = _size(level / max(widest, 1e-9), turned / LINE_HEIGHT)
        if size >= (CAPTION_SIZE if write is not _format_short else _SMALLEST):
            return TextSetting(texts, 0, size)
    return _set_turned(numbers, across, beyond if upright else 0.0, measure)


def set_too_few(
    count: int, *, across: float, along: float, upright: bool, measure: Measure
) -> TextSetting:
    """Set the words that stand in place of a box.

    Parameters
    ----------
    across, along
        The room between two boxes, and that from one end of the axis to the other, in points.
    """
    level, turned = (across, along) if upright else (along, across)
    words = (TOO_FEW,) * count
    wide = measure(TOO_FEW)
    if (size := _size(level / wide, turned / LINE_HEIGHT)) >= CAPTION_SIZE:
        return TextSetting(words, 0, size)
    if upright and (size := _size(along / wide, across / LINE_HEIGHT)) >= _SMALLEST:
        return TextSetting(words, 90, size)
    return TextSetting((), 0, CAPTION_SIZE)


def measure_along(text: str, setting: TextSetting, *, upright: bool, measure: Measure) -> float:
    """Return how much of the axis of values a text takes, in points.

    Parameters
    ----------
    measure
        The width of a text of size 1, in points.
    """
    level = upright and not setting.angle
    return setting.size * (LINE_HEIGHT if level else measure(text))


def margin(numbers: Sequence[OutlierCount], side: Side, *, upright: bool, many: bool) -> float:
    """Return which part of a usual axis to leave free beyond the whiskers on one side.

    Parameters
    ----------
    many
        Whether there are so many boxes that counts are written short, and turned above them.
    """
    write = _format_short if many else _format_words
    texts = [write(count) for count in numbers if count.side == side]
    if not texts:
        return _MARGIN
    lines = upright and not many
    length = CAPTION_SIZE * (LINE_HEIGHT if lines else max(map(width, texts))) + 3 * GAP
    return min(ROOM, length / _LENGTHS[upright])


def move_inside(anchor: float, extent: float, limits: tuple[float, float], side: Side) -> float:
    """Move an anchor so far into the axis that a text which takes `extent` of it is not cut."""
    low, high = limits
    if side == "above":
        return max(low, min(anchor, high - extent))
    return min(high, max(anchor, low + extent))


def place_between(span: tuple[float, float], extent: float, limits: tuple[float, float]) -> float:
    """Return the middle of what is seen of a span, or the nearest place where a text is not cut.

    Examples
    --------
    >>> [place_between(ends, 10, (0, 50)) for ends in ((20, 60), (48, 48), (0, 2))]
    [35.0, 45.0, 5.0]
    """
    low, high = limits
    half = min(extent, high - low) / 2
    middle = sum(min(high, max(low, end)) for end in span) / 2
    return max(low + half, min(middle, high - half))


def round_to_noise(value: float, doubt: float) -> float:
    """Round a count to the digit that noise lets us know.

    Examples
    --------
    >>> round_to_noise(1234.5, doubt=40), round_to_noise(7.3, doubt=2)
    (1230, 7)
    """
    digits = max(0, math.floor(math.log10(max(doubt, 1.0))))
    return round(value / 10**digits) * 10**digits


def format_compact(value: float) -> str:
    """Write a count in as few letters as it takes.

    Examples
    --------
    >>> format_compact(960), format_compact(12_340), format_compact(1_200_000)
    ('960', '12k', '1.2M')
    """
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            scaled = value / unit
            return (
                f"{scaled:.1f}".removesuffix(".0") + letter
                if scaled < 10
                else f"{scaled:.0f}{letter}"
            )
    return f"{value:.0f}"


def _format_words(count: OutlierCount) -> str:
    return f"≈ {format_number(count.number)} {count.side}"


def _format_full(count: OutlierCount) -> str:
    return f"≈ {format_number(count.number)}"


def _format_short(count: OutlierCount) -> str:
    return f"≈{format_compact(count.number)}"


def _set_turned(
    numbers: Sequence[OutlierCount], across: float, beyond: float, measure: Measure
) -> TextSetting:
    texts = tuple(map(_format_short, numbers))
    widest = max(map(measure, texts), default=0.0)
    size = _size(across / LINE_HEIGHT, beyond / max(widest, 1e-9))
    return TextSetting(texts, 90, size) if size >= _SMALLEST else TextSetting((), 0, CAPTION_SIZE)


def _size(*rooms: float) -> float:
    return min(CAPTION_SIZE, *rooms)


_CAP = 0.5
_END = 0.3
_FAINTEST = 0.3
_STEPS = 4, 12
_STEPS_PER_PANEL = 120
_STEPS_PER_AXIS = 150

Pair = tuple[float, float]


@dataclass(frozen=True)
class BoxPart:
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


def shade_boxes(boxes: Boxes, fineness: Fineness) -> list[BoxPart]:
    """Return the fill of the boxes."""
    parts: list[BoxPart] = []
    for place in _list_reliable(boxes):
        q1, q3 = _edge(boxes.q1, place), _edge(boxes.q3, place)
        count = fineness.steps(max(q1[2] - q1[0], q3[2] - q3[0]))
        ends = (
            (
                _interpolate_interval(q1, 2 * step / (count - 1)),
                _interpolate_interval(q3, 2 - 2 * step / (count - 1)),
            )
            for step in range(count)
        )
        parts += _stack_rectangles(_sides(boxes, place, 1.0), ends, count, theme.BOX_OPACITY)
    return parts


def shade_medians(boxes: Boxes, fineness: Fineness) -> list[BoxPart]:
    """Return the shades around the medians."""
    return _make_shades(boxes, boxes.median, fineness, 1.0, theme.MEDIAN_OPACITY)


def shade_whisker_ends(boxes: Boxes, fineness: Fineness) -> list[BoxPart]:
    """Return the shades around the ends of the whiskers; the box covers what lies behind it."""
    below, above = boxes.lower_whisker, boxes.upper_whisker
    below = Estimates(below.value, below.low, tuple(map(min, below.high, boxes.q1.value)))
    above = Estimates(above.value, tuple(map(max, above.low, boxes.q3.value)), above.high)
    return [
        part
        for end in (below, above)
        for part in _make_shades(boxes, end, fineness, _END, theme.END_OPACITY)
    ]


def outlines(boxes: Boxes) -> list[BoxPart]:
    """Return the boxes from first to third quartile."""
    return [
        BoxPart(*_sides(boxes, place, 1.0), boxes.q1.value[place], boxes.q3.value[place])
        for place in _list_reliable(boxes)
    ]


def medians(boxes: Boxes) -> list[BoxPart]:
    """Return the lines across the boxes."""
    return _draw_across(boxes, boxes.median, 1.0)


def caps(boxes: Boxes) -> list[BoxPart]:
    """Return the lines across the ends of the whiskers."""
    return _draw_across(boxes, boxes.lower_whisker, _CAP) + _draw_across(
        boxes, boxes.upper_whisker, _CAP
    )


def whiskers(boxes: Boxes) -> list[BoxPart]:
    """Return the lines from each box to the ends of its whiskers."""
    pairs = ((boxes.lower_whisker, boxes.q1), (boxes.q3, boxes.upper_whisker))
    return [
        BoxPart(*_sides(boxes, place, 0.0), low.value[place], high.value[place])
        for low, high in pairs
        for place in _list_reliable(boxes)
    ]


def spans(boxes: Boxes) -> list[BoxPart]:
    """Return where a box would lie, as far as we know, for groups too small to draw one."""
    return [
        BoxPart(*_sides(boxes, place, 1.0), boxes.q1.low[place], boxes.q3.high[place])
        for place, reliable in enumerate(boxes.reliable)
        if not reliable
    ]


def span_sides(boxes: Boxes, limits: Pair) -> list[BoxPart]:
    """Return the lines around the spans; one that goes on beyond the axis is open there."""
    lines: list[BoxPart] = []
    for span in spans(boxes):
        lines += [BoxPart(side, side, span.low, span.high) for side in (span.left, span.right)]
        ends = [end for end in (span.low, span.high) if limits[0] <= end <= limits[1]]
        lines += [BoxPart(span.left, span.right, end, end) for end in ends]
    return lines


def reaches(boxes: Boxes) -> list[BoxPart]:
    """Return all that is drawn for each group, to be pointed at."""
    lowest, highest = boxes.lower_whisker, boxes.upper_whisker
    return [
        BoxPart(
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


def _list_reliable(boxes: Boxes) -> Iterator[int]:
    return (place for place, reliable in enumerate(boxes.reliable) if reliable)


def _sides(boxes: Boxes, place: int, share: float) -> Pair:
    half = share * boxes.width / 2
    return boxes.position[place] - half, boxes.position[place] + half


def _draw_across(boxes: Boxes, edge: Estimates, share: float) -> list[BoxPart]:
    return [
        BoxPart(*_sides(boxes, place, share), edge.value[place], edge.value[place])
        for place in _list_reliable(boxes)
    ]


def _edge(edge: Estimates, place: int) -> tuple[float, float, float]:
    return edge.low[place], edge.value[place], edge.high[place]


def _interpolate_interval(edge: tuple[float, float, float], share: float) -> float:
    """Return a place in an interval: 0 is its low end, 1 the value itself, 2 its high end."""
    low, value, high = edge
    return low + (value - low) * share if share < 1 else value + (high - value) * (share - 1)


def _make_shades(
    boxes: Boxes, edge: Estimates, fineness: Fineness, width: float, opacity: float
) -> list[BoxPart]:
    parts: list[BoxPart] = []
    for place in _list_reliable(boxes):
        low, value, high = _edge(edge, place)
        count = fineness.steps(high - low)
        shares = (1 - step / count for step in range(count))
        ends = ((value + (low - value) * s, value + (high - value) * s) for s in shares)
        parts += _stack_rectangles(_sides(boxes, place, width), ends, count, opacity)
    return parts


def _stack_rectangles(
    sides: Pair, ends: Iterable[Pair], count: int, full: float
) -> Iterator[BoxPart]:
    """Lay rectangles upon each other; the deeper ones are seen through those above."""
    below = 0.0
    for step, (low, high) in enumerate(ends):
        seen = full * (_FAINTEST + (1 - _FAINTEST) * step / (count - 1))
        if low < high:
            yield BoxPart(*sides, low, high, opacity=1 - (1 - seen) / (1 - below))
            below = seen

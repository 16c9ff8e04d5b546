"""Corners of curves, violins and nested boxes, and colours of signed numbers and regions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sfumato.figure import Axis, Curve, Estimates, LetterValues, Matrix, Regions, Summaries, Violins
from sfumato.render import theme

Corner = tuple[float, float]

MUTED = "#8c8c86"
"""The colour of a line that noise alone could have made."""

MUTED_FILL = "#d4d4cf"
"""The colour of an area that noise alone could have made."""

BAND_OPACITY = 0.22
VIOLIN_OPACITY = 0.55
_COLD, _WARM, _MIDDLE = "#0a5b94", "#b8480a", "#f7f6f2"
_MOST_READ = 200


@dataclass(frozen=True)
class Strand:
    """A part of a curve that is grey throughout, or not at all, with the band around it."""

    muted: bool
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


_ALONE = 0.2  # of the way to the next value, to either side
_CurveCorner = tuple[float, float, float, float, bool]


def list_strands(curve: Curve, floor: float = -math.inf) -> list[Strand]:
    """Return a curve in parts, none of it below a floor; neighbours share a corner.

    A line between two values is grey where one of them is. The upright line between two steps
    belongs to the taller one, so that a significant peak is drawn as one beside grey neighbours.

    Examples
    --------
    >>> sure = Estimates((1.0, 2.0, 3.0), (0.0, 1.0, 2.0), (2.0, 3.0, 4.0))
    >>> curve = Curve((0.0, 1.0, 2.0), sure, (True, False, False), 0.95)
    >>> [(strand.muted, strand.x) for strand in list_strands(curve)]
    [(True, (0.0, 1.0)), (False, (1.0, 2.0))]
    """
    corners, each = list(_list_corners(curve, floor)), 2 if curve.steps else 1
    ends = [0, *(each * place for place in curve.breaks), len(corners)]
    runs = (corners[start:stop] for start, stop in pairwise(ends))
    side = _ALONE * min((b - a for a, b in pairwise(curve.x)), default=0.0)
    return [strand for run in runs for strand in _split(_widen(run, side), curve.steps)]


def list_runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Return where runs of neighbouring places begin and end, of places that rise.

    Examples
    --------
    >>> list_runs([0, 1, 3, 4, 5])
    [(0, 2), (2, 5)]
    """
    broken = (i for i in range(1, len(places)) if places[i] != places[i - 1] + 1)
    return list(pairwise([0, *broken, len(places)]))


def _widen(run: Sequence[_CurveCorner], side: float) -> Sequence[_CurveCorner]:
    """Give a value that stands alone some width, or its band would be a line of none."""
    if len(run) != 1 or not side:
        return run
    ((x, *told),) = run
    return [(x - side, *told), (x + side, *told)]  # pyright: ignore[reportReturnType]


def _split(corners: Sequence[_CurveCorner], steps: bool) -> list[Strand]:
    if len(corners) < 2:
        return [_gather(corners, corners[0][4])] if corners else []
    flags = [_is_muted(*pair, steps) for pair in pairwise(corners)]
    starts = [0, *(i for i in range(1, len(flags)) if flags[i] != flags[i - 1]), len(flags)]
    return [_gather(corners[a : b + 1], flags[a]) for a, b in pairwise(starts)]


def _is_muted(one: _CurveCorner, other: _CurveCorner, steps: bool) -> bool:
    """Tell whether the line between two corners is grey."""
    if steps:
        return max(one, other, key=lambda corner: corner[1])[4]
    return one[4] or other[4]


def _list_corners(curve: Curve, floor: float) -> Iterator[_CurveCorner]:
    for place, ((left, right), value) in enumerate(zip(curve.spans, curve.y.value, strict=True)):
        ends = curve.y.low[place], curve.y.high[place]
        up = (max(value, floor), max(ends[0], floor), max(ends[1], floor), curve.muted[place])
        yield (left, *up)
        if curve.steps:
            yield (right, *up)


def _gather(corners: Sequence[_CurveCorner], muted: bool) -> Strand:
    x, y, low, high, _ = zip(*corners, strict=True)
    return Strand(muted, x, y, low, high)


def find_middles(curve: Curve) -> tuple[float, ...]:
    """Return where each value of a curve stands: mid-step, where it has steps."""
    return tuple((left + right) / 2 for left, right in curve.spans)


def choose_read(curve: Curve) -> list[int]:
    """Return which values of a curve are read aloud: all, or evenly spread ones of very many."""
    count = len(curve.y.value)
    every = max(1, math.ceil(count / _MOST_READ))
    return list(range(0, count, every))


def has_band(curve: Curve) -> bool:
    """Tell whether a curve has a band around it."""
    return bool(curve.coverage) and curve.y.low != curve.y.high


def is_reliable(mark: Violins | LetterValues | Summaries, place: int) -> bool:
    """Tell whether a group is drawn: words stand for one that is too small."""
    return mark.reliable[place]


@dataclass(frozen=True)
class Lobe:
    """A part of a violin that is grey throughout, or not at all."""

    muted: bool
    group: int
    corners: tuple[Corner, ...]


def list_lobes(violins: Violins) -> list[Lobe]:
    """Return the parts of all violins that are drawn: corners of place and value."""
    shown = [group for group in range(len(violins.position)) if is_reliable(violins, group)]
    return [lobe for group in shown for lobe in _list_group_lobes(violins, group)]


def _list_group_lobes(violins: Violins, group: int) -> Iterator[Lobe]:
    density = Estimates(violins.density[group], violins.density[group], violins.density[group])
    curve = Curve(violins.at, density, violins.muted[group], 0.0)
    middle, half = violins.position[group], violins.width / 2
    for strand in list_strands(curve, 0.0):
        sides = list(zip(strand.x, strand.y, strict=True))
        right = [(middle + half * wide, at) for at, wide in sides]
        left = [(middle - half * wide, at) for at, wide in reversed(sides)]
        if any(strand.y):
            yield Lobe(strand.muted, group, (*right, *left))


@dataclass(frozen=True)
class Nest:
    """One of the nested boxes of a group, by its ends; the innermost has depth 0."""

    group: int
    depth: int
    left: float
    right: float
    low: float
    high: float


def list_nests(letters: LetterValues) -> list[Nest]:
    """Return the boxes that are drawn, the outermost first: each half as deep is narrower."""
    return [
        _make_nest(letters, group, depth)
        for group in range(len(letters.position))
        if is_reliable(letters, group)
        for depth in reversed(range(min(letters.depth[group], len(letters.low))))
    ]


def _make_nest(letters: LetterValues, group: int, depth: int) -> Nest:
    middle = letters.position[group]
    half = letters.width / 2 * (1 - depth / (max(letters.depth[group], 1) + 1))
    ends = letters.low[depth].value[group], letters.high[depth].value[group]
    return Nest(group, depth, middle - half, middle + half, min(ends), max(ends))


def nest_colour(colour: str, depth: int, paper: str = theme.PAPER) -> str:
    """Return the fill of a nested box: lighter the further out it lies."""
    return theme.mix(colour, paper, min(0.85, 0.3 + 0.11 * depth))


def signed_colour(value: float, muted: bool) -> str:
    """Return the colour of a number between -1 and 1; grey where noise could have made it.

    Examples
    --------
    >>> signed_colour(1.0, False), signed_colour(-1.0, False), signed_colour(0.0, False)
    ('#b8480a', '#0a5b94', '#f7f6f2')
    """
    share = min(1.0, abs(value)) if math.isfinite(value) else 0.0
    colour = theme.mix(_MIDDLE, _WARM if value > 0 else _COLD, share)
    return _make_grey(colour) if muted else colour


def letter_colour(fill: str) -> str:
    """Return the colour of figures on a fill that keeps them legible."""
    return max((theme.INK, theme.PAPER), key=lambda ink: theme.contrast(ink, fill))


def _make_grey(colour: str) -> str:
    red, green, blue = theme.channels(colour)
    light = round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return theme.mix(f"#{light:02x}{light:02x}{light:02x}", MUTED_FILL, 0.5)


def list_matrix_cells(mark: Matrix) -> list[tuple[int, int, float, bool]]:
    """Return row, column, number and doubt of every cell that is shown."""
    return [
        (row, column, value, mark.muted[row][column])
        for row, values in enumerate(mark.value)
        for column, value in enumerate(values)
        if mark.shown[row][column]
    ]


def region_limits(regions: Sequence[Regions]) -> tuple[float, float]:
    """Return the ends of the colour scale: from zero, unless all numbers lie far above it.

    Regions with too few data to be told have no colour.
    """
    told = [
        value
        for each in regions
        for value, kept in zip(
            each.value.value, each.reliable or (True,) * len(each.name), strict=True
        )
        if kept
    ]
    values = [value for value in told if math.isfinite(value)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    low = 0.0 if 0 <= low < high / 2 else low
    if low < high:
        return low, high
    half = max(0.5, abs(low) / 2)  # which is not lost beside a large number
    return low - half, low + half


def region_colour(value: float, limits: tuple[float, float], ramp: Sequence[str]) -> str:
    """Return the colour of a number on the scale."""
    colours = theme.choose_ramp(ramp)
    share = min(1.0, max(0.0, (value - limits[0]) / (limits[1] - limits[0])))
    place = min(int(share * (len(colours) - 1)), len(colours) - 2)
    return theme.mix(colours[place], colours[place + 1], share * (len(colours) - 1) - place)


def find_value_axis(axes: tuple[Axis, Axis], orient: str) -> tuple[Axis, Axis]:
    """Return the axis that marks stand along, and that of their values."""
    return axes if orient == "v" else (axes[1], axes[0])


def find_floor(axis: Axis) -> float:
    """Return the least value an axis can show."""
    return axis.limits[0] if axis.log and axis.limits else -math.inf

"""The fence boxplot after its noise: what released quartiles and counts say about the box."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.postprocess.box_counts import BoxCounts, Tail, TailPosterior, compute_tail_posterior
from sfumato.postprocess.misplaced import is_well_placed
from sfumato.postprocess.noise_law import CountNoise
from sfumato.postprocess.rank_error import RankError


@dataclass(frozen=True)
class Box:
    """The seven numbers a boxplot draws, from the lowest outlier to the highest.

    Parameters
    ----------
    outliers_below, outliers_above
        How many lie beyond the whiskers, in rows or people.
    lower_whisker, q1, median, q3, upper_whisker
        Values in the units of the column, rising.
    """

    outliers_below: float
    lower_whisker: float
    q1: float
    median: float
    q3: float
    upper_whisker: float
    outliers_above: float


@dataclass(frozen=True)
class Summary:
    """A released box with the ends of its intervals.

    Parameters
    ----------
    box
        What is drawn.
    low, high
        The ends of an interval around each of the seven numbers, each for itself.
    size
        The noisy number of units in the group.
    reliable
        False where the group is too small for its box to be reliable.
    """

    box: Box
    low: Box
    high: Box
    size: float
    reliable: bool


SIZE_SHARE = 0.01
"""Of the budget, on the number of units: it decides only how many bins there are."""

QUARTILE_SHARE = 0.70
"""Of the budget, on the quartiles. They carry the box and, where there are outliers, the whiskers.
More would hardly help: the error then nears the distance between neighbouring values."""

COUNT_SHARE = 0.29
"""Of the budget, on the histogram. All bins share it, as a unit lies in one of them."""

LEVEL = 0.95

_FARTHEST = 0.25  # of the box: noisy counts move no quartile farther, however few units lie around

# Of a whisker: wider than LEVEL, as the shape of a tail is a guess, and by a part of a bin, as
# the ends of curves are tried on a grid.
_QUANTILES = 0.5, 0.01, 0.99
_MARGINS = 0.0, -0.1, 0.1


@dataclass(frozen=True)
class IntervalEstimate:
    """A number, and the ends of an interval around it."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, low: float, high: float) -> IntervalEstimate:
        """Return an interval that holds its own number."""
        return cls(value, min(low, value), max(high, value))

    def seen(self, side: int) -> IntervalEstimate:
        """Return the same on an axis that points up (+1) or down (-1)."""
        return self if side > 0 else IntervalEstimate(-self.value, -self.high, -self.low)


def decode_box(
    counted: BoxCounts, *, epsilon: float, size: float, size_noise: CountNoise
) -> Summary:
    """Return the box that the counts tell of, in cells, and an interval around each number.

    Parameters
    ----------
    counted
        The released histogram around the released quartiles.
    epsilon
        What the quartiles cost for each unit of `counts`.
    size, size_noise
        A noisy number of units, and its noise.
    """
    reliable = is_well_placed(counted, epsilon, size, size_noise)
    quartiles = _quartiles(counted, RankError(epsilon))
    lower, below = _estimate_whisker(counted, quartiles, -1)
    upper, above = _estimate_whisker(counted, quartiles, +1)
    places = [lower, *quartiles, upper]
    units = _size(counted, size, size_noise)
    if not reliable:  # the quartiles may lie anywhere, and up to a quarter of the units beyond each
        places = [IntervalEstimate(place.value, 0.0, counted.cells - 1.0) for place in places]
        below, above = (
            IntervalEstimate.of(count.value, 0.0, units.high / 4) for count in (below, above)
        )
    numbers = [below, *places, above]
    return Summary(
        box=Box(*(number.value for number in numbers)),
        low=Box(*(number.low for number in numbers)),
        high=Box(*(number.high for number in numbers)),
        size=units.value,
        reliable=reliable,
    )


def _quartiles(counted: BoxCounts, error: RankError) -> list[IntervalEstimate]:
    quartile = _widen_for_spacing(error.quartile_radius(LEVEL), error.quartile_mean)
    median = _widen_for_spacing(error.median_radius(LEVEL), error.median_mean)
    moves: list[float] = (-counted.estimate_surplus(error.epsilon)).tolist()
    levels = list(zip(range(3), moves, (quartile, median, quartile), strict=True))
    most = _FARTHEST * (counted.quartiles[2] - counted.quartiles[0])
    rows = (
        (
            round(min(max(counted.place(level, move), cell - most), cell + most))
            for (level, move, _), cell in zip(levels, counted.quartiles, strict=True)
        ),
        (math.floor(counted.place(level, move - far, far)) for level, move, far in levels),
        (math.ceil(counted.place(level, move + far, far)) for level, move, far in levels),
    )
    last = counted.cells - 1
    values, lows, highs = (sorted(min(max(cell, 0), last) for cell in row) for row in rows)
    return [IntervalEstimate.of(*ends) for ends in zip(values, lows, highs, strict=True)]


def _widen_for_spacing(radius: float, mean: float) -> float:
    """Widen a distance in ranks for the uneven spacing of the values passed on the way."""
    return math.sqrt(radius**2 + 4 * (1 + 2 * mean))


def _estimate_whisker(
    counted: BoxCounts, quartiles: list[IntervalEstimate], side: int
) -> tuple[IntervalEstimate, IntervalEstimate]:
    """Return where the whisker below (-1) or above (+1) ends, and how many outliers lie beyond.

    Seen outward, the end is the largest value or the fence, whichever comes first.
    """
    tail = counted.tail(side)
    found = compute_tail_posterior(tail, counted.noise)
    near, opposite = (quartiles[1 + way * side].seen(side) for way in (1, -1))
    bound = counted.cells - 1 if side > 0 else 0
    fence = _fence(near, opposite, counted.whis, bound)
    cell = side * counted.quartiles[1 + side]
    limits = fence.value, fence.low, fence.high
    value, low, high = (
        min(_cell(cell + found.quantile(level) + margin * tail.width), limit)
        for level, margin, limit in zip(_QUANTILES, _MARGINS, limits, strict=True)
    )
    outliers = _outliers(tail, found, counted.noise, (fence.high - fence.low) / 2)
    return IntervalEstimate.of(max(value, near.value), max(low, near.low), high).seen(
        side
    ), outliers


def _fence(
    near: IntervalEstimate, opposite: IntervalEstimate, whis: float, bound: float
) -> IntervalEstimate:
    """Return the fence beyond the `near` quartile, both seen outward."""
    value = near.value + whis * (near.value - opposite.value)
    outward = _combine_radii(near.high - near.value, opposite.value - opposite.low, whis)
    inward = _combine_radii(near.value - near.low, opposite.high - opposite.value, whis)
    return IntervalEstimate(*(min(end, bound) for end in (value, value - inward, value + outward)))


def _combine_radii(near: float, opposite: float, whis: float) -> float:
    """Return the radius of a fence from those of its quartiles, whose errors correlate by 1/3."""
    own, other = (1 + whis) * near, whis * opposite
    return math.sqrt(own**2 + other**2 - 2 / 3 * own * other)


def _outliers(tail: Tail, found: TailPosterior, noise: CountNoise, blur: float) -> IntervalEstimate:
    """Return the number of outliers, given how far off the fence may be."""
    count = float(tail.counts[-1])
    radius = (noise.radius(LEVEL) if tail.fenced else 0.0) + blur * tail.density_at_fence
    value = 0.0 if math.isfinite(found.quantile(0.5)) else _shrink_count(count, found, noise)
    return IntervalEstimate.of(max(value, 0.0), max(count - radius, 0.0), max(count + radius, 0.0))


def _shrink_count(count: float, found: TailPosterior, noise: CountNoise) -> float:
    """Draw a count towards what its tail foresees, by the scale of its noise at most."""
    foreseen = found.foreseen
    trust = foreseen + found.foreseen_variance + (foreseen / 2) ** 2 + 0.25
    drawn = (foreseen * noise.variance + count * trust) / (noise.variance + trust)
    return min(max(drawn, count - noise.scale), count + noise.scale)


def _cell(place: float) -> float:
    return round(place) if math.isfinite(place) else place


def _size(counted: BoxCounts, size: float, size_noise: CountNoise) -> IntervalEstimate:
    """Return the number of units: the noisy size and the sum of all counts, by their variances."""
    variance = counted.counts.size * counted.noise.variance
    weight = variance / (variance + size_noise.variance)
    value = max(weight * size + (1 - weight) * float(counted.counts.sum()), 0.0)
    radius = 2 * math.sqrt(weight * size_noise.variance)
    return IntervalEstimate(value, max(value - radius, 0.0), value + radius)

"""Whether three private quartiles lie where the data are: a test of what was released.

The exponential mechanism prefers places that cut a group into four equal parts. Empty cells have no
such merit, but there may be a million of them: where a group is small beside its bounds, they
draw one quartile out of the data, or all three. Whoever sees the quartiles alone cannot tell.

Two things tell. The noisy histogram around the quartiles says how many units lie below each and in
all; had a quartile strayed, nobody would lie beyond it. And a quartile that strayed lies anywhere:
that it lies as close to the others as those to each other is a coincidence. `log_odds` weighs
both, over all numbers of units that the counts allow.

A quartile may also be misplaced without leaving the data, where few units lie around it. It is
off by more than the length of the true box only if the true quartile lies beyond the middle of the
released one; or if both are too far out, and the true ones lie in the middle third. `reach_middle`
asks whether clearly more units lie outward of there than ranks are uncertain.

Both constants were set by simulation (``lab/boxplot_honesty.py``): of a thousand boxes that pass,
at most one is off by more than the length of the true box.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.box_counts import BoxCounts, choose_tail_bins, fence_layout, part_cells
from sfumato.postprocess.noise_law import CountNoise
from sfumato.postprocess.rank_error import RankError, rank_covariance

Array = NDArray[np.float64]
Ranks = tuple[float, float, float]

_LOG_ODDS = math.log(1e-3)  # at most
# How many units must lie between the middle and a quartile: more than the ranks that it is off with
# this probability, and so many standard deviations of noise. The longer its part of the box is
# beside the other, up to so many times, the farther inside the true quartile may lie.
_CLEARANCES = ((1.25, 0.995, 0.5), (2.25, 0.995, 1.5), (math.inf, 0.999, 2.5))
_OUTER = 0.95, 1.0  # the same of the outer third: both quartiles may be too far out at once
_BOXLESS = 15.0  # units times ε: fewer have no quartiles to find
_WHIS = 1.5  # of a usual box
_STEPS = 161
_WIDE = 10.0  # standard deviations of the total: how far numbers of units are tried


class _Misplacement(NamedTuple):
    """Where quartiles that left the data have their ranks, as parts of the whole.

    `loss` is what the mechanism loses by it: by so many parts of the group are the two largest gaps
    larger than the others. Such places are as many as the cells of the grid to the power of
    `anywhere`, times those of the box to the power of `within`.
    """

    ranks: Ranks
    loss: float
    anywhere: int = 0
    within: int = 0


def _make_misplacement(share: float) -> _Misplacement:
    """Return the third quartile with this share of the units beyond it, the others in balance."""
    left = 1 - share
    return _Misplacement((left / 3, 2 * left / 3, left), left / 3 - share)


# One stray quartile, and how many times longer than the other its part of the box is at least.
_UP = (
    (_make_misplacement(0.0), 1.5),
    (_make_misplacement(0.05), 1.5),
    (_make_misplacement(0.1), 1.5),
    (_make_misplacement(0.15), 2.0),
    (_make_misplacement(0.2), 4.0),
)
_MORE = (
    _Misplacement((1 / 2, 1, 1), 1, within=2),
    _Misplacement((0, 0, 1 / 2), 1, within=2),
    _Misplacement((0, 1 / 2, 1), 1, within=2),
    _Misplacement((0, 1, 1), 1, within=3),
    _Misplacement((0, 0, 1), 1, within=3),
    _Misplacement((1, 1, 1), 1, anywhere=1, within=2),
    _Misplacement((0, 0, 0), 1, anywhere=1, within=2),
)


def is_well_placed(counted: BoxCounts, epsilon: float, size: float, size_noise: CountNoise) -> bool:
    """Tell whether the quartiles surely lie within one length of the true box of their places.

    Parameters
    ----------
    counted
        The released histogram around the released quartiles.
    epsilon
        What the quartiles cost for each unit of `counts`.
    size, size_noise
        A noisy number of units, and its noise.
    """
    odds = log_odds(counted, epsilon, size, size_noise)
    return odds <= _LOG_ODDS and reach_middle(counted, RankError(epsilon))


def find_smallest_group(
    epsilon: float, noise: CountNoise, size_noise: CountNoise, cells: int
) -> float:
    """Return from how many units on a group is more likely drawn than not.

    What decides is what noise would do to an even box, of an eighth of the range; others need more.
    Knows public facts only.

    Examples
    --------
    >>> from sfumato.postprocess.noise_law import NoiseLaw
    >>> noise, size_noise = (CountNoise(NoiseLaw("laplace", 1 / part)) for part in (0.29, 0.01))
    >>> round(find_smallest_group(0.7, noise, size_noise, cells=2**20))
    107
    """
    low, high = 0.0, 1 / epsilon
    length = cells / 8
    first, median, third = (int((cells + part * length) / 2) for part in (-1, 0, 1))

    def drawn(units: float) -> bool:
        bins = choose_tail_bins(units, noise.law, noise.step)
        starts = fence_layout((first, median, third), cells, _WHIS, bins)
        ranks = (np.append(starts, cells) - (first - length / 2 - 0.5)) / (
            third - first + length + 1
        )
        counts = units * np.diff(np.clip(ranks, 0, 1))
        counted = BoxCounts((first, median, third), starts, counts, noise, cells, _WHIS)
        return is_well_placed(counted, epsilon, units, size_noise)

    while not drawn(high):
        low, high = high, 2 * high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if drawn(middle) else (middle, high)
    return high


def log_odds(counted: BoxCounts, epsilon: float, size: float, size_noise: CountNoise) -> float:
    """Return the logarithm of the odds that a quartile left the data against that none did."""
    seen, covariance = _ranks(counted, epsilon)
    precision = np.linalg.inv(covariance)
    radius = _WIDE * math.sqrt(covariance[3, 3])
    total = float(seen[3])
    units = np.linspace(max(total - radius, 0.0), max(total, 0.0) + radius, _STEPS)
    known = -((units - size) ** 2) / (2 * size_noise.variance)

    def explained(ranks: Ranks) -> Array:
        shares = np.array([*ranks, 1.0])
        fit, square = shares @ precision @ seen, shares @ precision @ shares
        return known + units * fit - units**2 * square / 2

    right = np.where(units * epsilon >= _BOXLESS, explained((1 / 4, 1 / 2, 3 / 4)), -np.inf)
    strays = [
        explained(ranks) + _prior(counted, loss * epsilon / 2 * units, weight)
        for ranks, loss, weight in _list_misplacements(counted)
    ]
    peak = max(float(np.max(each)) for each in (right, *strays))
    with np.errstate(divide="ignore"):
        wrong, fine = (np.log(np.exp(np.array(each) - peak).sum()) for each in (strays, right))
    return float(wrong - fine)


def reach_middle(counted: BoxCounts, error: RankError) -> bool:
    """Tell whether both quartiles are clearly on their own side of the middle of the box."""
    first, median, third = counted.quartiles
    if first == third:
        return True
    lowest, middle, highest = part_cells(counted.quartiles)
    lower, upper = median - first, third - median
    for side, own, other in ((-1, lower, upper), (1, upper, lower)):
        level, deviations = next(
            (level, deviations)
            for longer, level, deviations in _CLEARANCES
            if own <= longer * max(other, 1)
        )
        needs = ((middle, level, deviations), (lowest if side < 0 else highest, *_OUTER))
        for cell, level, deviations in needs:
            units, variance = counted.sum_outward(cell, side)
            if units < error.quartile_radius(level) + deviations * math.sqrt(variance):
                return False
    return True


def _ranks(counted: BoxCounts, epsilon: float) -> tuple[Array, Array]:
    """Return noisy ranks of the quartiles and the noisy total, and their covariance.

    It has the noise of the counts, the law of the mechanism, and what is not known about where in
    its cell a quartile stands.
    """
    below = counted.below()
    covariance = counted.noise.variance * below @ below.T
    inside = rank_covariance(epsilon) + np.diag(counted.atoms**2 / 12 + 0.25)
    covariance[:3, :3] += inside
    return below @ counted.counts, covariance


def _list_misplacements(counted: BoxCounts) -> list[tuple[Ranks, float, float]]:
    """Return the ranks of each way to go astray, its loss, and the logarithm of its places."""
    first, median, third = counted.quartiles
    lower, upper = max(median - first, 1), max(third - median, 1)
    anywhere, within = math.log(counted.cells), _length(counted)
    ways = [(way.ranks, way.loss, way.anywhere * anywhere + way.within * within) for way in _MORE]
    for way, longer in _UP:
        weight = math.log(4 / 3 * max(upper / lower, lower / upper))
        if upper > longer * lower:
            ways.append((way.ranks, way.loss, weight))
        if lower > longer * upper:
            ways.append((_mirror_ranks(way.ranks), way.loss, weight))
    return ways


def _mirror_ranks(ranks: Ranks) -> Ranks:
    first, median, third = ranks
    return 1 - third, 1 - median, 1 - first


def _prior(counted: BoxCounts, loss: Array, weight: float) -> Array:
    """Return how probable it is to find strays where they were found.

    The places that a stray quartile may take outweigh their loss, or else it is anywhere.
    """
    rare = 2 * (math.log(counted.cells) - _length(counted)) - math.log(6)
    return -np.logaddexp(loss - weight, rare)


def _length(counted: BoxCounts) -> float:
    return math.log(max(counted.quartiles[2] - counted.quartiles[0], 1))

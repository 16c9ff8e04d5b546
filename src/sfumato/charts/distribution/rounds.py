"""`measure_line`: masses of intervals of a line, shorter where more was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanisms.survey import IntervalSurvey, NoisyIntervals
from sfumato.postprocess.cumulated import CumulatedFit, MeasuredIntervals
from sfumato.postprocess.noise_law import NoiseKind, NoiseLaw

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

ROOT = 0.1
"""The share of the price that the whole line takes."""

_EQUAL = 64  # intervals of the first look
LEAST = 0.009
"""A share of the price below that of any round, however it is rounded."""

_FIRST = (0.01, 0.1)  # the least and the most that it takes
_SEEN = 500.0  # deviations, of all units together, that a first look tells apart
_LOOKS = 5
_LOOK = (0.01, 0.08)
_ALL_LOOKS = 0.35
_PARTS = 16  # of an interval that is looked into
_HEAVY = 8.0  # times the mass of a usual interval: worth a look
_TOLD = 20.0  # deviations that such an interval's mass should have
_DENSITY = 2.0  # deviations that a usual interval's mass should have
_INTERVALS = 1.8  # times the root of the units in deviations
_MANY, _STEEPER = 1e4, 0.14  # of these units, beyond which their number grows faster than the root
_ZOOMS = 5
_ZOOM = 0.04  # the share of each
_CLEAR = 6.0  # deviations of a mass that is worth a zoom
_CONCENTRATED = 0.3  # of an interval's mass in one of its parts: it may be one value
_FEW = 100  # so many intervals need no coarser ones above them
_COARSE, _COARSER = 0.4, 1.5
_MIDDLE = 0.2
_LEAST, _MOST = 4, 2000
_NO_NOISE = 1e-9
_ONE = 2**24  # shares are fractions with this denominator


@dataclass(frozen=True)
class _Prices:
    """What noise costs: shares of a price, and the deviations that they buy, in units."""

    survey: IntervalSurvey
    price: Fraction
    whole: float

    def ask(self, first: Cells, end: Cells, share: float) -> None:
        """Spend a share of the whole price."""
        part = Fraction(max(1, round(share * _ONE)), _ONE) * self.price
        self.survey.ask(first, end, min(part, self.survey.left))

    @property
    def left(self) -> float:
        return float(self.survey.left / self.price)

    @property
    def rate(self) -> float:
        """The ε of Laplace noise of a unit's weight that varies as much as what all would buy."""
        return np.sqrt(2) / self.whole

    def share(self, rate: float) -> float:
        """Return what costs noise of a rate."""
        part = rate / self.rate
        return part if self.survey.family == "laplace" else part**2


def measure_line(
    survey: IntervalSurvey, price: Fraction, cells: int, step: float, most: int = _MOST
) -> list[NoisyIntervals]:
    """Ask for the whole line, for equal intervals, and then for such as hold about as much each.

    All intervals of a round follow from the noisy answers to earlier ones. What holds much more
    than others is looked into with little of the price, as often as it takes to find where it
    lies. The last rounds spend what is left: on few intervals of equal mass, and on many.

    Returns
    -------
    list
        The answers that distributions are made of: all of the whole line and of its parts in the
        last rounds. What came between has decided where these are cut, and is off where it was
        decided by: it would not be as precise as its noise says.

    Privacy
    -------
    Spends the price of the survey at every cell, and no more, as `IntervalSurvey` accounts for it.
    """
    noise = NoiseLaw(survey.family, survey.scale(price))
    # So little noise that its variance is no float is as good as this.
    prices = _Prices(survey, price, max(float(np.sqrt(noise.variance)), _NO_NOISE) * step)
    line = np.array([0, cells])
    _ask_all(prices, line, ROOT)
    rate = prices.rate
    units = max(float(survey.asked[0].steps[0]) * step, 4 / rate)
    usual = _DENSITY * _count_intervals(units * rate) / units
    first = max(_SEEN / units, usual)
    _ask_all(prices, _cut_equally(cells), float(np.clip(prices.share(first), *_FIRST)))
    fit, intervals = _look_closer(prices, step, most)
    told, atoms = len(survey.asked), _find_atoms(prices, fit, step)
    looked = len(survey.asked)
    if intervals > _FEW:
        coarse = max(_COARSER * np.sqrt(intervals), _LEAST)
        _ask_all(prices, choose_cuts(fit, coarse), _COARSE * prices.left)
        fit = fit_line(survey.asked[:told] + survey.asked[looked:], survey.family, step)
    _ask_all(prices, np.union1d(choose_cuts(fit, intervals / 2), atoms), _MIDDLE * prices.left)
    fit = fit_line(survey.asked[:told] + survey.asked[looked:], survey.family, step)
    cuts = np.union1d(choose_cuts(fit, intervals, tails=True), atoms)
    survey.ask(cuts[:-1], cuts[1:], survey.left)
    return [survey.asked[0], *survey.asked[looked:]]


def _count_intervals(units: float) -> float:
    """Return how many intervals noise and what is lost within them are even for.

    Where units are many, noise is small beside how unevenly rows lie within an interval.
    """
    return _INTERVALS * np.sqrt(units) * max(1.0, units / _MANY) ** _STEEPER


def fit_line(asked: Sequence[NoisyIntervals], kind: NoiseKind, step: float) -> CumulatedFit:
    """Return what answers say of the masses below their ends."""
    rounds = [
        MeasuredIntervals(each.first, each.end, each.steps, NoiseLaw(kind, each.scale))
        for each in asked
    ]
    return CumulatedFit(rounds, step)


def _ask_all(prices: _Prices, cuts: Cells, share: float) -> None:
    prices.ask(cuts[:-1], cuts[1:], share)


def _cut_equally(cells: int) -> Cells:
    """Return the ends of equal intervals; the cells at both ends stand alone.

    Values that are clipped to their bounds are found there, and a line often begins at zero.
    """
    equal = np.arange(_EQUAL + 1, dtype=np.int64) * cells // _EQUAL
    ends = np.array([0, min(1, cells), max(cells - 1, 0), cells], dtype=np.int64)
    return np.union1d(ends, equal)


def _look_closer(prices: _Prices, step: float, most: int) -> tuple[CumulatedFit, float]:
    """Look into what holds much more than a usual interval will; return how many these will be."""
    survey = prices.survey
    fit = fit_line(survey.asked, survey.family, step)
    intervals, spent = float(_LEAST), 0.0
    for _ in range(_LOOKS):
        mass, width = np.diff(fit.masses), np.diff(fit.knots)
        units = max(float(fit.masses[-1]), 1 / prices.rate)
        intervals = float(np.clip(_count_intervals(units * prices.rate), _LEAST, most))
        least = _TOLD / (_LOOK[1] * prices.rate) if survey.family == "laplace" else 0.0
        heavy = (width > 1) & (mass > max(_HEAVY * units / intervals, least * 0.4))
        if not heavy.any():
            break
        rate = max(_TOLD / float(mass[heavy].min()), _DENSITY * intervals / units)
        share = float(np.clip(prices.share(rate), *_LOOK))
        spent += share
        if spent > _ALL_LOOKS:
            break
        first, end = _cut_in_parts(fit.knots[:-1][heavy], width[heavy])
        prices.ask(first, end, share)
        fit = fit_line(survey.asked, survey.family, step)
    return fit, intervals


def _find_atoms(prices: _Prices, fit: CumulatedFit, step: float) -> Cells:
    """Return the ends of single values that hold much of their interval, as far as can be told.

    They are looked for by parts of parts: rows that lie evenly in an interval need no closer look,
    but if one part holds much of it, so may a part of that, down to one cell.
    """
    survey = prices.survey
    dear = _ZOOM if survey.family == "laplace" else np.sqrt(_ZOOM)
    least = _CLEAR * np.sqrt(2) / (dear * prices.rate)
    first, end = fit.knots[:-1], fit.knots[1:]
    kept = np.diff(fit.masses) > least
    found: list[Cells] = []
    for _ in range(_ZOOMS):
        kept &= end - first > 1
        if not kept.any():
            break
        wholes = first[kept]
        first, end = _cut_in_parts(wholes, (end - first)[kept])
        prices.ask(first, end, _ZOOM)
        mass = survey.asked[-1].steps * step
        whole = np.searchsorted(wholes, first, side="right") - 1
        kept = mass > np.maximum(least, _CONCENTRATED * np.bincount(whole, mass)[whole])
        found += [first[kept], end[kept]]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))


def _cut_in_parts(first: Cells, width: Cells) -> tuple[Cells, Cells]:
    """Return the ends of the parts of some intervals, one after the other."""
    starts: list[Cells] = []
    ends: list[Cells] = []
    for begin, cells in zip(first.tolist(), width.tolist(), strict=True):
        parts = min(_PARTS, cells)
        cuts = begin + np.arange(parts + 1, dtype=np.int64) * cells // parts
        starts.append(cuts[:-1])
        ends.append(cuts[1:])
    return np.concatenate(starts), np.concatenate(ends)


def choose_cuts(fit: CumulatedFit, intervals: float, *, tails: bool = False) -> Cells:
    """Return the ends of about so many intervals that hold as much each, as far as is known.

    Between two knots mass is taken to lie evenly. Knots between which that would be far off for
    the whole stay. A line of fewer cells is cut into all of them, so that every value has a share
    of its own.

    Parameters
    ----------
    tails
        Whether an interval that is much wider than its neighbour is cut into ever wider ones.
    """
    if fit.knots[-1] <= intervals:
        return np.arange(int(fit.knots[-1]) + 1, dtype=np.int64)
    usual = max(float(fit.masses[-1]), 1e-9) / intervals
    cuts = _cut_by_mass(fit, usual)
    for _ in range(3):
        at = np.interp(cuts, fit.knots, fit.masses)
        off = abs(fit.masses - np.interp(fit.knots, cuts, at))
        bad = np.flatnonzero(off > usual / 3)
        if not bad.size:
            break
        place = np.searchsorted(cuts, fit.knots[bad])
        order = np.lexsort((-off[bad], place))
        worst = order[np.unique(place[order], return_index=True)[1]]
        cuts = np.union1d(cuts, fit.knots[bad[worst]])
    return _cut_tails(fit, cuts, usual) if tails else cuts


def _cut_by_mass(fit: CumulatedFit, usual: float) -> Cells:
    knots, masses = fit.knots, fit.masses
    mass, width = np.diff(masses), np.diff(knots)
    kept = np.zeros(len(knots), dtype=bool)
    number = np.floor(masses / usual + 0.5)
    kept[1:-1] = number[1:-1] != number[:-2]
    kept[[0, -1]] = True
    heavy = mass > usual
    kept[:-1] |= heavy
    kept[1:] |= heavy
    parts = np.minimum(np.ceil(mass / usual - 0.25), width).astype(np.int64)
    inside: list[Cells] = [
        knots[place] + width[place] * np.arange(1, parts[place], dtype=np.int64) // parts[place]
        for place in np.flatnonzero(heavy & (parts > 1))
    ]
    return np.unique(np.concatenate([knots[kept], *inside]))


_WIDER = 8
_GROWTH = 4


def _cut_tails(fit: CumulatedFit, cuts: Cells, usual: float) -> Cells:
    """Cut what is much wider than its neighbours at growing distances from them.

    Most of what lies there lies close to them.
    """
    width, mass = np.diff(cuts), np.diff(np.interp(cuts, fit.knots, fit.masses))
    beside = np.concatenate([[np.inf], width, [np.inf]])
    before, after = beside[:-2], beside[2:]
    outer = np.arange(len(width))
    outer = (outer < 2) | (outer >= len(width) - 2)
    wide = ((mass > usual / 4) | outer) & (width > _WIDER * np.minimum(before, after))
    more: list[int] = []
    for place in np.flatnonzero(wide):
        half = width[place] / 2
        for near, start, sign in (
            (before[place], cuts[place], 1),
            (after[place], cuts[place + 1], -1),
        ):
            distance = near * _GROWTH
            while distance < half:
                more.append(int(start) + sign * int(distance))
                distance *= _GROWTH
    return np.union1d(cuts, np.array(more, dtype=np.int64))

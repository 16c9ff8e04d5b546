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
_MANY, _STEEPER = 1e4, 0.12  # of these units, beyond which their number grows faster than the root
_FEW = 100  # so many intervals need no coarser ones above them
_COARSE, _COARSER = 0.35, 1.2
_END_PARTS = 4  # of the outermost intervals
_TOO_FEW = 30  # intervals, for which noise outweighs what is lost within them
_HALF = 0.15  # of what is left, for half as many intervals as there will be
_DESCENT, _DESCENTS = 0.25, 3  # of what is left for each round, and how many there may be
_APART = 0.5  # of a mass in single cells, in proportion, that is left aside where many are cut
_USUALS, _CLEAR = 4.0, 3.0  # usual masses, and deviations, that an interval to descend into holds
_KNOWN = 0.7  # deviations of a mass below which intervals are not cut apart
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

    def deviation(self, share: float) -> float:
        """Return how far off noise is that a share buys, in units."""
        return self.whole / (share if self.survey.family == "laplace" else float(np.sqrt(share)))

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
    lies. The last rounds spend what is left: on few intervals of equal mass, on half of the many,
    on parts of those that hold much more than others, as often as there are any, and on many.

    Returns
    -------
    list
        The answers that distributions are made of: of the whole line, of few intervals, of half of
        the many if any of these were cut again, and of the many. What else came between has
        decided where these are cut, and is off where it was decided by: it would not be as precise
        as its noise says.

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
    told = [survey.asked[0]]
    if intervals > _FEW:
        few = choose_cuts(fit, max(_COARSER * np.sqrt(intervals), _LEAST))
        _ask_all(prices, few, _COARSE * prices.left)
        fit, told = fit_line(survey.asked, survey.family, step), [*told, survey.asked[-1]]
    half = len(survey.asked)
    fit, least = _descend(prices, fit, intervals, told, step)
    # If nothing was cut again, this answer decides where the many are cut, and is not told.
    sound = survey.asked[half : half + 1] if len(survey.asked) > half + 1 else ()
    growth = _GROWTH if intervals > _FEW else _GROWTH**2
    cuts = choose_cuts(fit, intervals, least, growth=growth)
    if intervals > _FEW:
        cuts = np.union1d(cuts, _cut_ends(cuts))
    cuts = np.union1d(cuts, _list_ends(told[-1]))
    survey.ask(cuts[:-1], cuts[1:], survey.left)
    return [*told, *sound, survey.asked[-1]]


def _cut_ends(cuts: Cells) -> Cells:
    """Cut the outermost intervals in parts: rows often get rarer towards one end of these."""
    ends = cuts[[0, -2]]
    starts, _ = _cut_in_parts(ends, cuts[[1, -1]] - ends, _END_PARTS)
    return starts


def _list_ends(asked: NoisyIntervals) -> Cells:
    return np.union1d(asked.first, asked.end)


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


def _descend(
    prices: _Prices,
    fit: CumulatedFit,
    intervals: float,
    told: Sequence[NoisyIntervals],
    step: float,
) -> tuple[CumulatedFit, float]:
    """Ask for half as many intervals, and then for parts of what still holds much more than others.

    Where values hold many rows each, or rows lie unevenly, equal parts of an interval hold very
    unequal masses: each round finds where, down to one cell. Looks are forgotten from here on:
    what they say within an interval is noise. So is the first round's answer where others follow:
    it is released, and would be off where it had decided what the last round asks for.

    Returns
    -------
    tuple
        What is known, and the mass below which nothing is worth an interval of its own.
    """
    survey, share = prices.survey, _HALF * prices.left
    least = _KNOWN * prices.deviation(share)
    cuts, first = choose_cuts(fit, intervals / 2, least), len(survey.asked)
    for descent in range(_DESCENTS + 1):
        _ask_all(prices, np.union1d(cuts, _list_ends(told[-1])), share)
        asked = survey.asked[first + min(descent, 1) :]
        fit = fit_line([*told, *asked], survey.family, step)
        share = _DESCENT * prices.left
        least = _KNOWN * prices.deviation(share)
        heavy = _find_heavy(fit, intervals, least, _CLEAR * prices.deviation(share))
        if intervals < _TOO_FEW or not heavy.any():
            break
        parts = _cut_in_parts(fit.knots[:-1][heavy], np.diff(fit.knots)[heavy])
        cuts = np.union1d(choose_cuts(fit, intervals, least), np.concatenate(parts))
    return fit, least


def _find_heavy(
    fit: CumulatedFit, intervals: float, least: float, clear: float
) -> NDArray[np.bool_]:
    """Tell which intervals of several cells hold much more than usual ones, beyond noise."""
    enough = _USUALS * find_usual(fit, intervals, least) + clear
    return (np.diff(fit.knots) > 1) & (np.diff(fit.masses) > enough)


def _cut_in_parts(first: Cells, width: Cells, most: int = _PARTS) -> tuple[Cells, Cells]:
    """Return the ends of the parts of some intervals, one after the other."""
    starts: list[Cells] = []
    ends: list[Cells] = []
    for begin, cells in zip(first.tolist(), width.tolist(), strict=True):
        parts = min(most, cells)
        cuts = begin + np.arange(parts + 1, dtype=np.int64) * cells // parts
        starts.append(cuts[:-1])
        ends.append(cuts[1:])
    return np.concatenate(starts), np.concatenate(ends)


def find_usual(
    fit: CumulatedFit, intervals: float, least: float = 0.0, *, apart: float = 1.0
) -> float:
    """Return what each of so many intervals holds, if single cells that stand apart are none.

    With `apart` below 1 less of what these hold is left aside: few rows are not cut too finely.

    Examples
    --------
    A cell that holds half of everything leaves as many intervals to the other half.

    >>> law = NoiseLaw("laplace", 1.0)
    >>> ends = np.array([0, 4, 5, 9])
    >>> halves = MeasuredIntervals(ends[:-1], ends[1:], np.array([40, 80, 40]), law)
    >>> round(find_usual(CumulatedFit([halves], 1.0), 8))
    10
    """
    mass, total = np.diff(fit.masses), float(fit.masses[-1])
    inside = max(float(mass[np.diff(fit.knots) > 1].sum()), 0.0)
    shared = inside**apart * max(total, 0.0) ** (1 - apart)
    return max(shared / intervals, min(least, total / intervals), 1e-9)


def choose_cuts(
    fit: CumulatedFit, intervals: float, least: float = 0.0, *, growth: int | None = None
) -> Cells:
    """Return the ends of about so many intervals that hold as much each, as far as is known.

    Between two knots mass is taken to lie evenly. Knots between which that would be far off for
    the whole stay. A line of fewer cells is cut into all of them, so that every value has a share
    of its own.

    Parameters
    ----------
    least
        A mass that intervals hold at least, but for where as many of equal mass would hold less.
    growth
        If given, an interval that is much wider than its neighbour is cut into ever wider ones,
        each so many times as wide as the one before.
    """
    if fit.knots[-1] <= intervals:
        return np.arange(int(fit.knots[-1]) + 1, dtype=np.int64)
    usual = find_usual(fit, intervals, least, apart=_APART)
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
    return cuts if growth is None else _cut_tails(fit, cuts, usual, growth)


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


_GROWTH = 2


def _cut_tails(fit: CumulatedFit, cuts: Cells, usual: float, growth: int) -> Cells:
    """Cut what is much wider than its neighbours at growing distances from them.

    Most of what lies there lies close to them.
    """
    width, mass = np.diff(cuts), np.diff(np.interp(cuts, fit.knots, fit.masses))
    beside = np.concatenate([[np.inf], width, [np.inf]])
    before, after = beside[:-2], beside[2:]
    outer = np.arange(len(width))
    outer = (outer < 2) | (outer >= len(width) - 2)
    wide = ((mass > usual / 4) | outer) & (width > 2 * growth * np.minimum(before, after))
    more: list[int] = []
    for place in np.flatnonzero(wide):
        half = width[place] / 2
        for near, start, sign in (
            (before[place], cuts[place], 1),
            (after[place], cuts[place + 1], -1),
        ):
            distance = near * growth / 2
            while distance < half:
                more.append(int(start) + sign * int(distance))
                distance *= growth
    return np.union1d(cuts, np.array(more, dtype=np.int64))

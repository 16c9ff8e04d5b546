"""`ClipSearch`: where to clip a column before it is added up, found from the data and paid for.

Two walks from outside, on a public ladder that is dense around zero, stop where enough lies behind
them: they see a tail whatever most of the column is, so that many zeros do not hide the rest. Noisy
counts in bins within and beyond, out to the declared bounds, then tell where noise and bias
together are smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.values import SMALLEST, BoundsSearch, make_signed_ladder
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.grid import Edges
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition
from sfumato.postprocess.clip_choice import Ladder, choose_clip
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

Floats = NDArray[np.float64]

WALK_SHARE = Fraction(1, 3)
"""Of what a search may spend, on two walks from outside; the rest pays for counts."""

_EARLY = 0.01  # of searches in which a walk stops where nothing lies
_OCTAVES = 72  # of sizes that walks tell apart, on either side of zero, at most
_COARSE = 16  # even cells that they tell apart where zero is far
_PARTS = 16  # of each of these cells, of which bins are made
_NARROW = 256  # of the narrowest bins between two walks are as wide as all between them, at least
_AROUND = 4  # of these parts in a bin where one walk stopped, and one where both did
_AWAY = 10  # bins beyond, on either side, if each is twice as far out as the one before or more
_THIN = 8.0  # times as far out as the one before lies an edge where walks found nothing
_LOSS = 0.5  # of the mean absolute noise, in units at an end: bias is shown less well than noise


@dataclass(frozen=True)
class FoundClip:
    """Where values are clipped, and the counts that told it.

    Parameters
    ----------
    edges
        The ends of the bins that were counted; none where nothing was searched.
    steps
        Their noisy counts, in integer steps.
    seen
        Two edges, below and above which walks found that much lies; none if they found no two.
    """

    bounds: Bounds | None
    edges: tuple[float, ...] = ()
    steps: tuple[int, ...] = ()
    seen: tuple[float, ...] = ()


@dataclass(frozen=True)
class DeclaredClip:
    """Values are clipped to the declared bounds: nothing is spent on looking for others."""

    bounds: Bounds | None

    @property
    def cost(self) -> Cost:
        """Nothing."""
        return Cost.nothing()

    @property
    def law(self) -> NoiseLaw | None:
        """There are no counts, and no noise on them."""
        return None

    def find(self, engine: Engine, meter: Meter, worth: float) -> FoundClip:  # noqa: ARG002
        """Return the declared bounds.

        Privacy
        -------
        Nothing is read.
        """
        return FoundClip(self.bounds)


@dataclass(frozen=True)
class ClipSearch:
    """A planned search for two ends within declared bounds.

    Parameters
    ----------
    bounds
        What is declared, or the limits within which bounds are searched for.
    declared
        Whether it is declared: otherwise no end lies far from where the walks stop.
    search
        The walks, in cells of a public ladder.
    law
        The noise on each count.
    """

    column: str
    bounds: Bounds
    declared: bool
    search: BoundsSearch
    law: NoiseLaw
    cost: Cost

    @classmethod
    def plan(
        cls,
        column: str,
        bounds: Bounds,
        unit: PrivacyUnit,
        portion: Allocation,
        *,
        declared: bool = True,
    ) -> ClipSearch:
        """Plan a search that spends a portion, or refuse one that is too small."""
        counts, epsilon = portion.part(1 - WALK_SHARE), portion.part(WALK_SHARE).epsilon
        key = Edges(column, bounds, tuple(_make_ladder(bounds).tolist()))
        search = BoundsSearch.in_cells(key, unit, epsilon, early=_EARLY)
        law, cost = counts.law(unit.weight), search.cost + counts.cost(unit.weight)
        return cls(column, bounds, declared, search, law, cost)

    @property
    def fine(self) -> Edges:
        """The cells that are counted: those of the walks, and bins, are made of these."""
        edges = self.search.key.edges
        parts = np.arange(_PARTS) / _PARTS * np.diff(edges)[:, np.newaxis]
        fine = np.union1d(edges, (edges[:-1, np.newaxis] + parts).clip(*edges[[0, -1]]))
        return Edges(self.column, self.bounds, tuple(fine.tolist()))

    def find(self, engine: Engine, meter: Meter, worth: float) -> FoundClip:
        """Search for the two ends.

        Parameters
        ----------
        worth
            How far noise moves the sums of all groups together, in units at an end.

        Privacy
        -------
        One query counts in public cells. Walks over coarser public cells cost what
        `sfumato.mechanisms.threshold.extremes` states. The bins follow from where they stop, and
        are counted with noise: one unit moves all bins together by its weight. Ends follow from
        these counts. All of it costs what was planned.
        """
        fine, unit = self.fine, self.search.unit
        exact = engine.counts([fine], unit).reshape_by_group()
        starts = np.searchsorted(fine.edges, self.search.key.edges[:-1])
        stops = self.search.walk(meter, partition(exact, [starts.tolist()]))
        within = self._limit(*stops)
        edges = _lay_bins(fine.edges, self.search.key.edges, stops, within)
        starts = np.searchsorted(fine.edges, edges[:-1])
        noisy = add_noise(meter, partition(exact, [starts.tolist()]), self.law).ravel()
        return self._settle(edges, noisy, stops, within, worth)

    def _limit(self, lower: int, upper: int) -> Bounds:
        """Return the range in which both ends lie."""
        return self.bounds if self.declared else self.search.widen(lower, upper)

    def _settle(
        self,
        edges: Floats,
        noisy: NDArray[np.int64],
        stops: tuple[int, int],
        within: Bounds,
        worth: float,
    ) -> FoundClip:
        step, (lower, upper), ends = self.search.unit.step, stops, self.search.key.values
        seen = (ends[lower + 1], ends[upper]) if lower < upper else ()
        deviation = math.sqrt(self.law.variance) * step
        ladder = Ladder.of(edges, (noisy * step).astype(np.float64), deviation, seen)
        low, high = choose_clip(ladder, worth=_LOSS * worth, within=(within.lower, within.upper))
        # Far below the farthest edge an end is lost to rounding, and told as zero.
        low, high = max(low, within.lower), min(high, within.upper)
        bounds = replace(self.bounds, lower=low, upper=high, step=None)
        return FoundClip(bounds, tuple(edges.tolist()), tuple(noisy.tolist()), seen)


def _make_ladder(bounds: Bounds) -> Floats:
    """Return the cells of walks: around zero, each twice as far out, and evenly spaced ones."""
    return np.union1d(_make_sizes(bounds, 2.0), _divide(bounds, _COARSE))


def _make_sizes(bounds: Bounds, ratio: float) -> Floats:
    farthest = max(abs(bounds.lower), abs(bounds.upper))
    smallest = max(min(SMALLEST, farthest * 2.0**-20), farthest * 2.0**-_OCTAVES, float_info.min)
    return np.array(make_signed_ladder(bounds, ratio=ratio, smallest=min(smallest, farthest)))


def _divide(bounds: Bounds, parts: int) -> Floats:
    """Return evenly spaced edges from one bound to the other, no closer than floats tell apart."""
    finest = 16 * math.ulp(max(abs(bounds.lower), abs(bounds.upper)))
    parts = 2 ** max(0, min(math.floor(math.log2(bounds.width / finest)), parts.bit_length() - 1))
    edges = np.arange(parts + 1) / parts * bounds.width + bounds.lower
    edges[-1] = bounds.upper
    return edges


def _lay_bins(fine: Floats, coarse: Floats, stops: tuple[int, int], within: Bounds) -> Floats:
    """Return edges among the fine ones, closer together where walks stopped and wider apart away.

    A walk that found nothing tells no scale: bins are those of a ladder around zero.
    """
    lower, upper = stops
    if upper == 0:
        return np.intersect1d(fine, _make_sizes(within, _THIN))
    cells = _drop_narrow(coarse[lower : upper + 2])
    parts = [_cut_cell(fine, *coarse[each : each + 2], alone=lower == upper) for each in stops]
    away = _step_away(float(cells[0]), float(cells[-1]), within)
    places = np.searchsorted(fine, away.clip(within.lower, within.upper))
    ends = [fine[[0, -1]], fine[places.clip(max=len(fine) - 1)]]
    return np.unique(np.concatenate([*ends, cells, *parts]))


def _drop_narrow(edges: Floats) -> Floats:
    """Return edges without those that only tell apart what is close together beside the rest."""
    wide = np.flatnonzero(np.diff(edges) >= (edges[-1] - edges[0]) / _NARROW)
    return edges[np.unique([0, 1, *wide.tolist(), len(edges) - 2, len(edges) - 1])]


def _cut_cell(fine: Floats, low: float, high: float, *, alone: bool) -> Floats:
    """Return edges within a cell where a walk stopped; all that there are if both stopped there."""
    first, last = np.searchsorted(fine, [low, high])
    return fine[first : last : 1 if alone else _AROUND]


def _step_away(low: float, high: float, within: Bounds) -> Floats:
    """Return edges away from two ends on either side, in steps that reach the end of the range."""
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    steps = [np.array([within.lower, within.upper])]
    if half == 0:  # of the smallest numbers that there are
        return steps[0]
    for sign, reach in ((1, within.upper - middle), (-1, middle - within.lower)):
        farthest = reach / half
        away = max(2.0, farthest ** (1 / _AWAY)) ** np.arange(_AWAY + 1)
        # The last bin is not much narrower than the one before.
        steps.append(middle + sign * half * away[away < farthest / math.sqrt(2)])
    return np.concatenate(steps)

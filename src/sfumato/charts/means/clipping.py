"""`ClipSearch`: where to clip a column before it is added up, found from the data and paid for.

Quartiles of the whole column say where it lies and how wide it is, on a public ladder that is dense
around zero. Noisy counts in bins that widen from there out to the declared bounds then tell where
noise and bias together are smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.ranks import Chooser
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.grid import Edges
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition
from sfumato.postprocess.clip_choice import choose_clip
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

Floats = NDArray[np.float64]

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))

PLACE_SHARE = Fraction(1, 3)
"""Of what a search may spend, on quartiles; the rest pays for counts."""

_OCTAVES = 32  # of sizes that quartiles are told apart by, on either side of zero
_COARSE = 16  # cells that quartiles are told apart by where zero is far
_FINE = 2**14
_INNER = 8  # halvings of a width, in steps of the root of 2, inside the quartiles
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
    """

    bounds: Bounds | None
    edges: tuple[float, ...] = ()
    steps: tuple[int, ...] = ()


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
    chooser
        How quartiles are chosen.
    law
        The noise on each count.
    """

    column: str
    bounds: Bounds
    unit: PrivacyUnit
    chooser: Chooser
    law: NoiseLaw
    cost: Cost

    @classmethod
    def plan(
        cls, column: str, bounds: Bounds, unit: PrivacyUnit, portion: Allocation
    ) -> ClipSearch:
        """Plan a search that spends a portion, or refuse one that is too small."""
        counts = portion.part(1 - PLACE_SHARE)
        chooser = Chooser.plan("joint", QUARTILES, portion.part(PLACE_SHARE), unit)
        cost = chooser.cost + counts.cost(unit.weight)
        return cls(column, bounds, unit, chooser, counts.law(unit.weight), cost)

    @property
    def fine(self) -> Edges:
        """The cells that are counted: bins and coarser cells are made of these."""
        near, even = _make_sizes(self.bounds), _divide(self.bounds, _FINE)
        return Edges(self.column, self.bounds, tuple(np.union1d(near, even).tolist()))

    def find(self, engine: Engine, meter: Meter, worth: float) -> FoundClip:
        """Search for the two ends.

        Parameters
        ----------
        worth
            How far noise moves the sums of all groups together, in units at an end.

        Privacy
        -------
        One query counts in public cells. Quartiles of coarser public cells are chosen as
        `sfumato.mechanisms.joint` states. The bins follow from them, and are counted with noise:
        one unit moves all bins together by its weight. Ends follow from these counts. All of it
        costs what was planned.
        """
        fine = self.fine
        exact = engine.counts([fine], self.unit).reshape_by_group()
        low, middle, high = self._choose_quartiles(meter, exact, fine.edges)
        edges = _widen_bins(fine.edges, (low, middle, high))
        starts = np.searchsorted(fine.edges, edges[:-1])
        noisy = add_noise(meter, partition(exact, [starts.tolist()]), self.law).ravel()
        return self._settle(edges, noisy, worth)

    def _choose_quartiles(
        self, meter: Meter, exact: Exact, fine: Floats
    ) -> tuple[tuple[float, float], ...]:
        """Return the ends of the coarse cells that hold the quartiles."""
        coarse = np.union1d(_make_sizes(self.bounds), _divide(self.bounds, _COARSE))
        starts = np.searchsorted(fine, coarse[:-1])
        grid = Edges(self.column, self.bounds, tuple(coarse.tolist()))
        cells = self.chooser.choose_cells(meter, partition(exact, [starts.tolist()]))
        return tuple(
            (float(grid.edges[cell]), float(grid.edges[cell + 1])) for cell in cells[0].tolist()
        )

    def _settle(self, edges: Floats, noisy: NDArray[np.int64], worth: float) -> FoundClip:
        step = self.unit.step
        clip = choose_clip(
            edges,
            (noisy * step).astype(np.float64),
            deviation=math.sqrt(self.law.variance) * step,
            worth=_LOSS * worth,
        )
        bounds = replace(
            self.bounds, lower=float(edges[clip.low]), upper=float(edges[clip.high]), step=None
        )
        return FoundClip(bounds, tuple(edges.tolist()), tuple(noisy.tolist()))


def _divide(bounds: Bounds, parts: int) -> Floats:
    """Return evenly spaced edges from one bound to the other, no closer than floats tell apart."""
    finest = 16 * math.ulp(max(abs(bounds.lower), abs(bounds.upper)))
    # A power of 2, so that coarse edges are fine ones to the bit.
    parts = 2 ** max(0, min(math.floor(math.log2(bounds.width / finest)), parts.bit_length() - 1))
    edges = np.arange(parts + 1) / parts * bounds.width + bounds.lower
    edges[-1] = bounds.upper
    return edges


def _make_sizes(bounds: Bounds) -> Floats:
    """Return edges around zero, each further out by the root of 2, and both bounds."""
    farthest = max(abs(bounds.lower), abs(bounds.upper))
    sizes = farthest * np.exp2(-np.arange(2 * _OCTAVES + 1) / 2)
    edges = np.concatenate([-sizes, [0.0], sizes])
    inside = edges[(edges > bounds.lower) & (edges < bounds.upper)]
    return np.unique(np.concatenate([[bounds.lower], inside, [bounds.upper]]))


def _widen_bins(fine: Floats, quartiles: tuple[tuple[float, float], ...]) -> Floats:
    """Return edges among the fine ones, closer together near the median and wider apart away."""
    (low, _), (left, right), (_, high) = quartiles
    spread, middle = max(high - low, right - left), left / 2 + right / 2
    reach = fine[-1] - fine[0]
    steps = math.ceil(2 * math.log2(max(reach / spread, 1.0))) + 1
    with np.errstate(over="ignore"):
        away = spread * np.exp2(np.arange(-_INNER, steps + 1) / 2)
        wanted = np.concatenate([middle - away[::-1], [middle], middle + away])
    places = np.searchsorted(fine, wanted[(wanted > fine[0]) & (wanted < fine[-1])])
    return fine[np.unique([0, *places.tolist(), len(fine) - 1])]

"""`Frame`: the private window that scores are drawn in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.charts.components.reach import Reach, rungs
from sfumato.charts.portion import Portion
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.lattice import Distance, Projection
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.pca import PcaRelease

LEVEL = Fraction(985, 1000)
"""The share of rows that a frame is to hold before it is inflated."""

INFLATION = 1.2
"""By how much the frame is wider than the distance that was found (Jo et al., dppca)."""

_DOUBT = 12.0  # times 1/ε: how many rows lie beyond the frame at least
_BELOW, _ABOVE = 0.5, 3.0  # of the expected distance: where rungs are dense
_RATIO, _COARSE = 1.05, 2.0


@dataclass(frozen=True)
class Frame:
    """A planned window: a square around the released mean."""

    reach: Reach

    @classmethod
    def plan(cls, portion: Portion) -> Frame:
        """Price the search for its size."""
        return cls(Reach.plan(LEVEL, portion, _DOUBT))

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.reach.cost

    def find(
        self,
        engine: Engine,
        meter: Meter,
        pca: PcaRelease,
        unit: PrivacyUnit,
        *,
        axes: tuple[int, int],
        cells: tuple[int, int],
    ) -> FoundFrame:
        """Choose how far the scores reach.

        Privacy
        -------
        As `Reach.find` states: the one thing that is asked is how far most rows lie from the
        released mean, on a ladder made of released variances.
        """
        vectors = tuple(pca.vectors[axis - 1] for axis in axes)
        key = Distance(pca.lattice, "distance", pca.origin, vectors, ladder(pca, axes))
        reach = INFLATION * self.reach.find(engine, meter, key, unit)
        bounds = Bounds(-reach, reach)
        x, y = (
            Projection(pca.lattice, f"PC{axis}", pca.origin, vector, bounds, count)
            for axis, vector, count in zip(axes, vectors, cells, strict=True)
        )
        return FoundFrame(x, y)


@dataclass(frozen=True)
class FoundFrame:
    """A window that is public now."""

    x: Projection
    y: Projection


def ladder(pca: PcaRelease, axes: tuple[int, int]) -> tuple[float, ...]:
    """Return distances to choose from, dense where the released variances expect the answer.

    Were they dense everywhere, the many that nobody reaches would outweigh the few that fit where
    ε is small. Those far from what is expected are there for data that are not as variances say.
    """
    lattice = pca.lattice
    farthest, least = lattice.farthest, 16 * lattice.unit
    expected = math.sqrt(sum(max(float(pca.variances[axis - 1]), 0.0) for axis in axes))
    expected = min(max(expected, least / _BELOW), farthest / _ABOVE)
    dense = rungs(_BELOW * expected, _ABOVE * expected, _RATIO)
    below = rungs(least, _BELOW * expected, 2.0)[:-1] if least < _BELOW * expected else (0.0,)
    above = rungs(_ABOVE * expected, farthest, _COARSE)[2:]
    return (*below, *dense[1:], *above)

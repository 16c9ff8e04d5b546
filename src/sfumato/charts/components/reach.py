"""`Reach`: a private distance that most rows do not exceed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.charts.portion import Portion
from sfumato.engines.engine import Engine
from sfumato.lattice import Distance
from sfumato.mechanisms.joint import joint, usable
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

DOUBT = 20.0
"""How many rows times ε lie beyond the answer at least: what none reaches has a weight of e⁻¹⁰."""


@dataclass(frozen=True)
class Reach:
    """A planned quantile of distances.

    A public crowd stands at distance zero. It is so large that about `doubt`/ε rows lie beyond the
    answer where there are few, and a share 1 - `level` of them where there are many. Without it
    the quantile of few rows would be one of them, or anywhere in the void behind the last.

    Parameters
    ----------
    level
        Which share of rows, and of the crowd, lies within.
    """

    level: Fraction
    epsilon: Fraction
    doubt: float = DOUBT

    @classmethod
    def plan(cls, level: Fraction, portion: Portion, doubt: float = DOUBT) -> Reach:
        """Price one choice with a portion."""
        epsilon = portion.choice
        usable(epsilon, 1)  # refuses a part so small that rounding alone would cost as much
        return cls(level, epsilon, doubt)

    @property
    def cost(self) -> Cost:
        """What the choice spends."""
        return Cost.exponential(self.epsilon)

    @property
    def beyond(self) -> float:
        """About how many units lie beyond the answer, however few there are."""
        return self.doubt / float(self.epsilon)

    @property
    def crowd(self) -> int:
        """How many units the crowd has."""
        return math.ceil(self.beyond / float(1 - self.level))

    def find(self, engine: Engine, meter: Meter, key: Distance, unit: PrivacyUnit) -> float:
        """Choose the rung of the ladder that the quantile does not exceed, in scaled units.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states. The answer is an edge of a public ladder, so it is
        finite and above zero whatever the data.
        """
        crowd = np.zeros(key.cells, dtype=np.int64)
        crowd[0] = self.crowd
        exact = engine.counts([key], unit).by_group().joined_by(crowd)
        chosen = joint(meter, exact, levels=[self.level], epsilon=self.epsilon)
        return key.edges[int(chosen[0, 0]) + 1]


def rungs(smallest: float, largest: float, ratio: float) -> tuple[float, ...]:
    """Return 0 and distances from `smallest` to `largest` that grow by `ratio` or a little more.

    Examples
    --------
    >>> rungs(1.0, 8.0, 2.0)
    (0.0, 1.0, 2.0, 4.0, 8.0)
    """
    if not smallest < largest:
        return 0.0, largest
    count = max(1, math.floor(math.log(largest / smallest) / math.log(ratio) + 1e-9))
    step = (largest / smallest) ** (1 / count)
    return (0.0, *(smallest * step**index for index in range(count)), largest)

"""`Summing`: a private sum of outer products of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.portion import Portion
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError
from sfumato.lattice import LENGTH, Lattice, Moments, Point, moment_weight
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.moments import noisy_moments
from sfumato.phrases import Worded
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.pca.moments import NoisyMoments

_ROOM = 2**61


@dataclass(frozen=True)
class Summing:
    """A planned sum of outer products.

    Parameters
    ----------
    constant
        What stands before each row, so that rows are counted and summed as well.
    scale
        The scale of the noise on the diagonal, in integer steps.
    """

    constant: int
    unit: PrivacyUnit
    scale: float

    @classmethod
    def plan(cls, constant: int, unit: PrivacyUnit, portion: Portion) -> Summing:
        """Price one sum with a portion, or refuse one that is too small."""
        scale = gaussian_scale(_l2_squared(constant, unit), portion.amount)
        return cls(constant, unit, scale)

    @property
    def cost(self) -> Cost:
        """What the sum spends."""
        squared = _l2_squared(self.constant, self.unit)
        return Cost.gaussian(squared / (2 * Fraction(self.scale) ** 2))

    @property
    def noise(self) -> float:
        """The noise on a second moment, as so many units of rows of full length."""
        return self.scale / (moment_weight(self.unit) * LENGTH**2)

    def run(
        self, engine: Engine, meter: Meter, lattice: Lattice, origin: Point, distance: float
    ) -> NoisyMoments:
        """Sum outer products of rows about a point, cut where they are longer than a distance.

        Privacy
        -------
        As `sfumato.mechanisms.moments` states, at the planned cost.
        """
        # A distance below one step would have every row cut to less than the lattice can tell.
        moments = Moments(lattice, origin, max(1.0, distance / lattice.unit), self.constant)
        exact = engine.gram(moments, self.unit)
        noisy = noisy_moments(meter, exact, scale=self.scale)
        _check_room(noisy)
        return NoisyMoments(
            origin=origin,
            radius=moments.radius,
            constant=self.constant,
            scale=self.scale,
            step=exact.step,
            matrix=tuple(noisy[np.triu_indices(moments.size)].tolist()),
        )


def _check_room(noisy: NDArray[np.int64]) -> None:
    """Withhold sums that may have been cut where 64 bits end; what decides it is public now.

    Noise is far below 2⁶¹, so that no sum which reached `CAP` passes.
    """
    if np.abs(noisy).max() >= _ROOM:
        raise DomainError(
            "The table has more people than components can be summed for.",
            "Their sums would end at 2^62 and the components be wrong, so nothing is released.",
            (
                "Let one row of each count: ",
                Worded("PrivacyUnit.users(column, max_rows=1)", in_shell="--unit COLUMN:1"),
                ".",
            ),
        )


def _l2_squared(constant: int, unit: PrivacyUnit) -> int:
    return (moment_weight(unit) * (constant**2 + LENGTH**2)) ** 2

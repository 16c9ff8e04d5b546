"""What fills the frame of a score plot: noisy counts, and the masses they become."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.portion import Portion, add_noise
from sfumato.charts.scores.frame import FoundFrame
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError
from sfumato.grid import Labels
from sfumato.lattice import Question
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.sparse import occupied_counts, sparse_threshold
from sfumato.phrases import ProtectedUsers
from sfumato.postprocess.haar import Estimate, bins_for, estimated
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit


@dataclass(frozen=True, eq=False)
class Filled:
    """What lies where in a frame.

    Parameters
    ----------
    steps
        The noisy counts ``[group, row, column]`` as released, in integer steps; None where squares
        of other sizes were measured.
    masses
        What they are taken for, in rows or people, never below zero.
    """

    steps: NDArray[np.int64] | None
    masses: NDArray[np.float64]


class Filling(Protocol):
    """A planned way to fill a frame. Knows public facts only."""

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        ...

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in integer steps."""
        ...

    @property
    def threshold(self) -> int | None:
        """What a count must reach to be shown, if not all are."""
        ...

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        ...

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundFrame,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Ask for the frame's counts, or masses, of all groups.

        Privacy
        -------
        Spends at most `cost`, whatever the data, over all groups together.
        """
        ...


@dataclass(frozen=True)
class Noised:
    """Gaussian noise on every cell; ``"haar"`` then shrinks what noise alone could have made."""

    method: Estimate
    portion: Portion
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        self.noise  # noqa: B018 - refuses a portion too small to buy any noise

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in integer steps."""
        return self.portion.law(self.unit.weight)

    @property
    def threshold(self) -> int | None:
        """Every count is shown."""
        return None

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        return bins_for(people, self.noise.scale * self.unit.step)

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundFrame,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Count, add noise, and estimate.

        Privacy
        -------
        One query over all groups together, which one unit can move by its weight.
        """
        law = self.noise
        noisy = add_noise(meter, engine.counts(keys_of(frame, hue), unit), law)
        steps = stacked(noisy, frame)
        masses = estimated(steps.astype(np.float64) * unit.step, law.scale * unit.step, self.method)
        return Filled(steps, masses)


@dataclass(frozen=True)
class Sparse:
    """Gaussian noise on the cells where anyone is; those that reach a threshold are shown."""

    portion: Portion
    delta: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        if self.unit.shared:
            raise DomainError(
                f"Method 'sparse' cannot hide a {self.unit.column} whose rows share one weight.",
                "One person could open any number of cells.",
                ("Leave the method out, or write ", ProtectedUsers(self.unit.column, 20), "."),
            )
        self.threshold  # noqa: B018 - refuses a portion too small to buy one

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return self.portion.cost + Cost(Fraction(0), Fraction(0), self.delta)

    @property
    def noise(self) -> NoiseLaw:
        """The law of the noise on one count, in rows."""
        return NoiseLaw("gaussian", gaussian_scale(self.unit.weight**2, self.portion.amount))

    @property
    def threshold(self) -> int | None:
        """What a noisy count must reach to be shown."""
        return sparse_threshold(self.unit.weight, self.noise.scale, self.delta)

    def side(self, people: float) -> int:
        """Return how many cells a side make the best picture of a group of so many units."""
        return bins_for(people, self.noise.scale)

    def fill(
        self,
        engine: Engine,
        meter: Meter,
        frame: FoundFrame,
        hue: Labels | None,
        unit: PrivacyUnit,
    ) -> Filled:
        """Count, add noise where anyone is, and show what reaches the threshold.

        Privacy
        -------
        As `sfumato.mechanisms.sparse` states, over all groups together.
        """
        exact = engine.counts(keys_of(frame, hue), unit)
        least = sparse_threshold(unit.weight, self.noise.scale, self.delta)
        noisy = occupied_counts(meter, exact, scale=self.noise.scale, threshold=least)
        steps = stacked(noisy, frame)
        masses = estimated(steps.astype(np.float64), self.noise.scale, "sparse")
        return Filled(steps, masses)


def keys_of(frame: FoundFrame, hue: Labels | None) -> list[Question]:
    """Return what to count by: groups first, then rows, then columns."""
    plane: list[Question] = [frame.y, frame.x]
    return plane if hue is None else [hue, *plane]


def stacked(values: NDArray[np.int64], frame: FoundFrame) -> NDArray[np.int64]:
    """Return counts as ``[group, row, column]``, also where there are no groups."""
    return values.reshape(-1, frame.y.cells, frame.x.cells)

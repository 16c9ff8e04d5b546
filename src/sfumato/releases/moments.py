"""`NoisyMoments`: a noisy sum of outer products, as it was released."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.lattice import SHARES, Lattice, Moments, Point, moment_weight
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.principal import Sums
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases import strict

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NoisyMoments:
    """The noisy integers that a question for `Moments` was answered with.

    Parameters
    ----------
    origin, radius, constant
        As they were asked for: the point that rows are measured from, the length at which they
        were cut, in steps of the lattice, and what stands before each.
    scale
        The scale of the discrete Gaussian noise on the diagonal, in integer steps. Beside the
        diagonal it is smaller by √2.
    step
        What one integer is worth: 1, or 2**-18 where a person's rows share its weight.
    matrix
        The released integers on and above the diagonal, row by row.
    """

    origin: Point
    radius: float
    constant: int
    scale: float
    step: float
    matrix: tuple[int, ...] = field(repr=False)

    def __post_init__(self) -> None:
        size = len(self.origin) + 1
        if len(self.matrix) != size * (size + 1) // 2:
            raise ValueError("There is one integer for each pair of columns.")
        if not 0 < self.scale < math.inf or self.step not in (1.0, 1 / SHARES):
            raise ValueError("Noise has a scale, and an integer a worth.")

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> NoisyMoments:
        """Rebuild sums from what `write` returned."""
        return cls(
            origin=tuple(map(strict.integer, plain["origin"])),
            radius=strict.number(plain["radius"]),
            constant=strict.integer(plain["constant"]),
            scale=strict.scale(plain["scale"]),
            step=strict.number(plain["step"]),
            matrix=tuple(map(strict.integer, plain["matrix"])),
        )

    def write(self) -> dict[str, Any]:
        """Return the sums as plain JSON values."""
        return {
            "origin": list(map(int, self.origin)),
            "radius": float(self.radius),
            "constant": int(self.constant),
            "scale": float(self.scale),
            "step": float(self.step),
            "matrix": list(map(int, self.matrix)),
        }

    def asked(self, lattice: Lattice) -> Moments:
        """Return the question these sums answer, or refuse a lattice it cannot be asked of."""
        return Moments(lattice, self.origin, self.radius, self.constant)

    def cost(self, lattice: Lattice, unit: PrivacyUnit) -> Cost:
        """Return what the noise on the sums costs."""
        moved = moment_weight(unit) * self.asked(lattice).longest
        return NoiseLaw("gaussian", self.scale).cost(moved)

    def length(self, lattice: Lattice) -> float:
        """Return the length at which rows were cut, in scaled units."""
        return self.radius * lattice.unit

    def sums(self, lattice: Lattice) -> Sums:
        """Return the sums in scaled units, about `origin`, with how noisy they are.

        A row of length `radius` was spelled as `Moments.reach` whole numbers.
        """
        worth = self.length(lattice) / self.asked(lattice).reach
        once, twice = self.step * worth / self.constant, self.step * worth**2
        each = self.step / self.constant**2
        return Sums(
            count=float(self.square[0, 0]) * each,
            first=self.square[0, 1:] * once,
            second=self.square[1:, 1:] * twice,
            noise=self.scale * twice,
            noise_count=self.scale * each,
            noise_first=self.scale / math.sqrt(2) * once,
        )

    @cached_property
    def square(self) -> Array:
        """The released integers as a symmetric matrix, the constant first."""
        size = len(self.origin) + 1
        above = np.triu_indices(size)
        square = np.zeros((size, size))
        square[above] = square.T[above] = np.array(self.matrix, dtype=np.float64)
        return square

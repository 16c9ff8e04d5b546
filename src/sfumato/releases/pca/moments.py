"""`NoisyMoments`: a noisy sum of outer products, and intervals of numbers with Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Interval
from sfumato.lattice import LENGTH, REACH, SHARES, Lattice, Moments, moment_weight
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.principal import NoisySums
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.spelling import Integer, OneOf, Scale, Within
from sfumato.releases.uncertainty import LEVEL

Array = NDArray[np.float64]

_LOPSIDED = 2.0  # one side of an interval over the other, where both ends are told


def reach(numbers: int = 1) -> float:
    """Return how many standard deviations hold so many numbers together, with 95 % probability.

    Whatever the numbers have to do with each other: each misses with its part of 5 %.

    Examples
    --------
    >>> round(reach(), 2), round(reach(10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1 - (1 - LEVEL) / (2 * numbers))


def intervals(
    values: Array,
    deviations: Array,
    *,
    limits: tuple[float, float] = (-math.inf, math.inf),
    numbers: int = 1,
) -> Interval:
    """Return intervals around values, in their order.

    Parameters
    ----------
    deviations
        The standard deviation of the noise on each value.
    limits
        What the true values lie between: an interval that goes on beyond holds no more of them.
    numbers
        How many intervals hold their true values together.
    """
    wide = reach(numbers) * deviations
    low, high = (np.clip(ends, *limits).ravel() for ends in (values - wide, values + wide))
    return Interval(tuple(low.tolist()), tuple(high.tolist()), LEVEL)


def percents(share: float, low: float, high: float) -> str:
    """Print a share in percent with its interval, in as many digits as that leaves.

    Examples
    --------
    >>> percents(0.3824, 0.364, 0.401), percents(0.3824, 0.379, 0.386)
    ('38 ± 2 %', '38.2 ± 0.4 %')
    >>> percents(0.2, 0.15, 0.43), percents(1.0, 0.0, 1.0)
    ('15 to 43 %', 'unknown share')
    """
    if high - low >= 1:
        return "unknown share"
    sides = sorted((high - share, share - low))
    digits = 0 if sides[1] > 0.009 else 1 if sides[1] > 0.0009 else 2
    # Rounded outwards, as a shorter interval would cover less than it states.
    least, most, wide = (
        math.ceil(100 * end * 10**digits - 1e-9) / 10**digits for end in (-low, high, sides[1])
    )
    if _LOPSIDED * sides[0] < sides[1] and 0 < share < 1:
        return f"{0.0 - least:.{digits}f} to {most:.{digits}f} %"
    return f"{100 * share:.{digits}f} ± {wide:.{digits}f} %"


@dataclass(frozen=True)
class NoisyMoments:
    """A noisy sum of outer products: what a question for `Moments` was answered with.

    A row was measured from `origin`, cut to the length `radius`, and spelled as integers of which a
    length of `radius` is almost 1024; `constant` stands before them.

    Parameters
    ----------
    origin
        The point that rows were measured from, as lattice integers, one for each column.
    radius
        The length at which rows were cut, in steps of the lattice.
    constant
        What stands before each row.
    scale
        The scale of the discrete Gaussian noise on the diagonal, in integer steps. Beside the
        diagonal it is smaller by √2.
    step
        What one integer is worth: 1, or 2**-18 where a person's rows share its weight.
    matrix
        The released integers on and above the diagonal of a symmetric matrix, row by row. It has
        one row and column more than there are columns; the first belongs to the constant, and its
        corner times `step` over constant² is the number of rows.
    """

    origin: tuple[Annotated[int, Within(-REACH, REACH)], ...]
    radius: Annotated[float, Within(1, below=2**30)]
    constant: Annotated[int, Within(1, LENGTH)]
    scale: Scale
    step: Annotated[float, OneOf((1.0, 1 / SHARES))]
    matrix: tuple[Integer, ...] = field(repr=False)

    def __post_init__(self) -> None:
        size = len(self.origin) + 1
        if len(self.matrix) != size * (size + 1) // 2:
            raise ValueError("There is one integer for each pair of columns.")
        if not 0 < self.scale < math.inf or self.step not in (1.0, 1 / SHARES):
            raise ValueError("Noise has a scale, and an integer a worth.")

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

    def sums(self, lattice: Lattice) -> NoisySums:
        """Return the sums in scaled units, about `origin`, with how noisy they are.

        A row of length `radius` was spelled as `Moments.reach` whole numbers.
        """
        worth = self.length(lattice) / self.asked(lattice).reach
        once, twice = self.step * worth / self.constant, self.step * worth**2
        each = self.step / self.constant**2
        return NoisySums(
            count=float(self.square[0, 0]) * each,
            first=self.square[0, 1:] * once,
            second=self.square[1:, 1:] * twice,
            noise=self.scale * twice,
            noise_count=self.scale * each,
            noise_first=self.scale / math.sqrt(2) * once,
        )

    def reorder(self, places: Sequence[int]) -> NoisyMoments:
        """Return the same sums with the columns in another order."""
        above = np.triu_indices(len(self.origin) + 1)
        kept = [0, *(place + 1 for place in places)]
        square = np.zeros((len(kept), len(kept)), dtype=np.int64)
        square[above] = square.T[above] = self.matrix
        origin = tuple(self.origin[place] for place in places)
        return replace(
            self, origin=origin, matrix=tuple(square[np.ix_(kept, kept)][above].tolist())
        )

    @cached_property
    def square(self) -> Array:
        """The released integers as a symmetric matrix, the constant first."""
        size = len(self.origin) + 1
        above = np.triu_indices(size)
        square = np.zeros((size, size))
        square[above] = square.T[above] = np.array(self.matrix, dtype=np.float64)
        return square

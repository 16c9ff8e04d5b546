"""Whether neighbours can say the same things: every cell, and every integer, under either table.

A mechanism that one table can make say what its neighbour cannot has no ε at all. So each public
cell must be reached from both sides; and noise must fall on every integer, not on the coarser
numbers that floats leave when they are large (Mironov 2012).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.gaussian import gaussian
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.laplace import laplace
from sfumato.mechanisms.threshold import extremes, threshold
from sfumato.testing import Metered, metered

CELLS = 3
NEIGHBOURS = (((0, 0, 0), (0, 0, 1)), ((2, 0, 0), (2, 0, 1)), ((1, 1, 1), (0, 1, 1)))
"""Pairs of tables, one row apart, as the counts of three cells."""

Integers = NDArray[np.int64]

DRAWS = 3000
"""The most that are drawn to reach a cell: one of probability 1 % is missed once in 10¹³ runs."""

_QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
_EPSILON = Fraction(1)
_LADDER = np.arange(CELLS)

CHOICES: Mapping[str, Callable[[Exact], Metered[Integers]]] = {
    "joint": lambda exact: metered(joint, exact, levels=_QUARTILES, epsilon=_EPSILON),
    "jointexp": lambda exact: metered(
        joint, exact, levels=_QUARTILES, epsilon=_EPSILON, score="published"
    ),
    "approx": lambda exact: metered(approx, exact, levels=_QUARTILES, epsilon=_EPSILON),
    "single": lambda exact: metered(single, exact, levels=_QUARTILES, epsilon=_EPSILON),
    "walk up": lambda exact: metered(
        threshold, exact, ladder=_LADDER, level=Fraction(1, 2), epsilon=_EPSILON
    ),
    "walk down": lambda exact: metered(
        threshold, exact, ladder=_LADDER, level=Fraction(1, 2), epsilon=_EPSILON, upward=False
    ),
    "extremes": lambda exact: metered(extremes, exact, ladder=_LADDER, least=1, epsilon=_EPSILON),
}
NOISES: Mapping[str, Callable[..., Metered[Integers]]] = {
    "laplace": lambda exact, scale: metered(laplace, exact, scale=scale),
    "gaussian": lambda exact, scale: metered(gaussian, exact, scale=scale),
}
SCALES = (2.0**10, 2.0**30, 3.0 * 2**40, 2.0**54)
"""From counts to shares of a person in steps of 2⁻³⁰, under ever smaller budgets."""

_DOUBT = 1e-9


def exact_of(counts: tuple[int, ...]) -> Exact:
    """Return counts that one row can move by 1."""
    return Exact(1, 1, 1.0, _values=np.array([counts], dtype=np.int64))


def unreached(choose: Callable[[Exact], Metered[Integers]], counts: tuple[int, ...]) -> int:
    """Return how many pairs of a level and a cell are not the answer in `DRAWS` draws."""
    exact = exact_of(counts)
    missing = {(level, cell) for level in range(choose(exact).values.size) for cell in range(CELLS)}
    for _ in range(DRAWS):
        cells: list[int] = choose(exact).values[0].tolist()
        missing -= set(enumerate(cells))
        if not missing:
            break
    return len(missing)


def odd_share(noise: Callable[..., Metered[Integers]], scale: float, draws: int) -> float:
    """Return which share of noisy zeros is odd: half of them, on a lattice without holes."""
    zeros = Exact(1, 1, 1.0, _values=np.zeros(draws, dtype=np.int64))
    return float(np.mean(noise(zeros, scale=scale).values % 2))


def holes(noise: Callable[..., Metered[Integers]], scale: float, draws: int) -> bool:
    """Tell whether noise of a scale leaves out integers, with a doubt of 10⁻⁹ (Hoeffding)."""
    apart = abs(odd_share(noise, scale, draws) - 0.5)
    return apart > math.sqrt(math.log(2 / _DOUBT) / (2 * draws))


def wrapped(noise: Callable[..., Metered[Integers]], scale: float) -> bool:
    """Tell whether noise carries a sum at either end of 64 bits over to the other."""
    ends = np.iinfo(np.int64)
    values: NDArray[np.int64] = np.repeat([ends.min, -(2**62), 0, 2**62, ends.max], 200)
    noisy = noise(Exact(1, 1, 1.0, _values=values), scale=scale).values
    apart = [abs(one - other) for one, other in zip(noisy.tolist(), values.tolist(), strict=True)]
    return max(apart) > 100 * scale

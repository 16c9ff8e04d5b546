"""How unequally a square's mass may be shared by its halves, before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

Array = NDArray[np.float64]
Mixture = tuple[tuple[float, float], ...]

# Shapes of symmetric Beta laws, and weights. Most maps are empty almost everywhere, so one half
# often holds all; the window as a whole is less extreme than what lies inside it.
_WINDOW = ((0.05, 0.1), (0.2, 0.2), (0.6, 0.2), (2.0, 0.2), (12.0, 0.2), (100.0, 0.1))
_INSIDE = (
    (0.002, 0.25),
    (0.03, 0.20),
    (0.15, 0.20),
    (0.6, 0.15),
    (2.0, 0.10),
    (12.0, 0.06),
    (100.0, 0.04),
)
# What a single unit adds lies mostly in one place.
_SINGLE = ((0.002, 0.88), (1.2, 0.10), (12.0, 0.02))
_FEW = 1.5
_PIECES = 1024


@dataclass(frozen=True)
class Prior:
    """The law of one half's share of a mass: a mixture of symmetric Beta laws.

    Large masses are shared by one law, masses of less than a unit by another; in between, both
    are mixed.

    Parameters
    ----------
    many, single
        Shapes of Beta laws and their weights, for the mass of many units and of a part of one.
    few
        The units at which both have the same weight.
    """

    many: Mixture
    single: Mixture
    few: float = _FEW

    def below(self, share: Array, units: Array) -> Array:
        """Return how probable a smaller share is, for masses of so many units."""
        height, slope, more_height, more_slope = self._lines
        root = np.minimum(share, 1 - share)
        root *= 2
        np.sqrt(root, out=root)
        piece = (root * _PIECES).astype(np.int64)
        more = more_slope.take(piece, mode="clip")
        more *= root
        more += more_height.take(piece, mode="clip")
        more *= self.few / (self.few + units)
        root *= slope.take(piece, mode="clip")
        root += height.take(piece, mode="clip")
        root += more
        return np.where(share > 0.5, 1 - root, root)

    @cached_property
    def _lines(self) -> tuple[Array, Array, Array, Array]:
        many, single = _broken(self.many), _broken(self.single)
        return many[0], many[1], single[0] - many[0], single[1] - many[1]


def _broken(mixture: Mixture) -> tuple[Array, Array]:
    """Return a distribution function up to a half as broken lines in the root of twice the share.

    They are closest where it is steep, at shares of almost nothing.
    """
    roots = np.linspace(0.0, 1.0, _PIECES + 1)
    weight = sum(each for _, each in mixture)
    below = np.zeros(_PIECES + 1)
    for shape, each in mixture:
        below += each / weight * betainc(shape, shape, roots**2 / 2)
    slope = np.diff(below) * _PIECES
    height = below[:-1] - slope * roots[:-1]
    # A share of exactly a half falls on the piece after the last, which continues it.
    return np.append(height, height[-1]), np.append(slope, slope[-1])


WINDOW = Prior(_WINDOW, _SINGLE)
INSIDE = Prior(_INSIDE, _SINGLE)

"""`Curves`: log-likelihoods of masses, as broken lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.least_squares import Estimates

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_KNOTS = 24
_WIDTH = 4.0  # half of the knots lie within so many standard deviations of the estimate


@dataclass(frozen=True, eq=False)
class Axes:
    """Where the knots of curves stand: from 0 to the most, closest around the estimates.

    A mass M has the place ``x / (1 + abs(x))`` with ``x = (M - centre) / width``. The knots are
    evenly spaced places, so that the two around a mass are found without a search.
    """

    estimates: Estimates
    centre: Array
    width: Array
    start: Array
    pitch: Array
    knots: Array

    @staticmethod
    def around(estimates: Estimates, most: float) -> Axes:
        """Place knots for masses between 0 and `most`."""
        centre = np.clip(estimates.mean, 0.0, most)
        width = _WIDTH * np.minimum(np.sqrt(estimates.variance), most)
        start = -centre / (width + centre)
        pitch = ((most - centre) / (width + (most - centre)) - start) / (_KNOTS - 1)
        places = start[:, None] + pitch[:, None] * np.arange(1, _KNOTS - 1)
        knots = np.zeros((len(centre), _KNOTS))
        knots[:, 1:-1] = centre[:, None] + width[:, None] * places / (1 - abs(places))
        knots[:, -1] = most
        # Rounding may push a knot past its neighbour where the estimate is extremely precise.
        knots = np.minimum(np.maximum.accumulate(knots, axis=1), most)
        return Axes(estimates, centre, width, start, pitch, knots)


@dataclass(frozen=True, eq=False)
class Curves:
    """Functions of a mass, one for each of several masses: linear between knots."""

    axes: Axes
    height: Array
    slope: Array

    @staticmethod
    def through(axes: Axes, values: Array) -> Curves:
        """Draw lines through values at the knots."""
        gaps = np.diff(axes.knots, axis=1)
        slope = np.diff(values, axis=1) / np.where(gaps > 0, gaps, np.inf)
        return Curves(axes, values[:, :-1] - slope * axes.knots[:, :-1], slope)

    def at(self, rows: Rows, masses: Array) -> Array:
        """Return the values of some curves, each at all the masses of its own row."""
        axes, shape = self.axes, (-1,) + (1,) * (masses.ndim - 1)
        place = masses - axes.centre[rows].reshape(shape)
        place /= abs(place) + axes.width[rows].reshape(shape)
        place -= axes.start[rows].reshape(shape)
        place *= (1 / axes.pitch[rows]).reshape(shape)
        piece = np.clip(place, 0, _KNOTS - 2, out=place).astype(np.int64)
        piece += (np.arange(len(rows)) * (_KNOTS - 1)).reshape(shape)
        values = self.slope[rows].take(piece, mode="clip")
        values *= masses
        values += self.height[rows].take(piece, mode="clip")
        return values

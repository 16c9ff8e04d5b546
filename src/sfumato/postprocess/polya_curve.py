"""`Curves`: log-likelihoods of masses, as broken lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_WIDTH = 4.0  # half of the knots lie within so many standard deviations of the estimate


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means and variances of some masses, as unconstrained least squares sees them."""

    mean: Array
    variance: Array

    def at(self, rows: Rows) -> Estimates:
        """Return those of some masses."""
        return Estimates(self.mean[rows], self.variance[rows])

    def __add__(self, other: Estimates) -> Estimates:
        """Return those of sums of masses."""
        return Estimates(self.mean + other.mean, self.variance + other.variance)


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
    def around(estimates: Estimates, most: float, count: int) -> Axes:
        """Place so many knots for masses between 0 and `most`."""
        centre = np.clip(estimates.mean, 0.0, most)
        width = _WIDTH * np.minimum(np.sqrt(estimates.variance), most)
        start = -centre / (width + centre)
        pitch = ((most - centre) / (width + (most - centre)) - start) / (count - 1)
        places = start[:, None] + pitch[:, None] * np.arange(1, count - 1)
        knots = np.zeros((len(centre), count))
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
        pieces: int = self.slope.shape[1]
        place = masses - axes.centre[rows].reshape(shape)
        place /= abs(place) + axes.width[rows].reshape(shape)
        place -= axes.start[rows].reshape(shape)
        place *= (1 / axes.pitch[rows]).reshape(shape)
        piece = np.clip(place, 0, pieces - 1, out=place).astype(np.int64)
        piece += (np.arange(len(rows)) * pieces).reshape(shape)
        values = self.slope[rows].take(piece, mode="clip")
        values *= masses
        values += self.height[rows].take(piece, mode="clip")
        return values

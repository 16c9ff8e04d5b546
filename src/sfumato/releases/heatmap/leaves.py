"""The leaves of a map: where they lie in the window, and the known laws of their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.grid import Grid
from sfumato.plane import MOST_LEVELS, interleave
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.releases.uncertainty import LEVEL

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class LeafIntervals:
    """Ends of an interval for the mass of each leaf alone, and how often it covers the truth.

    Noise on integers has no interval of exactly 95 %: each states the coverage it does have, the
    least that is not below. Like the measurements themselves, intervals may reach below zero.

    Coverage is that of a square chosen without looking at its measurement, as all leaves are but
    those of ``"pyramid"`` that were left unopened because they were measured to hold little.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    coverage: tuple[float, ...]


@dataclass(frozen=True)
class LeafNoise:
    """One noisy integer per leaf, with discrete Laplace noise of a scale of its own.

    Parameters
    ----------
    noisy, scale
        Measurements and scales, in integer steps.
    step
        What one integer is worth.
    """

    noisy: tuple[int, ...]
    scale: tuple[float, ...]
    step: float

    @cached_property
    def masses(self) -> Array:
        """The measurements in units; unbiased, and so sometimes below zero."""
        return np.array(self.noisy, dtype=np.float64) * self.step

    @cached_property
    def variance(self) -> Array:
        """The variance of each measurement, in squared units."""
        scales, which = self._groups
        return np.array([_variance(scale) for scale in scales.tolist()])[which] * self.step**2

    @cached_property
    def intervals(self) -> LeafIntervals:
        """Intervals for the masses, each alone."""
        scales, which = self._groups
        laws = [NoiseLaw("laplace", scale) for scale in scales.tolist()]
        reach = [law.radius(LEVEL) for law in laws]
        sure = [law.coverage(radius) for law, radius in zip(laws, reach, strict=True)]
        radius = np.array(reach, dtype=np.float64)[which] * self.step
        return LeafIntervals(
            tuple((self.masses - radius).tolist()),
            tuple((self.masses + radius).tolist()),
            tuple(np.array(sure, dtype=np.float64)[which].tolist()),
        )

    @cached_property
    def _groups(self) -> tuple[Array, NDArray[np.intp]]:
        """The distinct scales, and which of them each leaf has."""
        scales, which = np.unique(np.array(self.scale, dtype=np.float64), return_inverse=True)
        return scales, which


def check_leaves(leaves: Leaves) -> None:
    """Refuse leaves that are no squares of a quadtree, overlap or hold less than nothing."""
    columns, rows = leaves.shape
    column, row, span = leaves.column, leaves.row, leaves.span
    if not len(column) == len(row) == len(span) == len(leaves.mass):
        raise ValueError("A leaf has one column, one row, one span and one mass.")
    if not (1 <= columns <= 2**MOST_LEVELS and 1 <= rows <= 2**MOST_LEVELS):
        raise ValueError("A map has between 1 and 2^20 cells along a side.")
    if not (np.isfinite(leaves.mass) & (leaves.mass >= 0)).all():
        raise ValueError("Masses are finite, and not below zero.")
    inside = (column >= 0) & (row >= 0) & (column + span <= columns) & (row + span <= rows)
    dyadic = (span >= 1) & (span & (span - 1) == 0) & ((column | row) & (span - 1) == 0)
    if not ((span <= max(columns, rows)) & inside & dyadic).all():
        raise ValueError("A leaf is a square of a quadtree, inside the window.")
    # In Morton order a square of a quadtree is a range of codes.
    first = interleave(column, row)
    order = np.argsort(first)
    first, size = first[order], span[order] ** 2
    if (first[:-1] + size[:-1] > first[1:]).any():
        raise ValueError("Leaves do not overlap.")


def ends_of(leaves: Leaves, x: Grid, y: Grid) -> tuple[Array, Array, Array, Array]:
    """Return the left, right, low and high ends of leaves, in the units of the data."""
    left, right = _side(leaves.column, leaves.span, x, leaves.shape[0])
    low, high = _side(leaves.row, leaves.span, y, leaves.shape[1])
    return left, right, low, high


def _side(first: Indices, span: Indices, grid: Grid, cells: int) -> tuple[Array, Array]:
    bounds = grid.bounds
    low, high = (
        index.astype(np.float64) * bounds.width / cells + bounds.lower
        for index in (first, first + span)
    )
    return low, np.where(first + span == cells, bounds.upper, high)


def _variance(scale: float) -> float:
    """Return the variance of discrete Laplace noise: 2p / (1 - p)², where p = exp(-1 / scale)."""
    half = 1 / (2 * scale)
    return 0.0 if half > 350 else 1 / (2 * math.sinh(half) ** 2)

"""The leaves of a map: where they lie in the window, and the known laws of their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.grid import Grid
from sfumato.plane import MOST_LEVELS, interleave
from sfumato.postprocess.combined_noise import CombinedNoise
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.transport import project_by_transport
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
    combined
        The law of the noise on all leaves, where several releases were combined.
    """

    noisy: tuple[int, ...]
    scale: tuple[float, ...]
    step: float
    combined: CombinedNoise | None = None

    @property
    def law(self) -> NoiseLaw | CombinedNoise | None:
        """The one law of the noise on all leaves; None where they have several, or none."""
        if self.combined is not None or len(self._groups[0]) != 1:
            return self.combined
        return self._laws[0]

    @cached_property
    def masses(self) -> Array:
        """The measurements in units; unbiased, and so sometimes below zero."""
        return np.array(self.noisy, dtype=np.float64) * self.step

    @cached_property
    def variance(self) -> Array:
        """The variance of each measurement, in squared units."""
        variances = np.array([law.variance for law in self._laws], dtype=np.float64)
        return variances[self._groups[1]] * self.step**2

    @cached_property
    def intervals(self) -> LeafIntervals:
        """Intervals for the masses, each alone."""
        laws, which = self._laws, self._groups[1]
        reach = [law.radius(LEVEL) for law in laws]
        sure = [law.coverage(radius) for law, radius in zip(laws, reach, strict=True)]
        radius = np.array(reach, dtype=np.float64)[which] * self.step
        return LeafIntervals(
            tuple((self.masses - radius).tolist()),
            tuple((self.masses + radius).tolist()),
            tuple(np.array(sure, dtype=np.float64)[which].tolist()),
        )

    @cached_property
    def _laws(self) -> list[NoiseLaw | CombinedNoise]:
        """The law of the noise at each distinct scale."""
        scales, _ = self._groups
        if self.combined is not None:
            return [self.combined for _ in scales]
        return [NoiseLaw("laplace", scale) for scale in scales.tolist()]

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


def decode_leaves(leaves: Leaves, noisy: Array, method: str, top: float | None) -> Array:
    """Return masses of leaves of one size, not below zero, as a method decodes them.

    Parameters
    ----------
    noisy
        The measurements in units, in the order of the leaves.
    """
    if method != "dense":
        return keep_fullest(noisy, top)
    cells = leaves.row // leaves.span, leaves.column // leaves.span
    side = math.isqrt(len(noisy))
    square = np.zeros((side, side))
    square[cells] = noisy
    return project_by_transport(square)[cells]


def keep_fullest(noisy: Array, top: float | None) -> Array:
    """Return masses that are not below zero, or of a fraction of the cells alone: the fullest.

    Examples
    --------
    >>> keep_fullest(np.array([3.0, -1.0, 5.0, 2.0]), 0.5)
    array([3., 0., 5., 0.])
    """
    masses = np.maximum(noisy, 0.0)
    if top is not None:
        kept = max(1, round(top * len(masses)))
        masses[np.argsort(-noisy, kind="stable")[kept:]] = 0.0
    return masses

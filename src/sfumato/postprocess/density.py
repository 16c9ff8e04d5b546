"""Masses of squares as a picture of any resolution, its Gaussian filter, and the noise in it.

Every picture here is linear in the masses and separable: what a leaf adds to a cell is a factor of
their columns times a factor of their rows. Leaves no wider than a picture cell meet at most two
cells along a side; wider ones of one span stand in few distinct columns. So neither time nor
memory depends on how fine the finest grid is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Resolution = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Leaves:
    """Squares of a fine grid, and the mass of each.

    Parameters
    ----------
    shape
        Columns and rows of the finest grid.
    column, row
        The first finest column and row of each leaf.
    span
        How many finest cells each leaf is wide and high.
    mass
        What each leaf holds, anywhere within it alike.
    """

    shape: Resolution
    column: Indices
    row: Indices
    span: Indices
    mass: Array


def rasterise(leaves: Leaves, resolution: Resolution) -> Array:
    """Return the mass in each cell of a picture, ``[row, column]``.

    A leaf divides its mass among cells by the area they share with it, whatever the resolution.

    Examples
    --------
    >>> halves = np.array([0, 2])
    >>> leaves = Leaves((4, 2), halves, np.array([0, 0]), np.array([2, 2]), np.array([6.0, 3.0]))
    >>> rasterise(leaves, (3, 1))
    array([[4., 3., 2.]])
    """
    return _draw_leaves(leaves, leaves.mass, resolution, (_model_overlap, _model_overlap))


def smooth(array: Array, sigma: tuple[float, float]) -> Array:
    """Return a picture under a Gaussian filter that keeps the mass of every cell in the window.

    The filter is cut at the borders and normalised for each cell it takes mass from, so that the
    sum stays (Ghazi et al. 2022, §2.3, with the normaliser that keeps it so).

    Parameters
    ----------
    array
        Mass per cell, ``[row, column]``.
    sigma
        Standard deviations along columns and rows, in cells; 0 leaves that direction alone.

    Examples
    --------
    >>> smooth(np.array([[0.0, 0.0, 1.0]]), (0.5, 0.0)).round(4)
    array([[3.000e-04, 1.192e-01, 8.805e-01]])
    """
    rows, columns = array.shape
    return _kernel(rows, sigma[1]) @ array @ _kernel(columns, sigma[0]).T


def propagate_variance(
    leaves: Leaves, variance: Array, resolution: Resolution, sigma: tuple[float, float]
) -> Array:
    """Return the variance of each cell of the filtered picture when leaves carry their own noise.

    This is exact for `smooth` of `rasterise`, for noise that is independent between leaves.

    Parameters
    ----------
    leaves
        The leaves; their masses do not matter.
    variance
        Of the mass of each leaf.
    resolution, sigma
        As for `rasterise` and `smooth`.

    Examples
    --------
    >>> leaf = Leaves((2, 2), *np.zeros((2, 1), dtype=np.int64), np.array([2]), np.array([8.0]))
    >>> propagate_variance(leaf, np.array([16.0]), (2, 2), (0.0, 0.0))
    array([[1., 1.],
           [1., 1.]])
    """
    across, up = (
        _square_model(_kernel(cells, width)) for cells, width in zip(resolution, sigma, strict=True)
    )
    return _draw_leaves(leaves, variance, resolution, (across, up))


@dataclass(frozen=True, eq=False)
class _Side:
    """How leaves act on the cells along one side, by way of slots that many of them share.

    Leaf j gives the share ``share[part, j]`` of its amount to ``slot[part, j]``, and slot s gives
    ``reach[cell, s]`` of that to each cell. Without a reach, slots are the cells themselves.
    """

    slot: Indices
    share: Array
    slots: int
    reach: Array | None = None

    def draw(self, table: Array) -> Array:
        """Return the cells of slots, along the first dimension."""
        return table if self.reach is None else self.reach @ table


Model = Callable[[Indices, Indices, int, int], _Side]
"""From first cells, spans, cells of the finest grid and of the picture along a side."""


def _draw_leaves(
    leaves: Leaves, amount: Array, resolution: Resolution, models: tuple[Model, Model]
) -> Array:
    picture = np.zeros(resolution[::-1])
    for group in _group_by_size(leaves, resolution):
        span = leaves.span[group]
        across, up = (
            model(place[group], span, fine, cells)
            for model, place, fine, cells in zip(
                models, (leaves.column, leaves.row), leaves.shape, resolution, strict=True
            )
        )
        slot = up.slot[:, None] * across.slots + across.slot
        share = up.share[:, None] * across.share * amount[group]
        table = np.bincount(slot.ravel(), share.ravel(), up.slots * across.slots)
        table = table.astype(np.float64).reshape(up.slots, across.slots)
        picture += across.draw(up.draw(table).T).T
    return picture


def _group_by_size(leaves: Leaves, resolution: Resolution) -> Iterator[Indices]:
    """Yield leaves that are drawn together: all those within a cell's size, the others by span."""
    sides = zip(leaves.shape, resolution, strict=True)
    small = np.all([leaves.span * cells <= fine for fine, cells in sides], axis=0)
    kind = np.where(small, 0, leaves.span)
    for each in np.unique(kind):
        yield np.flatnonzero(kind == each)


def _model_overlap(first: Indices, span: Indices, fine: int, cells: int) -> _Side:
    if _within(span, fine, cells):
        cell, beyond = _split_over_cells(first, span, fine, cells)
        slot = np.stack([cell, np.minimum(cell + 1, cells - 1)])
        return _Side(slot, np.stack([1 - beyond, beyond]), cells)
    slot, overlap = _overlap(first, span, fine, cells)
    return _Side(slot[None], np.ones((1, len(first))), overlap.shape[1], overlap)


def _square_model(kernel: Array) -> Model:
    """Return how variances act: by the squares of what a filtered picture takes from each mass.

    A leaf with the part t beyond an edge between two cells of filters K and L contributes
    ((1 - t)K + tL)² = (1 - t)²K² + 2t(1 - t)KL + t²L², so one slot for every cell and one for
    every edge hold all leaves within a cell's size, exactly.
    """

    def model(first: Indices, span: Indices, fine: int, cells: int) -> _Side:
        if not _within(span, fine, cells):
            slot, overlap = _overlap(first, span, fine, cells)
            reach = (kernel @ overlap) ** 2
            return _Side(slot[None], np.ones((1, len(first))), overlap.shape[1], reach)
        cell, beyond = _split_over_cells(first, span, fine, cells)
        slot = np.minimum(2 * cell + np.arange(3)[:, None], 2 * cells - 2)
        share = np.stack([(1 - beyond) ** 2, 2 * beyond * (1 - beyond), beyond**2])
        reach = np.empty((cells, 2 * cells - 1))
        reach[:, ::2] = kernel**2
        reach[:, 1::2] = kernel[:, :-1] * kernel[:, 1:]
        return _Side(slot, share, 2 * cells - 1, reach)

    return model


def _within(span: Indices, fine: int, cells: int) -> bool:
    """Say whether leaves are no wider than a picture cell."""
    return int(span.max(initial=0)) * cells <= fine


def _split_over_cells(
    first: Indices, span: Indices, fine: int, cells: int
) -> tuple[Indices, Array]:
    """Return the cell each small leaf begins in, and the part of it that lies in the next."""
    cell = first * cells // fine
    beyond = (first + span) * cells - (cell + 1) * fine
    return cell, np.maximum(beyond, 0) / (span * cells)


def _overlap(first: Indices, span: Indices, fine: int, cells: int) -> tuple[Indices, Array]:
    """Return the place of each leaf among the distinct ones, and their parts in every cell."""
    distinct, slot = np.unique(first, return_inverse=True)
    width = int(span[0]) * cells
    start, edges = distinct * cells, np.arange(cells + 1)[:, None] * fine
    shared = np.minimum(edges[1:], start + width) - np.maximum(edges[:-1], start)
    return slot, np.maximum(shared, 0) / width


def _kernel(cells: int, sigma: float) -> Array:
    """Return what each cell (row) takes of each cell (column); columns add up to 1."""
    # The nearest neighbour's weight is exactly 0 in floating point from here on.
    if sigma < 0.02:
        return np.eye(cells)
    steps = np.arange(cells) / sigma
    kernel = np.exp(-0.5 * (steps[:, None] - steps) ** 2)
    return kernel / kernel.sum(axis=0)

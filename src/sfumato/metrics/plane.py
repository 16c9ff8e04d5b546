"""How alike two pictures of a plane are: by their cells, and by the earth mover's distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import fft

from sfumato.metrics.heatmap import Map, shares

_fft = cast(Any, fft)  # it comes without annotations
Flow = tuple[Map, Map]
"""What moves from each cell to the next row, and to the next column."""

RELAXATION = 1.7
"""How far each step goes beyond the plain one; any number below 2 converges."""

SHRINKAGE = 2.0
"""How much an edge's flow shrinks, in means of the first flow."""

PAUSE = 10
"""How many steps are taken before the bounds are looked at."""


ROUNDING = 1e-14
"""What 64-bit sums over maps may be off by; bounds this close are not brought closer."""


@dataclass(frozen=True)
class Distance:
    """Two bounds between which the distance lies."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The number half way between the bounds."""
        return (self.low + self.high) / 2


def emd(h: ArrayLike, g: ArrayLike, *, gap: float = 1e-3, steps: int = 5000) -> Distance:
    """Return bounds on the earth mover's distance, in sides of the window.

    Parameters
    ----------
    h, g
        Maps of equal shape, rows by columns; each is scaled to a total of 1.
    gap
        How far apart the bounds may be, as a fraction of the upper one.
    steps
        How many steps are taken at most. Bounds that are still further apart hold all the same.

    Notes
    -----
    The bounds hold up to the rounding of 64-bit sums, some 1e-14. Maps of 256 × 256 cells take
    50 to 400 steps to a gap of 0.001, at two milliseconds each.

    Examples
    --------
    >>> moved = emd([[1, 0, 0, 0]], [[0, 0, 0, 1]])  # by three columns of four
    >>> round(moved.low, 3), round(moved.high, 3)
    (0.75, 0.75)
    >>> emd([[1, 2], [3, 4]], [[10, 20], [30, 40]]).high < 1e-15
    True
    """
    first, second = shares(h, g)
    supply = first - second
    low, high = 0.0, _compute_repair_cost(supply)
    for flow, potential in islice(_iterate_bounds(supply), PAUSE - 1, steps, PAUSE):
        low = max(low, _bound_earnings(potential, supply))
        high = min(high, _bound_cost(flow, supply))
        if high - low <= max(gap * high, ROUNDING):
            break
    return Distance(min(low, high), high)


def _iterate_bounds(supply: Map) -> Iterator[tuple[Flow, Map]]:
    """Yield flows that move the right masses, and potentials, both ever closer to the best."""
    inverse, costs = _inverse(supply.shape), _costs(supply.shape)
    still = np.zeros_like(supply[1:]), np.zeros_like(supply[:, 1:])
    state, _ = _project_flow(still, supply, inverse)
    whole = sum(float(np.abs(each).sum()) for each in state)
    # The mean edge cost is about the geometric mean of the two.
    pressure = SHRINKAGE * whole / (2 * supply.size * float(np.sqrt(costs[0] * costs[1])))
    down, right = state
    while whole > 0:
        less_down, less_right = (
            each - np.clip(each, -pressure * cost, pressure * cost)
            for each, cost in zip((down, right), costs, strict=True)
        )
        mirrored = 2 * less_down - down, 2 * less_right - right
        flow, potential = _project_flow(mirrored, supply, inverse)
        yield flow, potential / pressure
        down = down + RELAXATION * (flow[0] - less_down)
        right = right + RELAXATION * (flow[1] - less_right)


def _project_flow(flow: Flow, supply: Map, inverse: Map) -> tuple[Flow, Map]:
    """Return the nearest flow that moves the right masses, and the potential that corrects it."""
    transformed = _fft.dctn(supply - _compute_divergence(flow))
    potential = cast(Map, _fft.idctn(transformed * inverse, overwrite_x=True))
    down, right = flow
    return (
        down + potential[:-1] - potential[1:],
        right + potential[:, :-1] - potential[:, 1:],
    ), potential


def _compute_divergence(flow: Flow) -> Map:
    """Return what leaves each cell, net of what arrives."""
    down, right = flow
    leaving = np.zeros((right.shape[0], down.shape[1]))
    leaving[:-1] += down
    leaving[1:] -= down
    leaving[:, :-1] += right
    leaving[:, 1:] -= right
    return leaving


def _inverse(shape: tuple[int, ...]) -> Map:
    """Return the inverse of the Poisson equation in the cosine basis; the mean stays as it is."""
    rows, columns = (2 - 2 * np.cos(np.pi * np.arange(size) / size) for size in shape)
    eigenvalues = rows[:, None] + columns
    eigenvalues[0, 0] = np.inf
    return 1 / eigenvalues


def _costs(shape: tuple[int, ...]) -> tuple[float, float]:
    return 1 / shape[0], 1 / shape[1]


def _bound_cost(flow: Flow, supply: Map) -> float:
    """Return what a flow costs, and what it would cost to put its rounding right."""
    moved = sum(
        cost * float(np.abs(each).sum())
        for each, cost in zip(flow, _costs(supply.shape), strict=True)
    )
    return moved + _compute_repair_cost(supply - _compute_divergence(flow))


def _compute_repair_cost(supply: Map) -> float:
    """Return the cost of moving each mass across the whole window, which is 2 sides wide."""
    return float(np.abs(supply).sum())


def _bound_earnings(potential: Map, supply: Map) -> float:
    """Return what a potential is worth once it is gentle, rounded down or up."""
    costs = _costs(supply.shape)
    below, above = _make_lipschitz(potential, costs), -_make_lipschitz(-potential, costs)
    return max(float((below * supply).sum()), float((above * supply).sum()))


def _make_lipschitz(potential: Map, costs: tuple[float, float]) -> Map:
    """Return the largest potential below this one that rises by at most the cost of each edge.

    It is the lower envelope of one cone around each cell; cones of ℓ₁ are drawn axis by axis.
    """
    for cost in costs:
        slope = cost * np.arange(len(potential), dtype=np.float64)[:, None]
        rising = slope + np.minimum.accumulate(potential - slope)
        potential = (np.minimum.accumulate((rising + slope)[::-1])[::-1] - slope).T
    return potential


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cloud:
    """Weighted points in the plane; the weights of a cloud sum to 1.

    Parameters
    ----------
    points
        An array of points × 2.
    weights
        One for each point, or None where all weigh the same.

    Examples
    --------
    >>> Cloud([[0, 0], [1, 2]]).moved([[0, 1], [1, 0]], (10, 0)).points
    array([[10.,  0.],
           [12.,  1.]])
    """

    points: Floats
    weights: Floats

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        placed = np.asarray(points, dtype=np.float64)
        given = np.ones(len(placed)) if weights is None else np.asarray(weights, dtype=np.float64)
        total = float(given.sum())
        if placed.shape != (len(given), 2) or not (np.isfinite(total) and total > 0):
            raise ValueError(
                "A cloud has points of two coordinates, and weights above 0. Without mass there is "
                "nothing to compare. Give one weight for each point, or compare an even density."
            )
        object.__setattr__(self, "points", placed)
        object.__setattr__(self, "weights", given / total)

    def moved(self, turn: ArrayLike, shift: ArrayLike = (0.0, 0.0)) -> Cloud:
        """Return the cloud turned by a 2 × 2 matrix and then shifted."""
        turned = self.points @ np.asarray(turn, dtype=np.float64).T
        return Cloud(turned + np.asarray(shift, dtype=np.float64), self.weights)


@dataclass(frozen=True)
class CellWindow:
    """A rectangle of the plane in equal cells, as many upward as across.

    Examples
    --------
    >>> window = CellWindow((0, 4), (0, 2), 2)
    >>> window.density(Cloud([[0.5, 0.5], [3, 1.5], [9, 1.5], [3, 0.5]]))
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """

    x: tuple[float, float]
    y: tuple[float, float]
    cells: int

    @classmethod
    def around(
        cls, points: ArrayLike, *, level: float = 0.99, margin: float = 1.2, cells: int = 16
    ) -> CellWindow:
        """Return a square about the median, wide enough for this share of points and a margin.

        Examples
        --------
        >>> CellWindow.around([[0, 0], [3, 4], [-3, -4]], level=1)
        CellWindow(x=(-6.0, 6.0), y=(-6.0, 6.0), cells=16)
        """
        placed = np.asarray(points, dtype=np.float64)
        x, y = map(float, np.median(placed, axis=0))
        reach = margin * float(np.quantile(np.hypot(*(placed - [x, y]).T), level))
        return cls((x - reach, x + reach), (y - reach, y + reach), cells)

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.x[1] - self.x[0]

    def cell(self, points: Floats) -> NDArray[np.int64]:
        """Return the number of each point's cell, rows upward; what lies beyond, at the edge."""
        lower = np.array([self.x[0], self.y[0]])
        size = np.array([self.width, self.y[1] - self.y[0]]) / self.cells
        place = np.floor((points - lower) / size).clip(0, self.cells - 1).astype(np.int64)
        return place[:, 1] * self.cells + place[:, 0]

    def density(self, cloud: Cloud) -> Floats:
        """Return the share of a cloud in every cell, rows upward."""
        mass = np.zeros(self.cells**2)
        mass += np.bincount(self.cell(cloud.points), cloud.weights, minlength=mass.size)
        return mass.reshape(self.cells, self.cells)

    def spread(self, density: ArrayLike, parts: int = 8) -> Cloud:
        """Return a density as points, parts × parts of them evenly in each cell that has mass.

        Examples
        --------
        >>> CellWindow((0, 2), (0, 2), 2).spread([[0, 1], [0, 0]], parts=2).points
        array([[1.25, 0.25],
               [1.75, 0.25],
               [1.25, 0.75],
               [1.75, 0.75]])
        """
        mass = np.asarray(density, dtype=np.float64)
        rows, columns = np.nonzero(mass)
        within = (np.arange(parts) + 0.5) / parts
        across = (columns[:, None, None] + within[None, None, :]) * self.width / self.cells
        up = (rows[:, None, None] + within[None, :, None]) * (self.y[1] - self.y[0]) / self.cells
        across, up = np.broadcast_arrays(self.x[0] + across, self.y[0] + up)
        points = np.column_stack([across.ravel(), up.ravel()])
        return Cloud(points, np.repeat(mass[rows, columns], parts**2))

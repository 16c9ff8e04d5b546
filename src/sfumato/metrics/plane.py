"""Points and cells in the plane of a score plot, to compare two pictures of one cloud.

A picture is a density that is even within the cells of its own window. Two pictures seldom have
the same window, and those of two pairs of directions are turned against each other: here both
become weighted points, which can be moved and counted again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
class Window:
    """A rectangle of the plane in equal cells, as many upward as across.

    Examples
    --------
    >>> window = Window((0, 4), (0, 2), 2)
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
    ) -> Window:
        """Return a square about the median, wide enough for this share of points and a margin.

        Examples
        --------
        >>> Window.around([[0, 0], [3, 4], [-3, -4]], level=1)
        Window(x=(-6.0, 6.0), y=(-6.0, 6.0), cells=16)
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
        >>> Window((0, 2), (0, 2), 2).spread([[0, 1], [0, 0]], parts=2).points
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

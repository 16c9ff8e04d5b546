"""`Truth`: the exact score plot of a table, and how close others are to it.

The exact picture is that of the raw mean and the raw covariance of the scaled rows. Distances are
taken on 16 × 16 cells of a square that holds 99 % of the exact scores and a margin of a fifth
(total variation), and between the exact scores and the other density (sliced Wasserstein), in
units of half that square's side. Both come after a Procrustes alignment: the other picture is
turned and mirrored so that its directions are as close to the exact ones as they can be, and
shifted so that the mean of the rows lies where it does in the exact picture, as it does in those of
dppca, whose origin is the raw mean. How far it is with its origin left where it lies among the rows
is told as well: an error of the directions then also moves the picture, the more the farther the
released mean is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from pcas.dppca import leading
from pcas.sets import Floats, Table
from sfumato.metrics.plane import CellWindow, Cloud
from sfumato.metrics.scoreplot import (
    alignment,
    captured_variance,
    group_accuracy,
    sliced_wasserstein,
    total_variation,
)

FINE, COARSE = 8, 3
"""How many points a side stand for a cell: for total variation, and for distances."""


class Closeness(NamedTuple):
    """How far a picture is from the exact one: two to be small, one to be large.

    The last two are the first two with the origin left where it lies.
    """

    tv: float
    w1: float
    captured: float
    tv_placed: float
    w1_placed: float


@dataclass(frozen=True, eq=False)
class Picture:
    """A density in its own frame, on directions through an origin, in scaled units."""

    density: Floats
    frame: CellWindow
    directions: Floats
    origin: Floats


@dataclass(frozen=True, eq=False)
class Truth:
    """The exact score plot of a table."""

    table: Table

    @cached_property
    def mean(self) -> Floats:
        """The origin of the exact scores."""
        return self.table.scaled.mean(axis=0)

    @cached_property
    def covariance(self) -> Floats:
        """The raw covariance."""
        return np.cov(self.table.scaled.T)

    @cached_property
    def directions(self) -> Floats:
        """The two leading directions, as rows."""
        return leading(self.covariance)

    @cached_property
    def cloud(self) -> Cloud:
        """The exact scores."""
        return Cloud((self.table.scaled - self.mean) @ self.directions.T)

    @cached_property
    def window(self) -> CellWindow:
        """Where pictures are compared."""
        return CellWindow.around(self.cloud.points)

    @cached_property
    def density(self) -> Floats:
        """The exact picture."""
        return self.window.density(self.cloud)

    def closeness(self, picture: Picture) -> Closeness:
        """Return how close a picture is."""
        turn = alignment(picture.directions, self.directions)
        off = picture.origin - self.mean
        near = self._distances(picture, turn, turn @ picture.directions @ off)
        placed = self._distances(picture, turn, self.directions @ off) if off.any() else near
        return Closeness(*near, captured_variance(picture.directions, self.covariance), *placed)

    def _distances(self, picture: Picture, turn: Floats, shift: Floats) -> tuple[float, float]:
        fine, coarse = (
            picture.frame.spread(picture.density, parts).moved(turn, shift)
            for parts in (FINE, COARSE)
        )
        return (
            total_variation(self.window.density(fine), self.density),
            sliced_wasserstein(coarse, self.cloud) / (self.window.width / 2),
        )

    def accuracy(self, picture: Picture, masses: Floats, *, nearest: bool = True) -> float:
        """Return how well groups can be read off one map for each of them."""
        scores = (self.table.scaled - picture.origin) @ picture.directions.T
        return group_accuracy(masses, picture.frame, scores, self.members, nearest=nearest)

    def exact_accuracy(self, cells: int) -> float:
        """Return how well groups can be read off the exact maps, in so many cells a side."""
        window = CellWindow(self.window.x, self.window.y, cells)
        groups = range(len(self.table.group_names))
        maps = [window.density(Cloud(self.cloud.points[self.members == each])) for each in groups]
        sizes = np.bincount(self.members)[:, None, None]
        return group_accuracy(sizes * np.array(maps), window, self.cloud.points, self.members)

    @property
    def members(self) -> NDArray[np.int64]:
        """The number of each row's group."""
        return np.unique(cast(NDArray[np.str_], self.table.groups), return_inverse=True)[1]

"""Synthetic crowds: mixtures of Gaussians, sampled until so many cells are occupied.

Appendix E.3 draws the mean and the covariance of each Gaussian at random, and does not say how.
Here means are uniform in the window, the two standard deviations are uniform between 0.02 and 0.3
of its side, and the axes are turned by any angle. Points are drawn, and those outside the window
drawn again, until the wanted fraction of cells is occupied; they are dealt to the users in turn.
"""

from __future__ import annotations

import numpy as np

from heatmaps.crowd import Crowd, Floats

SIDE = 256
"""The resolution at which occupied cells are counted."""

NARROWEST, WIDEST = 0.02, 0.3
BATCH = 2000


def named(gaussians: int, percent: int) -> str:
    """Return the name of a mixture that fills so many percent of all cells."""
    return f"mixture {gaussians} {percent}"


def mixture(place: str, users: int, generator: np.random.Generator) -> Crowd:
    """Return a new mixture of the kind that was named."""
    gaussians, percent = map(int, place.split()[1:])
    means, roots = _shapes(generator, gaussians)
    occupied = np.zeros((SIDE, SIDE), dtype=bool)
    found: list[Floats] = []
    while occupied.mean() < percent / 100:
        points = _points(generator, means, roots)
        row, column = (points[:, ::-1] * SIDE).astype(np.int64).T
        fresh = np.cumsum(_first(row * SIDE + column) & ~occupied[row, column])
        # A batch ends where the fraction is reached, or mixtures of few cells would overshoot.
        wanted = percent / 100 * SIDE**2 - int(occupied.sum())
        end = np.count_nonzero(fresh < wanted) + 1
        occupied[row[:end], column[:end]] = True
        found.append(points[:end])
    x, y = np.concatenate(found).T
    return Crowd(np.arange(len(x)) % users, x, y, np.ones(len(x), dtype=np.int64))


def _shapes(generator: np.random.Generator, gaussians: int) -> tuple[Floats, Floats]:
    means = generator.random((gaussians, 2))
    lengths = generator.uniform(NARROWEST, WIDEST, (gaussians, 2))
    angle = generator.uniform(0, np.pi, gaussians)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return means, np.moveaxis(turn, -1, 0) * lengths[:, None, :]


def _points(generator: np.random.Generator, means: Floats, roots: Floats) -> Floats:
    which = generator.integers(len(means), size=BATCH)
    normal = generator.normal(size=(BATCH, 2))
    points = means[which] + np.einsum("nij,nj->ni", roots[which], normal)
    return points[((points >= 0) & (points < 1)).all(axis=1)]


def _first(codes: np.ndarray) -> np.ndarray:
    """Say of each entry whether it is the first of its kind."""
    first = np.zeros(len(codes), dtype=bool)
    first[np.unique(codes, return_index=True)[1]] = True
    return first

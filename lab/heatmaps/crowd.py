"""`Crowd`: who was where, in a window of side 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.plane import Plane, interleave

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Resolution = tuple[int, int]
"""Columns and rows."""

WHOLE = 2**30
"""The steps that one person's weight is counted in, as engines count it."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """Visits of people: where each was, and how often.

    Parameters
    ----------
    user
        Whose visit it is, numbered from 0 without gaps.
    x, y
        Where, from 0 up to but not including 1.
    count
        How many visits the row stands for.
    """

    user: Integers
    x: Floats
    y: Floats
    count: Integers

    @property
    def users(self) -> int:
        """How many people there are."""
        return int(self.user.max(initial=-1)) + 1

    @cached_property
    def steps(self) -> Integers:
        """What each row weighs: a person's visits share one unit, each rounded down."""
        visits = np.bincount(self.user, self.count).astype(np.int64)
        return self.count * (WHOLE // visits[self.user])

    def sample(self, generator: np.random.Generator, users: int) -> Crowd:
        """Return so many of these people, chosen without replacement, with all their visits."""
        chosen = np.full(self.users, -1)
        chosen[generator.choice(self.users, users, replace=False)] = np.arange(users)
        rows = np.flatnonzero(chosen[self.user] >= 0)
        return Crowd(chosen[self.user[rows]], self.x[rows], self.y[rows], self.count[rows])

    def cells(self, resolution: Resolution) -> tuple[Integers, Integers]:
        """Return the column and the row each visit lies in."""
        columns, rows = resolution
        return (self.x * columns).astype(np.int64), (self.y * rows).astype(np.int64)

    def picture(self, resolution: Resolution) -> Floats:
        """Return the true weight of each cell, ``[row, column]``, in people."""
        column, row = self.cells(resolution)
        flat = row * resolution[0] + column
        sums = np.bincount(flat, self.steps, minlength=resolution[0] * resolution[1])
        return sums.reshape(resolution[::-1]) / WHOLE

    def masses(self, plane: Plane) -> Exact:
        """Return what an engine would: the occupied cells of a plane and their sums.

        Privacy
        -------
        None so far: these are true sums, which one person moves by at most one unit.
        """
        codes = interleave(*self.cells((plane.x.cells, plane.y.cells)))
        places, where = np.unique(codes, return_inverse=True)
        sums = np.zeros(len(places), dtype=np.int64)
        np.add.at(sums, where, self.steps)
        return Exact(WHOLE, WHOLE**2, 1 / WHOLE, _values=sums, _places=places)


def crowd(user: Integers, x: Floats, y: Floats, count: Integers) -> Crowd:
    """Return a crowd of people with any names; visits outside the window are left out."""
    inside = (x >= 0) & (x < 1) & (y >= 0) & (y < 1)
    numbered = pd.factorize(user[inside])[0].astype(np.int64)
    return Crowd(numbered, x[inside], y[inside], count[inside])

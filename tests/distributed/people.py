"""Small protocols, and the people who take part in them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed.shuffle import Client, Messages, Protocol
from sfumato.domain import Bounds
from sfumato.grid import Grid
from sfumato.plane import Plane


def plane(columns: int = 6, rows: int = 4) -> Plane:
    return Plane(Grid("x", Bounds(0, columns), columns), Grid("y", Bounds(0, rows), rows))


def protocol(**changed: object) -> Protocol:
    asked = dict(plane=plane(), participants=20, honest=20, epsilon=2.0, delta=1e-5, scaling=8)
    return Protocol(**{**asked, "coarsest": 1, **changed})


def crowd(asked: Protocol, points: NDArray[np.float64] | None = None) -> list[Messages]:
    """Everybody was at the same points, or nowhere."""
    client = Client(asked)
    where = np.empty((0, 2)) if points is None else points
    return [client.encode(where) for _ in range(asked.participants)]


def discrete_laplace(rate: float, reach: int) -> NDArray[np.float64]:
    """Return the probabilities of -reach to reach; both ends hold what lies beyond."""
    decay = math.exp(-rate)
    law = (1 - decay) / (1 + decay) * decay ** np.abs(np.arange(-reach, reach + 1.0))
    law[[0, -1]] /= 1 - decay
    return law


def counted(values: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
    return np.bincount(np.clip(values, -reach, reach) + reach, minlength=2 * reach + 1)

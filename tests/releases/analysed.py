"""Principal components as a chart would release them, of tables that are known."""

import math
from fractions import Fraction

import numpy as np

from sfumato.domain import Bounds
from sfumato.lattice import LENGTH, REACH, SHARES, Lattice, Moments
from sfumato.postprocess.principal import find_components
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.pca import PcaRelease
from sfumato.releases.pca.moments import NoisyMoments

CONSTANT = LENGTH // 3


def lattice(columns, *, half=8.0, names=None) -> Lattice:
    names = names or tuple(f"c{place + 1}" for place in range(columns))
    return Lattice(names, (Bounds(-half, half),) * columns, (half,) * columns)


def cloud(generator, rows, columns, *, decay=0.6, least=0.2):
    """Normal rows whose standard deviation falls from one turned axis to the next."""
    along = np.maximum(2 * decay ** np.arange(columns), least)
    turned = np.linalg.qr(generator.normal(size=(columns, columns)))[0]
    return generator.normal(size=(rows, columns)) * along @ turned + 0.5


def points(grid: Lattice, table):
    """The rows as points of a lattice, within its bounds."""
    return np.rint((np.clip(table, -8, 8) - grid.middles) * grid.factors)


def cut(asked: Moments, table):
    """The rows as whole numbers from the origin, not longer than `asked.reach`."""
    away = points(asked.lattice, table) - np.array(asked.origin)
    length = np.sqrt((away**2).sum(axis=1, keepdims=True))
    return np.rint(away * (asked.reach / np.maximum(length, asked.radius)))


def exact_sums(asked: Moments, table, weights=None):
    """The sums of outer products that an engine would give."""
    rows = cut(asked, table)
    rows = np.column_stack([np.full(len(rows), asked.constant), rows])
    weights = np.ones(len(rows)) if weights is None else weights
    return (rows * weights[:, None]).T @ rows


def noisy_sums(asked: Moments, table, scale, generator, *, shared=False) -> NoisyMoments:
    """What a mechanism would release of a table: whole numbers, half the variance off-diagonal."""
    exact = exact_sums(asked, table) * (SHARES if shared else 1)
    noise = np.triu(generator.normal(0, scale / math.sqrt(2), exact.shape), 1)
    noise += noise.T + np.diag(generator.normal(0, scale, len(exact)))
    return released(asked, np.rint(exact + noise), scale, shared=shared)


def released(asked: Moments, matrix, scale, *, shared=False) -> NoisyMoments:
    upper = np.asarray(matrix)[np.triu_indices(asked.size)]
    return NoisyMoments(
        origin=asked.origin,
        radius=asked.radius,
        constant=asked.constant,
        scale=scale,
        step=1 / SHARES if shared else 1.0,
        matrix=tuple(int(each) for each in upper),
    )


def whole(directions):
    return tuple(tuple(map(int, each)) for each in np.rint(directions * REACH))


def analysed(table, generator, *, noise=20.0, names=None, shared=False, **changes) -> PcaRelease:
    """Components of a table; `noise` is that on a variance, as so many rows at the radius."""
    grid = lattice(table.shape[1], names=names)
    some = table if len(table) else np.ones((1, table.shape[1]))
    centre = tuple(map(int, points(grid, np.median(some, axis=0))))
    lengths = np.sqrt(((points(grid, some) - np.array(centre)) ** 2).sum(axis=1))
    radius = max(1000.0, float(np.quantile(lengths, 0.9)))
    scale = noise * LENGTH**2 * (SHARES if shared else 1)
    first = Moments(grid, centre, radius, CONSTANT)
    directions = noisy_sums(first, table, scale, generator, shared=shared)
    found = find_components(directions.sums(grid))
    mean = np.clip(np.rint(np.array(centre) + found.mean / grid.unit), -REACH, REACH)
    second = Moments(grid, tuple(map(int, mean)), 2 * radius, CONSTANT)
    unit = PrivacyUnit.users("user") if shared else PrivacyUnit.rows()
    parts = {
        "label": f"principal components of {grid.columns[0]} to {grid.columns[-1]}",
        "guarantee": Guarantee(1.0, 1e-5, unit),
        "cost": Cost.gaussian(Fraction(1, 200)),
        "private": True,
        "lattice": grid,
        "scaled": "range",
        "directions": directions,
        "spread": noisy_sums(second, table, scale, generator, shared=shared),
        "vectors": whole(found.directions),
        "kept": min(10, table.shape[1]),
    }
    return PcaRelease(**(parts | changes))

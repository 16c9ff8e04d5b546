"""What `bins=` and `order=` mean on one axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from sfumato.domain import Bounds, Categories, Domain
from sfumato.errors import DomainError
from sfumato.grid import Edges, Grid, Key, Labels

DEFAULT = 20

AxisBins = int | Sequence[float]
Bins = AxisBins | tuple[AxisBins, AxisBins]


def plain_bins(bins: Bins | None) -> Bins | None:
    """Return edges that came as a list or an array as a tuple."""
    if isinstance(bins, str) or not isinstance(bins, Iterable):
        return bins
    return cast(Bins, tuple(plain_bins(item) for item in cast(Iterable[AxisBins], bins)))


def axis_bins(bins: Bins | None, axis: int, axes: int) -> AxisBins:
    """Return what `bins` says about one of one or two axes: a number of bins, or their edges."""
    if bins is None:
        return DEFAULT
    if axes == 1 or isinstance(bins, int | np.integer):
        return cast(AxisBins, bins)
    if isinstance(bins, tuple) and len(bins) == axes:
        return cast(tuple[AxisBins, AxisBins], bins)[axis]
    raise DomainError(
        "bins of a two-dimensional histogram is one number, or a pair with one entry per axis. "
        "Anything else leaves open which axis is meant. Write bins=20, or bins=(20, [0, 1, 5])."
    )


def axis_key(domain: Domain, column: str, order: Categories | None, bins: AxisBins) -> Key:
    """Return the public cells of one axis, from what is declared about its column."""
    if order is not None:
        return Labels(column, domain.categories(column).select(order, column))
    match domain.fact(column):
        case Categories() as categories:
            return Labels(column, categories)
        case Bounds() as bounds:
            return _numeric(column, bounds, bins)


def _numeric(column: str, bounds: Bounds, bins: AxisBins) -> Grid | Edges:
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        return Grid(column, bounds, int(bins))
    try:
        edges = tuple(float(edge) for edge in cast(Sequence[float], bins))
    except (TypeError, ValueError):
        edges = None
    if edges is None or isinstance(bins, str):
        raise DomainError(
            f"bins of {column!r} must be a whole number or a list of edges. Bins found from the "
            "data would leak it. Write bins=20, or bins=[0, 18, 65, 110]."
        )
    return Edges(column, bounds, edges)

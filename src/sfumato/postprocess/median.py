"""Few places near much mass: the k-median of weighted points in the plane.

The distance is the horizontal plus the vertical way (ℓ₁), as in the earth mover's distance, so a
map that is near the truth in that distance has nearly the truth's centers (Ghazi et al. 2022,
Appendix A). Finding the best centers is hard in general; this is a local search, without chance:

1. points are condensed to at most `CONDENSED`, by halving boxes where most would be lost;
2. centers are added one by one, each where it helps most;
3. each moves to the median of the points nearest to it, until none moves;
4. one center is swapped for a condensed point, the best swap first, and 3 repeated, until no swap
   helps; such centers cost at most five times as much as the best among those points (Arya et al.
   2004), and mostly little more;
5. the centers settle once more among all points.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
_Box = tuple[float, int, int, Indices]

CONDENSED = 1024
"""How many points the search looks at."""

_MOST_SWAPS, _MOST_MOVES = 64, 32
_TRIED = 8  # swaps that are settled before we take it that none helps
_LEAST_GAIN = 1e-9  # of the cost: less is rounding


def cost(points: Array, weight: Array, places: Array) -> float:
    """Return the weighted sum of distances to the nearest of some places.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [1.0, 2.0], [9.0, 9.0]])
    >>> cost(points, np.array([1.0, 2.0, 5.0]), np.array([[0.0, 0.0], [9.0, 9.0]]))
    6.0
    """
    return float(_find_nearest(points, places)[1] @ weight)


def find_centers(points: Array, weight: Array, k: int) -> Array:
    """Return k places that lie near the mass of the points.

    They are sorted by the mass nearest to them, largest first. If fewer than k points differ, some
    places are repeated; where nothing weighs anything, all points weigh the same.

    Parameters
    ----------
    points
        Two coordinates each; at least one point.
    weight
        Of each point, not negative.
    k
        How many places, at least 1.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0], [6.0, 6.0]])
    >>> find_centers(points, np.array([1.0, 3.0, 1.0, 1.0, 1.0]), k=2)
    array([[0., 1.],
           [5., 6.]])
    """
    if not (weight > 0).any():
        weight = np.ones(len(points))
    points, weight = _merge_equal_points(points[weight > 0], weight[weight > 0])
    if k >= len(points):
        return _sort_by_mass(points, weight, points[np.arange(k) % len(points)])
    few, mass = _condense_points(points, weight, max(CONDENSED, k))
    places = _swap_centers(few, mass, _seed_centers(few, mass, k))
    return _sort_by_mass(points, weight, _settle_centers(points, weight, places))


def _merge_equal_points(points: Array, weight: Array) -> tuple[Array, Array]:
    different, place = np.unique(points, axis=0, return_inverse=True)
    return different, np.bincount(place.ravel(), weight).astype(np.float64)


def _sort_by_mass(points: Array, weight: Array, places: Array) -> Array:
    mass = np.bincount(_find_nearest(points, places)[0], weight, len(places))
    return places[np.argsort(-mass, kind="stable")]


def _find_nearest(points: Array, places: Array) -> tuple[Indices, Array]:
    """Return the nearest place to each point, and how far it is."""
    which, least = np.zeros(len(points), dtype=np.int64), np.full(len(points), np.inf)
    across, up = np.ascontiguousarray(points.T)
    for index, (x, y) in enumerate(places):
        distance = abs(across - x) + abs(up - y)
        nearer = distance < least
        which[nearer], least[nearer] = index, distance[nearer]
    return which, least


def _condense_points(points: Array, weight: Array, most: int) -> tuple[Array, Array]:
    """Return at most so many points in place of many: the means of boxes.

    The box whose weight times width is largest is cut in the middle of its longer side next.
    """
    if len(points) <= most:
        return points, weight
    boxes: list[_Box] = []
    number = count()
    _push_box(boxes, points, weight, np.arange(len(points)), next(number))
    while len(boxes) < most:
        for half in _halve_box(points, heappop(boxes)[-1]):
            _push_box(boxes, points, weight, half, next(number))
    parts = [box[-1] for box in boxes]
    mass = np.array([weight[part].sum() for part in parts])
    means = np.array([weight[part] @ points[part] for part in parts])
    return means / mass[:, None], mass


def _push_box(boxes: list[_Box], points: Array, weight: Array, part: Indices, number: int) -> None:
    loss = float(weight[part].sum() * np.ptp(points[part], axis=0).sum())
    # Where a loss is too small for a number, boxes of several points still come before single ones.
    heappush(boxes, (-loss, -len(part), number, part))


def _halve_box(points: Array, part: Indices) -> list[Indices]:
    low, high = points[part].min(axis=0), points[part].max(axis=0)
    side = int(np.argmax(high - low))
    # The upper end is never below the middle, even where rounding puts the middle at it.
    upper = points[part, side] >= max((low[side] + high[side]) / 2, np.nextafter(low[side], np.inf))
    return [part[~upper], part[upper]]


def _seed_centers(points: Array, weight: Array, k: int) -> Array:
    """Return k of the points, each the best addition to those before it."""
    distance = _distances(points)
    least = np.full(len(points), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        gain = np.minimum(distance, least) @ weight
        gain[chosen] = np.inf
        chosen.append(int(np.argmin(gain)))
        least = np.minimum(least, distance[chosen[-1]])
    return points[chosen]


def _distances(points: Array) -> Array:
    return abs(points[:, None, 0] - points[:, 0]) + abs(points[:, None, 1] - points[:, 1])


def _settle_centers(points: Array, weight: Array, places: Array) -> Array:
    """Return the places after each has moved to the median of its points until none moves."""
    orders = np.argsort(points, axis=0, kind="stable").T
    for _ in range(_MOST_MOVES):
        which = _find_nearest(points, places)[0]
        moved = np.stack(
            [
                _medians(points[order, side], weight[order], which[order], places[:, side])
                for side, order in enumerate(orders)
            ],
            axis=1,
        )
        if (moved == places).all():
            break
        places = moved
    return places


def _medians(values: Array, weight: Array, which: Indices, otherwise: Array) -> Array:
    """Return the weighted median of rising values in each group, the lower one of two."""
    medians = otherwise.copy()
    order = np.argsort(which, kind="stable")
    groups, heads = np.unique(which[order], return_index=True)
    for group, mine in zip(groups, np.split(order, heads[1:]), strict=True):
        sums = np.cumsum(weight[mine])
        medians[group] = values[mine[np.searchsorted(sums, sums[-1] / 2)]]
    return medians


def _swap_centers(points: Array, weight: Array, places: Array) -> Array:
    """Return the places after swaps of one for a point, until none helps."""
    distance = _distances(points)
    places = _settle_centers(points, weight, places)
    for _ in range(_MOST_SWAPS):
        better = _swap_once(distance, points, weight, places)
        if better is None:
            break
        places = better
    return places


def _swap_once(distance: Array, points: Array, weight: Array, places: Array) -> Array | None:
    """Return the places after the first swap that helps once all have settled, if any does."""
    enough = cost(points, weight, places) * (1 - _LEAST_GAIN)
    for left, point in _list_swaps(distance, points, weight, places)[:_TRIED]:
        changed = places.copy()
        changed[left] = points[point]
        changed = _settle_centers(points, weight, changed)
        if cost(points, weight, changed) < enough:
            return changed
    return None


def _list_swaps(
    distance: Array, points: Array, weight: Array, places: Array
) -> list[tuple[int, int]]:
    """Return which place to give up for which point: the best point for each, the best swap first.

    With the point as a new place, a point pays the least of the distances to it and to its nearest
    place; if that is the one given up, to its second nearest.
    """
    away = abs(points[:, None] - places).sum(axis=2)
    which = away.argmin(axis=1)
    first = away[np.arange(len(points)), which]
    away[np.arange(len(points)), which] = np.inf
    second = away.min(axis=1)
    stay = np.minimum(distance, first)
    owned = np.where(which[:, None] == np.arange(len(places)), weight[:, None], 0.0)
    costs = (stay @ weight)[:, None] + (np.minimum(distance, second) - stay) @ owned
    order = np.argsort(costs.min(axis=0), kind="stable")
    return [(int(left), int(costs[:, left].argmin())) for left in order]

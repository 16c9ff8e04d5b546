"""What every method of a heatmap has: a window, a cost, and a way to measure masses of squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import read_list
from sfumato.errors import DomainError, Setting
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import NoisySquares, Survey
from sfumato.plane import MOST_LEVELS, Plane, deinterleave
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.quadtree import MeasuredRound, Quadtree, build_quadtree
from sfumato.privacy.budget import Cost
from sfumato.releases.heatmap import Origin
from sfumato.releases.heatmap.area import Aspect, on_earth

Resolution = int | tuple[int, int]

_LONGITUDES = {"lon", "long", "lng", "longitude"}
_LATITUDES = {"lat", "latitude"}
_SQUARE = 4.0  # one scale for both axes makes a picture up to so many times as wide as high


def read_resolution(spelling: object) -> tuple[int, int]:
    """Read the number of cells along x and y from one number or a pair.

    Examples
    --------
    >>> read_resolution(256), read_resolution((320, 240))
    ((256, 256), (320, 240))
    """
    sides = read_list(spelling) or (spelling, spelling)
    whole = [isinstance(side, int) and not isinstance(side, bool) for side in sides]
    if len(sides) == 2 and all(whole):
        pair = cast(tuple[int, int], sides)
        if all(1 <= side <= 2**MOST_LEVELS for side in pair):
            return pair
    raise DomainError(
        (
            Setting("resolution", spelling),
            f" must be a whole number of cells a side up to 2^{MOST_LEVELS}, or a pair of them.",
        ),
        "It must not depend on the data.",
        ("Write ", Setting("resolution", 256), ", or ", Setting("resolution", (320, 240)), "."),
    )


def choose_aspect(x: Grid, y: Grid, origin: Origin) -> Aspect:
    """Tell from the columns' names and bounds how to draw a window."""
    if x.column.lower() in _LONGITUDES and y.column.lower() in _LATITUDES and on_earth(x, y):
        return "map"
    alike = 1 / _SQUARE <= x.bounds.width / y.bounds.width <= _SQUARE
    timed = x.bounds.time or y.bounds.time
    return "equal" if origin == "upper" and alike and not timed else "free"


def side(size: float, epsilon: float) -> float:
    """Return the side of a square that holds as many people as its noise can be told from.

    As a part of the window's, for people who are everywhere alike.
    """
    return min(1.0, 1 / math.sqrt(max(size * epsilon, 1.0)))


Integers = NDArray[np.int64]

MOST_SQUARES = 2**14
"""How many squares a method measures at most: noise takes as long to draw as rows to count."""


@dataclass(frozen=True, eq=False)
class MeasuredMap:
    """A map cut into squares.

    Parameters
    ----------
    leaves
        The squares and their estimated masses, in rows or people.
    noisy, scale
        The last measurement of each square alone and the scale of its noise, in integer steps.
    """

    leaves: Leaves
    noisy: Integers
    scale: NDArray[np.float64]


class HeatProcedure(Protocol):
    """A planned way to measure a map. Knows public facts only."""

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        ...

    @property
    def finest(self) -> Fraction:
        """The ε that the squares it shows are measured with."""
        ...

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        ...

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> MeasuredMap:
        """Measure the masses of squares that together make up the window.

        Privacy
        -------
        Spends at most `cost`, whatever the data.
        """
        ...


def join_maps(maps: Sequence[MeasuredMap], plane: Plane) -> MeasuredMap:
    """Return the squares of all groups, one group after the other."""
    if len(maps) == 1:
        return maps[0]
    whole = np.zeros(0, dtype=np.int64)
    parts = {
        name: np.concatenate([whole, *(getattr(each.leaves, name) for each in maps)])
        for name in ("column", "row", "span")
    }
    mass = np.concatenate([np.zeros(0), *(each.leaves.mass for each in maps)])
    return MeasuredMap(
        Leaves((2**plane.levels, 2**plane.levels), **parts, mass=mass),
        np.concatenate([whole, *(each.noisy for each in maps)]),
        np.concatenate([np.zeros(0), *(each.scale for each in maps)]),
    )


def find_unit_mass(exact: Exact) -> float:
    """Return the most that one person or row can add: the measure of what a crowd is.

    Privacy
    -------
    Reads the sensitivity and the worth of a step, which are public.
    """
    return exact.l1 * exact.step


def make_round(asked: NoisySquares, step: float) -> MeasuredRound:
    """Return an answer in rows or people."""
    value = asked.steps.astype(np.float64) * step
    return MeasuredRound(asked.level, asked.code, value, 1 / (asked.scale * step))


def build_tree(survey: Survey, step: float) -> Quadtree:
    """Return all that a survey has answered, as one tree."""
    return build_quadtree([make_round(asked, step) for asked in survey.asked], survey.family)


def make_measured_map(
    survey: Survey, plane: Plane, tree: Quadtree, masses: NDArray[np.float64]
) -> MeasuredMap:
    """Return the leaves of a tree with their masses, and the last measurement of each."""
    chosen = tree.leaves
    level, code = tree.level[chosen], tree.code[chosen]
    noisy = np.zeros(tree.size, dtype=np.int64)
    scale = np.zeros(tree.size)
    for asked in survey.asked:
        places = tree.places(asked.level, asked.code)
        noisy[places], scale[places] = asked.steps, asked.scale
    columns, rows = deinterleave(code)
    span = np.int64(1) << (plane.levels - level)
    side = 2**plane.levels
    leaves = Leaves((side, side), columns * span, rows * span, span, masses[chosen])
    return MeasuredMap(leaves, noisy[chosen], scale[chosen])

"""`Adaptive`: squares as small as the people in them allow."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.heatmap.method import (
    MOST_SQUARES,
    Integers,
    MeasuredMap,
    build_tree,
    find_unit_mass,
    make_measured_map,
    make_round,
)
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import Survey, survey, survey_groups
from sfumato.plane import Plane
from sfumato.postprocess.polya import decode_polya_tree
from sfumato.postprocess.quadtree import project_nonnegative
from sfumato.privacy.budget import Cost

ROOT = Fraction(1, 25)
FIRST = Fraction(1, 2)
"""The share of ε that the whole map takes, and of what is left that the first squares take."""

_PEOPLE = 5.0
_MOST_HALVINGS = 6
_MOST_MORE = 6
_MOST_MAPS = 4  # as large as one may be, that all groups together may have
_FEWEST_SQUARES = 2**10  # that a group may have, however many there are


@dataclass(frozen=True)
class Adaptive:
    """Measure the whole, then equal squares, then each of these in parts or once more.

    A first look at squares that hold a few people each tells where more of them are; there the
    rest of ε is spent on smaller squares, elsewhere on the same ones. Every path from the whole
    map to a square shown spends ε exactly.
    """

    epsilon: Fraction

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return Cost.pure(self.epsilon)

    @property
    def shares(self) -> tuple[Fraction, Fraction, Fraction]:
        """What the whole, the first squares and the last ones are measured with."""
        root = ROOT * self.epsilon
        first = FIRST * (self.epsilon - root)
        return root, first, self.epsilon - root - first

    @property
    def finest(self) -> Fraction:
        """The ε that the squares it shows are measured with."""
        return self.shares[-1]

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        return min(self.shares)

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> MeasuredMap:
        """Ask in three rounds, and decode all answers together.

        Privacy
        -------
        Which squares a round asks for follows from the answers to earlier ones. Squares of the
        last round lie below those of the second, each below one, so no path is asked twice in a
        round: ε in all, as `sfumato.mechanisms.survey` accounts for it.
        """
        return self._explore(survey(meter, exact, plane.levels, self.epsilon), exact, plane)

    def map_groups(self, meter: Meter, exact: Exact, plane: Plane) -> list[MeasuredMap]:
        """Measure the map of every group, each as finely as the group itself allows.

        Privacy
        -------
        All groups are paid for once: what a unit weighs is bounded over all of them together, and
        no path leads through two of them (`sfumato.mechanisms.survey`).
        """
        opened = survey_groups(meter, exact, plane.levels, self.epsilon, plane.groups)
        return [self._explore(each, exact, plane) for each in opened]

    def _explore(self, opened: Survey, exact: Exact, plane: Plane) -> MeasuredMap:
        root, first, last = self.shares
        unit = find_unit_mass(exact)
        whole = make_round(opened.ask([0], [0], root), exact.step)
        people = max(float(whole.value[0]) / unit, 2 / float(self.epsilon))
        level = min(
            _count_halvings(people * float(first) / _PEOPLE, 1, _MOST_HALVINGS), plane.levels
        )
        codes = np.arange(4**level, dtype=np.int64)
        opened.ask(np.full_like(codes, level), codes, first)
        tree = build_tree(opened, exact.step)
        # Squares that may not be halved further hold so many people that no prior is needed.
        masses = (
            project_nonnegative(tree) if level == _MOST_HALVINGS else decode_polya_tree(tree, unit)
        )
        expected = masses[tree.places(level, codes)] / unit
        deeper = _choose_depths(
            expected * float(last), min(_MOST_MORE, plane.levels - level), _share_squares(plane)
        )
        opened.ask(*_list_descendants(level, codes, deeper), last)
        tree = build_tree(opened, exact.step)
        return make_measured_map(opened, plane, tree, decode_polya_tree(tree, unit))


def _count_halvings(people: float, least: int, most: int) -> int:
    """Return how often to halve a square's side so that about one part of `people` lies in each."""
    return int(np.clip(np.floor(0.5 * np.log2(max(people, 1e-9)) + 0.5), least, most))


def _share_squares(plane: Plane) -> int:
    """Return how many squares each group may have: all together four maps of most, or a few more.

    Noise is drawn for each, and a release carries them.
    """
    return min(MOST_SQUARES, max(_FEWEST_SQUARES, _MOST_MAPS * MOST_SQUARES // plane.groups))


def _choose_depths(signal: NDArray[np.float64], most: int, squares: int) -> Integers:
    """Return how often to halve each square, so that all together are not too many."""
    enough = 1.0
    while True:
        wanted = np.floor(0.5 * np.log2(np.maximum(signal / enough, 1e-9)) + 0.5)
        deeper = np.clip(wanted, 0, most).astype(np.int64)
        if not deeper.any() or (4**deeper).sum() <= squares:
            return deeper
        enough *= 2


def _list_descendants(level: int, codes: Integers, deeper: Integers) -> tuple[Integers, Integers]:
    """Return the squares that lie so much deeper below each of `codes`."""
    levels: list[Integers] = []
    below: list[Integers] = []
    for more in range(int(deeper.max()) + 1):
        parents = codes[deeper == more]
        parts = (parents[:, None] << 2 * more) + np.arange(4**more, dtype=np.int64)
        below.append(parts.ravel())
        levels.append(np.full(parts.size, level + more, dtype=np.int64))
    return np.concatenate(levels), np.concatenate(below)

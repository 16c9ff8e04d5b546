"""`Chooser`: how the cells of quantiles are chosen, and at what price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.ladder import geometric_ladder
from sfumato.charts.portion import Portion
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.joint import joint, usable
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.threshold import threshold, threshold_scale
from sfumato.postprocess.rank_error import bridge_error
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

WALK_ERROR = 1.3
"""The mean rank error of a walk, in parts of what hides one unit.

It is larger where rungs lie closer than these ranks: a walk then stops early.
"""

_UNIT = 0.01  # of the range: the published unit, where data of variance 1 have bounds ±50
_FINEST = 10_000  # a walk multiplies all weights by the denominator of its level


@dataclass(frozen=True)
class Chooser:
    """A planned way to choose the cells of all levels.

    Parameters
    ----------
    epsilon
        What all levels spend together; each alone where the method is ``"unbounded"``.
    most
        What one unit may weigh, in rows or people.
    size
        The public number of rows, if there is one.
    """

    method: str
    levels: tuple[Fraction, ...]
    epsilon: Fraction
    most: float
    size: int | None
    cost: Cost

    @classmethod
    def plan(
        cls,
        method: str,
        levels: tuple[Fraction, ...],
        whole: Portion,
        unit: PrivacyUnit,
        *,
        groups: int = 1,
        size: int | None = None,
    ) -> Chooser:
        """Price the method with a portion of the budget, or refuse one that is too small."""
        epsilon, cost = whole.choice, Cost.exponential(whole.choice)
        if method == "unbounded":
            epsilon = whole.part(Fraction(1, len(levels))).epsilon
            cost = sum((Cost.pure(epsilon) for _ in levels), Cost.nothing())
        afford(method, levels, epsilon, unit, groups=groups, replaced=size is not None)
        return cls(method, levels, epsilon, unit.weight * unit.step, size, cost)

    @property
    def expected_error(self) -> float:
        """The mean number of ranks that the worst of the levels is off, about."""
        replaced = self.size is not None
        many, farthest = len(self.levels), float(max(max(q, 1 - q) for q in self.levels))
        match self.method:
            case "joint" | "jointexp":
                ranks = self._together(many, replaced)
            case "approx":
                ranks = 2 * farthest * many.bit_length() * (2 if replaced else 1)
            case "single":
                ranks = 2 * many * (1.0 if replaced else farthest)
            case _:
                ranks = WALK_ERROR * (2 if replaced else 1 + farthest)
        return ranks * self.most / float(self.epsilon)

    def _together(self, many: int, replaced: bool) -> float:
        narrowest = min(high - low for low, high in pairwise([0, *self.levels, 1]))
        sensitivity = 2.0 if replaced else float(2 * (1 - narrowest))
        worst = max(bridge_error(many, index + 1) for index in range(many))
        # Seen for quartiles, where both are known: 2 against 2.7.
        balanced = self.method == "joint" and not replaced and many > 1
        return 2 * sensitivity * worst * (20 / 27 if balanced else 1)

    def choose(self, meter: Meter, exact: Exact, grid: Grid) -> NDArray[np.int64]:
        """Choose a cell for each group and level.

        Privacy
        -------
        As the mechanism states, for no more than the planned cost.
        """
        levels, epsilon, size = self.levels, self.epsilon, self.size
        match self.method:
            case "joint":
                return joint(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case "jointexp":
                score = "published"
                return joint(meter, exact, levels=levels, epsilon=epsilon, score=score, size=size)
            case "approx":
                return approx(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case "single":
                return single(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case _:
                found = [walk(meter, exact, grid, level, epsilon, size=size) for level in levels]
                # Quantiles that were chosen one by one are put in order.
                return np.sort(np.hstack(found), axis=1)


def walk(
    meter: Meter,
    exact: Exact,
    grid: Grid,
    level: Fraction,
    epsilon: Fraction,
    *,
    size: int | None = None,
) -> NDArray[np.int64]:
    """Walk to one quantile: those below the median from above, the others from below.

    Privacy
    -------
    As `sfumato.mechanisms.threshold` states.
    """
    upward, share = _walked(level)
    return threshold(
        meter,
        exact,
        ladder=geometric_ladder(grid, upward=upward, unit=_UNIT * grid.bounds.width),
        level=share,
        epsilon=epsilon,
        upward=upward,
        size=size,
    )


def afford(
    method: str,
    levels: Sequence[Fraction],
    epsilon: Fraction,
    unit: PrivacyUnit,
    *,
    groups: int,
    replaced: bool = False,
) -> None:
    """Refuse an ε that the method could not choose with, before anything is charged."""
    many, groups = len(levels), max(groups, 1)
    match method:
        case "approx":
            depth = many.bit_length()
            part = epsilon / (depth * (2 if replaced else 1))
            usable(part, min(unit.weight, groups * 2 ** (depth - 1)))
        case "single":
            usable(epsilon / many, min(unit.weight, groups))
        case "unbounded":
            for level in levels:
                threshold_scale(unit.weight, _walked(level)[1], epsilon, replace=replaced)
        case _:
            usable(epsilon, min(unit.weight, groups))


def _walked(level: Fraction) -> tuple[bool, Fraction]:
    """Return whether to walk upward, and the share to leave behind."""
    level = level.limit_denominator(_FINEST)
    upward = level >= Fraction(1, 2)
    return upward, level if upward else 1 - level

"""Every table, neighbour and answer of tiny universes: the largest log ratio of any answer.

These numbers are exact up to the digits of the arithmetic, and there is no doubt to allow for.
What they cannot show is that larger universes are no worse; that is for the proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from report import Table
from sfumato.mechanisms.joint import ROUNDING
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.stability import stability_delta, stability_threshold
from sfumato.mechanisms.threshold import threshold_scale
from telling.enumerated import coins, counts, ideal, names, squares, trees, walks

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
HALF = (Fraction(1, 2),)

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Universe:
    """A mechanism, all neighbours of a tiny universe, and what they are told apart by.

    Parameters
    ----------
    promised
        ε, or δ where `found` is one.
    found
        Returns the largest log ratio; given a factor, that of a mechanism which has been paid for
        so many times less than it spends.
    tight
        Whether so small a universe loses much of what is promised.
    """

    mechanism: str
    neighbours: str
    promised: float
    found: Callable[[float], float]
    measure: str = "ε"
    tight: bool = True

    @property
    def largest(self) -> float:
        """The most that any answer tells."""
        return self.found(1.0)

    def holds(self) -> bool:
        """Return whether no answer tells more than is promised, and some answer a third of it."""
        near = self.promised / 3 if self.tight else 0.0
        return near <= self.largest <= self.promised + _ROUNDING

    def caught(self) -> bool:
        """Return whether a mechanism that spends four times its price is found out."""
        return self.found(4.0) > self.promised


def _joint(score: str, levels: tuple[Fraction, ...]) -> Callable[[float], float]:
    def found(factor: float) -> float:
        rate = factor * ideal.rate(levels, 2, score)
        return ideal.largest_loss(ideal.added(3, 6), levels, score, rate)

    return found


def _joint_replaced(factor: float) -> float:
    rate = factor * ideal.rate(HALF, 2, "published", replaced=True)
    return ideal.largest_loss(ideal.replaced(4, 6), HALF, "published", rate, size=6)


def _joint_shared(factor: float) -> float:
    rate = factor * ideal.rate(QUARTILES, 2, "balanced")
    pairs = ideal.added(3, 4, weight=3)
    return ideal.largest_loss(pairs, QUARTILES, "balanced", rate, 2, unit=3)


def _tree(factor: float) -> float:
    return trees.largest_loss(ideal.added(3, 6), QUARTILES, factor * 2 / 2, 1)[0]


def _tree_replaced(factor: float) -> float:
    return trees.largest_loss(ideal.replaced(4, 6), QUARTILES, factor * 2 / 4, 1)[0]


def _walk(level: Fraction) -> Callable[[float], float]:
    def found(factor: float) -> float:
        scale = threshold_scale(1, level, Fraction(1)) / factor
        return float(walks.largest_loss(walks.added(3), level, scale))

    return found


def _walk_replaced(factor: float) -> float:
    level = Fraction(1, 2)
    scale = threshold_scale(1, level, Fraction(1), replace=True) / factor
    return float(walks.largest_loss(walks.moved(3), level, scale, public=True))


def _ends(factor: float) -> float:
    scale = threshold_scale(1, Fraction(0), Fraction(1)) / factor
    return float(
        max(
            walks.loss(*(walks.both_ends(table, 1, scale).values() for table in pair))
            for pair in walks.added(3)
        )
    )


def _laplace(rows: int) -> Callable[[float], float]:
    def found(factor: float) -> float:
        scale = laplace_scale(rows, Fraction(1)) / factor
        return float(counts.largest_log_ratio(rows, counts.log_weight(scale)))

    return found


_ROWS, _SCALE, _DELTA = 2, 2.0, Fraction(1, 20)


def _names(factor: float) -> float:
    """The δ at the promised ε; one that is paid for less has a threshold that is one lower."""
    threshold = stability_threshold(_ROWS, _SCALE, _DELTA)
    shows = names.show_chances(threshold - (factor > 1), _SCALE)
    return float(names.worst_delta(_ROWS, threshold, shows, _ROWS / Fraction(_SCALE)))


def _squares(factor: float) -> float:
    def greedy(_: tuple[int, ...]) -> squares.Squares:
        return [(2, 0), (1, 0)]

    return squares.largest_loss(squares.heaviest if factor == 1 else greedy)


_PICK = float(ROUNDING)


def _picked(factor: float) -> float:
    return coins.largest_loss(cumulative=factor > 1)


def universes() -> tuple[Universe, ...]:
    """Return all that are looked at."""
    small, more = "3 cells, up to 6 rows", "4 cells, up to 6 rows, one replaced"
    walked = "4 cells, up to 3 rows, every allowance, both ways"
    threshold = stability_threshold(_ROWS, _SCALE, _DELTA)
    return (
        Universe("joint, balanced, median", small, 2.0, _joint("balanced", HALF)),
        Universe("joint, balanced, quartiles", small, 2.0, _joint("balanced", QUARTILES)),
        Universe("joint, published, median", small, 2.0, _joint("published", HALF)),
        Universe("joint, published, quartiles", small, 2.0, _joint("published", QUARTILES)),
        Universe("joint, public size", more, 2.0, _joint_replaced),
        Universe("joint, quartiles", "3 cells, a person of 3 steps", 2.0, _joint_shared),
        Universe("approx, quartiles", small, 2.0, _tree),
        Universe("approx, public size", more, 2.0, _tree_replaced),
        Universe("threshold, level 1/2", walked, 1.0, _walk(Fraction(1, 2))),
        Universe("threshold, level 1", walked, 1.0, _walk(Fraction(1))),
        Universe("threshold, public size", "4 cells, 3 rows, one moved", 1.0, _walk_replaced),
        Universe("extremes", "4 cells, up to 3 rows", 1.0, _ends),
        Universe("laplace, rows", "3 cells, every outcome", 1.0, _laplace(1)),
        Universe("laplace, 3 rows", "3 cells, every outcome", 1.0, _laplace(3)),
        Universe("survey", "16 cells, up to 3 people of weight 2", 1.0, _squares),
        Universe("chance, pick", "5 weights from 10⁻³⁰⁰ to 3", _PICK, _picked, tight=False),
        Universe(
            "stability, ε = 1",
            "3 names, a person of 2 rows",
            float(stability_delta(_ROWS, _SCALE, threshold)),
            _names,
            "δ",
        ),
    )


def table() -> Table:
    """Return what was promised, and what was found."""
    rows = tuple(
        (
            each.mechanism,
            each.neighbours,
            f"{each.measure} = {each.promised:.4g}",
            f"{each.largest:.4g}",
        )
        for each in universes()
    )
    headings = ("mechanism", "all neighbours of", "promised", "largest")
    return Table("Every answer of tiny universes", headings, rows)

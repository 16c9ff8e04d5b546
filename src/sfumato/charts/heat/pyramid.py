"""`Pyramid`: all levels of a quadtree, the heaviest squares of each looked into.

The method of Ghazi, He, Kohlhoff, Kumar, Manurangsi, Navalpakkam and Valliappan, "Differentially
private heatmaps" (AAAI 2023, arXiv:2211.13454), Algorithms 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from sfumato.charts.heat.method import Integers, Mapped, mapped, tree_of, unit_of
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import Asked, survey
from sfumato.plane import Plane
from sfumato.postprocess import polya, transport
from sfumato.privacy.budget import Cost

Decoder = Literal["lp", "bayes"]


@dataclass(frozen=True)
class Pyramid:
    """Measure squares level by level, only below the `width` heaviest of the level above.

    Parameters
    ----------
    width
        How many squares of each level are looked into: w in the paper.
    decay
        How much less ε each finer level gets: γ in the paper.
    decoder
        ``"lp"`` for the paper's linear program, ``"bayes"`` for the posterior mean of our own.
    """

    epsilon: Fraction
    levels: int
    width: int = 20
    decay: float = 2**-0.5
    decoder: Decoder = "lp"

    @property
    def cost(self) -> Cost:
        """What it will spend."""
        return Cost.pure(self.epsilon)

    @property
    def coarsest(self) -> int:
        """The first level that is measured: the last one with no more squares than `width`."""
        return min((self.width.bit_length() - 1) // 2, self.levels)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """What each level is measured with, from the coarsest on; together exactly ε."""
        parts = [Fraction(self.decay) ** depth for depth in range(self.levels - self.coarsest + 1)]
        return tuple(self.epsilon * part / sum(parts) for part in parts)

    @property
    def finest(self) -> Fraction:
        """The ε of the coarsest squares it may show; finer ones are measured with less."""
        return self.shares[0]

    @property
    def least(self) -> Fraction:
        """The smallest ε that anything is measured with."""
        return self.shares[-1]

    def map(self, meter: Meter, exact: Exact, plane: Plane) -> Mapped:
        """Ask level by level, below the squares that seem heaviest, and decode.

        Privacy
        -------
        Noise is drawn for the squares that are looked at alone: those below squares with the
        largest answers so far, occupied or not. A path is asked once on every level, for ε in all.
        """
        opened = survey(meter, exact, plane.levels, self.epsilon)
        kept: list[tuple[int, Integers]] = []
        codes = np.arange(4**self.coarsest, dtype=np.int64)
        for level, share in enumerate(self.shares, self.coarsest):
            asked = opened.ask(np.full_like(codes, level), codes, share)
            heaviest = self._heaviest(asked)
            kept.append((level, heaviest))
            codes = (heaviest[:, None] * 4 + np.arange(4)).ravel()
        tree = tree_of(opened, exact.step)
        if self.decoder == "bayes":
            return mapped(opened, plane, tree, polya.decode(tree, unit_of(exact)))
        mask = np.zeros(tree.size, dtype=bool)
        for level, heaviest in kept:
            mask[tree.places(level, heaviest)] = True
        masses = transport.cheapest(tree, mask, self.levels)
        return mapped(opened, plane, tree, masses)

    def _heaviest(self, asked: Asked) -> Integers:
        """Return the squares with the largest answers, in the order of their codes."""
        order = np.argsort(asked.steps, kind="stable")[::-1]
        return np.sort(asked.code[order[: self.width]])

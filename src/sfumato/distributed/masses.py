"""`Measured`: noisy masses by level, and the pictures that can be made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed.protocol import Protocol
from sfumato.plane import deinterleave
from sfumato.postprocess import polya, transport
from sfumato.postprocess.density import Leaves, rasterise
from sfumato.postprocess.quadtree import MeasuredRound, Quadtree, build_quadtree

Steps = NDArray[np.int64]
Masses = NDArray[np.float64]
Decoder = Literal["lp", "bayes"]


@dataclass(frozen=True, eq=False)
class Measured:
    """What the analyser knows: public, and (ε, δ)-private for each participant.

    Parameters
    ----------
    steps
        For each level of the protocol, the noisy sums of its squares; `Protocol.scaling` steps are
        the mass of one participant.
    private
        Whether all randomness was real.
    """

    protocol: Protocol
    steps: tuple[Steps, ...]
    private: bool

    def masses(self, level: int) -> Masses:
        """Return the noisy masses of a level, in participants, in the order of its codes."""
        place = self.protocol.levels.index(level)
        return self.steps[place] / self.protocol.scaling

    def rounds(self, width: int = 20) -> tuple[list[MeasuredRound], list[Steps]]:
        """Look level by level below the heaviest squares; return what is seen, and those squares.

        Squares beyond the window are publicly empty, and are seen so.
        """
        seen: list[MeasuredRound] = []
        heaviest: list[Steps] = []
        codes = self.protocol.codes[0]
        for place, level in enumerate(self.protocol.levels):
            known = self.protocol.codes[place]
            where = np.minimum(np.searchsorted(known, codes), len(known) - 1)
            inside = known[where] == codes
            value = np.where(inside, self.masses(level)[where], 0.0)
            seen.append(MeasuredRound(np.full(len(codes), level), codes, value, self._rate(place)))
            order = np.flatnonzero(inside)[np.argsort(-value[inside], kind="stable")]
            heaviest.append(np.sort(codes[order[:width]]))
            codes = (heaviest[-1][:, None] * 4 + np.arange(4)).ravel()
        return seen, heaviest

    def leaves(self, *, width: int = 20, decoder: Decoder = "lp") -> Leaves:
        """Return the decoded picture, as squares that hold their mass anywhere within alike.

        Parameters
        ----------
        width
            How many squares of each level are looked into: w in the paper.
        decoder
            ``"lp"`` for the paper's linear program, ``"bayes"`` for the posterior mean of our own.
        """
        seen, heaviest = self.rounds(width)
        tree = build_quadtree(seen)
        if decoder == "bayes":
            mass = polya.decode_polya_tree(tree)
        else:
            kept = np.zeros(tree.size, dtype=bool)
            for level, codes in zip(self.protocol.levels, heaviest, strict=True):
                kept[tree.places(level, codes)] = True
            mass = transport.minimise_transport(tree, kept, self.protocol.plane.levels)
        return self._squares(tree, mass)

    def picture(self, *, width: int = 20, decoder: Decoder = "lp") -> Masses:
        """Return the mass in each cell of the window, ``[row, column]``, in participants."""
        plane = self.protocol.plane
        side = 2**plane.levels
        whole = rasterise(self.leaves(width=width, decoder=decoder), (side, side))
        return whole[: plane.y.cells, : plane.x.cells]

    def _rate(self, place: int) -> float:
        """Return 1 / scale of the noise, as wide as if all participants were honest."""
        protocol = self.protocol
        return float(protocol.epsilons[place]) * math.sqrt(protocol.honest / protocol.participants)

    def _squares(self, tree: Quadtree, mass: Masses) -> Leaves:
        levels = self.protocol.plane.levels
        span = (1 << (levels - tree.level[tree.leaves])).astype(np.int64)
        column, row = deinterleave(tree.code[tree.leaves])
        side = (2**levels, 2**levels)
        return Leaves(side, column * span, row * span, span, mass[tree.leaves])

"""`Drawn`: something that is released again and again, and what an auditor sees of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.scoreplot import cells as filling
from sfumato.charts.scoreplot import cells as score_pyramid
from sfumato.mechanisms import sparse
from sfumato.postprocess.quadtree import Quadtree
from sfumato.privacy.guarantee import PrivacyUnit
from telling.case import Case, Draws, Trials, Twin
from telling.overhearing import Overhearing
from telling.pairs import Pair

LEVELS = range(4)
"""How often a pyramid of scores halves its frame here: squares are fewer, at the same price."""


@dataclass(frozen=True)
class Drawn(ABC):
    """A release of one pair, for one unit."""

    pair: Pair
    unit: PrivacyUnit

    @property
    @abstractmethod
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""

    @property
    @abstractmethod
    def promise(self) -> tuple[float, float]:
        """The ε and δ that are promised."""

    @abstractmethod
    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Release it once, and return what is seen."""

    def draw(self, joined: bool, releases: int) -> Draws:
        """Return what is seen of many releases; what was planned before is planned anew."""
        drawn, engine = replace(self), Overhearing(self.pair, joined)
        seen: list[tuple[float, ...]] = []
        with engine.listening(), quickly():
            for _ in range(releases):
                engine.forget()
                seen.append(drawn.look(engine))
        return np.array(seen)

    def case(self, trials: Trials, *twins: Twin, tight: bool = False, routine: bool = True) -> Case:
        """Return what is promised, under attack."""
        chart, method, note = self.called
        return Case(
            chart,
            method,
            self.unit,
            replace(self.pair, name=f"{self.pair.name}{note}"),
            *self.promise,
            tight,
            self.draw,
            trials,
            twins,
            routine,
        )


@contextmanager
def quickly() -> Generator[None]:
    """Work a threshold out once, and make no picture of squares: neither looks at the data."""
    with (
        patch.object(filling, "sparse_threshold", cache(sparse.sparse_threshold)),
        patch.object(sparse, "sparse_delta", cache(sparse.sparse_delta)),
        patch.object(score_pyramid, "decode_polya_tree", _guess),
        patch.object(score_pyramid, "LEVELS", LEVELS),
    ):
        yield


def _guess(tree: Quadtree, unit: float) -> NDArray[np.float64]:
    del unit
    return np.maximum(tree.value[-1], 0.0)

"""How many random numbers a chart draws, which is what varies where nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from clocks.asking import Ask
from sfumato.mechanisms import noise
from sfumato.mechanisms.chance import Chance
from sfumato.testing import seeded

Draw = Callable[[np.random.Generator, float, int], NDArray[np.int64]]


@dataclass
class Drawn:
    """How often a coin was flipped, and how many noises were drawn."""

    coins: int = 0
    noises: int = 0


@contextmanager
def counted() -> Generator[Drawn]:
    """Count what is drawn inside the block, under `seeded`."""
    drawn, below = Drawn(), Chance.below

    def counting(chance: Chance, limit: int) -> int:
        drawn.coins += 1
        return below(chance, limit)

    def numbering(draw: Draw) -> Draw:
        def drawing(generator: np.random.Generator, scale: float, size: int) -> NDArray[np.int64]:
            drawn.noises += size
            return draw(generator, scale, size)

        return drawing

    families: dict[Any, Draw] = noise._simulate  # pyright: ignore[reportPrivateUsage]
    counters = {family: numbering(draw) for family, draw in families.items()}
    with patch.object(Chance, "below", counting), patch.dict(families, counters):
        yield drawn


def draws(ask: Ask, seeds: range) -> tuple[list[int], list[int]]:
    """Return how many coins and how many noises each of several releases took."""
    coins: list[int] = []
    noises: list[int] = []
    for seed in seeds:
        with seeded(seed), counted() as drawn:
            ask()
        coins.append(drawn.coins)
        noises.append(drawn.noises)
    return coins, noises

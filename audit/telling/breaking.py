"""Ways to break production code, for as long as a context lasts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import people as walking
from sfumato.mechanisms import noise
from sfumato.mechanisms.joint import DecayRates, Score


def less_noise(share: float = 0.5) -> AbstractContextManager[object]:
    """Add noise of a share of the scale that is paid for."""
    draw = noise._add_exact_noise  # pyright: ignore[reportPrivateUsage]

    def careless(
        values: NDArray[np.int64], family: noise.Family, scale: float
    ) -> NDArray[np.int64]:
        return draw(values, family, share * scale)

    return mock.patch.object(noise, "_add_exact_noise", careless)


def no_cap() -> AbstractContextManager[object]:
    """Count all rows of a person, however many may count."""
    return mock.patch.object(walking, "_allot_rows", lambda *given: given[1])


def sharpened(factor: int = 4) -> AbstractContextManager[object]:
    """Let the weights of all exponential mechanisms fall faster than is paid for."""
    of = DecayRates.of

    def sharper(
        levels: Sequence[Fraction], epsilon: Fraction, score: Score, *, replaced: bool
    ) -> DecayRates:
        return of(levels, factor * epsilon, score, replaced=replaced)

    return mock.patch.object(DecayRates, "of", sharper)

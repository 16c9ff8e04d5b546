"""Shuffle protocols that break their promise, for as long as a context lasts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed import client
from sfumato.distributed import shuffle as shuffler
from sfumato.distributed.noise_part import get_noise_part
from sfumato.distributed.protocol import Protocol

Integers = NDArray[np.int64]


def unsplit() -> AbstractContextManager[object]:
    """Send each number in one share, as if shuffling alone would hide whose it is."""
    return patch.object(Protocol, "shares", 1)


def half_the_noise() -> AbstractContextManager[object]:
    """Draw noise of half the scale that is paid for."""

    def careless(self: Protocol) -> tuple[Fraction, ...]:
        return tuple(2 * epsilon / self.scaling for epsilon in self.epsilons)

    return patch.object(Protocol, "_rates", property(careless))


def all_draw() -> AbstractContextManager[object]:
    """Divide the noise among all who take part, of whom only the honest draw their part."""

    def careless(self: Protocol) -> tuple[object, ...]:
        rates = self._rates  # pyright: ignore[reportPrivateUsage]
        return tuple(get_noise_part(self.participants, rate, 60) for rate in rates)

    return patch.object(Protocol, "parts", property(careless))


def unshuffled() -> AbstractContextManager[object]:
    """Pass messages on as they come."""
    return patch.object(shuffler, "draw_permutation", np.arange)


def rounded_up() -> AbstractContextManager[object]:
    """Round each cell up, so that someone in many cells holds more than one may."""

    def careless(weights: Integers, whole: int, scaling: int, offset: int) -> Integers:
        del offset
        return -(-weights * scaling // max(whole, 1))

    return patch.object(client, "round_weights", careless)

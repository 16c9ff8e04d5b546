"""`Analyser`: noisy sums from shuffled messages. All of it is post-processing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed.measured import Measured
from sfumato.distributed.messages import Messages
from sfumato.distributed.protocol import Protocol
from sfumato.errors import SfumatoError

Steps = NDArray[np.int64]


@dataclass(frozen=True)
class Analyser:
    """The one whom nobody trusts: shuffled messages in, noisy masses out."""

    protocol: Protocol

    def decode(self, messages: Messages) -> Measured:
        """Return the noisy mass of every square.

        Privacy
        -------
        Post-processing of the shuffled messages, which are (ε, δ)-private for each participant.
        """
        protocol = self.protocol
        shift = np.uint64(protocol.modulus_bits)
        numbers = (messages.words >> shift).astype(np.int64)
        self._check(numbers)
        sums = _sums(numbers, messages.words & np.uint64(protocol.modulus - 1))
        half = protocol.modulus // 2
        # Remainders stand for the numbers nearest to 0, since noise can be negative.
        centred = (sums + half) % protocol.modulus - half
        ends = np.cumsum(protocol.sizes)[:-1]
        return Measured(protocol, tuple(np.split(centred, ends)), messages.private)

    def _check(self, numbers: Steps) -> None:
        protocol = self.protocol
        expected = protocol.participants * protocol.shares
        complete = len(numbers) == expected * protocol.coordinates
        if complete and numbers.max(initial=-1) < protocol.coordinates:
            counts = np.bincount(numbers, minlength=protocol.coordinates)
            if (counts == expected).all():
                return
        raise SfumatoError(
            f"{protocol.participants} participants send {protocol.shares} shares each of "
            f"{protocol.coordinates} sums, and these messages are not those. A sum that lacks a "
            "share is a random number. Ask the shuffler for all of them; a new run costs ε and δ "
            "again."
        )


def _sums(numbers: Steps, shares: NDArray[np.uint64]) -> Steps:
    """Return the sums of shares by number; halves of them are small enough for floats."""
    low = np.bincount(numbers, weights=(shares & np.uint64(2**20 - 1)).astype(np.float64))
    high = np.bincount(numbers, weights=(shares >> np.uint64(20)).astype(np.float64))
    return low.astype(np.int64) + (high.astype(np.int64) << 20)

"""`Shuffler`: it mixes the messages of all participants, and knows nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed.client import Client, Messages
from sfumato.distributed.masses import Measured
from sfumato.distributed.protocol import Protocol
from sfumato.distributed.randomness import draw_permutation, is_private
from sfumato.errors import SfumatoError


@dataclass(frozen=True)
class Shuffler:
    """The one who sees who sent what, and therefore must not talk to the analyser.

    It waits for everyone: noise is shared out among the participants, and the messages of a few
    carry too little of it.
    """

    protocol: Protocol

    def permute(self, sent: Iterable[Messages]) -> Messages:
        """Return all messages of all participants in an order that is exactly uniform.

        Privacy
        -------
        The guarantee holds for what this returns, not for what it is given: whoever shuffles sees
        each participant's messages beside a small part of the noise alone. Fewer participants
        than the protocol has are refused before anything is mixed.
        """
        every = list(sent)
        self._check(every)
        words = np.concatenate([each.words for each in every])
        private = all(each.private for each in every) and is_private()
        return Messages(words[draw_permutation(len(words))], private)

    def _check(self, sent: Sequence[Messages]) -> None:
        expected = [self.protocol.messages_per_user] * self.protocol.participants
        if [len(each) for each in sent] != expected:
            raise SfumatoError(
                f"The protocol has {self.protocol.participants} participants who send "
                f"{self.protocol.messages_per_user} messages each, and these are not theirs.",
                "The messages of a few are not covered by noise, so none are passed on.",
                "Wait for all; a new run with fewer participants costs ε and δ again.",
            )


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
        sums = _sum_shares(numbers, messages.words & np.uint64(protocol.modulus - 1))
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
            f"{protocol.coordinates} sums, and these messages are not those.",
            "A sum that lacks a share is a random number.",
            "Ask the shuffler for all of them; a new run costs ε and δ again.",
        )


def _sum_shares(numbers: Steps, shares: NDArray[np.uint64]) -> Steps:
    """Return the sums of shares by number; halves of them are small enough for floats."""
    low = np.bincount(numbers, weights=(shares & np.uint64(2**20 - 1)).astype(np.float64))
    high = np.bincount(numbers, weights=(shares >> np.uint64(20)).astype(np.float64))
    return low.astype(np.int64) + (high.astype(np.int64) << 20)


__all__ = ["Analyser", "Client", "Measured", "Messages", "Protocol", "Shuffler"]

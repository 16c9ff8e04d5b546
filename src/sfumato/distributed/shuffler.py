"""`Shuffler`: it mixes the messages of all participants, and knows nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.distributed.messages import Messages
from sfumato.distributed.protocol import Protocol
from sfumato.distributed.randomness import is_private, permutation
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
        The promise holds for what this returns, not for what it is given: whoever shuffles sees
        each participant's messages beside a small part of the noise alone. Fewer participants
        than the protocol has are refused before anything is mixed.
        """
        every = list(sent)
        self._check(every)
        words = np.concatenate([each.words for each in every])
        private = all(each.private for each in every) and is_private()
        return Messages(words[permutation(len(words))], private)

    def _check(self, sent: Sequence[Messages]) -> None:
        expected = [self.protocol.messages_per_user] * self.protocol.participants
        if [len(each) for each in sent] != expected:
            raise SfumatoError(
                f"The protocol has {self.protocol.participants} participants who send "
                f"{self.protocol.messages_per_user} messages each, and these are not theirs. The "
                "messages of a few are not covered by noise, so none are passed on. Wait for "
                "all; a new run with fewer participants costs ε and δ again."
            )

"""`Messages`: what goes from participants to the shuffler, and from there to the analyser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.distributed.protocol import Protocol
from sfumato.distributed.randomness import Words
from sfumato.errors import SfumatoError


@dataclass(frozen=True, eq=False, repr=False)
class Messages:
    """Numbered shares, one in each word: the number of a sum above the bits of a share.

    Parameters
    ----------
    words
        The messages, in the order in which they are sent.
    private
        Whether they were made with real randomness; False under `sfumato.testing.seeded`.
    """

    words: Words
    private: bool

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Messages({len(self)}, private={self.private})"

    def pack(self, protocol: Protocol) -> bytes:
        """Return the messages as they are sent: `bits_per_message` bits each, without gaps."""
        octets = self.words.astype(">u8").view(np.uint8).reshape(-1, 8)
        bits = np.unpackbits(octets, axis=1)[:, 64 - protocol.bits_per_message :]
        return np.packbits(bits).tobytes()

    @classmethod
    def unpack(cls, sent: bytes, protocol: Protocol, *, private: bool) -> Messages:
        """Read what one participant packed.

        Bytes do not say how their randomness was made, so whoever unpacks them says whether it is
        `private`.
        """
        if len(sent) != protocol.bytes_per_user:
            raise SfumatoError(
                f"A participant sends {protocol.bytes_per_user} bytes, and these are "
                f"{len(sent)}. Messages of another protocol would change sums they do not belong "
                "to. Ask the participant to send again what was packed, not to encode again."
            )
        size = protocol.bits_per_message
        bits = np.unpackbits(np.frombuffer(sent, dtype=np.uint8))
        bits = bits[: protocol.messages_per_user * size].reshape(-1, size)
        octets = np.packbits(np.pad(bits, ((0, 0), (64 - size, 0))), axis=1)
        return cls(octets.view(">u8").ravel().astype(np.uint64), private)

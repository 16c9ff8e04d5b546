"""`Messages`: what goes from participants to the shuffler, and from there to the analyser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.distributed.protocol import Protocol, locate_points, read_numbers
from sfumato.distributed.randomness import Words, below, draw_words, is_private
from sfumato.errors import SfumatoError
from sfumato.plane import Codes, interleave


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
                f"A participant sends {protocol.bytes_per_user} bytes, and these are {len(sent)}.",
                "Messages of another protocol would change sums they do not belong to.",
                "Ask the participant to send again what was packed, not to encode again.",
            )
        size = protocol.bits_per_message
        bits = np.unpackbits(np.frombuffer(sent, dtype=np.uint8))
        bits = bits[: protocol.messages_per_user * size].reshape(-1, size)
        octets = np.packbits(np.pad(bits, ((0, 0), (64 - size, 0))), axis=1)
        return cls(octets.view(">u8").ravel().astype(np.uint64), private)


Steps = NDArray[np.int64]

_WHOLE = 2**30
"""In how many parts a mass of 1 is read."""


@dataclass(frozen=True)
class Client:
    """One participant: points or masses in, messages out."""

    protocol: Protocol

    def encode(self, points: ArrayLike) -> Messages:
        """Return the messages of someone who was at these points, which share a mass of 1.

        Parameters
        ----------
        points
            Pairs of x and y, in the units of the plane; none at all is allowed. NaN lies nowhere,
            and points beyond the window do as the plane says. They take their share all the same.

        Privacy
        -------
        One call is one part in the protocol: (ε, δ) for this participant, in the shuffled messages
        of all (`shuffle.md`). The messages of one participant alone are **not** private: only the
        shuffler may see them. A lost message is sent again as it was, never encoded again.
        """
        array = read_numbers(points, (None, 2), "pairs of x and y, one row for each point")
        cells, counts = np.unique(locate_points(self.protocol.plane, array), return_counts=True)
        return self._send(cells, counts.astype(np.int64), len(array))

    def encode_masses(self, masses: ArrayLike) -> Messages:
        """Return the messages of someone who holds these masses.

        Parameters
        ----------
        masses
            ``[row, column]``, one number for each cell of the plane. What is no number from 0 up
            counts as 0, and more than 1 in all is scaled down to 1.

        Privacy
        -------
        As `encode`.
        """
        plane = self.protocol.plane
        shape = (plane.y.cells, plane.x.cells)
        array = read_numbers(masses, shape, "masses [row, column], one for each cell")
        array = np.where(np.isfinite(array) & (array > 0), np.minimum(array, 1.0), 0.0)
        rows, columns = np.nonzero(array)
        codes = interleave(columns.astype(np.int64), rows.astype(np.int64))
        order = np.argsort(codes)
        held = array[rows, columns] / max(1.0, array.sum())
        weights = np.floor(held[order] * _WHOLE).astype(np.int64)
        return self._send(codes[order], weights, max(_WHOLE, int(weights.sum())))

    def _send(self, cells: Codes, weights: Steps, whole: int) -> Messages:
        protocol = self.protocol
        steps = round_weights(weights, whole, protocol.scaling, below(max(whole, 1)))
        noisy = np.concatenate(
            [
                sum_by_square(cells >> 2 * (protocol.plane.levels - level), steps, codes)
                + part.draw(len(codes))
                - part.draw(len(codes))
                for level, codes, part in zip(
                    protocol.levels, protocol.codes, protocol.parts, strict=True
                )
            ]
        )
        return Messages(split_into_shares(noisy, protocol), is_private())


def round_weights(weights: Steps, whole: int, scaling: int, offset: int) -> Steps:
    """Return ``scaling * weights / whole`` in whole steps, rounded together and not one by one.

    Sums of neighbours are kept: any run of cells gets less than one step too few or too many, and
    all together never more than `scaling`. Over a uniform `offset` below `whole`, each cell gets
    on average exactly what it should.

    Examples
    --------
    >>> round_weights(np.array([1, 1, 1]), 3, 256, offset=0)
    array([85, 85, 86])
    """
    if whole == 0:
        return np.zeros_like(weights)
    ends = (np.cumsum(weights) * scaling + offset) // whole
    return np.diff(ends, prepend=0)


def sum_by_square(squares: Codes, steps: Steps, codes: Codes) -> Steps:
    """Return the steps in each of the squares `codes`."""
    places = np.searchsorted(codes, squares)
    sums = np.zeros(len(codes), dtype=np.int64)
    np.add.at(sums, places, steps)
    return sums


def split_into_shares(noisy: Steps, protocol: Protocol) -> NDArray[np.uint64]:
    """Return the messages of one participant: random shares that add up to the noisy numbers."""
    mask = np.uint64(protocol.modulus - 1)
    size = (len(noisy), protocol.shares)
    shares = draw_words(size[0] * size[1]).reshape(size) & mask
    # Words wrap at 2^64, which the modulus divides.
    shares[:, 0] = (noisy.astype(np.uint64) - shares[:, 1:].sum(axis=1)) & mask
    number = np.arange(len(noisy), dtype=np.uint64) << np.uint64(protocol.modulus_bits)
    return (shares | number[:, None]).ravel()

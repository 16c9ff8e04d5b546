"""The messages of a shuffle protocol, as bytes from participants whom nobody knows."""

from __future__ import annotations

import re
from random import Random

import numpy as np

from readers.reader import BreachError, Mutate, Reader
from readers.watching import watched
from sfumato.distributed.client import Messages
from sfumato.distributed.masses import Measured
from sfumato.distributed.protocol import Protocol
from sfumato.distributed.shuffle import Analyser, Shuffler
from sfumato.domain import Bounds
from sfumato.errors import SfumatoError
from sfumato.grid import Grid
from sfumato.plane import Plane


def _small(columns: int, rows: int, people: int, *, scaling: int) -> Protocol:
    plane = Plane(Grid("x", Bounds(0, 1), columns), Grid("y", Bounds(0, 1), rows))
    return Protocol(
        plane, participants=people, honest=people, epsilon=20, delta=0.1, scaling=scaling,
        coarsest=0, wrong=0.1, weak=True,
    )  # fmt: skip


PROTOCOLS = (_small(2, 2, 2, scaling=1), _small(2, 1, 3, scaling=4), _small(3, 2, 2, scaling=2))
"""As few and as small sums as there can be: what is fuzzed is how they are read."""


_NUMBERS = re.compile("[0-9]+")
"""How many were expected and how many came may be told: that says nothing of what they hold."""


class MessageReader(Reader):
    """Reads what participants packed, shuffles it and adds it up."""

    longest = 1024
    modules = ("distributed/client.py", "distributed/shuffle.py", "distributed/shuffle.py")

    aside = ("Messages.pack", "Messages.__repr__")

    def __init__(self, seeds: list[bytes]) -> None:
        super().__init__(seeds)
        self.said = _known_words(PROTOCOLS[0])

    def examine(self, data: bytes) -> None:
        """Read one protocol's messages: its number, and what each of its participants sent."""
        protocol = PROTOCOLS[data[0] % len(PROTOCOLS) if data else 0]
        packed = _cut(data[1:], protocol)
        try:
            with watched():
                sent = [Messages.unpack(each, protocol, private=True) for each in packed]
                measured = Analyser(protocol).decode(Shuffler(protocol).permute(sent))
        except SfumatoError as error:
            self.done["refused"] += 1
            if error.__context__ is not None or _NUMBERS.sub("", str(error)) not in self.said:
                raise BreachError("an error says what was sent", str(error)) from error
            return
        self.done["accepted"] += 1
        _judge_sums(measured, packed)
        if self.turn("decoded", 500):
            picture = measured.picture(decoder="bayes")
            if not (np.isfinite(picture) & (picture >= 0)).all():
                raise BreachError("a picture of messages is no picture")
            self.done["decoded"] += 1

    def mutate(self, data: bytes, size: int, seed: int, plainly: Mutate) -> bytes:
        """Change a few bits, exchange or repeat messages, or send too little."""
        dice = Random(seed)
        if not data or dice.random() < 0.3:
            return plainly(data, size)
        protocol = PROTOCOLS[data[0] % len(PROTOCOLS)]
        bits = np.unpackbits(np.frombuffer(data[1:], dtype=np.uint8))
        each = protocol.bits_per_message
        for _ in range(dice.choice((1, 1, 2, 8))):
            _disturb(bits, each, protocol.modulus_bits, dice)
        return data[:1] + np.packbits(bits).tobytes()[: size - 1]


def _disturb(bits: np.ndarray, each: int, share: int, dice: Random) -> None:
    messages = len(bits) // each
    if messages < 2:
        return
    one, two = (each * dice.randrange(messages) for _ in range(2))
    match dice.randrange(4):
        case 0:
            bits[one + dice.randrange(each)] ^= 1
        case 1:  # another share of the same sum, which is as good as any
            bits[one + each - share + dice.randrange(share)] ^= 1
        case 2:
            bits[[*range(one, one + each), *range(two, two + each)]] = bits[
                [*range(two, two + each), *range(one, one + each)]
            ]
        case _:
            bits[one : one + each] = bits[two : two + each]


def _known_words(protocol: Protocol) -> set[str]:
    """Return what is said of nothing at all, of too few, and of too many of one; no numbers."""
    zeros = Messages(np.zeros(protocol.messages_per_user, dtype=np.uint64), private=True)
    said: set[str] = set()
    for attempt in (
        lambda: Messages.unpack(b"", protocol, private=True),
        lambda: Shuffler(protocol).permute([]),
        lambda: Analyser(protocol).decode(zeros),
    ):
        try:
            attempt()
        except SfumatoError as error:
            said.add(_NUMBERS.sub("", str(error)))
    return said


def _cut(data: bytes, protocol: Protocol) -> list[bytes]:
    size = protocol.bytes_per_user
    return [data[start : start + size] for start in range(0, max(len(data), 1), size)]


def _judge_sums(measured: Measured, packed: list[bytes]) -> None:
    """Compare with the same sums in Python's own integers."""
    protocol = measured.protocol
    sums = [0] * protocol.coordinates
    size, share = protocol.bits_per_message, protocol.modulus_bits
    for each in packed:
        bits = f"{int.from_bytes(each):0{8 * len(each)}b}"
        for place in range(protocol.messages_per_user):
            word = bits[place * size : (place + 1) * size]
            sums[int(word[:-share], 2)] += int(word[-share:], 2)
    found = [int(step) for steps in measured.steps for step in steps]
    half = protocol.modulus // 2
    if found != [(each + half) % protocol.modulus - half for each in sums]:
        raise BreachError("sums of messages are not their sums")

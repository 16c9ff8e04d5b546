"""Finding a canary in whatever clothes it wears."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from artefacts.layers import Layer, layers

Words = NDArray[np.unsignedinteger[Any]]

SURE_DIGITS = 14
"""So many equal digits are no chance, in any number of files."""

_FEW_DIGITS = 7
_CHANCE = 1e-12
_CLUSTERED = 1000  # how much likelier an equal number is where all lie in one range
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "cp1252")
_SHORTEST = 4
_NUMBER = re.compile(rb"\d+(?:\.\d+)?|\.\d+")
_HEX_FLOAT = re.compile(rb"-?0[xX][0-9a-fA-F]\.[0-9a-fA-F]{6,}[pP][+-]?\d+")


@dataclass(frozen=True)
class Found:
    """A canary that got out: what, how it was spelled, and what it was wrapped in."""

    what: str
    spelled: str
    wrapped: tuple[str, ...]

    def __str__(self) -> str:
        place = " in ".join(reversed(self.wrapped)) or "the file itself"
        return f"{self.what} as {self.spelled}, in {place}"


@dataclass(frozen=True)
class Search:
    """What must be found nowhere.

    Parameters
    ----------
    texts
        Each with a name for it.
    numbers
        Of full precision, so that none is likely to be anything else.
    """

    texts: tuple[tuple[str, str], ...]
    numbers: tuple[float, ...]

    def __call__(self, content: bytes) -> list[Found]:
        """Return every canary in a file, however it is wrapped and spelled."""
        found = list(layers(content))
        # Nearly always there is none, which one look at all layers together tells.
        everything = Layer((), b"\n".join(layer.content for layer in found))
        if next(self.within(everything), None) is None:
            return []
        return [hit for layer in found for hit in self.within(layer)]

    def within(self, layer: Layer) -> Iterator[Found]:
        """Yield every canary in one layer of a file."""
        lowered = layer.content.lower()
        for name, encoding, needle in self._needles:
            if needle in lowered:
                yield Found(name, encoding, layer.path)
        for spelled in chain(
            self._digits(layer.content), self._hex_floats(layer.content), self._bits(layer.content)
        ):
            yield Found("a number", spelled, layer.path)

    @cached_property
    def _needles(self) -> list[tuple[str, str, bytes]]:
        return [
            (name, encoding, needle)
            for name, text in self.texts
            for encoding, needle in _spellings(text)
        ]

    @cached_property
    def _prefixes(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        digits = [_significant(repr(abs(number)).encode()) for number in self.numbers]
        rounded = [f"{abs(number):.{_FEW_DIGITS - 1}e}".encode() for number in self.numbers]
        sure = frozenset(each[:SURE_DIGITS] for each in digits if len(each) >= SURE_DIGITS)
        return sure, frozenset(_significant(each.split(b"e")[0]) for each in rounded)

    def _digits(self, content: bytes) -> Iterator[str]:
        tokens = [_significant(token) for token in _NUMBER.findall(content)]
        sure, few = self._prefixes
        if any(token[:SURE_DIGITS] in sure for token in tokens):
            yield "digits"
        short = {token for token in tokens if _FEW_DIGITS - 1 <= len(token) < SURE_DIGITS}
        hits = len({_rounded(token) for token in short} & few)
        expected = _CLUSTERED * len(short) * len(few) / 10**_FEW_DIGITS
        if _beyond_chance(hits, expected):
            yield f"{_FEW_DIGITS} digits, of {hits} numbers"

    def _hex_floats(self, content: bytes) -> Iterator[str]:
        known = set(map(abs, self.numbers))
        if any(
            abs(float.fromhex(token.decode())) in known for token in _HEX_FLOAT.findall(content)
        ):
            yield "hexadecimal digits"

    def _bits(self, content: bytes) -> Iterator[str]:
        for name, wanted in self._words.items():
            expected = len(content) * wanted.size / 2**32 if wanted.itemsize == 4 else 0
            if _beyond_chance(_common(wanted, content), expected):
                yield f"bits of {name}"

    @cached_property
    def _words(self) -> dict[str, Words]:
        numbers = np.array(self.numbers, dtype=np.float64)
        # Smaller whole numbers are too likely to stand there for something else.
        whole = numbers[(np.abs(numbers) > 2**40) & (numbers == np.rint(numbers))]
        kinds = [order + kind for kind in ("f8", "f4", "i8") for order in "<>"]
        plain = {kind: (whole if "i" in kind else numbers).astype(kind) for kind in kinds}
        # Bits are compared as they stand, in whatever order that is.
        return {
            kind: np.unique(bits.view(f"{kind[0]}u{bits.itemsize}")) for kind, bits in plain.items()
        }


def _spellings(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of a text in every encoding, in capitals and backwards too."""
    forms = {
        "": text,
        " in capitals": text.upper(),
        " in small letters": text.lower(),
        " backwards": text[::-1],
        " taken apart": unicodedata.normalize("NFD", text),
    }
    known: set[bytes] = set()
    for form, spelled in forms.items():
        for encoding in _ENCODINGS:
            needle = spelled.encode(encoding, "ignore").lower()
            shortest = _SHORTEST * len("a".encode(encoding))
            if len(needle) >= shortest and needle not in known:
                known.add(needle)
                yield encoding + form, needle


def _significant(token: bytes) -> bytes:
    return token.replace(b".", b"").lstrip(b"0")


def _rounded(token: bytes) -> bytes:
    """Return the first few digits, rounded as a printed number is."""
    head, tail = token[:_FEW_DIGITS].ljust(_FEW_DIGITS, b"0"), token[_FEW_DIGITS : _FEW_DIGITS + 1]
    return head if tail < b"5" else str(int(head) + 1).encode()


def _common(wanted: Words, content: bytes) -> int:
    """Count the wanted words that stand in a file, wherever they begin."""
    kind, size = wanted.dtype, wanted.dtype.itemsize
    likely = np.zeros(2**16, dtype=bool)
    likely[_hashed(wanted)] = True
    found: set[int] = set()
    for start in range(min(size, max(0, len(content) - size + 1))):
        count = (len(content) - start) // size
        words = np.frombuffer(content, dtype=kind, count=count, offset=start)
        # Only the few words that could be a wanted one are looked up.
        found.update(np.unique(words[likely[_hashed(words)]]).tolist())
    return len(found.intersection(wanted.tolist()))


def _hashed(words: Words) -> Words:
    """Return 16 bits that depend on all bits of a word."""
    kind = words.dtype.newbyteorder("=")
    odd, shift = kind.type(0x9E3779B97F4A7C15 % 2 ** (8 * kind.itemsize)), 8 * kind.itemsize - 16
    return (words.astype(kind) * odd) >> kind.type(shift)


def _beyond_chance(hits: int, expected: float) -> bool:
    return hits > 0 and (
        expected == 0 or float(cast(Any, poisson).sf(hits - 1, expected)) < _CHANCE
    )


def together(searches: Sequence[Search]) -> Search:
    """Return one search for all that several look for."""
    texts: Iterable[tuple[str, str]] = chain.from_iterable(search.texts for search in searches)
    numbers: Iterable[float] = chain.from_iterable(search.numbers for search in searches)
    return Search(tuple(dict.fromkeys(texts)), tuple(dict.fromkeys(numbers)))

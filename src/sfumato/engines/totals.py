"""Sums by values of any kind: people, or cells that are texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers
from sfumato.engines.tally import CAP

_FEW = 2**16


class Totals:
    """Sums of whole numbers from 0 to 2³⁰, one to each value that occurs; none is NULL.

    A sum is the smaller of its true value and `CAP`.
    """

    def __init__(self) -> None:
        self._values: pa.Array | None = None
        self._sums: Integers = np.zeros(0, dtype=np.int64)
        self._waiting: list[tuple[pa.Array, Integers]] = []
        self._rows = 0

    def add(self, values: pa.Array, amounts: Integers | int) -> None:
        """Add an amount to the sum of each value."""
        self._waiting.append((values, np.broadcast_to(np.int64(amounts), len(values))))
        self._rows += len(values)
        # As many as there are already, so that each is looked at again only now and then.
        if self._rows > max(_FEW, self._sums.size):
            self._merge()

    def take(self, found: pa.RecordBatch) -> None:
        """Add the `amount` of each `cell`."""
        self.add(found.column("cell"), found.column("amount").to_numpy())

    def merge(self, other: Totals) -> None:
        """Add all sums of another."""
        values, sums = other.all()
        self._merge()
        if len(values):
            self._waiting = [(values, sums)]  # of which each is `CAP` at most, and comes once
            self._merge()

    def all(self) -> tuple[pa.Array, Integers]:
        """Return all values, once each, and their sums."""
        self._merge()
        nothing = pa.array([], pa.large_binary())
        return nothing if self._values is None else self._values, self._sums

    def size(self) -> int:
        """Return how many bytes values and sums take, once each."""
        values, sums = self.all()
        return values.nbytes + sums.nbytes

    def _merge(self) -> None:
        if not self._waiting:
            return
        values, amounts = zip(*self._waiting, strict=True)
        known = [] if self._values is None else [self._values]
        # What was there before comes first, and so keeps its place.
        coded = pa.concat_arrays([*known, *values]).dictionary_encode()
        sums = np.zeros(len(coded.dictionary), dtype=np.int64)
        sums[: self._sums.size] = self._sums
        np.add.at(sums, coded.indices.to_numpy()[self._sums.size :], np.concatenate(amounts))
        self._values, self._sums = coded.dictionary, np.minimum(sums, CAP)
        self._waiting, self._rows = [], 0

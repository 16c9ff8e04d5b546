"""What a question adds up, wherever its rows stand: the same sums on every engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import pyarrow as pa

from sfumato.engines.sources.source import Columns
from sfumato.engines.tally import Entries
from sfumato.privacy.unit import PrivacyUnit

T = TypeVar("T")


class Addition(ABC, Generic[T]):
    """Public facts that tell how rows become whole numbers, and how these are added.

    An engine makes `zeros` for each part of a table and adds blocks of rows to them; the `entries`
    of all parts together, summed by their numbers, are the answer. All sums are exact, so that it
    depends on no order, no partition and no engine. The object itself is all that has to travel
    to the rows.

    Privacy
    -------
    A row adds what follows from that row and public facts alone.
    """

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The columns that are needed."""

    @abstractmethod
    def zeros(self) -> T:
        """Return sums of no rows."""

    @abstractmethod
    def add(self, sums: T, block: pa.RecordBatch) -> None:
        """Add rows that weigh one each."""

    @abstractmethod
    def entries(self, sums: T) -> Entries:
        """Return numbered sums, of which those that are zero may be left out."""


class Summation(Addition[T]):
    """An addition whose rows may also weigh what their person lets them."""

    @property
    @abstractmethod
    def most(self) -> int:
        """How many parts may be held in memory side by side."""

    @abstractmethod
    def weight(self, unit: PrivacyUnit) -> int:
        """Return how much all rows of one unit may weigh together."""

    @abstractmethod
    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return what `weigh` needs to know of each row, as one value; NULL is nowhere."""

    @abstractmethod
    def weigh(self, sums: T, found: pa.RecordBatch) -> None:
        """Add rows, given as a `cell` that `place` returned and the `amount` that each weighs."""

    @abstractmethod
    def merge(self, sums: T, other: T) -> None:
        """Add the sums of other rows to `sums`."""

    @abstractmethod
    def restored(self, entries: Entries) -> T:
        """Return the sums that entries stand for, each number being given at most once."""

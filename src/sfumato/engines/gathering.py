"""Rows sorted into companies of people: in memory, and in files where there are too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.engines.hashing import hashed
from sfumato.engines.kernel import BLOCK
from sfumato.engines.people import BITS, COMPANIES, companies
from sfumato.engines.resources import Room

Sort = Callable[[pa.Array], NDArray[np.uint8]]
"""From identities to companies, of which each depends on its identity alone."""

_FEW = 2**8
_MESSAGE = 2**20  # bytes that are read at once, more or less

DEEPEST = 8
"""How often companies may be divided: into 2⁴⁰ smaller ones."""


class Held:
    """Rows that are somebody's, by company: columns `person`, `cell` and perhaps `steps`.

    Privacy
    -------
    Rows of nobody are left out. All rows of a person are in one company. What is in memory and
    what in files follows from how much there is, and shows in nothing but time.
    """

    def __init__(self, folder: Path, room: int, sort: Sort = companies) -> None:
        self._folder = folder
        self._room = room
        self._company = sort
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self._companies: list[list[pa.RecordBatch]] = [[] for _ in range(COMPANIES)]
        self._bytes = 0
        self._files: Path | None = None
        self._schema: pa.Schema | None = None

    def add(self, rows: pa.RecordBatch) -> None:
        """Take the rows of a block."""
        whose = rows.column("person")
        if whose.null_count:
            rows = rows.filter(whose.is_valid())
        self._waiting.append(rows)
        self._rows += rows.num_rows
        if self._rows >= BLOCK:
            self._sort()
        elif len(self._waiting) > _FEW:  # an object takes more room than a row
            self._waiting = [joined(self._waiting)]

    def finish(self, *, settle: bool = False) -> None:
        """Sort the last rows too, and write also what could stay in memory if others need it."""
        self._sort()
        if settle and self._files is not None:
            self._write()

    def company(self, index: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a company, as often as is asked."""
        path = None if self._files is None else self._files / str(index)
        if path is not None and path.exists():
            with pa.OSFile(str(path)) as file:
                while file.tell() < file.size():
                    yield pa.ipc.read_record_batch(pa.ipc.read_message(file), self._schema)
        yield from self._companies[index]

    def forget(self, index: int) -> None:
        """Let go of the rows of a company."""
        self._companies[index] = []
        if self._files is not None:
            (self._files / str(index)).unlink(missing_ok=True)

    def _sort(self) -> None:
        if not self._rows:
            return
        rows = joined(self._waiting)
        company = self._company(rows.column("person"))
        rows = rows.take(pa.array(np.argsort(company, kind="stable")))
        ends = [0, *np.bincount(company, minlength=COMPANIES).cumsum().tolist()]
        for some, (start, stop) in zip(self._companies, pairwise(ends), strict=True):
            if start < stop:
                some.append(rows.slice(start, stop - start))
        self._waiting, self._rows, self._schema = [], 0, rows.schema
        self._bytes += rows.nbytes
        if self._bytes > self._room:
            self._write()

    def _write(self) -> None:
        if self._files is None:
            self._files = Path(mkdtemp(dir=self._folder))
        for index, some in enumerate(self._companies):
            if some:
                # Opened anew each time: all companies of all threads are too many open files.
                with (self._files / str(index)).open("ab") as file:
                    for message in _messages(joined(some)):
                        file.write(message.serialize())
        self._companies = [[] for _ in range(COMPANIES)]
        self._bytes = 0


@dataclass(frozen=True)
class Company:
    """All rows of some people, wherever they are held.

    Privacy
    -------
    No other company has rows of these people.
    """

    held: Sequence[Held]
    index: int
    depth: int = 0

    def chunks(self, size: int) -> Iterator[pa.RecordBatch]:
        """Yield all rows, in chunks of hardly more bytes than are said."""
        waiting: list[pa.RecordBatch] = []
        weigh = 0
        for held in self.held:
            for batch in held.company(self.index):
                waiting.append(batch)
                weigh += batch.nbytes
                if weigh > size:
                    yield joined(waiting)
                    waiting, weigh = [], 0
        if waiting:
            yield joined(waiting)

    def divided(self, folder: Path, room: Room, key: str) -> Iterator[Company]:
        """Yield smaller companies with the rows of this one, which goes.

        Privacy
        -------
        Who is in which follows from each identity and a key.
        """
        level = f"{key} {self.depth}"

        def sort(whose: pa.Array) -> NDArray[np.uint8]:
            return (hashed(whose, level) >> np.uint64(64 - BITS)).astype(np.uint8)

        held = Held(folder, room.at_once, sort)
        for chunk in self.chunks(room.at_once):
            held.add(chunk)
        held.finish(settle=True)
        self.forget()
        for index in range(COMPANIES):
            yield Company([held], index, self.depth + 1)

    def forget(self) -> None:
        """Let go of all rows."""
        for held in self.held:
            held.forget(self.index)


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Return several batches as one."""
    if len(batches) == 1:
        return batches[0]
    return pa.concat_batches(batches)


def _messages(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    step = max(1, rows.num_rows * _MESSAGE // max(1, rows.nbytes))
    return (rows.slice(start, step) for start in range(0, rows.num_rows, step))

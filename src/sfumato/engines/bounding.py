"""How much each person counts: the one place where rows are grouped by person."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.columns import Integers
from sfumato.engines.people import (
    BITS,
    PEOPLE_PARTITIONS,
    hash_values,
    number_people,
    partition_people,
    select_rows,
)
from sfumato.engines.sources.source import cut_evenly as cut
from sfumato.engines.sums import Totals
from sfumato.engines.table import (
    BLOCK,
    MemoryLimits,
    Report,
    Resources,
    compute_room,
    count_workers,
    make_temporary_folder,
    run_in_parallel,
)
from sfumato.privacy.guarantee import PrivacyUnit

Sort = Callable[[pa.Array], NDArray[np.uint8]]
"""From identities to companies, of which each depends on its identity alone."""

_FEW = 2**8
_MESSAGE = 2**20  # bytes that are read at once, more or less

DEEPEST = 8
"""How often companies may be divided: into 2⁴⁰ smaller ones."""


class PartitionedRows:
    """Rows that are somebody's, by company: columns `person`, `cell` and perhaps `steps`.

    Privacy
    -------
    Rows of nobody are left out. All rows of a person are in one company. What is in memory and
    what in files follows from how much there is, and shows in nothing but time.
    """

    def __init__(self, folder: Path, room: int, sort: Sort = partition_people) -> None:
        self._folder = folder
        self._room = room
        self._company = sort
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0
        self._companies: list[list[pa.RecordBatch]] = [[] for _ in range(PEOPLE_PARTITIONS)]
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
            self._waiting = [concatenate_batches(self._waiting)]

    def finish(self, *, settle: bool = False) -> None:
        """Sort the last rows too, and write also what could stay in memory if others need it."""
        self._sort()
        if settle and self._files is not None:
            self._write()

    def read_partition(self, index: int) -> Iterator[pa.RecordBatch]:
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
        rows = concatenate_batches(self._waiting)
        company = self._company(rows.column("person"))
        rows = rows.take(pa.array(np.argsort(company, kind="stable")))
        ends = [0, *np.bincount(company, minlength=PEOPLE_PARTITIONS).cumsum().tolist()]
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
                    for message in _slice_messages(concatenate_batches(some)):
                        file.write(message.serialize())
        self._companies = [[] for _ in range(PEOPLE_PARTITIONS)]
        self._bytes = 0


@dataclass(frozen=True)
class PeoplePartition:
    """All rows of some people, wherever they are held.

    Privacy
    -------
    No other company has rows of these people.
    """

    held: Sequence[PartitionedRows]
    index: int
    depth: int = 0

    def chunks(self, size: int) -> Iterator[pa.RecordBatch]:
        """Yield all rows, in chunks of hardly more bytes than are said."""
        waiting: list[pa.RecordBatch] = []
        weigh = 0
        for held in self.held:
            for batch in held.read_partition(self.index):
                waiting.append(batch)
                weigh += batch.nbytes
                if weigh > size:
                    yield concatenate_batches(waiting)
                    waiting, weigh = [], 0
        if waiting:
            yield concatenate_batches(waiting)

    def subdivide(self, folder: Path, room: MemoryLimits, key: str) -> Iterator[PeoplePartition]:
        """Yield smaller companies with the rows of this one, which goes.

        Privacy
        -------
        Who is in which follows from each identity and a key.
        """
        level = f"{key} {self.depth}"

        def sort(whose: pa.Array) -> NDArray[np.uint8]:
            return (hash_values(whose, level) >> np.uint64(64 - BITS)).astype(np.uint8)

        held = PartitionedRows(folder, room.at_once, sort)
        for chunk in self.chunks(room.at_once):
            held.add(chunk)
        held.finish(settle=True)
        self.forget()
        for index in range(PEOPLE_PARTITIONS):
            yield PeoplePartition([held], index, self.depth + 1)

    def forget(self) -> None:
        """Let go of all rows."""
        for held in self.held:
            held.forget(self.index)


def concatenate_batches(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Return several batches as one."""
    if len(batches) == 1:
        return batches[0]
    return pa.concat_batches(batches)


def _slice_messages(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    step = max(1, rows.num_rows * _MESSAGE // max(1, rows.nbytes))
    return (rows.slice(start, step) for start in range(0, rows.num_rows, step))


T = TypeVar("T")

Take = Callable[[pa.RecordBatch], None]
"""Is handed the cells of rows and what each counts, as columns `cell` and `amount`."""

Stream = Callable[[Report], Iterator[pa.RecordBatch]]
"""Reads part of a table, as columns `person`, `cell` and, where rows have weights, `steps`."""


class ContributionRule(ABC):
    """How a person's weight falls to its rows.

    Privacy
    -------
    One person's amounts sum to at most a weight that is public, over all its rows.
    """

    @abstractmethod
    def weigh(self, company: PeoplePartition, size: int, take: Take) -> bool:
        """Weigh all rows, or tell that there are too many people to work on in so many bytes."""


@dataclass(frozen=True)
class SharedContribution(ContributionRule):
    """A person's rows share its weight, equally or by `steps` of their own.

    The whole weight is divided by all rows, counted anywhere or not, and rounded down, so that its
    parts never sum to more than the whole.

    Privacy
    -------
    One person's amounts sum to at most `weight`, which is at most 2³⁰, and so is what a row weighs.
    """

    weight: int

    def weigh(self, company: PeoplePartition, size: int, take: Take) -> bool:
        """Weigh at once what fits into one chunk, and in two passes what does not."""
        first = [*islice(company.chunks(size), 2)]
        if len(first) < 2:
            for chunk in first:
                who, people = number_people([chunk.column("person")])
                wholes = np.zeros(people, dtype=np.int64)
                np.add.at(wholes, who, _read_steps(chunk))
                self._hand_on(chunk, who, wholes, take)
            return True
        del first
        totals = Totals()
        for chunk in company.chunks(size):
            totals.add(chunk.column("person"), _read_steps(chunk))
            if totals.size() > size and company.depth < DEEPEST:
                return False
        people, wholes = totals.all()
        for chunk in company.chunks(size):
            who = pc.index_in(chunk.column("person"), value_set=people)
            self._hand_on(chunk, who.to_numpy(), wholes, take)
        return True

    def _hand_on(self, chunk: pa.RecordBatch, who: Integers, wholes: Integers, take: Take) -> None:
        _pass_cells(
            chunk.column("cell"), _share_weight(self.weight, _read_steps(chunk), who, wholes), take
        )


@dataclass(frozen=True)
class CappedContribution(ContributionRule):
    """Of a person's rows that are counted somewhere so many count at most, one each.

    A person's cells are walked in an order that a secret salt decides, and rows are taken until
    the weight is used up, over all cells together. Rows of one cell are interchangeable, so the
    answer depends on how many there are and not on which come first; and no other person has a
    say.

    Privacy
    -------
    One person's amounts sum to at most `weight`.
    """

    weight: int
    salt: str = field(repr=False)

    def weigh(self, company: PeoplePartition, size: int, take: Take) -> bool:
        """Walk chunk after chunk, beside what was taken from those before."""
        taken: pa.RecordBatch | None = None
        for chunk in company.chunks(size):
            rows = _append_ones(
                chunk.select(["person", "cell"]).filter(chunk.column("cell").is_valid())
            )
            both = rows if taken is None else pa.concat_batches([taken, rows])
            taken, people = select_rows(both, self.weight, self.salt)
            if taken.nbytes > size and people > 1 and company.depth < DEEPEST:
                return False
        if taken is not None:
            _pass_cells(taken.column("cell"), taken.column("amount").to_numpy(), take)
        return True


def make_rule(unit: PrivacyUnit, weight: int, salt: str) -> ContributionRule:
    """Return how the weight of a person falls to its rows."""
    return SharedContribution(weight) if unit.shared else CappedContribution(weight, salt)


def sum_contributions(
    streams: Sequence[Stream],
    rule: ContributionRule,
    zeros: Callable[[], T],
    weigh: Callable[[T, pa.RecordBatch], None],
    *,
    resources: Resources,
    report: Report,
    most: int = PEOPLE_PARTITIONS,
) -> Sequence[T]:
    """Return sums of what rows count, to be added up: at most so many, made side by side.

    `weigh` adds cells and amounts to sums that `zeros` makes. Rows of one person and cell may come
    as one.

    Privacy
    -------
    One person's amounts sum to what the rule says, over all sums together.
    """
    threads = max(1, min(count_workers(resources), most, PEOPLE_PARTITIONS))
    with make_temporary_folder(resources) as folder:
        apiece = compute_room(resources, len(streams))

        def gather(stream: Stream, note: Report) -> PartitionedRows:
            held = PartitionedRows(folder, apiece.held)
            for rows in stream(note):
                held.add(rows)
            held.finish()
            return held

        held = run_in_parallel(gather, streams, report)
        work = _PeopleTask(
            held, folder, compute_room(resources, threads), rule, secrets.token_hex(16)
        )

        def add(some: slice, note: Report) -> T:
            sums = zeros()
            for index in range(some.start, some.stop):
                work.weigh(PeoplePartition(held, index), lambda found: weigh(sums, found), note)
            return sums

        return run_in_parallel(add, cut(PEOPLE_PARTITIONS, threads), lambda _: None)


def sum_by_cell(
    pairs: Iterator[pa.RecordBatch], unit: PrivacyUnit, *, salt: str, resources: Resources
) -> pa.Table:
    """Return how much all persons together count in each occupied cell, in integer steps.

    Privacy
    -------
    One person adds at most ``unit.weight`` over all cells together. Where the unit is a row, each
    adds 1 and no person is needed.
    """
    return sum_parts_by_cell(
        [lambda _: pairs], unit, salt=salt, resources=resources, report=lambda _: None
    )


def sum_parts_by_cell(
    streams: Sequence[Stream],
    unit: PrivacyUnit,
    *,
    salt: str,
    resources: Resources,
    report: Report,
) -> pa.Table:
    """Return the same of several parts of a table.

    Privacy
    -------
    As for `sum_by_cell`.
    """

    def count(stream: Stream, note: Report) -> Totals:
        totals = Totals()
        for rows in stream(note):
            _pass_cells(rows.column("cell"), np.ones(rows.num_rows, np.int64), totals.take)
        return totals

    if unit.column is None:
        found = run_in_parallel(count, streams, report)
    else:
        rule = make_rule(unit, unit.weight, salt)
        found = sum_contributions(
            streams, rule, Totals, Totals.take, resources=resources, report=report
        )
    first, *others = found
    for other in others:
        first.merge(other)
    cells, sums = first.all()
    return pa.table({"cell": cells, "amount": sums})


@dataclass(frozen=True)
class _PeopleTask:
    held: Sequence[PartitionedRows]
    folder: Path
    room: MemoryLimits
    rule: ContributionRule
    key: str = field(repr=False)

    def weigh(self, company: PeoplePartition, take: Take, note: Report) -> None:
        note(0.0)
        if self.rule.weigh(company, self.room.at_once, take):
            company.forget()
            return
        for smaller in company.subdivide(self.folder, self.room, self.key):
            self.weigh(smaller, take, note)


def _share_weight(weight: int, steps: Integers | int, who: Integers, wholes: Integers) -> Integers:
    # Who weighs nothing at all gets nothing, whatever it is divided by.
    wholes = np.maximum(wholes, 1)
    if isinstance(steps, int):
        return (weight * steps // wholes).take(who)
    return weight * steps // wholes.take(who)


def _read_steps(chunk: pa.RecordBatch) -> Integers | int:
    return chunk.column("steps").to_numpy() if "steps" in chunk.schema.names else 1


def _append_ones(rows: pa.RecordBatch) -> pa.RecordBatch:
    return rows.append_column("amount", pa.array(np.ones(rows.num_rows, dtype=np.int64)))


def _pass_cells(cells: pa.Array, amounts: Integers, take: Take) -> None:
    if cells.null_count:
        known = cells.is_valid()
        cells, amounts = cells.filter(known), amounts[np.asarray(known)]
    found = pa.record_batch({"cell": cells, "amount": amounts})
    for start in range(0, found.num_rows, BLOCK):
        take(found.slice(start, BLOCK))

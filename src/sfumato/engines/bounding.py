"""How much each person counts: the one place where rows are grouped by person.

An engine streams one pair per row, (person, cell), where a row that is counted nowhere has the cell
NULL. Rows are gathered into companies of people, in files where memory is short, and each company
is weighed by itself: `bounding.md` says why that is right, and why it needs little memory whatever
the rows are. A cell may be any value that tells rows apart: a number, a text, or a whole point as
bytes.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.columns import Integers
from sfumato.engines.gathering import DEEPEST, Company, Held
from sfumato.engines.kernel import BLOCK
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.people import COMPANIES, numbered
from sfumato.engines.resources import Resources, Room, passing_folder, room, workers
from sfumato.engines.sources.source import runs as cut
from sfumato.engines.totals import Totals
from sfumato.engines.walking import walked
from sfumato.privacy.unit import PrivacyUnit

T = TypeVar("T")

Take = Callable[[pa.RecordBatch], None]
"""Is handed the cells of rows and what each counts, as columns `cell` and `amount`."""

Stream = Callable[[Report], Iterator[pa.RecordBatch]]
"""Reads part of a table, as columns `person`, `cell` and, where rows have weights, `steps`."""


class Rule(ABC):
    """How a person's weight falls to its rows.

    Privacy
    -------
    One person's amounts sum to at most a weight that is public, over all its rows.
    """

    @abstractmethod
    def weigh(self, company: Company, size: int, take: Take) -> bool:
        """Weigh all rows, or tell that there are too many people to work on in so many bytes."""


@dataclass(frozen=True)
class Shared(Rule):
    """A person's rows share its weight, equally or by `steps` of their own.

    The whole weight is divided by all rows, counted anywhere or not, and rounded down, so that its
    parts never sum to more than the whole.

    Privacy
    -------
    One person's amounts sum to at most `weight`, which is at most 2³⁰, and so is what a row weighs.
    """

    weight: int

    def weigh(self, company: Company, size: int, take: Take) -> bool:
        """Weigh at once what fits into one chunk, and in two passes what does not."""
        first = [*islice(company.chunks(size), 2)]
        if len(first) < 2:
            for chunk in first:
                who, people = numbered([chunk.column("person")])
                wholes = np.zeros(people, dtype=np.int64)
                np.add.at(wholes, who, _steps(chunk))
                self._hand_on(chunk, who, wholes, take)
            return True
        del first
        totals = Totals()
        for chunk in company.chunks(size):
            totals.add(chunk.column("person"), _steps(chunk))
            if totals.size() > size and company.depth < DEEPEST:
                return False
        people, wholes = totals.all()
        for chunk in company.chunks(size):
            who = pc.index_in(chunk.column("person"), value_set=people)
            self._hand_on(chunk, who.to_numpy(), wholes, take)
        return True

    def _hand_on(self, chunk: pa.RecordBatch, who: Integers, wholes: Integers, take: Take) -> None:
        _hand_on(chunk.column("cell"), _shares(self.weight, _steps(chunk), who, wholes), take)


@dataclass(frozen=True)
class Capped(Rule):
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

    def weigh(self, company: Company, size: int, take: Take) -> bool:
        """Walk chunk after chunk, beside what was taken from those before."""
        taken: pa.RecordBatch | None = None
        for chunk in company.chunks(size):
            rows = _ones(chunk.select(["person", "cell"]).filter(chunk.column("cell").is_valid()))
            both = rows if taken is None else pa.concat_batches([taken, rows])
            taken, people = walked(both, self.weight, self.salt)
            if taken.nbytes > size and people > 1 and company.depth < DEEPEST:
                return False
        if taken is not None:
            _hand_on(taken.column("cell"), taken.column("amount").to_numpy(), take)
        return True


def rule_for(unit: PrivacyUnit, weight: int, salt: str) -> Rule:
    """Return how the weight of a person falls to its rows."""
    return Shared(weight) if unit.shared else Capped(weight, salt)


def weighed(
    streams: Sequence[Stream],
    rule: Rule,
    zeros: Callable[[], T],
    weigh: Callable[[T, pa.RecordBatch], None],
    *,
    resources: Resources,
    report: Report,
    most: int = COMPANIES,
) -> Sequence[T]:
    """Return sums of what rows count, to be added up: at most so many, made side by side.

    `weigh` adds cells and amounts to sums that `zeros` makes. Rows of one person and cell may come
    as one.

    Privacy
    -------
    One person's amounts sum to what the rule says, over all sums together.
    """
    threads = max(1, min(workers(resources), most, COMPANIES))
    with passing_folder(resources) as folder:
        apiece = room(resources, len(streams))

        def gather(stream: Stream, note: Report) -> Held:
            held = Held(folder, apiece.held)
            for rows in stream(note):
                held.add(rows)
            held.finish()
            return held

        held = side_by_side(gather, streams, report)
        work = _Work(held, folder, room(resources, threads), rule, secrets.token_hex(16))

        def add(some: slice, note: Report) -> T:
            sums = zeros()
            for index in range(some.start, some.stop):
                work.weigh(Company(held, index), lambda found: weigh(sums, found), note)
            return sums

        return side_by_side(add, cut(COMPANIES, threads), lambda _: None)


def amounts(
    pairs: Iterator[pa.RecordBatch], unit: PrivacyUnit, *, salt: str, resources: Resources
) -> pa.Table:
    """Return how much all persons together count in each occupied cell, in integer steps.

    Privacy
    -------
    One person adds at most ``unit.weight`` over all cells together. Where the unit is a row, each
    adds 1 and no person is needed.
    """
    return listed([lambda _: pairs], unit, salt=salt, resources=resources, report=lambda _: None)


def listed(
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
    As for `amounts`.
    """

    def count(stream: Stream, note: Report) -> Totals:
        totals = Totals()
        for rows in stream(note):
            _hand_on(rows.column("cell"), np.ones(rows.num_rows, np.int64), totals.take)
        return totals

    if unit.column is None:
        found = side_by_side(count, streams, report)
    else:
        rule = rule_for(unit, unit.weight, salt)
        found = weighed(streams, rule, Totals, Totals.take, resources=resources, report=report)
    first, *others = found
    for other in others:
        first.merge(other)
    cells, sums = first.all()
    return pa.table({"cell": cells, "amount": sums})


@dataclass(frozen=True)
class _Work:
    held: Sequence[Held]
    folder: Path
    room: Room
    rule: Rule
    key: str = field(repr=False)

    def weigh(self, company: Company, take: Take, note: Report) -> None:
        note(0.0)
        if self.rule.weigh(company, self.room.at_once, take):
            company.forget()
            return
        for smaller in company.divided(self.folder, self.room, self.key):
            self.weigh(smaller, take, note)


def _shares(weight: int, steps: Integers | int, who: Integers, wholes: Integers) -> Integers:
    # Who weighs nothing at all gets nothing, whatever it is divided by.
    wholes = np.maximum(wholes, 1)
    if isinstance(steps, int):
        return (weight * steps // wholes).take(who)
    return weight * steps // wholes.take(who)


def _steps(chunk: pa.RecordBatch) -> Integers | int:
    return chunk.column("steps").to_numpy() if "steps" in chunk.schema.names else 1


def _ones(rows: pa.RecordBatch) -> pa.RecordBatch:
    return rows.append_column("amount", pa.array(np.ones(rows.num_rows, dtype=np.int64)))


def _hand_on(cells: pa.Array, amounts: Integers, take: Take) -> None:
    if cells.null_count:
        known = cells.is_valid()
        cells, amounts = cells.filter(known), amounts[np.asarray(known)]
    found = pa.record_batch({"cell": cells, "amount": amounts})
    for start in range(0, found.num_rows, BLOCK):
        take(found.slice(start, BLOCK))

"""One weight to each person, shared by its rows: in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.people import COMPANIES, companies, numbered
from sfumato.engines.sources.source import runs as cut
from sfumato.engines.tally import Sums
from sfumato.privacy.unit import SHARED_STEPS

Rows = tuple[pa.Array, Integers, Integers | None]
"""Whose rows are, where, and how heavy if not all alike; the cell -1 is nowhere."""


def _nobody() -> list[list[Rows]]:
    return [[] for _ in range(COMPANIES)]


@dataclass(frozen=True)
class Held:
    """Rows in memory that are somebody's, by company."""

    companies: list[list[Rows]] = field(default_factory=_nobody)

    def add(self, rows: Rows) -> int:
        """Sort the rows of a block into companies, and return how many bytes they take."""
        whose, where, heavy = _of_somebody(rows)
        company = companies(whose)
        order = np.argsort(company, kind="stable")
        whose, where = whose.take(pa.array(order)), where.take(order)
        heavy = None if heavy is None else heavy.take(order)
        ends = [0, *np.bincount(company, minlength=COMPANIES).cumsum().tolist()]
        for index, (start, stop) in enumerate(pairwise(ends)):
            if start < stop:
                some = None if heavy is None else heavy[start:stop]
                part = whose.slice(start, stop - start), where[start:stop], some
                self.companies[index].append(part)
        return whose.nbytes + where.nbytes + (0 if heavy is None else heavy.nbytes)


def shared(parts: Sequence[Held], zeros: Callable[[], Sums], *, threads: int) -> Sequence[Sums]:
    """Return sums of what rows weigh, to be added up: ⌊2³⁰ q / Q⌋ for q of a person's Q steps.

    At most 2³⁰ rows are held, so that no product or sum needs more than 63 bits.

    Privacy
    -------
    One person adds at most 2³⁰ to all sums together: its shares are rounded down, and Q counts all
    its rows, also those that are nowhere.
    """

    def work(some: slice, report: Report) -> Sums:
        sums = zeros()
        for index in range(some.start, some.stop):
            report(0.0)
            rows = [block for part in parts for block in part.companies[index]]
            if rows:
                where, amounts = _divided(rows)
                sums.weigh(where, amounts)
        return sums

    return side_by_side(work, cut(COMPANIES, threads), lambda _: None)


def _divided(rows: Sequence[Rows]) -> tuple[Integers, Integers]:
    whose, where, heavy = zip(*rows, strict=True)
    who, people = numbered(whose)
    wholes = np.zeros(people, dtype=np.int64)
    if heavy[0] is None:
        np.add.at(wholes, who, 1)
        amounts = (SHARED_STEPS // np.maximum(wholes, 1)).take(who)
    else:
        steps = np.concatenate(heavy)
        np.add.at(wholes, who, steps)
        # Who weighs nothing at all gets nothing, whatever it is divided by.
        amounts = steps * SHARED_STEPS // np.maximum(wholes, 1).take(who)
    return np.concatenate(where), amounts


def _of_somebody(rows: Rows) -> Rows:
    whose, where, heavy = rows
    if not whose.null_count:
        return rows
    known = np.flatnonzero(whose.is_valid())
    return whose.drop_null(), where[known], None if heavy is None else heavy[known]

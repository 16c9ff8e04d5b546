"""How much each person counts: the one place where rows are grouped by person.

An engine streams one pair per row, (person, cell), where a row that is counted nowhere has the
cell NULL. SQL groups them, on disk where memory is short; nothing else here is SQL, so another
engine with a ``GROUP BY`` can run the same statements. A cell may be any value that tells rows
apart: a number, a text, or a whole point as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import duckdb
import pyarrow as pa

from sfumato.engines.connection import Resources, connection
from sfumato.engines.feeding import fed
from sfumato.engines.kernel import BLOCK
from sfumato.engines.tally import CAP
from sfumato.privacy.unit import PrivacyUnit

T = TypeVar("T")

# The whole of a person's weight is divided by all its rows, counted anywhere or not, and rounded
# down, so that its parts never sum to more than the whole. Rows are looked up again among people,
# which takes a third of the time of a window over them; a stream can be read only once.
_SHARED = """
    WITH found AS MATERIALIZED (
        SELECT person, cell FROM pairs WHERE person IS NOT NULL
    ), people AS (
        SELECT person, {weight} // count(*) AS share FROM found GROUP BY person
    )
    SELECT cell, share AS amount FROM found JOIN people USING (person) WHERE cell IS NOT NULL
"""

# A person's cells are walked in an order that a secret salt decides, and rows are taken until the
# weight is used up, over all cells together. Rows of one cell are interchangeable, so the answer
# depends on how many there are and not on which come first; and no other person has a say.
_CAPPED = """
    WITH parts AS (
        SELECT person, cell, count(*) AS n FROM pairs
        WHERE person IS NOT NULL AND cell IS NOT NULL GROUP BY person, cell
    ), walk AS (
        SELECT cell, n, coalesce(sum(n) OVER (
            PARTITION BY person
            ORDER BY md5(concat_ws('|', '{salt}', CAST(cell AS VARCHAR), CAST(person AS VARCHAR))),
                cell
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS taken FROM parts
    )
    SELECT cell, CAST(least(n, {weight} - taken) AS BIGINT) AS amount
    FROM walk WHERE taken < {weight}
"""

_SUMMED = """
    SELECT cell, CAST(least(sum(amount), {cap}) AS BIGINT) AS amount FROM ({rows}) GROUP BY cell
"""

# A person's weight is shared as above, by rows with weights of their own, in steps. Sums may need
# more than 64 bits; rows without weight add nothing.
_WEIGHED = """
    WITH found AS MATERIALIZED (
        SELECT person, cell, steps FROM pairs WHERE person IS NOT NULL AND steps > 0
    ), people AS (
        SELECT person, sum(CAST(steps AS HUGEINT)) AS whole FROM found GROUP BY person
    )
    SELECT cell, CAST(least(
        sum(CAST({weight} AS HUGEINT) * steps // whole), {cap}) AS BIGINT) AS amount
    FROM found JOIN people USING (person) WHERE cell IS NOT NULL GROUP BY cell
"""

_COUNTED = """
    SELECT cell, CAST(count(*) AS BIGINT) AS amount
    FROM pairs WHERE cell IS NOT NULL GROUP BY cell
"""

_COLUMNS = ["person", "cell", "steps"]
_NOBODY = pa.record_batch([pa.array([], pa.int64())] * 3, names=_COLUMNS)


def amounts(
    pairs: Iterator[pa.RecordBatch],
    unit: PrivacyUnit,
    *,
    salt: str,
    resources: Resources,
) -> pa.Table:
    """Return how much all persons together count in each occupied cell, in integer steps.

    Privacy
    -------
    One person adds at most ``unit.weight`` over all cells together. Where the unit is a row, each
    adds 1 and no person is needed.
    """
    rows = _statement(unit).format(weight=unit.weight, salt=salt)
    statement = _COUNTED if unit.column is None else _SUMMED.format(cap=CAP, rows=rows)
    return _asked(statement, pairs, resources, _as_table)


def weighed_amounts(
    triples: Iterator[pa.RecordBatch], unit: PrivacyUnit, *, resources: Resources
) -> pa.Table:
    """Return the same where rows share a person's weight by weights of their own, in `steps`.

    Privacy
    -------
    One person adds at most ``unit.weight`` over all cells together.
    """
    statement = _WEIGHED.format(weight=unit.weight, cap=CAP)
    return _asked(statement, triples, resources, _as_table)


def weighed_rows(
    pairs: Iterator[pa.RecordBatch],
    unit: PrivacyUnit,
    weight: int,
    take: Callable[[pa.RecordBatch], None],
    *,
    salt: str,
    resources: Resources,
) -> None:
    """Hand on the cells of rows, block by block, with what each counts in integer steps.

    Rows of one person and cell may come as one. They come in any order, and are not held.

    Privacy
    -------
    One person's amounts sum to at most `weight`.
    """

    def read(found: duckdb.DuckDBPyRelation) -> None:
        with found.to_arrow_reader(BLOCK) as reader:
            for batch in reader:
                take(batch)

    _asked(_statement(unit).format(weight=weight, salt=salt), pairs, resources, read)


def _asked(
    statement: str,
    pairs: Iterator[pa.RecordBatch],
    resources: Resources,
    read: Callable[[duckdb.DuckDBPyRelation], T],
) -> T:
    with connection(resources) as database:
        return fed(database, statement, "pairs", pairs, read, otherwise=_NOBODY)


def _as_table(found: duckdb.DuckDBPyRelation) -> pa.Table:
    return found.to_arrow_table()


def _statement(unit: PrivacyUnit) -> str:
    """Return the statement that gives each row, or all rows of a person and cell, its amount."""
    return _SHARED if unit.shared else _CAPPED

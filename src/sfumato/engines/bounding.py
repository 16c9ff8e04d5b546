"""How much each person counts: the one place where rows are grouped by person.

An engine streams one pair per row, (person, cell), where a row that is counted nowhere has the
cell NULL. SQL groups them, on disk where memory is short; nothing else here is SQL, so another
engine with a ``GROUP BY`` can run the same two statements.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from sfumato.engines.connection import Resources, connection
from sfumato.engines.feeding import fed
from sfumato.engines.tally import CAP
from sfumato.privacy.unit import PrivacyUnit

# The whole of a person's weight is divided by all its rows, counted anywhere or not, and rounded
# down, so that its parts never sum to more than the whole. Rows are looked up again among people,
# which takes a third of the time of a window over them; a stream can be read only once.
_SHARED = """
    WITH found AS MATERIALIZED (
        SELECT person, cell FROM pairs WHERE person IS NOT NULL
    ), people AS (
        SELECT person, {weight} // count(*) AS share FROM found GROUP BY person
    )
    SELECT cell, CAST(least(sum(share), {cap}) AS BIGINT) AS amount
    FROM found JOIN people USING (person) WHERE cell IS NOT NULL GROUP BY cell
"""

# As above, where each row has a weight of its own, in steps. Sums may need more than 64 bits;
# rows without weight add nothing.
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
    SELECT cell, CAST(least(sum(least(n, {weight} - taken)), {cap}) AS BIGINT) AS amount
    FROM walk WHERE taken < {weight} GROUP BY cell
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
    return _asked(_statement(unit), pairs, unit, salt=salt, resources=resources)


def weighed_amounts(
    triples: Iterator[pa.RecordBatch], unit: PrivacyUnit, *, resources: Resources
) -> pa.Table:
    """Return the same where rows share a person's weight by weights of their own, in `steps`.

    Privacy
    -------
    One person adds at most ``unit.weight`` over all cells together.
    """
    return _asked(_WEIGHED, triples, unit, salt="", resources=resources)


def _asked(
    statement: str,
    pairs: Iterator[pa.RecordBatch],
    unit: PrivacyUnit,
    *,
    salt: str,
    resources: Resources,
) -> pa.Table:
    query = statement.format(weight=unit.weight, cap=CAP, salt=salt)
    with connection(resources) as database:
        return fed(database, query, "pairs", pairs, otherwise=_NOBODY)


def _statement(unit: PrivacyUnit) -> str:
    if unit.column is None:
        return _COUNTED
    return _SHARED if unit.shared else _CAPPED

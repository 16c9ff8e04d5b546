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
# down, so that its parts never sum to more than the whole.
_SHARED = """
    WITH parts AS (
        SELECT person, cell, count(*) AS n FROM pairs
        WHERE person IS NOT NULL GROUP BY person, cell
    ), shares AS (
        SELECT cell, n * ({weight} // sum(n) OVER (PARTITION BY person)) AS amount FROM parts
    )
    SELECT cell, CAST(least(sum(amount), {cap}) AS BIGINT) AS amount
    FROM shares WHERE cell IS NOT NULL GROUP BY cell
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

_NOBODY = pa.record_batch([pa.array([], pa.int64())] * 2, names=["person", "cell"])


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
    statement = _statement(unit).format(weight=unit.weight, cap=CAP, salt=salt)
    with connection(resources) as database:
        return fed(database, statement, "pairs", pairs, otherwise=_NOBODY)


def _statement(unit: PrivacyUnit) -> str:
    if unit.column is None:
        return _COUNTED
    return _SHARED if unit.shared else _CAPPED

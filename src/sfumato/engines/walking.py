"""Which rows of a person count, where not all do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from sfumato.engines.columns import Integers
from sfumato.engines.hashing import Hashes, hashed, mixed
from sfumato.engines.people import numbered


def walked(rows: pa.RecordBatch, most: int, salt: str) -> tuple[pa.RecordBatch, int]:
    """Return what is taken of each person's rows, at most so many, and how many people there are.

    Columns are `person`, `cell` and `amount`, how many rows there are; one for each person and cell
    is returned. What was returned can be walked again, together with more rows: the outcome is the
    same as if all had been walked at once.

    Privacy
    -------
    One person's amounts sum to at most `most`, for every salt; they depend on that person's rows
    and the salt.

    Examples
    --------
    >>> rows = pa.record_batch({"person": [7, 7, 8], "cell": [1, 1, 5], "amount": [1, 1, 1]})
    >>> taken, people = walked(rows, 1, "salt")
    >>> taken.to_pydict(), people
    ({'person': [7, 8], 'cell': [1, 5], 'amount': [1, 1]}, 2)
    """
    if not rows.num_rows:
        return rows, 0
    who, first, amounts = _parts(rows)
    begins = _begins(who)
    counts = np.diff(begins, append=who.size)
    over = np.repeat(np.add.reduceat(amounts, begins) > most, counts)
    if over.any():
        places = np.flatnonzero(over)
        places = places[_order(rows.take(pa.array(first[places])), who[places], salt)]
        amounts[places] = _taken(who[places], amounts[places], most)
    kept = amounts > 0
    taken = rows.select(["person", "cell"]).take(pa.array(first[kept]))
    return taken.append_column("amount", pa.array(amounts[kept])), begins.size


def _parts(rows: pa.RecordBatch) -> tuple[Integers, Integers, Integers]:
    """Return the person, the first row and the number of rows of each person's each cell."""
    who, _ = numbered([rows.column("person")])
    cells = rows.column("cell").dictionary_encode()
    # Both are below 2³¹, since an array that is numbered has fewer rows.
    both = who * max(1, len(cells.dictionary)) + cells.indices.to_numpy()
    order = np.argsort(both, kind="stable")
    first = _begins(both[order])
    amounts = np.add.reduceat(rows.column("amount").to_numpy()[order], first)
    return who[order[first]], order[first], amounts


def _begins(sorted_numbers: Integers) -> Integers:
    return np.flatnonzero(np.append(True, sorted_numbers[1:] != sorted_numbers[:-1]))


def _order(parts: pa.RecordBatch, who: Integers, salt: str) -> Integers:
    """Return the order in which people's cells are walked, each person's together."""
    drawn = _drawn(parts, salt)
    order = np.lexsort((drawn, who))
    drawn, who = drawn[order], who[order]
    if not ((drawn[1:] == drawn[:-1]) & (who[1:] == who[:-1])).any():
        return order
    # Texts may draw the same number. Which comes first must not depend on others' rows either.
    rank = np.asarray(pc.rank(parts.column("cell").cast(pa.large_binary()).take(pa.array(order))))
    return order[np.lexsort((rank, drawn, who))]


def _drawn(parts: pa.RecordBatch, salt: str) -> Hashes:
    whose = parts.column("person")
    if kinds.is_integer(whose.type):
        # Spark reads whole numbers of 64 bits without a sign as decimals, which are texts here.
        whose = whose.cast(pa.string())
    return mixed(hashed(whose, f"{salt} person") + hashed(parts.column("cell"), f"{salt} cell"))


def _taken(who: Integers, amounts: Integers, most: int) -> Integers:
    """Return how many rows of each part are taken, which come in the order of their walk."""
    begins = _begins(who)
    before = np.cumsum(amounts) - amounts
    before -= np.repeat(before[begins], np.diff(begins, append=who.size))
    return np.clip(most - before, 0, amounts)

"""Seals: how to know that all sums of a task are from one run of it.

A cluster does a task again when its result is lost, though others may have read a part of it. If
the table gives other rows then, a person may count by the old rows in one cell and by the new ones
in another. So a task marks each of its sums with a number that depends on all of them, and closes
with one row more, the exclusive or of its marks: taken together, all marks of a query are zero.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from sfumato.engines.columns import Integers
from sfumato.errors import SourceError

MARKS = pa.int64()

TOLD = 2**40
"""How many different things a closing row can tell; its sums over 2²² tasks stay below 2⁶²."""

_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


def fingerprint(*columns: pa.Array) -> bytes:
    """Return bytes that tell one list of rows from any other, save for a chance of 2⁻¹²⁸.

    Examples
    --------
    >>> one, other = pa.array([b"ab", b"c"]), pa.array([b"a", b"bc"])
    >>> fingerprint(one) == fingerprint(other)
    False
    """
    found = hashlib.blake2b(digest_size=16)
    for column in columns:
        for part in _canonical(column):
            found.update(len(part).to_bytes(8))
            found.update(part)
    return found.digest()


def likeness(key: int, *columns: Integers) -> int:
    """Return a number for a set of rows; of two sets together it is the sum, modulo `TOLD`.

    So it does not matter how rows are divided among tasks, or in which order they come. Sets that
    differ have the same number with a chance of about 2⁻⁴⁰, as long as nobody knows the key.

    Examples
    --------
    >>> rows = np.array([3, 1, 2])
    >>> likeness(7, rows) == (likeness(7, rows[:1]) + likeness(7, rows[1:])) % TOLD
    True
    """
    mixed = np.full(len(columns[0]), key & (2**64 - 1), dtype=np.uint64)
    for column in columns:
        mixed += column.astype(np.uint64)
        # Steele, Lea and Flood's finaliser of SplitMix: a bijection in which all bits meet.
        for shift, factor in _MIXING:
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
    return int(mixed.sum(dtype=np.uint64)) % TOLD


def sealed(rows: pa.Table, taken: bytes, *, told: int = 0, carried: int = 0) -> pa.Table:
    """Return the sums of a task with their marks, and the closing row.

    Rows of a bucket are no sums, and have no mark. `taken` is the fingerprint of the sums, `told`
    what the closing row has to tell as its amount, and `carried` the exclusive or of marks that
    the task itself has read.

    Privacy
    -------
    Marks and fingerprints depend on the data. They are compared on the driver, and nothing else.
    """
    marks = np.frombuffer(hashlib.shake_128(taken).digest(8 * rows.num_rows), "<i8").copy()
    marks[np.asarray(rows.column("bucket").is_valid())] = 0
    closing = {
        "bucket": pa.nulls(1, pa.int32()),
        "cell": pa.nulls(1, rows.schema.field("cell").type),
        "amount": pa.array([told]).cast(rows.schema.field("amount").type),
        "mark": pa.array([carried ^ together(marks)], MARKS),
    }
    marked = rows.append_column("mark", pa.array(marks, MARKS))
    return pa.concat_tables([marked, pa.table(closing)])


def together(marks: Integers) -> int:
    """Return the exclusive or of marks.

    Examples
    --------
    >>> together(np.array([1, 2, 7])), together(np.array([], dtype=np.int64))
    (4, 0)
    """
    return int(np.bitwise_xor.reduce(marks))


def changed() -> SourceError:
    """Return what to say of a table that is not the same when it is read again."""
    return SourceError(
        "The table gave other rows when a part of it was read again. One person may then count "
        "twice, so nothing is released. Write the table to files and read those, or take out of "
        "it what is drawn at random or changes with time."
    )


def _canonical(column: pa.Array) -> list[bytes]:
    """Return what a column holds as bytes, however Arrow has stored it."""
    known = np.packbits(np.asarray(column.is_valid())).tobytes()
    if kinds.is_binary(column.type):
        texts: list[bytes] = [text or b"" for text in column.to_pylist()]
        return [known, np.array([len(text) for text in texts]).tobytes(), b"".join(texts)]
    if kinds.is_decimal(column.type):
        words = np.frombuffer(column.buffers()[1] or b"", np.int64)
        return [known, words[2 * column.offset : 2 * (column.offset + len(column))].tobytes()]
    return [known, np.asarray(column.fill_null(0), dtype=np.int64).tobytes()]

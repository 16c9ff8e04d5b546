"""People: as short identities, numbered in memory, and which of their rows count."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.columns import Integers, read_identities, read_indices

Hashes = NDArray[np.uint64]

_MULTIPLIERS = 2**12  # bytes, beyond which multipliers are used again
_FEW = 2**16  # bytes that are multiplied at once


def hash_values(values: pa.Array, key: str) -> Hashes:
    """Return a number for each value, which depends on that value and the key alone.

    Whole numbers get different ones. Bytes are multiplied by secret numbers, one to each place, and
    summed modulo 2⁶⁴: of two different texts of up to 4096 bytes, at most one key in 2⁵⁵ gives
    them the same.

    Examples
    --------
    >>> one, other, same = hash_values(pa.array([b"a", b"b", b"a"]), "key")
    >>> one == same, one == other
    (np.True_, np.False_)
    """
    if kinds.is_boolean(values.type):
        values = values.cast(pa.uint8())
    if kinds.is_integer(values.type) or kinds.is_floating(values.type):
        found = values.to_numpy()
        bits = found.view(np.uint64) if kinds.is_floating(values.type) else found.astype(np.uint64)
        return mix_bits(bits * _derive_multipliers(key)[0] + _derive_multipliers(key)[1])
    return mix_bits(_hash_bytes(values.cast(pa.large_binary()), key))


def mix_bits(numbers: Hashes) -> Hashes:
    """Return numbers whose every bit depends on all bits: different ones stay different."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))


@lru_cache(maxsize=4)
def _derive_multipliers(key: str) -> Hashes:
    octets = hashlib.shake_128(key.encode()).digest(8 * _MULTIPLIERS)
    return np.frombuffer(octets, np.dtype("<u8")) | np.uint64(1)


def _hash_bytes(texts: pa.Array, key: str) -> Hashes:
    _, offsets, stored = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(stored or b"", np.uint8)
    found = np.empty(len(texts), dtype=np.uint64)
    start = 0
    while start < len(texts):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _FEW, side="right")) - 1)
        found[start:stop] = _hash_chunk(
            letters[ends[start] : ends[stop]], ends[start : stop + 1], key
        )
        start = stop
    return found


def _hash_chunk(letters: NDArray[np.uint8], ends: NDArray[np.int64], key: str) -> Hashes:
    places = np.arange(letters.size) - np.repeat(ends[:-1] - ends[0], np.diff(ends))
    # One more than each byte, so that a text and the same with zeros behind it are told apart.
    terms = (letters.astype(np.uint64) + np.uint64(1)) * _derive_multipliers(key)[
        places % _MULTIPLIERS
    ]
    so_far = np.zeros(letters.size + 1, dtype=np.uint64)
    np.cumsum(terms, out=so_far[1:])
    return np.diff(so_far[ends - ends[0]])


BITS = 5
PEOPLE_PARTITIONS = 2**BITS
"""Into how many companies people are sorted: each then fits in the caches."""

_LONGEST = hashlib.sha512().digest_size
_SPARE = 4  # numbers to a row that may be left unused
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: its high bits mix all others


def read_persons(column: pa.Array) -> pa.Array:
    """Return whose row it is, as `read_identities` do, but never in more than 64 bytes.

    A text or bytes of 64 bytes and more is represented by its SHA-512, which has 64.

    Privacy
    -------
    Shorter identities are themselves, so that no two persons become one unless two longer ones
    have the same SHA-512; nobody knows such two. No identity can fill a memory.
    """
    if kinds.is_dictionary(column.type):  # where a long one may be repeated on every row
        coded = cast(pa.DictionaryArray, column)
        if len(coded.dictionary) < len(coded):  # to read each word once is less work
            return read_persons(coded.dictionary).take(read_indices(coded))
    whose = read_identities(column)
    return _digest_long(whose) if kinds.is_large_binary(whose.type) else whose


def read_units(block: pa.RecordBatch, columns: Sequence[str]) -> pa.Array:
    """Return whose row it is, told by one column, or by several together.

    Several are written one after the other, each behind its length: so many bytes, then the bytes.
    Where one of them is NULL the row is nobody's.

    Privacy
    -------
    A row's identity depends on that row alone, and two rows have the same one if and only if they
    agree in every column: bytes behind their length can be cut apart again in one way only, so that
    ``("a", "bc")`` and ``("ab", "c")`` stay two. Were they one, rows of the one would change what
    rows of the other count; were one unit two, it would count twice.
    """
    if len(columns) == 1:
        return read_persons(block.column(columns[0]))
    parts = [_write_bytes(read_persons(block.column(column))) for column in columns]
    pieces = [piece for part in parts for piece in (_write_lengths(part), part)]
    nothing = pa.scalar(b"", pa.large_binary())
    return _digest_long(pc.binary_join_element_wise(*pieces, nothing, null_handling="emit_null"))


def _write_bytes(whose: pa.Array) -> pa.Array:
    """Return identities of one type as bytes, different ones as different bytes."""
    if kinds.is_large_binary(whose.type):
        return whose
    if kinds.is_floating(whose.type):  # by their bits, as they are told apart
        bits = pc.fill_null(whose, 0.0).to_numpy().view(np.uint64)
        whose = pa.array(bits, mask=np.asarray(whose.is_null()))
    # Whole numbers as digits: Spark has no 64 bits without a sign, and reads them as decimals.
    return whose.cast(pa.string()).cast(pa.large_binary())


def _write_lengths(texts: pa.Array) -> pa.Array:
    lengths = np.asarray(pc.fill_null(pc.binary_length(texts), 0)).astype("<i8")
    stored = [None, pa.py_buffer(lengths.tobytes())]
    return pa.Array.from_buffers(pa.binary(8), len(texts), stored).cast(pa.large_binary())


def _digest_long(whose: pa.Array) -> pa.Array:
    long = pc.fill_null(pc.greater_equal(pc.binary_length(whose), _LONGEST), False)
    places = np.flatnonzero(long)
    if not places.size:
        return whose
    _, offsets, stored = whose.buffers()
    ends, octets = np.frombuffer(offsets, np.int64)[whose.offset :], memoryview(stored)
    short = [hashlib.sha512(octets[ends[at] : ends[at + 1]]).digest() for at in places]
    return pc.replace_with_mask(whose, long, pa.array(short, pa.large_binary()))


def partition_people(whose: pa.Array) -> NDArray[np.uint8]:
    """Return the company of each identity, which depends on that identity alone.

    Privacy
    -------
    All rows of one person fall into one company, wherever they stand in a table, so that each
    company can be worked on by itself.
    """
    if kinds.is_integer(whose.type):
        found = whose.to_numpy() & (PEOPLE_PARTITIONS - 1)
    elif kinds.is_floating(whose.type):
        found = (whose.to_numpy().view(np.uint64) * _MIXER) >> np.uint64(64 - BITS)
    elif kinds.is_large_binary(whose.type):
        found = _sum_letters(whose) & (PEOPLE_PARTITIONS - 1)
    else:
        found = np.zeros(len(whose))
    return found.astype(np.uint8)


def number_people(blocks: Sequence[pa.Array]) -> tuple[Integers, int]:
    """Return numbers for the people of one company, and how many numbers there are.

    Privacy
    -------
    Equal identities get equal numbers and different ones different numbers, exactly. The way that
    is chosen depends on the data, and shows in nothing but time.
    """
    if kinds.is_integer(blocks[0].type):
        whose = np.concatenate([block.to_numpy() for block in blocks])
        low, high = int(whose.min()), int(whose.max())
        if (high - low) >> BITS <= _SPARE * whose.size:
            # Numbers without a sign wrap around, all of them alike, and so does the difference.
            apart = whose.astype(np.int64) - np.array([low], whose.dtype).astype(np.int64)
            # In one company all numbers leave the same remainder.
            if not (apart & (PEOPLE_PARTITIONS - 1)).any():
                return apart >> BITS, ((high - low) >> BITS) + 1
    coded = pa.chunked_array(blocks).dictionary_encode().chunks
    numbers = np.concatenate([block.indices.to_numpy() for block in coded])
    return numbers.astype(np.int64), len(coded[0].dictionary)


def _sum_letters(texts: pa.Array) -> NDArray[np.uint32]:
    """Return the sum of the bytes of each text, modulo 2³²."""
    _, offsets, stored = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(stored or b"", np.uint8)[ends[0] : ends[-1]]
    so_far = np.zeros(letters.size + 1, dtype=np.uint32)
    np.cumsum(letters, dtype=np.uint32, out=so_far[1:])
    return np.diff(so_far[ends - ends[0]])


def select_rows(rows: pa.RecordBatch, most: int, salt: str) -> tuple[pa.RecordBatch, int]:
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
    >>> taken, people = select_rows(rows, 1, "salt")
    >>> taken.to_pydict(), people
    ({'person': [7, 8], 'cell': [1, 5], 'amount': [1, 1]}, 2)
    """
    if not rows.num_rows:
        return rows, 0
    who, first, amounts = _find_parts(rows)
    begins = _find_starts(who)
    counts = np.diff(begins, append=who.size)
    over = np.repeat(np.add.reduceat(amounts, begins) > most, counts)
    if over.any():
        places = np.flatnonzero(over)
        places = places[_order_parts(rows.take(pa.array(first[places])), who[places], salt)]
        amounts[places] = _allot_rows(who[places], amounts[places], most)
    kept = amounts > 0
    taken = rows.select(["person", "cell"]).take(pa.array(first[kept]))
    return taken.append_column("amount", pa.array(amounts[kept])), begins.size


def _find_parts(rows: pa.RecordBatch) -> tuple[Integers, Integers, Integers]:
    """Return the person, the first row and the number of rows of each person's each cell."""
    who, _ = number_people([rows.column("person")])
    cells = rows.column("cell").dictionary_encode()
    # Both are below 2³¹, since an array that is numbered has fewer rows.
    both = who * max(1, len(cells.dictionary)) + cells.indices.to_numpy()
    order = np.argsort(both, kind="stable")
    first = _find_starts(both[order])
    amounts = np.add.reduceat(rows.column("amount").to_numpy()[order], first)
    return who[order[first]], order[first], amounts


def _find_starts(sorted_numbers: Integers) -> Integers:
    return np.flatnonzero(np.append(True, sorted_numbers[1:] != sorted_numbers[:-1]))


def _order_parts(parts: pa.RecordBatch, who: Integers, salt: str) -> Integers:
    """Return the order in which people's cells are walked, each person's together."""
    drawn = _draw_order(parts, salt)
    order = np.lexsort((drawn, who))
    drawn, who = drawn[order], who[order]
    if not ((drawn[1:] == drawn[:-1]) & (who[1:] == who[:-1])).any():
        return order
    # Texts may draw the same number. Which comes first must not depend on others' rows either.
    rank = np.asarray(pc.rank(parts.column("cell").cast(pa.large_binary()).take(pa.array(order))))
    return order[np.lexsort((rank, drawn, who))]


def _draw_order(parts: pa.RecordBatch, salt: str) -> Hashes:
    whose = parts.column("person")
    if kinds.is_integer(whose.type):
        # Spark reads whole numbers of 64 bits without a sign as decimals, which are texts here.
        whose = whose.cast(pa.string())
    return mix_bits(
        hash_values(whose, f"{salt} person") + hash_values(parts.column("cell"), f"{salt} cell")
    )


def _allot_rows(who: Integers, amounts: Integers, most: int) -> Integers:
    """Return how many rows of each part are taken, which come in the order of their walk."""
    begins = _find_starts(who)
    before = np.cumsum(amounts) - amounts
    before -= np.repeat(before[begins], np.diff(begins, append=who.size))
    return np.clip(most - before, 0, amounts)

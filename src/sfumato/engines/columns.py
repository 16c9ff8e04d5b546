"""Arrow columns as numbers, categories and identities: the one public rule for odd values."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.domain import Categories
from sfumato.engines.table import PLAIN, ColumnKind, NumberFormat
from sfumato.zones import find_zone

NAME = "sfumato.number_text"


class NumberText(pa.ExtensionType):
    """Text in which numbers are written in a format of their own, and all else is as it stands."""

    def __init__(self, number_format: NumberFormat) -> None:
        self.number_format = number_format
        super().__init__(pa.string(), NAME)

    def __arrow_ext_serialize__(self) -> bytes:
        """Return the format as bytes."""
        return f"{self.number_format.decimal}{self.number_format.thousands or ''}".encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> NumberText:
        """Return the type that was written."""
        del storage_type
        decimal, *thousands = serialized.decode()
        return cls(NumberFormat(decimal, *thousands))


def normalise_numbers(column: pa.Array) -> pa.Array:
    """Return numbers that are written in a format as they are elsewhere; NULL where there is none.

    Privacy
    -------
    What becomes of a text depends on that text and its column's type alone, and no text fails.

    Examples
    --------
    >>> texts = pa.array(["1.234,5", "1.5", "many"])
    >>> column = pa.ExtensionArray.from_storage(NumberText(NumberFormat(",", ".")), texts)
    >>> normalise_numbers(column).to_pylist()
    ['1234.5', None, None]
    """
    if not isinstance(column.type, NumberText):
        return column
    written = column.type.number_format
    text = cast(pa.ExtensionArray, column).storage.cast(pa.large_binary())
    text = pc.if_else(pc.match_substring_regex(text, written.pattern), text, None)
    if written.thousands is not None:
        text = pc.replace_substring(text, written.thousands, "")
    return pc.replace_substring(text, written.decimal, ".").view(pa.large_string())


LONGEST_TEXT = 2**13
"""Texts of more bytes are no number, no flag and no category; people are still told apart by them.

So a source may hand on what `shorten_text` makes of a text, and a block has a largest size.
"""

_STORED = {"arrow.json", "arrow.uuid", NAME}  # extension types that are what they store


def is_text(dtype: pa.DataType) -> bool:
    """Tell whether a type holds texts."""
    return kinds.is_string(dtype) or kinds.is_large_string(dtype) or kinds.is_string_view(dtype)


def is_bytes(dtype: pa.DataType) -> bool:
    """Tell whether a type holds bytes."""
    return (
        kinds.is_binary(dtype)
        or kinds.is_large_binary(dtype)
        or kinds.is_fixed_size_binary(dtype)
        or kinds.is_binary_view(dtype)
    )


def is_stored(dtype: pa.DataType) -> bool:
    """Tell whether a type is an extension that is what it stores."""
    return isinstance(dtype, pa.BaseExtensionType) and dtype.extension_name in _STORED


def shorten_text(text: bytes) -> bytes:
    """Return a text of bounded length that is as different from others as this one is.

    A long text becomes its digest, behind so many dots that it is longer than any other text.

    Privacy
    -------
    People stay apart: two long texts have one digest with a chance of 2⁻²⁵⁶, found by nobody yet.

    Examples
    --------
    >>> shorten_text(b"u17"), len(shorten_text(b"u" * 10**6))
    (b'u17', 8256)
    """
    if len(text) <= LONGEST_TEXT:
        return text
    return b"." * LONGEST_TEXT + sha256(text).hexdigest().encode()


def decode_column(column: pa.Array) -> pa.Array:
    """Return a column in which each row has its own value."""
    if is_stored(column.type):
        return decode_column(column.storage)
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        return _look_up_words(coded.dictionary, read_indices(coded))
    if kinds.is_run_end_encoded(column.type):
        # Arrow's own decoder ends the process where texts fill more than 2 GiB.
        return _look_up_words(*_find_runs(column))
    return column


def read_indices(coded: pa.DictionaryArray) -> pa.Array:
    """Return which word each row has; a row that points beyond the dictionary has none."""
    ends: list[int | None] = [*pc.min_max(coded.indices).as_py().values()]
    if all(end is None or 0 <= end < len(coded.dictionary) for end in ends):
        return coded.indices
    places = np.asarray(pc.fill_null(coded.indices, 0).cast(pa.int64(), safe=False))
    known = (places >= 0) & (places < len(coded.dictionary)) & np.asarray(coded.indices.is_valid())
    return pa.array(places, mask=~known)


def measure_lengths(texts: pa.Array) -> NDArray[np.int64]:
    """Return how many bytes each text has; 0 where there is none."""
    if kinds.is_string_view(texts.type) or kinds.is_binary_view(texts.type):
        views = np.frombuffer(texts.buffers()[1] or b"", np.int32)[::4]  # which begin with a length
        found = views[texts.offset : texts.offset + len(texts)].astype(np.int64)
        found[np.asarray(texts.is_null())] = 0
        return found
    return np.asarray(pc.fill_null(pc.binary_length(texts), 0), dtype=np.int64)


def texts_fit(column: pa.Array, most: int) -> bool:
    """Tell whether texts fill at most so many bytes once each row has its own.

    In a dictionary, in runs or as views one long text stands for any number of rows.
    """
    if is_stored(column.type):
        return texts_fit(column.storage, most)
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        return _repeated_fit(coded.dictionary, lambda: read_indices(coded), len(column), most)
    if kinds.is_run_end_encoded(column.type):
        words, places = _find_runs(column)
        return _repeated_fit(words, lambda: places, len(column), most)
    return not _is_written(column.type) or int(measure_lengths(column).sum()) <= most


def _repeated_fit(words: pa.Array, places: Callable[[], pa.Array], rows: int, most: int) -> bool:
    words = decode_column(words)
    if not _is_written(words.type):
        return True
    each = measure_lengths(words)
    if rows * int(each.max(initial=0)) <= most:
        return True
    return int(each[np.asarray(places().drop_null())].sum()) <= most


def _is_written(dtype: pa.DataType) -> bool:
    return is_text(dtype) or is_bytes(dtype)


def _look_up_words(words: pa.Array, places: pa.Array) -> pa.Array:
    words = decode_column(words)
    # A long text that is repeated may fill more than the 2 GiB of an ordinary text column.
    if is_text(words.type):
        words = words.cast(pa.large_string())
    elif is_bytes(words.type):
        words = words.cast(pa.large_binary())
    return words.take(places)


def _find_runs(column: Any) -> tuple[pa.Array, pa.Array]:
    """Return the runs that some rows are in, and which run each row is in."""
    start = int(column.offset)
    rows = np.arange(start, start + len(column), dtype=np.int64)
    runs = np.searchsorted(np.asarray(column.run_ends), rows, side="right")
    first, end = (int(runs[0]), int(runs[-1]) + 1) if runs.size else (0, 0)
    return column.values.slice(first, end - first), pa.array(runs - first)


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LONGEST_LABEL = 256
"""Texts of more characters are counted nowhere where categories are found in the data."""

_NUMBER = PLAIN.pattern
_TO_MICROSECONDS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_MICROSECONDS_A_DAY = 86_400e6
_MILLISECONDS_A_DAY = 86_400_000
_EXACT = 2**53  # up to which whole numbers are floats


def find_kind(dtype: pa.DataType) -> ColumnKind:
    """Return what a column of this Arrow type holds.

    A column that can hold nothing but NULL may be declared as anything: which type a source gives
    such a column depends on whether it has a value.
    """
    if kinds.is_dictionary(dtype) or kinds.is_run_end_encoded(dtype):
        return find_kind(dtype.value_type)
    if is_stored(dtype):
        return find_kind(dtype.storage_type)
    for kind, tests in _KINDS.items():
        if any(test(dtype) for test in tests):
            return kind
    return "other"


def find_spacing(dtype: pa.DataType) -> float | None:
    """Return how far apart values of this Arrow type lie; None where they may lie anywhere.

    Times are microseconds, as in `read_numbers`; finer ones are cut off there.
    """
    if kinds.is_dictionary(dtype) or kinds.is_run_end_encoded(dtype):
        return find_spacing(dtype.value_type)
    if kinds.is_integer(dtype) or kinds.is_boolean(dtype):
        return 1.0
    if kinds.is_date(dtype):
        return _MICROSECONDS_A_DAY
    return _TO_MICROSECONDS.get(dtype.unit, 1.0) if kinds.is_timestamp(dtype) else None


def find_time_zone(dtype: pa.DataType) -> str | None:
    """Return the zone that an Arrow type names; UTC where it names one that nobody knows."""
    if kinds.is_dictionary(dtype) or kinds.is_run_end_encoded(dtype):
        return find_time_zone(dtype.value_type)
    named = kinds.is_timestamp(dtype) and dtype.tz is not None
    return find_zone(dtype.tz).name if named else None


def read_numbers(column: pa.Array) -> Floats:
    """Read numbers; NaN stands for whatever is counted nowhere."""
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        if len(coded.dictionary) < len(coded):  # to read each word once is less work
            return _convert_to_floats(
                pa.array(read_numbers(coded.dictionary)).take(read_indices(coded))
            )
    column = decode_column(normalise_numbers(column))
    if kinds.is_null(column.type):
        return np.full(len(column), np.nan)
    if is_text(column.type):
        return _parse_numbers(column)
    if kinds.is_decimal(column.type):
        return _read_decimals(column)
    if find_kind(column.type) == "time":
        return _read_microseconds(column)
    return _convert_to_floats(column.cast(pa.uint8()) if kinds.is_boolean(column.type) else column)


def read_numbers_and_gaps(column: pa.Array) -> tuple[Floats, NDArray[np.bool_]]:
    """Read numbers as `read_numbers` does, and where there are none: any number may stand there.

    To leave the gaps unfilled saves one of the few times that all values are touched.
    """
    if column.type != pa.float64() or not column.null_count:
        return read_numbers(column), np.zeros(len(column), dtype=np.bool_)
    _, stored = column.buffers()
    bare = pa.Array.from_buffers(column.type, len(column), [None, stored], offset=column.offset)
    return _convert_to_floats(bare), _is_null(column)


def find_positions(column: pa.Array, categories: Categories) -> Integers:
    """Return the index of each value among the categories, or -1."""
    if not categories.values:
        return np.full(len(column), -1, dtype=np.int64)
    if categories.kind == "text":
        return _find_text_positions(column, categories)
    is_text = find_kind(column.type) == "text"
    values = read_flags(column) if categories.kind == "flag" and is_text else read_numbers(column)
    wanted = np.array([float(value) for value in categories.values])
    order = np.argsort(wanted)
    nearest = np.searchsorted(wanted[order], values).clip(max=len(wanted) - 1)
    found = order[nearest]
    return np.where(wanted[found] == values, found, -1)


def read_identities(column: pa.Array) -> pa.Array:
    """Return whose row it is, as integers, floats or bytes that group exactly; NULL is nobody.

    Written as text, which decides the rows of a person that count, an identity is the same on every
    engine: Spark reads whole numbers of 64 bits without a sign as decimals, and all times as
    microseconds. Of a long text it is a digest, or the digest of one that its source made.
    """
    column = decode_column(column)
    if is_text(column.type) or is_bytes(column.type):
        return _shorten_texts(column.cast(pa.large_binary()))
    if kinds.is_floating(column.type):
        with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
            values = _convert_to_floats(column) + 0.0  # −0.0 and 0.0 are one person
        return pa.array(values, mask=np.isnan(values))
    if kinds.is_decimal(column.type):
        return column.cast(pa.string()).cast(pa.large_binary())
    return _normalise_times(column) if find_kind(column.type) == "time" else column


def mask_negative(places: Integers) -> pa.Array:
    """Return places as Arrow integers, with NULL for those below 0."""
    return pa.array(places, mask=places < 0)


def read_labels(column: pa.Array) -> pa.Array:
    """Return texts as bytes; NULL stands for texts that are too long or not Unicode.

    Of numbers, those that are whole and below 2⁵³ in size are written as digits, and all others are
    NULL; True and False are ``true`` and ``false``.

    Privacy
    -------
    A row's label depends on that row alone. Different values have different labels: digits say
    which number it is, and up to 2⁵³ a float says which whole number.

    Examples
    --------
    >>> read_labels(pa.array([7, -7, 2**53, None])).to_pylist()
    [b'7', b'-7', None, None]
    """
    if find_kind(column.type) in ("number", "flag"):
        return _write_whole_numbers(column)
    text = decode_column(column).cast(pa.large_string())
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        text = pa.array(
            map(_decode_text, text.cast(pa.large_binary()).to_pylist()), pa.large_string()
        )
    long = np.asarray(pc.fill_null(pc.utf8_length(text), 0)) > LONGEST_LABEL
    return text.cast(pa.large_binary()).take(pa.array(np.arange(len(text)), mask=long))


def _write_whole_numbers(column: pa.Array) -> pa.Array:
    values = read_numbers(column)
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
        known = (np.abs(values) < _EXACT) & (np.floor(values) == values)
    whole = pa.array(np.where(known, values, 0).astype(np.int64), mask=~known)
    if find_kind(column.type) == "flag":
        whole = whole.cast(pa.bool_())
    return whole.cast(pa.string()).cast(pa.large_binary())


def read_value(label: str, kind: ColumnKind) -> str | int | bool:
    """Return the value that `read_labels` has written, for a column of this kind.

    Examples
    --------
    >>> read_value("-7", "number"), read_value("true", "flag"), read_value("7", "text")
    (-7, True, '7')
    """
    match kind:
        case "number":
            return int(label)
        case "flag":
            return label == "true"
        case _:
            return label


_KINDS: dict[ColumnKind, tuple[Callable[[pa.DataType], bool], ...]] = {
    "number": (kinds.is_integer, kinds.is_floating, kinds.is_decimal),
    "text": (is_text,),
    "flag": (kinds.is_boolean,),
    "time": (kinds.is_timestamp, kinds.is_date),
    "clock": (kinds.is_time,),
    "duration": (kinds.is_duration,),
    "bytes": (is_bytes,),
    "nothing": (kinds.is_null,),
}


def _shorten_texts(texts: pa.Array) -> pa.Array:
    places = np.flatnonzero(measure_lengths(texts) > LONGEST_TEXT)
    if not places.size:
        return texts
    short = [shorten_text(text) for text in texts.take(pa.array(places)).to_pylist()]
    mask = np.zeros(len(texts), dtype=np.bool_)
    mask[places] = True
    return pc.replace_with_mask(texts, pa.array(mask), pa.array(short, pa.large_binary()))


def drop_long_texts(texts: pa.Array) -> pa.Array:
    """Return texts without those that are too long to be read."""
    texts = texts.cast(pa.large_string())
    long = measure_lengths(texts) > LONGEST_TEXT
    return pc.if_else(pa.array(long), pa.scalar(None, texts.type), texts) if long.any() else texts


def _convert_to_floats(column: pa.Array) -> Floats:
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _is_null(column: pa.Array) -> NDArray[np.bool_]:
    # Arrow has a bit for each value, and takes far longer to write them out than NumPy.
    first, last = column.offset, column.offset + len(column)
    octets = np.frombuffer(column.buffers()[0], np.uint8)[first // 8 : -(-last // 8)]
    bits = np.unpackbits(octets, bitorder="little")[first % 8 :]
    return bits[: len(column)] == 0


def _parse_numbers(text: pa.Array) -> Floats:
    # Arrow reads most of our grammar, fast, and stops at the first text that it does not read.
    # Then the grammar itself is asked; Python reads all of it, and to the same floats: so texts are
    # read alike whichever stand beside them.
    text = drop_long_texts(text)
    try:
        return _convert_to_floats(text.cast(pa.float64()))
    except pa.ArrowInvalid:
        pass
    readable = pc.match_substring_regex(text.cast(pa.large_binary()), _NUMBER)
    places = np.flatnonzero(pc.fill_null(readable, False))
    values = np.full(len(text), np.nan)
    values[places] = [float(number) for number in text.take(pa.array(places)).to_pylist()]
    return values


def read_flags(column: pa.Array) -> Floats:
    """Read texts as flags: 1 is true, 0 false, and NaN stands for whatever is neither."""
    text = drop_long_texts(decode_column(column))
    lower = pc.ascii_lower(pc.ascii_trim_whitespace(text)).cast(pa.large_binary())
    return _convert_to_floats(
        pc.index_in(lower, value_set=pa.array([b"false", b"true"], pa.large_binary()))
    )


def _read_decimals(column: pa.Array) -> Floats:
    dtype = column.type
    if not (kinds.is_decimal128(dtype) and 0 <= dtype.scale <= 22):
        # Arrow's own cast multiplies by a rounded power of ten; reading the digits rounds once.
        return _parse_numbers(column.cast(pa.string()))
    words = np.frombuffer(column.buffers()[1] or b"", np.int64).reshape(-1, 2)
    low, high = words[column.offset : column.offset + len(column)].T
    # Integers up to 2⁵³ and powers of ten up to 10²² are exact floats: the division rounds once.
    # A number may have more digits than its type says; what is longer is read from them.
    values = low / 10.0**dtype.scale
    long = np.flatnonzero((high != low >> 63) | (low > _EXACT) | (low < -_EXACT))
    values[long] = _parse_numbers(column.take(pa.array(long)).cast(pa.string()))
    values[np.asarray(column.is_null())] = np.nan
    return values


def _read_microseconds(column: pa.Array) -> Floats:
    if kinds.is_date32(column.type):
        return _convert_to_floats(column.cast(pa.int32())) * _MICROSECONDS_A_DAY
    unit = "ms" if kinds.is_date64(column.type) else column.type.unit
    ticks = column.cast(pa.int64())
    if unit != "ns":
        return _convert_to_floats(ticks) * _TO_MICROSECONDS[unit]
    whole = np.asarray(pc.fill_null(ticks, 0)) // 1000
    return np.where(np.asarray(ticks.is_null()), np.nan, whole.astype(np.float64))


def _normalise_times(column: pa.Array) -> pa.Array:
    """Return dates as days, and times as microseconds unless they are finer."""
    if kinds.is_date32(column.type):
        return column.cast(pa.int32())
    ticks = column.cast(pa.int64())
    if kinds.is_timestamp(column.type) and column.type.unit in ("us", "ns"):
        return ticks
    before = np.asarray(pc.fill_null(ticks, 0))
    if kinds.is_date64(column.type):
        days = before // _MILLISECONDS_A_DAY
        after, lost = days.astype(np.int32), days != days.astype(np.int32)
    else:
        scale = int(_TO_MICROSECONDS[column.type.unit])
        after, lost = before * scale, before != (before * scale) // scale
    # What does not fit has wrapped around, onto the number of somebody else.
    return pa.array(after, mask=lost | np.asarray(ticks.is_null()))


def _find_text_positions(column: pa.Array, categories: Categories) -> Integers:
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        # The last entry is for rows that have no word.
        found = np.append(_find_text_positions(coded.dictionary, categories), -1)
        words = read_indices(coded)
        if words.null_count:
            words = pc.fill_null(words.cast(pa.int64()), found.size - 1)
        return found.take(np.asarray(words))
    # Bytes are compared as they are; as text, Arrow might object to them.
    texts = [str(value).encode("utf-8", "surrogatepass") for value in categories.values]
    wanted = [text if len(text) <= LONGEST_TEXT else None for text in texts]
    column = decode_column(column).cast(pa.large_binary())
    known = pa.array(wanted, pa.large_binary())
    return np.asarray(
        pc.fill_null(pc.index_in(column, value_set=known, skip_nulls=True), -1), dtype=np.int64
    )


def _decode_text(text: bytes | None) -> str | None:
    try:
        return None if text is None else text.decode()
    except UnicodeDecodeError:
        return None


Numbers = NDArray[np.int32]
"""Whole numbers, one line for each of those that rows have."""


def pack_numbers(lines: Floats) -> pa.Array:
    """Return the numbers of each row as bytes, or NULL where one of them is NaN.

    Examples
    --------
    >>> two = pack_numbers(np.array([[1.0, 2.0], [3.0, np.nan]]))
    >>> two.null_count, unpack_numbers(two.drop_null(), 2).tolist()
    (1, [[1], [3]])
    """
    known = ~np.isnan(lines).any(axis=0)
    rows = np.where(known, lines, 0.0).T.astype(np.int32, order="C")
    buffers = [pa.py_buffer(np.packbits(known, bitorder="little")), pa.py_buffer(rows)]
    return pa.Array.from_buffers(pa.binary(rows.itemsize * len(lines)), len(rows), buffers)


def unpack_numbers(column: pa.Array, lines: int) -> Numbers:
    """Return the numbers of each row, of which each has as many as there are lines."""
    width = np.dtype(np.int32).itemsize * lines
    stored = column.cast(pa.binary(width))
    octets = stored.buffers()[1]
    if octets is None:
        return np.empty((lines, 0), dtype=np.int32)
    rows = np.frombuffer(octets, np.int32).reshape(-1, lines)
    return rows[stored.offset : stored.offset + len(stored)].T

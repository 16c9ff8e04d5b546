"""Arrow columns as plain ones: dictionaries, runs, views, texts of any length, numbers in text."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.table import NumberFormat

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


def as_usual(column: pa.Array) -> pa.Array:
    """Return numbers that are written in a format as they are elsewhere; NULL where there is none.

    Privacy
    -------
    What becomes of a text depends on that text and its column's type alone, and no text fails.

    Examples
    --------
    >>> texts = pa.array(["1.234,5", "1.5", "many"])
    >>> column = pa.ExtensionArray.from_storage(NumberText(NumberFormat(",", ".")), texts)
    >>> as_usual(column).to_pylist()
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

So a source may hand on what `shortened` makes of a text, and a block of texts has a largest size.
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


def shortened(text: bytes) -> bytes:
    """Return a text of bounded length that is as different from others as this one is.

    A long text becomes its digest, behind so many dots that it is longer than any other text.

    Privacy
    -------
    People stay apart: two long texts have one digest with a chance of 2⁻²⁵⁶, found by nobody yet.

    Examples
    --------
    >>> shortened(b"u17"), len(shortened(b"u" * 10**6))
    (b'u17', 8256)
    """
    if len(text) <= LONGEST_TEXT:
        return text
    return b"." * LONGEST_TEXT + sha256(text).hexdigest().encode()


def decoded(column: pa.Array) -> pa.Array:
    """Return a column in which each row has its own value."""
    if is_stored(column.type):
        return decoded(column.storage)
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        return _looked_up(coded.dictionary, indices(coded))
    if kinds.is_run_end_encoded(column.type):
        # Arrow's own decoder ends the process where texts fill more than 2 GiB.
        return _looked_up(*_runs(column))
    return column


def indices(coded: pa.DictionaryArray) -> pa.Array:
    """Return which word each row has; a row that points beyond the dictionary has none."""
    ends: list[int | None] = [*pc.min_max(coded.indices).as_py().values()]
    if all(end is None or 0 <= end < len(coded.dictionary) for end in ends):
        return coded.indices
    places = np.asarray(pc.fill_null(coded.indices, 0).cast(pa.int64(), safe=False))
    known = (places >= 0) & (places < len(coded.dictionary)) & np.asarray(coded.indices.is_valid())
    return pa.array(places, mask=~known)


def lengths(texts: pa.Array) -> NDArray[np.int64]:
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
        return _repeated_fit(coded.dictionary, lambda: indices(coded), len(column), most)
    if kinds.is_run_end_encoded(column.type):
        words, places = _runs(column)
        return _repeated_fit(words, lambda: places, len(column), most)
    return not _is_written(column.type) or int(lengths(column).sum()) <= most


def _repeated_fit(words: pa.Array, places: Callable[[], pa.Array], rows: int, most: int) -> bool:
    words = decoded(words)
    if not _is_written(words.type):
        return True
    each = lengths(words)
    if rows * int(each.max(initial=0)) <= most:
        return True
    return int(each[np.asarray(places().drop_null())].sum()) <= most


def _is_written(dtype: pa.DataType) -> bool:
    return is_text(dtype) or is_bytes(dtype)


def _looked_up(words: pa.Array, places: pa.Array) -> pa.Array:
    words = decoded(words)
    # A long text that is repeated may fill more than the 2 GiB of an ordinary text column.
    if is_text(words.type):
        words = words.cast(pa.large_string())
    elif is_bytes(words.type):
        words = words.cast(pa.large_binary())
    return words.take(places)


def _runs(column: Any) -> tuple[pa.Array, pa.Array]:
    """Return the runs that some rows are in, and which run each row is in."""
    start = int(column.offset)
    rows = np.arange(start, start + len(column), dtype=np.int64)
    runs = np.searchsorted(np.asarray(column.run_ends), rows, side="right")
    first, end = (int(runs[0]), int(runs[-1]) + 1) if runs.size else (0, 0)
    return column.values.slice(first, end - first), pa.array(runs - first)

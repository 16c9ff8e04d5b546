"""pandas frames, column by column, without importing pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Context, Decimal
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import kind_of, spacing_of
from sfumato.engines.engine import ColumnKind
from sfumato.engines.kernel import BLOCK
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, row_runs

if TYPE_CHECKING:
    import pandas as pd

_MOST_DIGITS = 4300
"""Python writes out no longer whole numbers, which are then counted nowhere."""

_WHOLE = (f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64))
_CHOSEN = {"ArrowDtype", "BooleanDtype", "StringDtype", *_WHOLE}


class PandasFrame(Source):
    """A pandas frame.

    Objects are read as text: the kind of the column must not depend on its values. Numbers are
    written alike whatever their type, so 1, 1.0 and "1" are one category, and one person; numbers
    that differ are written differently, however little they differ. Objects that have no text of
    their own are counted nowhere.

    Privacy
    -------
    A categorical's list of categories is data, and is not read as public.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        check_names(list(frame.columns))
        self._frame = frame
        self._names = [str(name) for name in frame.columns]
        empty = {name: frame.iloc[:0, index] for index, name in enumerate(self._names)}
        self.kinds = {name: _kind(column) for name, column in empty.items()}
        found = {name: _spacing(column) for name, column in empty.items()}
        self.spacings = {name: spacing for name, spacing in found.items() if spacing is not None}
        self.untyped = frozenset(
            name
            for name, column in empty.items()
            if self.kinds[name] == "text" and not _has_type(column)
        )

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns; no more than one batch is converted at a time."""
        wanted = [self._frame.iloc[:, self._names.index(name)] for name in columns.names]
        rows = len(self._frame)
        for start in range(0, rows, BLOCK):
            pieces = [_arrow(column.iloc[start : start + BLOCK]) for column in wanted]
            yield pa.record_batch(pieces, names=columns.names), min(1.0, (start + BLOCK) / rows)

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the rows."""
        return [PandasFrame(self._frame.iloc[cut]) for cut in row_runs(len(self._frame), parts)]


def _kind(empty: pd.Series[Any]) -> ColumnKind:
    if _is_categorical(empty):
        return _kind(empty.cat.categories[:0].to_series())
    try:
        return kind_of(_arrow(empty).type)
    except (pa.ArrowException, TypeError, ValueError):
        return "other"  # a dtype, and so public, that Arrow does not know


def _has_type(column: pd.Series[Any]) -> bool:
    """Tell whether the dtype is one that somebody chose; all others pandas infers from values.

    One missing value makes floats of whole numbers, and one number objects of texts, which are
    ``str`` otherwise. Even the unit of times follows from what they were made of.
    """
    return type(column.dtype).__name__ in _CHOSEN and str(column.dtype) != "str"


def _spacing(empty: pd.Series[Any]) -> float | None:
    kind = _kind(empty)
    if _has_type(empty) and kind != "other":
        return spacing_of(_arrow(empty).type)
    return 1.0 if kind == "time" else None  # a microsecond, which is as fine as times are read


def _is_categorical(column: pd.Series[Any]) -> bool:
    return str(column.dtype) == "category"


def _arrow(column: pd.Series[Any]) -> pa.Array:
    if _is_categorical(column):
        return _dictionary(column)
    if column.dtype == np.dtype(object):
        return _texts(column)
    try:
        array: pa.Array | pa.ChunkedArray = pa.array(column, from_pandas=True)
    except UnicodeEncodeError:  # Python texts that are not Unicode
        return _texts(column)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _dictionary(column: pd.Series[Any]) -> pa.Array:
    codes = np.asarray(column.cat.codes)
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, _arrow(column.cat.categories.to_series()))


def _texts(column: pd.Series[Any]) -> pa.Array:
    written = pa.array(map(_text, column, _missing(column)), pa.large_binary())
    return written.view(pa.large_string())  # not checked: it may be no Unicode


def _missing(column: pd.Series[Any]) -> Iterable[bool]:
    with suppress(Exception):  # one object that cannot be compared must not stop all others
        return column.isna()
    return [_is_missing(column.iloc[place : place + 1]) for place in range(len(column))]


def _is_missing(alone: pd.Series[Any]) -> bool:
    with suppress(Exception):  # a signalling NaN among decimals, for example, is not compared
        return bool(alone.isna().iloc[0])
    return True


def _text(value: object, missing: bool) -> bytes | None:
    if missing:
        return None
    try:
        # What is no Unicode keeps its own bytes: one mark for all of it would make people one.
        return _written(value).encode("utf-8", "surrogatepass")
    except Exception:  # noqa: BLE001 - an object that cannot be written is counted nowhere
        return None


def _written(value: object) -> str:
    if isinstance(value, Number) and not isinstance(value, bool | np.bool_):
        return _digits(value)
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        raise TypeError  # its text would be its address in memory
    return str(value)


def _digits(value: Number) -> str:
    """Write numbers alike that are equal, and no others."""
    if isinstance(value, Integral):
        return str(int(value))
    number = float(cast(float, value))
    if number == value:
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, Decimal) and abs(value.adjusted()) < _MOST_DIGITS:
        bare = value.normalize(Context(prec=len(value.as_tuple().digits)))  # 0.10 is 0.1
        return format(bare, "f")
    return str(value)

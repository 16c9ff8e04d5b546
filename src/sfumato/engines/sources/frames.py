"""pandas and Polars frames, column by column, without importing either."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import find_kind, find_spacing, find_time_zone, shorten_text
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, cut_rows
from sfumato.engines.table import BLOCK, ColumnKind
from sfumato.zones import find_zone

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


Some = Callable[[slice], "pa.Array | pa.ChunkedArray"]
"""From places in a column to what stands there."""

_MOST_DIGITS = 4300
"""Python writes out no longer whole numbers, which are then counted nowhere."""

_WHOLE = (f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64))
_CHOSEN = {"ArrowDtype", "BooleanDtype", "StringDtype", *_WHOLE}


class PandasFrame(Source):
    """A pandas frame.

    Objects are read as text: the kind of the column must not depend on its values. Numbers are
    written alike whatever their type, so 1, 1.0 and "1" are one category, and one person; numbers
    that Python writes differently stay apart, however little they differ. Objects that have no
    text of their own are counted nowhere.

    Categories are read as objects are, whatever type they have: pandas chooses it by the values.

    Privacy
    -------
    A categorical's list of categories is data, and is not read as public. What a value is read as
    depends on that value and the type of its column alone, and so does whether it can be read.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        check_names(list(frame.columns))
        self._frame = frame
        self._names = [str(name) for name in frame.columns]
        empty = {name: frame.iloc[:0, index] for index, name in enumerate(self._names)}
        self.kinds = {name: _find_pandas_kind(column) for name, column in empty.items()}
        found = {name: _find_pandas_spacing(column) for name, column in empty.items()}
        self.spacings = {name: spacing for name, spacing in found.items() if spacing is not None}
        zones = {name: _find_pandas_zone(column) for name, column in empty.items()}
        self.zones = {name: zone for name, zone in zones.items() if zone is not None}
        self.inferred = frozenset(
            name
            for name, column in empty.items()
            if self.kinds[name] == "number" and not _has_type(column)
        )
        self.untyped = frozenset(
            name
            for name, column in empty.items()
            if self.kinds[name] == "text" and not _has_type(column)
        )

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns; no more than one batch is converted at a time."""
        wanted = [
            _slice_column(self._frame.iloc[:, self._names.index(name)]) for name in columns.names
        ]
        rows = len(self._frame)
        for start in range(0, rows, BLOCK):
            here = slice(start, start + BLOCK)
            # Pieces may be in several chunks, each with a dictionary of its own.
            table = pa.table([some(here) for some in wanted], names=columns.names)
            for batch in table.to_batches():
                yield batch, min(1.0, (start + BLOCK) / rows)

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the rows."""
        return [PandasFrame(self._frame.iloc[cut]) for cut in cut_rows(len(self._frame), parts)]


def _find_pandas_kind(empty: pd.Series[Any]) -> ColumnKind:
    if _is_categorical(empty) or _is_objects(empty):
        return "text"
    if not _is_typed(empty.dtype):
        return "other"
    try:
        return find_kind(pa.array(empty, from_pandas=True).type)
    except (pa.ArrowException, TypeError, ValueError):
        return "other"  # a dtype, and so public, that Arrow does not know


def _has_type(column: pd.Series[Any]) -> bool:
    """Tell whether the dtype is one that somebody chose; all others pandas infers from values.

    One missing value makes floats of whole numbers, and one number objects of texts, which are
    ``str`` otherwise. Even the unit of times follows from what they were made of.
    """
    return type(column.dtype).__name__ in _CHOSEN and str(column.dtype) != "str"


def _find_pandas_spacing(empty: pd.Series[Any]) -> float | None:
    kind = _find_pandas_kind(empty)
    if _has_type(empty) and kind not in ("other", "text"):
        return find_spacing(pa.array(empty, from_pandas=True).type)
    return 1.0 if kind == "time" else None  # a microsecond, which is as fine as times are read


def _find_pandas_zone(empty: pd.Series[Any]) -> str | None:
    if _find_pandas_kind(empty) != "time":
        return None
    return find_time_zone(pa.array(empty, from_pandas=True).type)


def _slice_column(column: pd.Series[Any]) -> Some:
    if _is_categorical(column):
        return _slice_codes(np.asarray(column.cat.codes), _write_texts(column.cat.categories))
    if _is_objects(column):
        return lambda here: _write_texts(column.iloc[here])
    return lambda here: pa.array(column.iloc[here], from_pandas=True)


def _is_categorical(column: pd.Series[Any]) -> bool:
    return str(column.dtype) == "category"


def _is_objects(column: pd.Series[Any]) -> bool:
    """Tell whether a column holds what Python has, which need not be Unicode or all of a kind."""
    return column.dtype == np.dtype(object) or getattr(column.dtype, "storage", "") == "python"


def _is_typed(dtype: Any) -> bool:
    """Tell whether Arrow knows a type; of a stranger's it would guess another by the values."""
    return isinstance(dtype, np.dtype) or type(dtype).__module__.split(".")[0] == "pandas"


def _slice_codes(codes: np.ndarray[Any, Any], words: pa.Array) -> Some:
    def some(here: slice) -> pa.Array:
        indices = pa.array(codes[here], mask=codes[here] < 0)
        return pa.DictionaryArray.from_arrays(indices, words)

    return some


def _write_texts(values: pd.Series[Any] | pd.Index[Any]) -> pa.Array:
    from pandas import isna

    objects = values.to_numpy(dtype=object)
    written = pa.array([_write_text(value, isna) for value in objects], pa.large_binary())
    return written.view(pa.large_string())  # not checked: it may be no Unicode


def _write_text(value: object, is_missing: Callable[[Any], object]) -> bytes | None:
    """Return how a value is written; None if it is missing, or cannot be written."""
    try:
        # A text is what it holds, and not what its class would have printed.
        if not isinstance(value, str):
            if is_missing(value) is True:
                return None
            value = _write_value(value)
        # What is no Unicode keeps its own bytes: one mark for all of it would make people one.
        return shorten_text(str.encode(value, "utf-8", "surrogatepass"))
    except Exception:  # noqa: BLE001 - an object that cannot be written is counted nowhere
        return None


def _write_value(value: object) -> str:
    """Write a value in one way, whichever of its types pandas has made of it beside others."""
    if type(value) is int:
        return str(value)  # most ids; to ask whether anything is a number takes far longer
    if isinstance(value, complex | np.complexfloating):
        raise TypeError  # what would be left of it is another number
    # To NumPy a duration is a whole number, to nobody else.
    if isinstance(value, Number) and not isinstance(value, bool | np.bool_ | np.timedelta64):
        return _write_digits(value)
    if (text := _write_pandas_value(value)) is not None:
        return text
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        raise TypeError  # its text would be its address in memory
    return str(value)


def _write_pandas_value(value: Any) -> str | None:
    """Write what pandas has types of its own for; None for all else."""
    import pandas as pd

    if isinstance(value, timedelta | np.timedelta64):
        return str(pd.Timedelta(cast(Any, value)))
    if isinstance(value, np.datetime64):
        return str(pd.Timestamp(cast(Any, value)))
    if not isinstance(value, pd.Interval):
        return None
    # An end that is whole is written as one, also beside intervals with other ends.
    found = cast(Any, value)
    left, right = map(_write_value, (found.left, found.right))
    opening, ending = "[" if found.closed_left else "(", "]" if found.closed_right else ")"
    return f"{opening}{left}, {right}{ending}"


def _write_digits(value: Number) -> str:
    """Write numbers alike that are equal, and no others but floats printed as a decimal is."""
    if isinstance(value, Integral):
        return str(int(value))
    number = float(cast(float, value))
    if number == value:
        return str(int(number)) if number.is_integer() else repr(number)
    if isinstance(value, Decimal) and abs(value.adjusted()) < _MOST_DIGITS:
        bare = value.normalize(Context(prec=len(value.as_tuple().digits)))  # 0.10 is 0.1
        return format(bare, "f")
    return str(value)


class PolarsFrame(Source):
    """A Polars frame; a lazy one is computed in one stream, for each question anew.

    Privacy
    -------
    The rows of the frame are the table; if a lazy one fails on some value, so does the release.
    Only the columns asked for are computed, and no more than a few batches at a time are held.
    """

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        schema = frame.collect_schema()
        check_names(schema.names())
        self._frame = frame
        self._names = schema.names()
        self._types = schema.dtypes()
        self.kinds = {
            name: _find_polars_kind(dtype)
            for name, dtype in zip(self._names, self._types, strict=True)
        }

        found = zip(self._names, map(_find_polars_spacing, self._types), strict=True)
        self.spacings = {name: spacing for name, spacing in found if spacing is not None}
        zones = zip(self._names, map(_find_polars_zone, self._types), strict=True)
        self.zones = {name: zone for name, zone in zones if zone is not None}

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        import polars as pl

        # As views: written out, a long text that many rows share would fill all memory.
        views = pl.CompatLevel.newest()
        done = 0
        for frame, rows in self._frames([self._names.index(name) for name in columns.names]):
            for batch in frame.to_arrow(compat_level=views).to_batches(max_chunksize=BLOCK):
                done += batch.num_rows
                yield (
                    pa.record_batch(batch.columns, names=columns.names),
                    done / rows if rows else 0.0,
                )

    def _frames(self, indices: Sequence[int]) -> Iterator[tuple[pl.DataFrame, int]]:
        import polars as pl

        # Columns are counted, not named: Polars reads names like "^a$" as patterns.
        wanted = [
            pl.nth(index).cast(pl.String) if _is_wide(self._types[index]) else pl.nth(index)
            for index in indices
        ]
        if isinstance(self._frame, pl.DataFrame):
            slices = self._frame.select(wanted).iter_slices(BLOCK)
            yield from ((part, self._frame.height) for part in slices)
        else:
            lazy = self._frame.select(wanted)
            streams = int(pl.__version__.split(".")[0]) >= 2  # Polars 1 may lose errors on the way
            batches = lazy.collect_batches(maintain_order=False) if streams else [lazy.collect()]
            yield from ((part, 0) for part in batches)


def _is_wide(dtype: pl.DataType) -> bool:
    return str(dtype) in ("Int128", "UInt128")  # Arrow has no such integers; digits do


def _find_polars_kind(dtype: pl.DataType) -> ColumnKind:
    import polars as pl

    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return "text"
    if isinstance(dtype, pl.Null):
        return "nothing"
    if isinstance(dtype, pl.Date | pl.Datetime):
        return "time"
    others: dict[Any, ColumnKind] = {
        pl.Duration: "duration",
        pl.Time: "clock",
        pl.Boolean: "flag",
        pl.Binary: "bytes",
    }
    return others.get(type(dtype), "other")


def _find_polars_spacing(dtype: pl.DataType) -> float | None:
    import polars as pl

    if dtype.is_integer() or isinstance(dtype, pl.Boolean):
        return 1.0
    if isinstance(dtype, pl.Date):
        return 86_400e6
    if isinstance(dtype, pl.Datetime):
        return 1e3 if dtype.time_unit == "ms" else 1.0
    return None


def _find_polars_zone(dtype: pl.DataType) -> str | None:
    zone = getattr(dtype, "time_zone", None)
    return find_zone(zone).name if isinstance(zone, str) else None

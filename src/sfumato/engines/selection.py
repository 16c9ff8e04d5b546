"""Which rows and columns: expressions evaluated on blocks of rows, each row by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.clock import read_part
from sfumato.engines.columns import (
    LONGEST_TEXT,
    Floats,
    decode_column,
    find_kind,
    find_time_zone,
    is_stored,
    measure_lengths,
    read_flags,
    read_numbers,
)
from sfumato.engines.logarithm import log, log10
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import Entries, Summation
from sfumato.engines.table import ColumnKind
from sfumato.engines.times import read_durations
from sfumato.engines.typed import TermKind, TypedColumns, TypedTerm, read_moment
from sfumato.errors import DomainError, SourceError, Worded
from sfumato.expressions import PARTS, Expression, is_unicode
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.zones import find_zone

T = TypeVar("T")
Flags = NDArray[np.bool_]
Texts = pa.Array | pa.Scalar

_DERIVED = Worded(
    "columns={'speed': 'distance / air_time * 60'}",
    in_shell="--column 'speed=distance / air_time * 60'",
)


@dataclass(frozen=True)
class RowSelection:
    """Which rows are there, and which columns are derived: a map from rows to rows.

    It is all that has to travel to the rows.

    Parameters
    ----------
    where
        What holds of the rows that are there.
    derived
        Names and definitions of further columns, in terms of stored ones.

    Privacy
    -------
    Each row is kept or dropped, and its derived columns are made, by that row and public facts
    alone: see ``selection.md``.
    """

    where: TypedTerm | None = None
    derived: Mapping[str, TypedTerm] = field(default_factory=dict[str, TypedTerm])

    @property
    def empty(self) -> bool:
        """Whether all rows and stored columns alone are meant."""
        return self.where is None and not self.derived

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """What each derived column holds."""
        return {name: cast(ColumnKind, term.kind) for name, term in self.derived.items()}

    @property
    def spacings(self) -> dict[str, float]:
        """How far apart values lie, of the derived columns whose definition fixes it."""
        found = self.derived.items()
        return {name: 1.0 for name, term in found if term.whole or term.kind == "flag"}

    def list_stored(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the stored columns that are needed for some columns, and to tell rows apart."""
        needed: list[str] = []
        for name in names:
            needed += list_columns(self.derived[name]) if name in self.derived else [name]
        needed += [] if self.where is None else list_columns(self.where)
        return tuple(dict.fromkeys(needed))

    def apply(self, block: pa.RecordBatch, names: Iterable[str]) -> pa.RecordBatch:
        """Return the rows that are there, with their derived columns among `names`.

        Privacy
        -------
        Row by row, and no value fails.
        """
        if self.where is not None:
            block = filter_rows(block, find_rows(block, self.where))
        rows = BlockTerms(block)
        for name in dict.fromkeys(names):
            if name in self.derived:
                block = block.append_column(name, rows.column(self.derived[name]))
        return block


NOTHING_SELECTED = RowSelection()
"""All rows, and stored columns alone."""


def select(columns: TypedColumns, where: str | None, derived: Mapping[str, str]) -> RowSelection:
    """Read which rows and columns are meant, against what a table has; or refuse it in words.

    Privacy
    -------
    Knows names and kinds of columns, which are public, and no row.
    """
    found: dict[str, TypedTerm] = {}
    for name, text in derived.items():
        _check_new(name, {**columns.kinds, **found})
        known = TypedColumns(columns.kinds, columns.untyped, columns.spacings, found)
        found[name] = known.read_definition(Expression.of(text))
    known = TypedColumns(columns.kinds, columns.untyped, columns.spacings, found)
    condition = None if where is None else known.read_condition(Expression.of(where))
    return RowSelection(condition, found)


def _check_new(name: str, taken: Mapping[str, object]) -> None:
    if not name.strip() or not is_unicode(name):
        raise DomainError(
            "A derived column needs a name.",
            "Charts and ledgers know columns by their names.",
            ("Write ", _DERIVED, "."),
        )
    if name in taken:
        raise SourceError(
            f"The table has a column {name!r} already.",
            "Which of the two is charted, and so what is protected, would be a guess.",
            ("Give the derived one a new name: ", _DERIVED, "."),
        )


def list_columns(term: TypedTerm) -> list[str]:
    """Return the stored columns that a term names."""
    here = [str(term.value)] if term.op == "column" else []
    return [*here, *(name for part in term.parts for name in list_columns(part))]


def find_rows(block: pa.RecordBatch, where: TypedTerm) -> Flags:
    """Return which rows of a block meet a condition.

    Privacy
    -------
    Whether a row does depends on that row and public facts alone, and no value fails.
    """
    return BlockTerms(block).truth(where)


def filter_rows(block: pa.RecordBatch, kept: Flags) -> pa.RecordBatch:
    """Return some rows of a block."""
    if kept.all():
        return block
    places = pa.array(np.flatnonzero(kept))
    columns = [_take(column, places) for column in block.columns]
    return pa.record_batch(columns, names=block.schema.names)


def _take(column: pa.Array, places: pa.Array) -> pa.Array:
    return _make_takeable(column).take(places)


def _make_takeable(column: pa.Array) -> pa.Array:
    """Return a column of which Arrow takes rows, by its type: it takes none of views nor of runs.

    Of values that nothing reads, it is kept whether there is one.
    """
    if find_kind(column.type) == "other":
        missing = np.asarray(decode_column(column).is_null())
        return pa.array(np.zeros(len(column), dtype=np.bool_), mask=missing)
    stored = column.storage if is_stored(column.type) else column
    if kinds.is_run_end_encoded(stored.type):
        return _make_takeable(decode_column(stored))
    if kinds.is_string_view(stored.type):
        return stored.cast(pa.large_string())
    return stored.cast(pa.large_binary()) if kinds.is_binary_view(stored.type) else column


@dataclass(frozen=True)
class RestrictedSums(Summation[T]):
    """A question to which rows that do not meet a condition are nowhere.

    Privacy
    -------
    As the question says. Of rows that weigh one each, those that are nowhere add nothing; of a
    person's rows they still take their share of its weight, or are none to choose from, as any
    other row that is nowhere.
    """

    question: Summation[T]
    where: TypedTerm

    @property
    def columns(self) -> Columns:
        """The columns of the question, and those of the condition."""
        return widen(self.question.columns, self.where)

    @property
    def most(self) -> int:
        """As many as the question says."""
        return self.question.most

    def weight(self, unit: PrivacyUnit) -> int:
        """Return what the question says."""
        return self.question.weight(unit)

    def zeros(self) -> T:
        """Return sums of no rows."""
        return self.question.zeros()

    def add(self, sums: T, block: pa.RecordBatch) -> None:
        """Add the rows that meet the condition."""
        self.question.add(sums, filter_rows(block, find_rows(block, self.where)))

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return where rows are; those that do not meet the condition are nowhere."""
        return place_nowhere(self.question.place(block), find_rows(block, self.where))

    def weigh(self, sums: T, found: pa.RecordBatch) -> None:
        """Add rows that are somewhere."""
        self.question.weigh(sums, found)

    def merge(self, sums: T, other: T) -> None:
        """Add the sums of other rows."""
        self.question.merge(sums, other)

    def entries(self, sums: T) -> Entries:
        """Return numbered sums."""
        return self.question.entries(sums)

    def restore_tally(self, entries: Entries) -> T:
        """Return the sums that entries stand for."""
        return self.question.restore_tally(entries)


@dataclass(frozen=True)
class RestrictedPlace:
    """From rows to their cells, of which those that do not meet a condition are nowhere.

    Privacy
    -------
    A row's cell depends on that row and public facts alone.
    """

    place: Callable[[pa.RecordBatch], pa.Array]
    where: TypedTerm | None

    def __call__(self, block: pa.RecordBatch) -> pa.Array:
        """Return cells, with NULL for nowhere."""
        cells = self.place(block)
        if self.where is None:
            return cells
        return place_nowhere(cells, find_rows(block, self.where))


def widen(columns: Columns, where: TypedTerm | None) -> Columns:
    """Return columns, and beside them those that a condition names."""
    more = [] if where is None else list_columns(where)
    return Columns([*columns.names, *more], columns.repetitive)


def place_nowhere(cells: pa.Array, kept: Flags) -> pa.Array:
    """Return the cells of rows that are kept, and NULL for the others."""
    if kept.all():
        return cells
    return cells.take(pa.array(np.arange(len(cells)), mask=~kept))


class BlockTerms:
    """The values of terms for each row of a block.

    Numbers are floats in which NaN is missing; texts are Arrow's; conditions are true or false.

    Privacy
    -------
    Every step is a kernel that works element by element: correctly rounded arithmetic, comparisons
    of numbers and bytes, and searches for a public text. None fails on a value.
    """

    def __init__(self, block: pa.RecordBatch) -> None:
        self._block = block
        self._numbers: dict[tuple[str, TermKind], Floats] = {}
        self._texts: dict[str, pa.Array] = {}
        self._tests: Mapping[str, Callable[[TypedTerm], Flags]] = {
            "and": lambda term: reduce(np.logical_and, map(self.truth, term.parts)),
            "or": lambda term: reduce(np.logical_or, map(self.truth, term.parts)),
            "not": lambda term: ~self.truth(term.parts[0]),
            "compare": self._compare,
            "in": self._find_among,
            "not in": self._find_among,
            "isna": lambda term: self._find_missing(term.parts[0]),
            "notna": lambda term: ~self._find_missing(term.parts[0]),
            **dict.fromkeys(_SEARCHES, self._match),
        }

    def column(self, term: TypedTerm) -> pa.Array:
        """Return a term as a column."""
        if term.kind == "text":
            found = self.texts(term)
            rows = self._block.num_rows
            return found if isinstance(found, pa.Array) else pa.repeat(found, rows)
        values = self.numbers(term)
        missing = np.isnan(values)
        return pa.array(values == 1.0 if term.kind == "flag" else values, mask=missing)

    def truth(self, term: TypedTerm) -> Flags:
        """Return where a condition is true; what is missing is not."""
        test = self._tests.get(term.op)
        return self.numbers(term) == 1.0 if test is None else test(term)

    def numbers(self, term: TypedTerm) -> Floats:
        """Return a term as numbers; NaN is missing. Of conditions 1 is true and 0 false."""
        match term.op:
            case "column":
                return self._read_numbers(str(term.value), term.kind)
            case "literal":
                return np.full(self._block.num_rows, float(cast(float, term.value)))
            case "if":
                test, yes, no = term.parts
                return np.where(self.truth(test), self.numbers(yes), self.numbers(no))
            case _ if term.kind == "flag":
                return self.truth(term).astype(np.float64)
            case _:
                return _drop_infinite(self._compute(term))

    def texts(self, term: TypedTerm) -> Texts:
        """Return a term as texts; a literal is one for all rows."""
        match term.op:
            case "column":
                return self._read_texts(str(term.value))
            case "literal":
                return pa.scalar(str(term.value), pa.large_string())
            case "if":
                test, yes, no = term.parts
                return pc.if_else(pa.array(self.truth(test)), self.texts(yes), self.texts(no))
            case op:
                return _CHANGES[op](self.texts(term.parts[0]))

    def _compute(self, term: TypedTerm) -> Floats:
        if term.op in PARTS:
            column = self._block.column(str(term.parts[0].value))
            return read_numbers(read_part(column, term.op))
        if term.op == "len":
            return self._spread(pc.utf8_length(self.texts(term.parts[0])))
        if term.op == "float" and term.over == "text":
            return self._parse(self.texts(term.parts[0]))
        if term.op == "total_seconds":
            return self._durations(term.parts[0]) / 1e6
        with np.errstate(all="ignore"):  # what is no number is missing, and not worth a word
            if term.op == "**":
                power = int(cast(int, term.parts[1].value))
                return _raise_to(self.numbers(term.parts[0]), power)
            return _OPERATIONS[term.op](*map(self.numbers, term.parts))

    def _compare(self, term: TypedTerm) -> Flags:
        symbols = cast(Sequence[str], term.value)
        pairs = zip(symbols, term.parts, term.parts[1:], strict=False)
        return reduce(np.logical_and, [self._compare_two(term.over, *pair) for pair in pairs])

    def _compare_two(self, over: TermKind, symbol: str, one: TypedTerm, other: TypedTerm) -> Flags:
        if over == "text":
            found = _TEXT_COMPARISONS[symbol](
                _as_bytes(self.texts(one)), _as_bytes(self.texts(other))
            )
            return self._spread(pc.fill_null(found, False)) == 1.0
        if over == "time":
            left, right = self._times(one, other), self._times(other, one)
        else:
            left, right = self.numbers(one), self.numbers(other)
        known = ~(np.isnan(left) | np.isnan(right))
        return _COMPARISONS[symbol](left, right) & known

    def _find_among(self, term: TypedTerm) -> Flags:
        first, *listed = term.parts
        found = [self._compare_two(term.over, "==", first, each) for each in listed]
        among = reduce(np.logical_or, found)
        # Not to be among them is a comparison, too: false for what is missing or not readable.
        itself = self._compare_two(term.over, "==", first, first)
        return among if term.op == "in" else itself & ~among

    def _find_missing(self, term: TypedTerm) -> Flags:
        if term.op == "column":
            column = decode_column(self._block.column(str(term.value)))
            missing = np.asarray(column.is_null())
            if kinds.is_floating(column.type):
                missing = missing | np.isnan(read_numbers(column))
            return missing
        if term.kind == "text":
            return self._spread(pc.is_null(self.texts(term))) == 1.0
        if term.kind == "duration":
            return np.isnan(self._durations(term))
        return np.isnan(self.numbers(term))

    def _match(self, term: TypedTerm) -> Flags:
        text, pattern = term.parts
        found = _SEARCHES[term.op](self.texts(text), pattern=str(pattern.value))
        return self._spread(pc.fill_null(found, False)) == 1.0

    def _times(self, term: TypedTerm, beside: TypedTerm) -> Floats:
        """Return moments in microseconds; a literal is on the clocks of what stands beside it."""
        if term.op == "column":
            return self._read_numbers(str(term.value), "time")
        moment = cast(datetime, read_moment(str(term.value)))
        zone = self._find_zone(beside)
        return np.full(self._block.num_rows, _count_microseconds(moment, zone))

    def _durations(self, term: TypedTerm) -> Floats:
        """Return spans of time in microseconds."""
        if term.op == "column":
            return read_durations(self._block.column(str(term.value)))
        late, early = term.parts
        with np.errstate(all="ignore"):
            return self._times(late, early) - self._times(early, late)

    def _find_zone(self, term: TypedTerm) -> str | None:
        if term.op != "column":
            return None
        return find_time_zone(self._block.column(str(term.value)).type)

    def _read_numbers(self, name: str, kind: TermKind) -> Floats:
        key = name, kind
        if key not in self._numbers:
            column = self._block.column(name)
            written = kind == "flag" and find_kind(column.type) == "text"
            self._numbers[key] = read_flags(column) if written else read_numbers(column)
        return self._numbers[key]

    def _read_texts(self, name: str) -> pa.Array:
        if name not in self._texts:
            self._texts[name] = read_texts(self._block.column(name))
        return self._texts[name]

    def _parse(self, texts: Texts) -> Floats:
        if isinstance(texts, pa.Array):
            return read_numbers(texts)
        return np.broadcast_to(read_numbers(pa.array([texts.as_py()])), self._block.num_rows)

    def _spread(self, found: Any) -> Floats:
        """Return what was found for each row, or once for all of them, as numbers."""
        if isinstance(found, pa.Array):
            return read_numbers(found)
        return np.full(self._block.num_rows, float(found.as_py()))


def read_texts(column: pa.Array) -> pa.Array:
    """Return texts as conditions see them: those that are too long or not Unicode are missing.

    Privacy
    -------
    What becomes of a text depends on that text alone. A source may hand on a digest in place of a
    text of more than 8,192 bytes: both are missing here.
    """
    texts = decode_column(column).cast(pa.large_binary())
    long = measure_lengths(texts) > LONGEST_TEXT
    if long.any():
        texts = pc.if_else(pa.array(long), pa.scalar(None, pa.large_binary()), texts)
    found = texts.view(pa.large_string())
    try:
        found.validate(full=True)
    except pa.ArrowInvalid:
        return pa.array(map(_decode, texts.to_pylist()), pa.large_string())
    return found


def _decode(text: bytes | None) -> str | None:
    try:
        return None if text is None else text.decode()
    except UnicodeDecodeError:
        return None


def _as_bytes(texts: Texts) -> Texts:
    """Return texts as bytes, whose order is that of their letters."""
    return texts.cast(pa.large_binary())


def _drop_infinite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _raise_to(values: Floats, power: int) -> Floats:
    """Multiply one after the other, so that every machine rounds alike."""
    return reduce(np.multiply, [values] * power)


def _count_microseconds(moment: datetime, zone: str | None) -> float:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    apart = aware - datetime(1970, 1, 1, tzinfo=UTC)
    found = (apart.days * 86_400 + apart.seconds) * 1e6 + apart.microseconds
    return found if moment.tzinfo is not None else float(find_zone(zone).to_moment(found))


_COMPARISONS: Mapping[str, Callable[[Floats, Floats], Flags]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_TEXT_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_OPERATIONS: Mapping[str, Callable[..., Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "negate": np.negative,
    "abs": np.abs,
    "ceil": np.ceil,
    "float": np.positive,
    "floor": np.floor,
    "log": log,
    "log10": log10,
    "max": lambda *several: reduce(np.maximum, several),
    "min": lambda *several: reduce(np.minimum, several),
    "round": np.rint,
    "sqrt": np.sqrt,
}
_CHANGES: Mapping[str, Callable[[Any], Any]] = {
    "lower": pc.utf8_lower,
    "upper": pc.utf8_upper,
    "strip": pc.utf8_trim_whitespace,
}
_SEARCHES: Mapping[str, Callable[..., Any]] = {
    "startswith": pc.starts_with,
    "endswith": pc.ends_with,
    "contains": pc.match_substring,
}

"""What every engine can do, and what of its failures may be told. Charts know no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from typing import Protocol, TypeVar

from sfumato.addend import Addend, Member
from sfumato.domain import Bounds, Categories, ColumnType, Domain
from sfumato.engines.table import ColumnKind
from sfumato.errors import (
    YEAR,
    BoundsEnds,
    BoundsOf,
    CategoriesOf,
    SfumatoError,
    SourceError,
    Words,
)
from sfumato.exact import Exact
from sfumato.grid import Edges, Grid, Labels
from sfumato.lattice import DistanceCells, Moments, Projection, Question
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Areas

T = TypeVar("T")


def redact_errors(read: Callable[[], T], what: str = "The table") -> T:
    """Return what `read` returns; if it fails, say so without saying why.

    Privacy
    -------
    Readers quote values in their messages, and even the class of an error may depend on one. The
    error raised here always says the same, and is raised after theirs is gone, so that it carries
    neither cause nor context.
    """
    failure: BaseException
    try:
        return read()
    except (SfumatoError, KeyboardInterrupt, SystemExit) as error:
        failure = error
        # It may have struck while a reader's error was being handled.
        failure.__context__ = failure.__cause__ = None
    except BaseException as error:  # noqa: BLE001 - a panic in Polars is not an Exception
        # While DuckDB works, it takes an interruption from the keyboard for an error of its own.
        interrupted = error.args == ("Query interrupted",)
        failure = KeyboardInterrupt() if interrupted else _make_unreadable_error(what)
    try:
        raise failure
    finally:
        del failure  # which would keep this frame, and with it the data, alive


def _make_unreadable_error(what: str) -> SourceError:
    return SourceError(
        f"{what} could not be read.",
        "What went wrong is not repeated here, because readers quote the data in their messages.",
        "Check that it opens outside sfumato, has not changed and fits in memory and on disk.",
    )


@dataclass(frozen=True)
class Schema:
    """The names and kinds of a table's columns, which are public.

    Parameters
    ----------
    folded
        Columns whose texts are the same to the table itself though their bytes differ.
    spacings
        How far apart values lie where the type of a column fixes it: 1 for whole numbers,
        microseconds for dates.
    untyped
        Columns of text that have no type, as in a CSV file: what is declared decides how they are
        read.
    zones
        The zones on whose clocks columns of dates are told, where their types name one.
    inferred
        Columns of numbers whose type was chosen by their values, as pandas does: it tells nothing.
    derived
        Columns that are computed from others.
    locates
        Whether points can be located in regions where the table is, as this machine would.
    """

    columns: dict[str, ColumnKind]
    folded: frozenset[str] = frozenset()
    spacings: Mapping[str, float] = field(default_factory=dict[str, float])
    untyped: frozenset[str] = frozenset()
    zones: Mapping[str, str] = field(default_factory=dict[str, str])
    inferred: frozenset[str] = frozenset()
    derived: frozenset[str] = frozenset()
    locates: bool = True

    def refine(self, domain: Domain) -> Domain:
        """Return what is declared, with what the types of the columns add to it."""
        return domain.with_types(
            {
                name: ColumnType(
                    self.spacings.get(name),
                    kind == "time",
                    name in self.untyped,
                    self.zones.get(name),
                    kind == "clock",
                )
                for name, kind in self.columns.items()
            }
        )

    def kind(self, column: str) -> ColumnKind:
        """Return the kind of `column`, or refuse a column the table does not have."""
        if column in self.columns:
            return self.columns[column]
        known = ", ".join(map(repr, self.columns))
        raise SourceError(
            f"The table has no column {column!r}.",
            "Nothing was read and nothing charged.",
            f"Its columns are {known}.",
        )

    def check(
        self,
        keys: Sequence[Question | Moments | Addend | Member],
        unit: PrivacyUnit,
        *,
        unlisted: Sequence[str] = (),
        numbers: Sequence[str] = (),
        parsing: bool = False,
    ) -> None:
        """Refuse a query the table cannot answer, before anything is charged.

        `unlisted` names the columns whose categories will be searched for, `numbers` those that
        will be summed. An engine goes on `parsing` text of every type as numbers; a plan does not
        spend anything on it where a type says that a column is meant to be text.
        """
        self.check_stored(*unit.columns, *numbers)
        for column in unit.columns:
            self._check_identities(column)
        wanted = [
            *chain.from_iterable(map(_list_allowed_kinds, keys)),
            *((name, _NUMERIC) for name in numbers),
        ]
        for column, kinds in wanted:
            self._check_kind(column, kinds)
            if kinds in _PARSED and not parsing:
                self._check_text(column)
        for column in unlisted:
            self._check_searched(column)
        if not self.locates and any(isinstance(key, Areas) for key in keys):
            raise SourceError(
                "The cluster does not locate points as this machine does.",
                "Who counts in which region would depend on who is asked. Nothing was charged.",
                'Install the same shapely for the Python of the executors: "sfumato[geo]".',
            )

    def _check_searched(self, column: str) -> None:
        kind = self.kind(column)
        whole = kind == "number" and (column in self.inferred or self.spacings.get(column) == 1)
        if not (whole or kind in ("text", "flag", "nothing")):
            raise SourceError(
                f"Column {column!r} has {'fractions' if kind == 'number' else _plural[kind]}, and "
                "categories that are searched for are texts, whole numbers or True and False.",
                "Fractions and moments hardly ever occur twice, so that none would be shown.",
                _declaration(column, kind),
            )

    def check_stored(self, *columns: str) -> None:
        """Refuse columns that are computed where stored ones are needed."""
        for column in self.derived.intersection(columns):
            raise SourceError(
                f"Column {column!r} is derived.",
                "The privacy unit and the weights of rows decide what is protected: they are "
                "stored, and not computed.",
                "Name a column of the table itself.",
            )

    def _check_identities(self, column: str) -> None:
        if self.kind(column) in ("clock", "duration", "other"):
            raise SourceError(
                f"Column {column!r} cannot identify people.",
                "The privacy unit must be identified exactly.",
                "Use a column of texts, numbers, dates or bytes.",
            )
        if column in self.folded:
            raise SourceError(
                f"Column {column!r} has a collation by which different texts are one.",
                "People are identified by bytes, so one person could count several times.",
                "Give sfumato a column without it: lower(name) COLLATE UTF8_BINARY in Spark, "
                "COLLATE C in DuckDB.",
            )

    def _check_text(self, column: str) -> None:
        if self.kind(column) == "text" and column not in self.untyped:
            raise SourceError(
                f"Column {column!r} holds text, by its type, and bounds are for numbers and dates.",
                "Text that does not read as one would be left out, and the budget spent on "
                "nothing.",
                (
                    "Cast the column, or declare categories: ",
                    CategoriesOf(column),
                    ".",
                ),
            )

    def _check_kind(self, column: str, wanted: tuple[ColumnKind, ...]) -> None:
        kind = self.kind(column)
        if kind not in (*wanted, "nothing"):
            raise SourceError(
                f"Column {column!r} is declared as something the table does not hold: it has "
                f"{_plural[kind]}.",
                "Every row would be left out, and the budget spent on nothing.",
                _declaration(column, kind),
            )


class Engine(Protocol):
    """Turns a table into exact integers; one engine object serves one release.

    A second engine implements these verbs with the kernels of `sfumato.engines.cells`,
    `sfumato.engines.cells` and `sfumato.engines.moments`, which turn one block of rows into whole
    numbers, and the rules of `sfumato.engines.bounding`.
    """

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        ...

    def restrict(self, where: str | None) -> Engine:
        """Return an engine to which rows that do not meet a condition are nowhere.

        Such a row still takes its share of a person's weight. Refuses what is no condition on the
        columns of the table.

        Privacy
        -------
        A row is nowhere, or where it was, by that row alone: what is said of each answer holds.
        """
        ...

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        """Count units in every combination of public cells.

        Privacy
        -------
        One unit changes the answer by at most ``unit.weight`` in L1 and L2, over all cells
        together.
        """
        ...

    def sums(self, keys: Sequence[Question], addend: Addend | Member, unit: PrivacyUnit) -> Exact:
        """Sum the steps that rows of every combination of cells give to the ends of a range.

        Privacy
        -------
        One unit changes the answer by at most ``addend_weight(unit) * addend.steps`` in L1 and L2,
        over all cells and both ends together.
        """
        ...

    def marginals(
        self, tables: Sequence[Sequence[Question]], unit: PrivacyUnit
    ) -> tuple[Exact, ...]:
        """Count units in every combination of cells of each list of keys.

        Privacy
        -------
        One unit changes each answer by at most ``unit.weight`` in L1 and L2; all of them at once.
        """
        ...

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        """Sum the outer products of rows, which `moments` says how to measure and to cut.

        Privacy
        -------
        One unit changes the whole matrix by at most ``moment_weight(unit) * moments.longest`` in
        Frobenius norm, which is L2, and by at most ``moments.size`` times that in L1.
        """
        ...

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        """Count rows of every text that occurs in `column`; the texts are secret too.

        Privacy
        -------
        One unit changes the counts by at most ``unit.weight`` and may add or remove up to that
        many cells, so only a mechanism that hides new cells may use the answer.
        """
        ...

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        """Sum what units weigh in every occupied cell of a plane; the cells are secret too.

        Privacy
        -------
        One unit changes the sums by at most ``influence(unit, weight)`` in L1, over all cells
        together. Which cells are listed depends on the data: a mechanism must ask for the mass
        of any cell, listed or not.
        """
        ...


_plural: dict[ColumnKind, str] = {
    "number": "numbers",
    "text": "text",
    "flag": "True and False",
    "time": "dates or times",
    "clock": "times of day",
    "duration": "durations",
    "bytes": "bytes",
    "nothing": "nothing",
    "other": "values that cannot be charted",
}
# Text is read as the declared kind: a CSV file has nothing but text.
_category_kinds: dict[str, tuple[ColumnKind, ...]] = {
    "text": ("text",),
    "number": ("number", "text"),
    "flag": ("flag", "text"),
}


_NUMERIC: tuple[ColumnKind, ...] = ("number", "flag", "text")
_DATED: tuple[ColumnKind, ...] = ("time", "text")
_CLOCK: tuple[ColumnKind, ...] = ("clock", "text")
_HOURLY: tuple[ColumnKind, ...] = ("time", "clock", "text")
_PARSED = (_NUMERIC, _DATED, _CLOCK, _HOURLY)  # where text must have no type


def _list_allowed_kinds(
    key: Question | Moments | Addend | Member,
) -> list[tuple[str, tuple[ColumnKind, ...]]]:
    """Return the columns of a question, and the kinds that each of them may have."""
    asked = _unwrap(key)
    match asked:
        case Labels(column, Categories(()), None):  # what a search found: it is in no row
            return [(column, tuple(_plural))]
        case Labels(column, categories, None):
            return [(column, _category_kinds[categories.kind])]
        case Labels(column, _, part):
            return [(column, _HOURLY if part == "hour of day" else _DATED)]
        case Grid(column, bounds) | Edges(column, bounds):
            return [(column, _list_bounded_kinds(bounds))]
        case Areas():
            return [(column, _NUMERIC) for column in asked.columns]
        case Projection(lattice) | DistanceCells(lattice) | Moments(lattice):
            kinds = map(_list_bounded_kinds, lattice.bounds)
            return list(zip(lattice.columns, kinds, strict=True))


def _unwrap(key: Question | Moments | Addend | Member) -> Question | Moments:
    """Return what a column that is added up must hold, as a question that is counted by."""
    if isinstance(key, Addend):
        bounds = key.bounds[0]
        return Edges(key.column, bounds, (bounds.lower, bounds.upper))
    return key.labels if isinstance(key, Member) else key


def _list_bounded_kinds(bounds: Bounds) -> tuple[ColumnKind, ...]:
    if bounds.duration:
        return ("duration",)
    if bounds.clock:
        return _CLOCK
    return _DATED if bounds.time else _NUMERIC


_EXAMPLES: dict[ColumnKind, tuple[str, BoundsEnds]] = {
    "time": ("a pair of dates", YEAR),
    "clock": ("two times of day", ("08:00", "18:00")),
    "duration": ("two durations", (timedelta(0), timedelta(minutes=90))),
}


def _declaration(column: str, kind: ColumnKind) -> Words:
    """Say how a column of some kind is declared."""
    if kind in _EXAMPLES:
        what, ends = _EXAMPLES[kind]
        return f"Declare {what}: ", BoundsOf(column, ends=ends), "."
    match kind:
        case "number":
            either = BoundsOf(column), ", or numbers to count: "
            return "Declare ", *either, CategoriesOf(column, (1, 2, 3)), "."
        case "flag":
            return "Declare ", CategoriesOf(column, (False, True)), "."
        case "bytes":
            return "Name another column: bytes can only tell people apart."
        case "other":
            return "Name another column: nested values are not supported."
        case _:
            return "Declare ", CategoriesOf(column), "."

"""What every engine can do. Charts know this protocol and no engine behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sfumato.errors import SourceError
from sfumato.exact import Exact
from sfumato.grid import Edges, Grid, Key
from sfumato.plane import Plane, Weight
from sfumato.privacy.unit import PrivacyUnit

ColumnKind = Literal["number", "text", "flag", "time", "bytes", "other"]


@dataclass(frozen=True)
class Schema:
    """The names and kinds of a table's columns, which are public."""

    columns: dict[str, ColumnKind]

    def kind(self, column: str) -> ColumnKind:
        """Return the kind of `column`, or refuse a column the table does not have."""
        if column in self.columns:
            return self.columns[column]
        known = ", ".join(map(repr, self.columns))
        raise SourceError(
            f"The table has no column {column!r}. Nothing was read and nothing charged. "
            f"Its columns are {known}."
        )

    def check(
        self,
        keys: Sequence[Key],
        unit: PrivacyUnit,
        *,
        unlisted: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        """Refuse a query the table cannot answer, before anything is charged.

        `unlisted` names the columns whose categories will be searched for, `numbers` those that
        will be summed.
        """
        if unit.column is not None and self.kind(unit.column) == "other":
            raise SourceError(
                f"Column {unit.column!r} holds values that cannot tell people apart. Whose rows "
                "are whose decides what is protected. Use a column of texts, numbers, dates or "
                "bytes."
            )
        for key in keys:
            self._check_kind(key.column, _kinds_of(key))
        for column in numbers:
            self._check_kind(column, _NUMERIC)
        for column in unlisted:
            if self.kind(column) != "text":
                raise SourceError(
                    f"Column {column!r} has {_plural[self.kind(column)]}, but only categories that "
                    "are text can be searched for. Numbers have too many values to hide in. "
                    f"Declare it as {_advice[self.kind(column)]}."
                )

    def _check_kind(self, column: str, wanted: tuple[ColumnKind, ...]) -> None:
        kind = self.kind(column)
        if kind not in wanted:
            raise SourceError(
                f"Column {column!r} is declared as something the table does not hold: it has "
                f"{_plural[kind]}. Every row would be left out, and the budget spent on nothing. "
                f"Declare it as {_advice[kind]}."
            )


class Engine(Protocol):
    """Turns a table into exact integers; one engine object serves one release.

    A second engine implements these verbs with the kernels of `sfumato.engines.kernel` and
    `sfumato.engines.places`; the sums of outer products that principal components need will be
    another verb here.
    """

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        ...

    def counts(self, keys: Sequence[Key], unit: PrivacyUnit) -> Exact:
        """Count units in every combination of public cells.

        Privacy
        -------
        One unit changes the answer by at most ``unit.weight`` in L1 and L2, over all cells
        together.
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
    "bytes": "bytes",
    "other": "values that cannot be charted",
}
_advice: dict[ColumnKind, str] = {
    "number": "(lower, upper), or as a list of numbers",
    "text": "a list of texts",
    "flag": "[False, True]",
    "time": "a pair of dates: (date(2026, 1, 1), date(2027, 1, 1))",
    "bytes": "another column: bytes can only tell people apart",
    "other": "another column: nested values and durations are not supported",
}
# Text is read as the declared kind: a CSV file has nothing but text.
_category_kinds: dict[str, tuple[ColumnKind, ...]] = {
    "text": ("text",),
    "number": ("number", "text"),
    "flag": ("flag", "text"),
}


_NUMERIC: tuple[ColumnKind, ...] = ("number", "flag", "text")


def _kinds_of(key: Key) -> tuple[ColumnKind, ...]:
    if isinstance(key, Grid | Edges):
        return ("time",) if key.bounds.time else _NUMERIC
    return _category_kinds[key.categories.kind]

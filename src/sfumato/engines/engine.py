"""What every engine can do. Charts know this protocol and no engine behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sfumato.domain import Bounds
from sfumato.errors import SourceError
from sfumato.exact import Exact
from sfumato.grid import Edges, Grid, Key
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
        self, keys: Sequence[Key], unit: PrivacyUnit, *, unlisted: Sequence[str] = ()
    ) -> None:
        """Refuse a query the table cannot answer, before anything is charged.

        `unlisted` names the columns whose categories will be searched for.
        """
        if unit.column is not None and self.kind(unit.column) == "other":
            raise SourceError(
                f"Column {unit.column!r} holds values that cannot tell people apart. Whose rows "
                "are whose decides what is protected. Use a column of texts, numbers, dates or "
                "bytes."
            )
        for key in keys:
            self._check_kind(key)
        for column in unlisted:
            if self.kind(column) != "text":
                raise SourceError(
                    f"Column {column!r} has {_plural[self.kind(column)]}, but only categories that "
                    "are text can be searched for. Numbers have too many values to hide in. "
                    f"Declare it as {_advice[self.kind(column)]}."
                )

    def _check_kind(self, key: Key) -> None:
        kind = self.kind(key.column)
        if isinstance(key, Grid | Edges):
            wanted = _numeric_kinds(key.bounds)
        else:
            wanted = _category_kinds[key.categories.kind]
        if kind not in wanted:
            raise SourceError(
                f"Column {key.column!r} is declared as something the table does not hold: it has "
                f"{_plural[kind]}. Every row would be left out, and the budget spent on nothing. "
                f"Declare it as {_advice[kind]}."
            )


class Engine(Protocol):
    """Turns a table into exact integers; one engine object serves one release.

    A second engine implements these verbs with the kernels of `sfumato.engines.kernel`; the sums
    of outer products that principal components need will be a third verb here.
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


def _numeric_kinds(bounds: Bounds) -> tuple[ColumnKind, ...]:
    return ("time",) if bounds.time else ("number", "flag", "text")

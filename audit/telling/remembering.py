"""`Remembering`: an engine of one table that looks each question up once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pyarrow as pa

from sfumato.addend import Addend, Member
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Schema
from sfumato.exact import Exact
from sfumato.lattice import Moments, Question
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")


class Remembering:
    """Answers as a real engine does, and knows the answer the next time.

    The true numbers of a table do not change between releases, so many of them can be drawn for
    little more than their noise. Which rows of a person count is drawn once, as for one release.
    """

    def __init__(self, table: pa.Table) -> None:
        self._engine = DuckEngine(table)
        self._known: dict[object, Any] = {}

    def schema(self) -> Schema:
        return self._engine.schema()

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        return self._ask(("counts", *keys, unit), lambda: self._engine.counts(keys, unit))

    def sums(self, keys: Sequence[Question], addend: Addend | Member, unit: PrivacyUnit) -> Exact:
        question = ("sums", *keys, addend, unit)
        return self._ask(question, lambda: self._engine.sums(keys, addend, unit))

    def marginals(
        self, tables: Sequence[Sequence[Question]], unit: PrivacyUnit
    ) -> tuple[Exact, ...]:
        question = ("marginals", *map(tuple, tables), unit)
        return self._ask(question, lambda: self._engine.marginals(tables, unit))

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        return self._ask(("gram", moments, unit), lambda: self._engine.gram(moments, unit))

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        return self._ask(("occupied", column, unit), lambda: self._engine.occupied(column, unit))

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        question = ("masses", plane, unit, weight)
        return self._ask(question, lambda: self._engine.masses(plane, unit, weight))

    def _ask(self, question: object, ask: Callable[[], T]) -> T:
        if question not in self._known:
            self._known[question] = ask()
        return self._known[question]

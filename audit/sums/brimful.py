"""An engine whose sums are as large as sums can be."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from sfumato.addend import Addend, Member
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Schema
from sfumato.engines.sums import CAP
from sfumato.exact import Exact
from sfumato.lattice import Moments, Question
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit


class Brimful:
    """Answers with sums near 2⁶², where an engine stops adding, in some of the cells or all."""

    def __init__(self, table: object, *, every: int) -> None:
        self._engine = DuckEngine(table, threads=1)
        self._every = every

    def schema(self) -> Schema:
        return self._engine.schema()

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        return self._filled(self._engine.counts(keys, unit))

    def restrict(self, where: str | None) -> Brimful:
        restricted = copy(self)
        restricted._engine = self._engine.restrict(where)
        return restricted

    def sums(self, keys: Sequence[Question], addend: Addend | Member, unit: PrivacyUnit) -> Exact:
        return self._filled(self._engine.sums(keys, addend, unit))

    def marginals(
        self, tables: Sequence[Sequence[Question]], unit: PrivacyUnit
    ) -> tuple[Exact, ...]:
        return tuple(map(self._filled, self._engine.marginals(tables, unit)))

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        found = self._engine.gram(moments, unit)
        sums = np.full_like(found.reveal(), -CAP)
        np.fill_diagonal(sums, CAP)
        return Exact(found.l1, found.l2_squared, found.step, _values=sums)

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        return self._filled(self._engine.occupied(column, unit))

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        return self._filled(self._engine.masses(plane, unit, weight))

    def _filled(self, exact: Exact) -> Exact:
        places = exact.reveal_places()
        return Exact(
            exact.l1,
            exact.l2_squared,
            exact.step,
            _values=self._full(exact.reveal()),
            _labels=exact.reveal_labels() or None,
            _places=places if places.size else None,
        )

    def _full(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        full = sums.copy()
        full.ravel()[:: self._every] = CAP
        return full

"""The verbs of an engine, whatever brings its sums together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Self, TypeVar

import numpy as np

from sfumato.addend import Addend, Member, addend_weight, check_room
from sfumato.engines.addends import GroupSums
from sfumato.engines.columns import Integers
from sfumato.engines.engine import Schema, redact_errors
from sfumato.engines.masses import Masses
from sfumato.engines.moments import Products
from sfumato.engines.selection import RestrictedSums
from sfumato.engines.sums import Counts, Marginals, Summation, divide_marginals
from sfumato.engines.typed import TypedColumns, TypedTerm
from sfumato.errors import DomainError, ProtectedUsers
from sfumato.exact import Exact
from sfumato.expressions import Expression
from sfumato.grid import shape
from sfumato.lattice import Moments, Question, moment_weight
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")


class QueryEngine(ABC):
    """Checks a question, has it summed without a word about the data, and states its sensitivity.

    An engine says how rows are summed: see `Addition` and `Masses` for what.
    """

    _where: TypedTerm | None = None
    """What holds of the rows that are counted anywhere."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""

    @abstractmethod
    def _summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        """Return sums over all rows, of which a unit's weigh what the question lets them."""

    @abstractmethod
    def _texts(self, column: str, unit: PrivacyUnit) -> Mapping[str, int]:
        """Return how much every text counts that occurs in `column`."""

    @abstractmethod
    def _sum_map(self, question: Masses) -> Exact:
        """Return what every occupied cell of a map weighs."""

    def restrict(self, where: str | None) -> Self:
        """Return an engine to which rows that do not meet a condition are nowhere.

        Such a row still takes its share of a person's weight. Refuses what is no condition on the
        columns of the table.

        Privacy
        -------
        A row is nowhere, or where it was, by that row alone: what is said of each answer holds. It
        has the salt of this engine, and serves the same release.
        """
        restricted = copy(self)
        schema = self.schema()
        known = TypedColumns(schema.columns, schema.untyped, schema.spacings)
        condition = None if where is None else known.read_condition(Expression.of(where))
        restricted._where = condition
        return restricted

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        """Count units in every combination of public cells.

        Privacy
        -------
        One unit changes the answer by at most ``unit.weight`` in L1 and L2, over all cells
        together.
        """
        sizes = shape(keys)
        self.schema().check(keys, unit, parsing=True)
        return self._exact(self._counted(keys, unit).reshape(sizes), unit)

    def sums(self, keys: Sequence[Question], addend: Addend | Member, unit: PrivacyUnit) -> Exact:
        """Sum the steps that rows of every combination of cells give to the ends of a range.

        The last axis has two entries: what goes to the lower end, and what goes to the upper one.

        Privacy
        -------
        One unit changes the answer by at most ``addend_weight(unit) * addend.steps`` in L1 and L2,
        over all cells and both ends together.
        """
        sizes = shape(keys)
        addend.check(int(np.prod(sizes, dtype=np.int64)))
        check_room(addend, unit)
        self.schema().check([*keys, addend], unit, parsing=True)
        found = redact_errors(lambda: self._ask(GroupSums(tuple(keys), addend), unit)).total()
        most = addend_weight(unit) * addend.steps
        step = 1 / (most if unit.shared else addend.steps)
        return Exact(most, most**2, step, _values=found.reshape(*sizes, 2))

    def marginals(
        self, tables: Sequence[Sequence[Question]], unit: PrivacyUnit
    ) -> tuple[Exact, ...]:
        """Count units in every combination of cells of each list of keys, in few passes.

        Privacy
        -------
        One unit changes each answer by at most ``unit.weight`` in L1 and L2; all of them at once.
        """
        self.schema().check([*chain.from_iterable(tables)], unit, parsing=True)
        if unit.max_rows is not None:
            # Which rows of a person count is decided for each list by the cells of that list.
            return tuple(self.counts(keys, unit) for keys in tables)
        passes = map(Marginals, divide_marginals(tables))
        found = redact_errors(lambda: [tally for each in passes for tally in self._ask(each, unit)])
        return tuple(
            self._exact(tally.total().reshape(shape(keys)), unit)
            for tally, keys in zip(found, tables, strict=True)
        )

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        """Sum the outer products of rows, which `moments` says how to measure and to cut.

        A row that lacks one of the columns is left out. Of a person's rows each weighs 1, or all
        share a weight of `SHARES`.

        Privacy
        -------
        One unit changes the whole matrix by at most ``moment_weight(unit) * moments.longest`` in
        Frobenius norm, which is L2, and by at most ``moments.size`` times that in L1.
        """
        self.schema().check([moments], unit, parsing=True)
        sums = redact_errors(lambda: self._ask(Products(moments), unit).total())
        weight = moment_weight(unit)
        most = weight * moments.longest
        step = 1 / weight if unit.shared else 1.0
        return Exact(moments.size * most, most**2, step, _values=sums)

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        """Count rows of every text that occurs in `column`; the texts are secret too.

        Texts of more than 256 characters are counted nowhere, and so are numbers that are not whole
        or not below 2⁵³ in size.

        Privacy
        -------
        One unit changes the counts by at most ``unit.weight`` and may add or remove up to that
        many cells, so only a mechanism that hides new cells may use the answer. Cells are sorted
        by their texts: their order says nothing else.
        """
        if unit.shared:
            raise DomainError(
                f"The texts of {column!r} cannot be searched for while each {unit.called} counts "
                "once.",
                "One person could fill any number of cells, and no threshold hides them all.",
                ("Write ", ProtectedUsers(unit.columns, 20), "."),
            )
        self.schema().check((), unit, unlisted=[column])
        found = dict(sorted(redact_errors(lambda: self._texts(column, unit)).items()))
        texts, sums = tuple(found), np.array([*found.values()], dtype=np.int64)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums, _labels=texts)

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        """Sum what units weigh in every occupied cell of a plane; the cells are secret too.

        Rows beyond the plane weigh nothing, or count at its edge, as it says.

        Privacy
        -------
        One unit changes the sums by at most ``influence(unit, weight)`` in L1, over all cells
        together. Which cells are listed depends on the data: a mechanism must ask for the mass
        of any cell, listed or not.
        """
        if unit.max_rows is not None:
            raise DomainError(
                f"A number of rows cannot bound what each {unit.called} weighs on a map.",
                "Which rows are kept would decide where a person is shown.",
                ("Write ", ProtectedUsers(unit.columns), "."),
            )
        weights = [] if weight is None else [weight.column]
        keys = [plane.x, plane.y] if plane.hue is None else [plane.x, plane.y, plane.hue]
        self.schema().check(keys, unit, numbers=weights, parsing=True)
        return redact_errors(lambda: self._sum_map(Masses(plane, unit, weight, self._where)))

    def _counted(self, keys: Sequence[Question], unit: PrivacyUnit) -> Integers:
        return redact_errors(lambda: self._ask(Counts(tuple(keys)), unit)).total()

    def _ask(self, question: Summation[T], unit: PrivacyUnit) -> T:
        if self._where is not None:
            question = RestrictedSums(question, self._where)
        return self._summed(question, unit)

    def _exact(self, sums: Integers, unit: PrivacyUnit) -> Exact:
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums)

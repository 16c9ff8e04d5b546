"""`Overhearing`: an engine of one of two tables that knows what the other would have answered.

The auditor knows both tables, and so what every released number would be without its noise. What
is asked, chosen and answered on the way to a release is observed, and nothing of it is changed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.charts.heatmap import adaptive
from sfumato.charts.heatmap import published as flat
from sfumato.charts.heatmap import published as pyramid
from sfumato.charts.pca import analysis as centre
from sfumato.charts.pca import analysis as reach
from sfumato.charts.pca.analysis import fold_cells
from sfumato.charts.scoreplot import cells as score_pyramid
from sfumato.engines import dispatch as duck
from sfumato.engines.engine import Schema
from sfumato.exact import Exact
from sfumato.lattice import Moments, Question
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import Family
from sfumato.mechanisms.survey import NoisySquares, Survey, survey, surveys
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit
from telling.copies import swiftly
from telling.laws import chosen_chances, gaussian_says, laplace_says
from telling.remembering import Remembering

Integers = NDArray[np.int64]
Exacts = tuple[Exact, Exact]
"""The answers of the table without the unit, and of the one with it."""


class _Known:
    """Stands in for secrets."""

    @staticmethod
    def token_hex(size: int) -> str:
        return "00" * size


class Tables(Protocol):
    """Two tables that are neighbours."""

    def table(self, joined: bool, copies: int) -> pa.Table:
        """Return the one with the unit, or the one without."""
        ...


class Overhearing:
    """Answers for one of two tables, and remembers what both answered last."""

    def __init__(self, pair: Tables, joined: bool, copies: int = 1) -> None:
        # Whoever listens must hear the same of both tables: one secret, once and for all, decides
        # which rows of a person count, since what is known of it must not tell who is listening.
        with patch.object(duck, "secrets", _Known):
            tables = [pair.table(each, copies) for each in (False, True)]
            self._engines = [Remembering(table) for table in tables]
        self._joined = joined
        self.answers: list[Exacts] = []
        self.surveys: list[Survey] = []
        self._choices: list[float] = []
        self._undecided: list[Exacts] = []
        self._decided: list[Exacts] = []

    def forget(self) -> None:
        """Forget all that was heard of the last release."""
        for heard in (self.answers, self.surveys, self._choices, self._undecided, self._decided):
            heard.clear()

    @property
    def choices_say(self) -> float:
        """How much all chosen cells speak for the table with the unit."""
        return sum(self._choices)

    def schema(self) -> Schema:
        return self._engines[0].schema()

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        return self._heard([engine.counts(keys, unit)] for engine in self._engines)[0]

    def marginals(
        self, tables: Sequence[Sequence[Question]], unit: PrivacyUnit
    ) -> tuple[Exact, ...]:
        return self._heard(engine.marginals(tables, unit) for engine in self._engines)

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        return self._heard([engine.gram(moments, unit)] for engine in self._engines)[0]

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        return self._heard([engine.occupied(column, unit)] for engine in self._engines)[0]

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        answers = ([engine.masses(plane, unit, weight)] for engine in self._engines)
        return self._heard(answers)[0]

    def _heard(self, answers: Iterable[Sequence[Exact]]) -> tuple[Exact, ...]:
        pairs = [(one, other) for one, other in zip(*answers, strict=True)]
        self.answers += pairs
        self._undecided, self._decided = list(pairs), []
        return tuple(pair[self._joined] for pair in pairs)

    def choose(
        self, meter: Meter, exact: Exact, *, levels: Sequence[Fraction], epsilon: Fraction
    ) -> Integers:
        """Choose as the mechanism does, and listen."""
        chosen = joint(meter, exact, levels=levels, epsilon=epsilon)
        exacts = self._undecided.pop(0)
        self._decided.append(exacts)
        # The law of several quantiles at once is not followed: they say nothing here.
        if len(levels) == 1:
            crowd = exact.reveal().ravel() - exacts[self._joined].reveal().ravel()
            without, joined = (
                chosen_chances(
                    (each.reveal().ravel() + crowd) / each.l1, float(levels[0]), float(epsilon)
                )
                for each in exacts
            )
            cell = int(chosen[0, 0])
            self._choices.append(float(np.log(joined[cell] / without[cell])))
        return chosen

    def fold(self, exact: Exact, middle: int) -> Exact:
        """Fold a column around its median as the analysis does, in both tables."""
        del exact  # one of the next pair
        one, other = (fold_cells(each.reshape_by_group(), middle) for each in self._decided.pop(0))
        self._undecided.append((one, other))
        return (one, other)[self._joined]

    def survey(self, meter: Meter, exact: Exact, levels: int, price: Fraction) -> Survey:
        """Open a survey as it is, and keep it to read what it answered."""
        self.surveys.append(survey(meter, exact, levels, price))
        return self.surveys[-1]

    def survey_groups(
        self, meter: Meter, exact: Exact, levels: int, price: Fraction, family: Family
    ) -> list[Survey]:
        """Open surveys of all groups as they are, and keep them."""
        opened = surveys(meter, exact, levels, price, family)
        self.surveys += opened
        return opened

    @contextmanager
    def listening(self) -> Generator[None]:
        """Listen to choices and surveys."""
        with ExitStack() as stack:
            for module in (centre, reach):
                stack.enter_context(patch.object(module, "joint", self.choose))
            stack.enter_context(patch.object(centre, "fold_cells", self.fold))
            for module in (adaptive, flat, pyramid):
                stack.enter_context(patch.object(module, "survey", self.survey))
            stack.enter_context(patch.object(score_pyramid, "surveys", self.survey_groups))
            stack.enter_context(swiftly())
            yield


@dataclass(frozen=True, eq=False)
class Maps:
    """One map of each table, both as an engine or a chart hands them to a survey."""

    without: Exact
    joined: Exact
    levels: int

    def say(self, survey: Survey) -> float:
        """Return how much all answers of a survey speak for the map with the unit."""
        says = laplace_says if survey.family == "laplace" else gaussian_says
        return sum(float(says(each.steps, each.scale, *self.true(each))) for each in survey.asked)

    def true(self, asked: NoisySquares) -> list[Integers]:
        """Return the masses of squares on both maps."""
        finer = 2 * (self.levels - asked.level)
        ends = asked.code << finer, (asked.code + 1) << finer
        return [each.reveal_between(*ends) for each in (self.without, self.joined)]

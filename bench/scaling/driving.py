"""What follows the sums, on one machine whatever the size of the table."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from scaling.questions import BUDGETS, Question
from sfumato.engines.engine import Engine
from sfumato.engines.sums import CAP
from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.plane import Plane
from sfumato.testing import measure_planned

RUNS = 3


@dataclass(frozen=True)
class Heard:
    """An engine that passes questions on, and keeps answers and how long each took.

    Parameters
    ----------
    sums
        How many whole numbers answer each question, occupied or not: a public fact.
    """

    engine: Any
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    answers: list[Any] = field(default_factory=list[Any])
    sums: list[int] = field(default_factory=list[int])

    def counts(self, *asked: Any) -> Any:
        return self._heard("counts", *asked)

    def marginals(self, *asked: Any) -> Any:
        return self._heard("marginals", *asked)

    def gram(self, *asked: Any) -> Any:
        return self._heard("gram", *asked)

    def masses(self, plane: Plane, *asked: Any) -> Any:
        found = self._heard("masses", plane, *asked)
        self.sums[-1] = 4**plane.levels
        return found

    def _heard(self, verb: str, *asked: Any) -> Any:
        begun = time.perf_counter()
        found = getattr(self.engine, verb)(*asked)
        self.seconds[verb] = self.seconds.get(verb, 0.0) + time.perf_counter() - begun
        self.answers.append(found)
        self.sums.append(sum(exact.reveal().size for exact in _each(found)))
        return found

    @property
    def occupied(self) -> int:
        """How many of the sums are not zero."""
        exacts = [exact for found in self.answers for exact in _each(found)]
        return sum(int(np.count_nonzero(exact.reveal())) for exact in exacts)


class Given:
    """An engine that knows its answers, to time what follows."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers: Iterator[Any] = iter(answers)

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        return self._next

    def _next(self, *_: object) -> Any:
        return next(self._answers)


def heard(question: Question, engine: Any) -> Heard:
    """Measure a chart once, and return what was asked and answered."""
    listening = Heard(engine)
    plan = question.asked.plan(question.domain, question.privacy_unit, BUDGETS[question.chart])
    measure_planned(question.asked, cast(Engine, listening), plan)
    return listening


def driver_seconds(question: Question, answers: list[Any]) -> float:
    """Return how long a chart takes where the sums are known: the least of several runs.

    NaN where it is withheld, as components of more people are than their sums have room for.
    """
    plan = question.asked.plan(question.domain, question.privacy_unit, BUDGETS[question.chart])
    least = float("inf")
    for _ in range(RUNS):
        begun = time.perf_counter()
        try:
            measure_planned(question.asked, cast(Engine, Given(answers)), plan)
        except DomainError:
            return math.nan
        least = min(least, time.perf_counter() - begun)
    return least


def grown(answers: list[Any], times: int) -> list[Any]:
    """Return the answers that a table would give in which every unit stands so many times."""
    return [_grown(found, times) for found in answers]


def _grown(found: Any, times: int) -> Any:
    if isinstance(found, tuple):
        return tuple(_grown(exact, times) for exact in cast("tuple[Exact, ...]", found))
    most = CAP // times
    values = np.clip(found.reveal(), -most, most) * times
    places = found.reveal_places()
    return Exact(
        found.l1,
        found.l2_squared,
        found.step,
        _values=values,
        _places=places if places.size else None,
    )


def _each(found: Any) -> tuple[Exact, ...]:
    return cast("tuple[Exact, ...]", found if isinstance(found, tuple) else (found,))

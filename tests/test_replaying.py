"""What is asked after a look follows from noisy numbers alone, and all noise hides one unit.

A release is measured of one table, and again of a neighbour where every mechanism gives the answers
that it gave before. Nothing but these answers may have been read: both times the same is asked, as
often and with as much noise, and the same is released. What all answers together tell the two
tables apart by is added up from the true numbers, and stays within the plan's cost.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from sfumato.catalogue import CITY, Request, citizens, requests
from sfumato.charts.chart import Redrawn
from sfumato.engines.dispatch import DuckEngine
from sfumato.mechanisms import approx, joint, noise, sparse, stability, threshold
from sfumato.testing import measure_planned, seeded

CHOICES = (
    joint.joint,
    approx.approx,
    approx.single,
    threshold.threshold,
    threshold.extremes,
    stability.threshold_categories,
    sparse.threshold_counts,
)
"""What draws by chance but not by adding noise: taken as it was, at its stated cost."""


class Differs(AssertionError):
    """Another question was asked, or none."""


@dataclass
class Tape:
    """The answers of one measurement, and what the same questions would have told of another."""

    answers: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    place: int | None = None  # while it is played
    pure: float = 0.0
    rho: float = 0.0

    def noised(self, receipt: Any, values: Any, family: str, scale: float) -> Any:
        """Stand in for `add_noise`."""
        if self.place is None:
            noisy = ADD(receipt, values, family, scale)
            self.answers.append((family, scale, values.copy(), noisy))
            return noisy
        kind, before, true, noisy = self._next()
        if (kind, before, true.shape) != (family, scale, values.shape):
            raise Differs("another number of questions, or other noise")
        moved = np.abs(values.astype(np.float64) - true)
        if family == "laplace":
            self.pure += float(moved.sum()) / scale
        else:
            self.rho += float((moved**2).sum()) / (2 * scale**2)
        return noisy.copy()

    def chosen(self, choose: Callable[..., Any]) -> Callable[..., Any]:
        """Stand in for a mechanism that chooses."""

        def stand_in(meter: Any, exact: Any, **asked: Any) -> Any:
            if self.place is None:
                before = meter.spent
                found = choose(meter, exact, **asked)
                cost = float(meter.spent.epsilon - before.epsilon)
                self.answers.append((choose.__name__, _plain(asked), cost, found))
                return found
            name, before, cost, found = self._next()
            if (name, before) != (choose.__name__, _plain(asked)):
                raise Differs("another choice")
            self.pure += cost
            return found

        return stand_in

    def _next(self) -> tuple[Any, ...]:
        if self.place == len(self.answers):
            raise Differs("more questions")
        self.place += 1
        return self.answers[self.place - 1]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record, or play what was recorded."""
        stand_ins = {ADD: self.noised, **{choose: self.chosen(choose) for choose in CHOICES}}
        outside = [m for n, m in sys.modules.items() if n.startswith("sfumato.")]
        with ExitStack() as stack:
            for module in outside:
                if module.__name__ == "sfumato.mechanisms.threshold":
                    continue
                for name, value in list(vars(module).items()):
                    known = stand_ins.get(value) if callable(value) and _hashable(value) else None
                    if known is not None:
                        stack.enter_context(patch.object(module, name, known))
            yield


ADD = noise.add_noise


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _plain(asked: dict[str, Any]) -> str:
    return repr({name: value for name, value in sorted(asked.items())})


def told_apart(chart: Any, plan: Any, one: pa.Table, other: pa.Table) -> Tape:
    """Measure one table, play it to another, and return what tells them apart."""
    tape, releases = Tape(), []
    for table in (one, other):
        engine = DuckEngine(table)
        engine._salt = "5a17"
        with tape.running(), seeded(3):
            releases.append(measure_planned(chart, engine, plan))
        if tape.place is not None and tape.place != len(tape.answers):
            raise Differs("fewer questions")
        tape.place = 0
    assert releases[0] == releases[1], "a release follows from more than its answers"
    return tape

"""Heatmaps, audited: neighbouring tables are told apart no better than promised.

The auditor knows both tables and every integer that is released, and adds up exactly what each of
them says for one table and against the other. What follows from these integers alone cannot tell
it more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from audit.measuring import Draws, measured_epsilon
from sfumato.charts.heat import adaptive, flat, pyramid
from sfumato.charts.heat.adaptive import Adaptive
from sfumato.charts.heat.flat import Dense, Laplace
from sfumato.charts.heat.method import Method
from sfumato.charts.heat.pyramid import Pyramid
from sfumato.domain import Bounds
from sfumato.engines.duck import DuckEngine
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.survey import Asked, Survey
from sfumato.plane import Plane
from sfumato.privacy.unit import PrivacyUnit
from sfumato.testing import seeded

pytestmark = pytest.mark.slow

LEVELS = 3
PLANE = Plane(Grid("x", Bounds(0, 8), 8), Grid("y", Bounds(0, 8), 8))
EPSILON, PROMISE = Fraction(4), Fraction(2)
DRAWS = 700

USERS = PrivacyUnit.users("who")

Rows = list[tuple[str, float, float]]
"""Who was where."""

CROWD: Rows = [("a", 1, 1), ("b", 1, 1), ("c", 6, 1), ("c", 6, 2), ("d", 1, 6)]


@dataclass(frozen=True)
class Pair:
    """A table, and the rows of one person more."""

    table: Rows
    person: Rows
    unit: PrivacyUnit = USERS


PAIRS = {
    "someone stands where nobody was": Pair(CROWD, [("z", 7, 7)]),
    "the first person comes": Pair([], [("z", 3, 4)]),
    "someone joins a crowd": Pair(CROWD * 3, [("z", 1, 1)]),
    "someone is everywhere at once": Pair(
        CROWD, [("z", column, row) for column in range(8) for row in range(8)]
    ),
    "someone has a thousand rows on one spot": Pair(CROWD, [("z", 5, 5)] * 1000),
    "a row is added": Pair(CROWD, [("a", 1, 1)], PrivacyUnit.rows()),
}


def counted(rows: Rows, unit: PrivacyUnit) -> Exact:
    who, x, y = zip(*rows, strict=True) if rows else ((), (), ())
    names = pa.array(who, pa.string())
    table = pa.table({"who": names, "x": pa.array(x, pa.float64()), "y": pa.array(y, pa.float64())})
    return DuckEngine(table).masses(PLANE, unit)


def methods(epsilon: Fraction) -> dict[str, Method]:
    return {
        "adaptive": Adaptive(epsilon),
        "pyramid": Pyramid(epsilon, LEVELS),
        "laplace": Laplace(epsilon),
        "dense": Dense(epsilon),
    }


def true_masses(exact: Exact, asked: Asked) -> NDArray[np.int64]:
    level, code = (np.asarray(each) for each in (asked.level, asked.code))
    finer = 2 * (LEVELS - level)
    places, values = exact.reveal_places(), exact.reveal()
    inside = (places >> finer[:, None]) == code[:, None]
    return (inside * values).sum(axis=1)


def heard(survey: Survey, one: Exact, other: Exact) -> list[float]:
    """Return how much each round says for one table and against the other."""
    says: list[float] = []
    for asked in survey.asked:
        near, far = (
            np.abs(asked.steps - true_masses(exact, asked)) / asked.scale for exact in (one, other)
        )
        says.append(float((far - near).sum()))
    return says


Broken = Callable[[type[Survey]], type[Survey]]


def measured(method: Method, pair: Pair, survey: type[Survey] = Survey) -> float:
    """Return the ε that releases of both tables show."""
    one = counted(pair.table, pair.unit)
    other = counted([*pair.table, *pair.person], pair.unit)
    seen: list[list[list[float]]] = []
    opened: list[Survey] = []

    def remembered(exact: Exact, levels: int, epsilon: Fraction) -> Survey:
        opened.append(survey(exact, levels, epsilon))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        for module in (adaptive, flat, pyramid):
            patch.setattr(module, "Survey", remembered)
        # Where to look next may follow from answers in any way: here in a quick one.
        patch.setattr(adaptive, "decode", lambda tree, unit: np.maximum(tree.value[-1], 0.0))
        for seed, exact in enumerate((one, other)):
            with seeded(seed):
                for _ in range(DRAWS):
                    method.map(exact, PLANE)
            seen.append([heard(each, one, other) for each in opened])
            opened.clear()
    draws: list[Draws] = [np.array(says).sum(axis=1, keepdims=True) for says in seen]
    return measured_epsilon(*draws)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("name", methods(EPSILON))
def test_neighbours_are_told_apart_no_better_than_promised(name: str, pair: Pair) -> None:
    assert measured(methods(EPSILON)[name], pair) <= EPSILON


@pytest.mark.parametrize("name", methods(EPSILON))
def test_the_audit_comes_near_what_is_promised(name: str) -> None:
    pair = PAIRS["someone stands where nobody was"]
    assert measured(methods(EPSILON)[name], pair) > 0.5 * EPSILON


class HalfTheNoise(Survey):
    """Adds the noise of twice the ε that it accounts for."""

    def __init__(self, exact: Exact, levels: int, epsilon: Fraction) -> None:
        half = Exact(
            (exact.l1 + 1) // 2 or 1,
            exact.l2_squared,
            exact.step,
            _values=exact.reveal(),
            _places=exact.reveal_places(),
        )
        super().__init__(half, levels, epsilon)


class EachSquareItsOwnBudget(Survey):
    """Forgets that squares of different levels hold the same people."""

    def _dearest(self, asks: object) -> Fraction:
        return Fraction(0)

    def ask(self, level: object, code: object, epsilon: Fraction) -> Asked:
        return super().ask(level, code, self._price)  # type: ignore[arg-type]


@pytest.mark.parametrize("twin", [HalfTheNoise, EachSquareItsOwnBudget])
def test_a_broken_survey_is_told_apart_better_than_promised(twin: type[Survey]) -> None:
    pair = PAIRS["someone stands where nobody was"]
    for method in (Adaptive(PROMISE), Pyramid(PROMISE, LEVELS)):
        assert measured(method, pair, twin) > PROMISE


def test_rows_that_do_not_share_their_weight_are_told_apart_better_than_promised() -> None:
    pair = PAIRS["someone has a thousand rows on one spot"]
    rows = replace(pair, unit=PrivacyUnit.rows(), person=pair.person[:4])
    assert measured(Laplace(PROMISE), rows) > PROMISE

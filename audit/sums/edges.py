"""Charts where numbers end: budgets, bounds, values and sums of every size that can be typed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Engine
from sfumato.errors import SfumatoError
from sfumato.privacy.budget import Budget
from sfumato.testing import measure_planned
from sums.asked import DOMAIN, UNITS, Asked, catalogue
from sums.brimful import Brimful
from sums.finite import finite
from sums.tables import DAYS, EXTREMES, WHOLE, extreme, midnights, ordinary

EPSILONS = (5e-324, 1e-300, 1e-12, 1e-6, 1e-3, 50.0, 1e3, 1e6, 1e12, 1e300)
LARGEST = 1.7976931348623157e308
WIDTHS: tuple[tuple[Any, Any], ...] = (
    (-LARGEST, LARGEST),
    (-1e308, 1e307),
    (0.0, LARGEST),
    (0.0, 5e-324),
    (0.0, 1e-305),
    (0.0, 1e-300),
    (0.0, 1e200),
    (1e308, 1.0000000000000002e308),
    (-0.0, 1.0),
    (2**53, 2**53 + 2),
    (-(2**63), 2**63),
)
GROUPS = {name: DOMAIN.fact(name) for name in "gh"}
SPANS = ((date.min, date.max), (date(1970, 1, 1), date(1970, 1, 2)))


@dataclass(frozen=True)
class Edge:
    """A request at the edge of what numbers can hold, and the engine that answers it."""

    kind: str
    where: str
    asked: Asked
    domain: Mapping[str, object] = field(repr=False)
    epsilon: float
    engine: Callable[[], Engine] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.where}: {self.asked}"


def outcome(edge: Edge) -> str:
    """Return what became of a request: ``"refused"`` from public facts, ``"finite"``, or a fault.

    Sums that reached 2⁶² are withheld by a rule about noisy numbers, with an error of our own.
    """
    try:
        budget = Budget(edge.epsilon, edge.asked.budget.delta, weak=True)
        engine = edge.engine()
        schema = engine.schema()
        domain = schema.refine(Domain.of(edge.domain))
        plan = edge.asked.chart.plan(domain, edge.asked.unit, budget)
        plan.check(schema)
        engine.restrict(edge.asked.chart.where)
    except SfumatoError:
        return "refused"
    return _released(edge, plan, engine)


def _released(edge: Edge, plan: Any, engine: Engine) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            release = measure_planned(edge.asked.chart, engine, plan)
            return "finite" if finite(release) else "a number that is not finite"
        except SfumatoError:
            return "withheld" if _summed(edge) else "refused after the charge"
        except Exception as error:  # noqa: BLE001 - each of them is a finding
            return f"{type(error).__name__} after the charge"


PASSING = ("refused", "finite", "withheld")


def _summed(edge: Edge) -> bool:
    return edge.kind == "sums" and edge.asked.name in ("pca", "corrplot", "scoreplot")


@cache
def edges() -> tuple[Edge, ...]:
    """Return every chart at every edge, those of one kind together."""
    asked = [each for each in catalogue() if each.unit in UNITS[:2]]
    return tuple(edge for each in asked for edge in (*_budgets(each), *_bounds(each), *_sums(each)))


def _budgets(asked: Asked) -> list[Edge]:
    def engine() -> Engine:
        return DuckEngine(ordinary(60, 0), threads=1)

    domain = dict(DOMAIN.columns)
    return [Edge("budgets", f"ε = {each:g}", asked, domain, each, engine) for each in EPSILONS]


def _bounds(asked: Asked) -> list[Edge]:
    found: list[Edge] = []
    for pair in WIDTHS:
        values = WHOLE if isinstance(pair[0], int) else EXTREMES
        domain = {"x": pair, "y": pair, "z": pair, "w": (0, pair[1]), **GROUPS}
        found.append(_placed(asked, f"{pair[0]:g} to {pair[1]:g}", domain, values))
    for pair in SPANS:
        domain = {"x": pair, "y": pair, "z": pair, "w": (0, 1), **GROUPS}
        found.append(_placed(asked, f"{pair[0]} to {pair[1]}", domain, DAYS))
        found.append(_placed(asked, f"{pair[0]} to {pair[1]}, at times", domain, midnights(DAYS)))
    return found


def _placed(asked: Asked, where: str, domain: Mapping[str, object], values: Any) -> Edge:
    def engine() -> Engine:
        return DuckEngine(extreme(values), threads=1)

    return Edge("bounds", where, asked, domain, asked.budget.epsilon, engine)


def _sums(asked: Asked) -> list[Edge]:
    def engine(every: int) -> Callable[[], Engine]:
        return lambda: Brimful(ordinary(60, 0), every=every)

    domain, epsilon = dict(DOMAIN.columns), asked.budget.epsilon
    return [
        Edge("sums", words, asked, domain, epsilon, engine(every))
        for words, every in (("all 2⁶² − 1", 1), ("some 2⁶² − 1", 3))
    ]

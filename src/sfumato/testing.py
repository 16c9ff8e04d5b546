"""For tests and simulations: repeatable noise that is loudly not private, and a made-up city."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np

from sfumato.charts.chart import Chart, R_co
from sfumato.city import checkins, city, districts
from sfumato.engines.engine import Engine
from sfumato.mechanisms.meter import Meter, simulated
from sfumato.privacy.budget import Cost

__all__ = ["checkins", "city", "districts", "seeded"]


def __dir__() -> list[str]:
    """List what is public: editors complete it."""
    return __all__


T = TypeVar("T")
Q = ParamSpec("Q")


@contextmanager
def seeded(seed: int) -> Generator[None]:
    """Make every release inside the block repeatable, quick to draw, and not private.

    Privacy
    -------
    None. Whoever knows the seed can subtract the noise, so each release made here says
    ``private=False`` and every figure of it carries a watermark.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = city(people=500)
    >>> with seeded(7):
    ...     one = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> with seeded(7):
    ...     two = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> one == two, one.private
    (True, False)
    """
    with simulated(np.random.default_rng(seed)):
        yield


def measure_planned(chart: Chart[Any, R_co], engine: Engine, plan: Any) -> R_co:
    """Measure a planned chart without a ledger: for those who simulate, attack and time it.

    Privacy
    -------
    Draws what the plan costs each time it is called, and nobody adds it up.
    """
    counting = engine if chart.where is None else engine.restrict(chart.where)
    with Meter(plan.cost, plan.label) as meter:
        release = chart.measure(counting, plan, meter)
    return release.marked(private=meter.private)


@dataclass(frozen=True, eq=False)
class Metered(Generic[T]):
    """What a mechanism answered by itself, what it paid, and whether its noise was real."""

    values: T
    cost: Cost
    private: bool


def metered(
    mechanism: Callable[Concatenate[Meter, Q], T], *given: Q.args, **named: Q.kwargs
) -> Metered[T]:
    """Ask one mechanism with an ample meter: for those who study it by itself.

    Privacy
    -------
    As the mechanism states, once for every call, and nobody adds it up.
    """
    with ample_meter() as meter:
        values = mechanism(meter, *given, **named)
    return Metered(values, meter.spent, meter.private)


def ample_meter() -> Meter:
    """Return a meter that nothing exhausts."""
    plenty = Fraction(10**40)
    return Meter(Cost(None, plenty, plenty))

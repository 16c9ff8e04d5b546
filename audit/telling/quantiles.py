"""Quantiles under attack: cells that are chosen, by each method, and counts around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.charts.quantiles import Quantiles, QuantilesPlan
from sfumato.domain import Domain
from sfumato.engines.engine import Engine
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned
from telling.breaking import less_noise, sharpened
from telling.case import Case, Draws, Trials, Twin
from telling.copies import MOST, Copies, by_copies, domain_of
from telling.pairs import ROWS, UNITS, USERS, Pair, Row, at, crowd, nasty

EPSILON = 3.0
TRIALS_OF_NASTY = Trials(384, 384)
TWIN_TRIALS = 2304

METHODS = ("joint", "jointexp", "approx", "single", "unbounded")
QUARTILES = (0.25, 0.5, 0.75)

# A hundred values, so that a gap between two rows can be as wide as an attack needs it to be.
_WIDEST, _NARROW = 99.0, 8.0


def _thrice(rows: Sequence[Row], unit: PrivacyUnit) -> tuple[Row, ...]:
    """Return rows that weigh as much as one unit can."""
    return tuple(row for row in rows for _ in range(unit.max_rows or 1))


def _median(unit: PrivacyUnit) -> Pair:
    """The median lies anywhere between two rows, until a third makes it the larger of them."""
    return Pair("above the median", _thrice(crowd(0, 60), unit), _thrice([at(_WIDEST)], unit))


def _walk(unit: PrivacyUnit) -> Pair:
    """A walk among nobody stops almost at once, unless there is someone at the next rung."""
    return Pair("alone at the second rung", (), _thrice([at(1.0)], unit))


REPLACED = Pair("another row instead", crowd(90), (at(_WIDEST),), instead=(at(0.0),))
"""The median is anywhere in the long gap below 90, or anywhere in the short one above it."""


@dataclass(frozen=True)
class Choosing:
    """Quantiles for one unit, and two tables to tell apart.

    Parameters
    ----------
    size
        The public number of rows, where neighbours replace one row.
    """

    method: str
    unit: PrivacyUnit
    pair: Pair
    levels: tuple[float, ...] = (0.5,)
    widest: float = _WIDEST
    size: int | None = None
    epsilon: float = EPSILON
    delta: float = 0.0

    def plan(self, domain: Domain) -> QuantilesPlan:
        """Return the plan of the chart by copies."""
        return self.chart.plan(
            self._public(domain), self.unit, Budget(self.epsilon, self.delta, weak=True)
        )

    def _public(self, domain: Domain) -> Domain:
        return Domain(**{**domain.columns, "x": (0, self.widest)})

    @property
    def chart(self) -> Quantiles:
        """What is asked, of each copy where there may be groups."""
        chart = Quantiles("x", self.levels, hue="copy", step=1, method=self.method)
        if self.size is None:
            return chart
        return Quantiles(
            "x", self.levels, step=1, method=self.method, neighbours="replace", n=self.size
        )

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what so many releases show: chosen cells, as one number and each, and counts."""

        def look(copies: Copies) -> Draws:
            return self._seen(copies.engine, self.plan(copies.domain))

        most = MOST if self.size is None else 1
        return by_copies(self.pair, joined, trials, look, most=most)

    def _seen(self, engine: Engine, plan: QuantilesPlan) -> Draws:
        release = measure_planned(self.chart, engine, plan)
        cells = np.reshape(release.cells, (-1, len(self.levels)))
        code = cells @ (128 ** np.arange(len(self.levels)))
        counts = [
            (group.size, sum(group.counts), group.counts[0], group.counts[-1])
            for group in release.measured
        ]
        # What is chosen and what is counted tell more together than either does alone.
        both = cells[:, -1] + np.array(counts)[:, 3] * release.unit_step
        return np.column_stack([code, cells, counts, both]).astype(np.float64)

    def case(
        self,
        *,
        tight: bool = False,
        trials: Trials = TRIALS_OF_NASTY,
        twins: tuple[Twin, ...] = (),
        routine: bool = False,
    ) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        named = self.method if self.size is None else f"{self.method}, replace"
        return Case(
            "quantiles",
            named,
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            tight,
            self.draw,
            trials,
            twins,
            routine,
        )


_SHARP = Twin("six times as sharp", lambda: sharpened(6), TWIN_TRIALS)
_COUNTED = Twin("a twelfth of the noise on counts", lambda: less_noise(1 / 12), TWIN_TRIALS)


def _tight(method: str, unit: PrivacyUnit) -> Case:
    walking = method == "unbounded"
    pair, widest = (_walk(unit), _NARROW) if walking else (_median(unit), _WIDEST)
    sharp = Twin("a sixth of the noise", lambda: less_noise(1 / 6), TWIN_TRIALS)
    if not walking:
        sharp = _SHARP
    # All methods count alike: every day one of them is seen to lack noise there.
    counted = not walking and (unit != ROWS or method == "joint")
    return Choosing(method, unit, pair, widest=widest).case(
        tight=not walking or unit == ROWS,  # of people a walk was seen to tell 1.4 of 3 at most
        trials=Trials(2304, 20480 if unit == ROWS else 10240),
        twins=(sharp, _COUNTED) if counted else (sharp,),
        routine=unit == ROWS,
    )


def _replacing(method: str) -> Case:
    walking = method == "unbounded"
    return Choosing(method, ROWS, REPLACED, size=2).case(
        tight=not walking,
        trials=Trials(2304, 12288),
        twins=() if walking else (_SHARP, _COUNTED),
    )


def cases() -> tuple[Case, ...]:
    """Return all attacks on quantiles."""
    tight = [_tight(method, unit) for unit in UNITS for method in METHODS]
    replacing = [_replacing(method) for method in METHODS[1:]]
    nastily = [
        Choosing(method, unit, pair, widest=_NARROW, epsilon=1.0).case()
        for method in METHODS
        for unit in UNITS
        for pair in nasty(unit)
    ]
    by_rho = [
        Choosing(method, unit, pair(unit), levels, epsilon=1.0, delta=0.05).case(
            trials=Trials(0, 2048)
        )
        for method in METHODS
        for unit in (ROWS, USERS)
        for pair, levels in ((_median, (0.5,)), (_median, QUARTILES))
    ]
    several = [
        Choosing(method, unit, _median(unit), QUARTILES).case(trials=Trials(512, 1024))
        for method in METHODS
        for unit in UNITS
    ]
    return (*tight, *replacing, *several, *by_rho, *nastily)

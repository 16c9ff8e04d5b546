"""Components and score plots that break their promise, for as long as a context lasts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch

import numpy as np

from sfumato.charts.chart import Plan
from sfumato.charts.components import summing
from sfumato.charts.components.reach import FoundReach, Reach
from sfumato.charts.scores import filling
from sfumato.charts.scores.filling import Noised
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.lattice import Distance
from sfumato.mechanisms.noise import Noisy
from sfumato.mechanisms.sparse import occupied_counts
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit


def distance_from_the_data() -> AbstractContextManager[object]:
    """Take the farthest row for a radius or a frame, and say that a quantile was paid for."""

    def careless(plan: Reach, engine: Engine, key: Distance, unit: PrivacyUnit) -> FoundReach:
        occupied = np.flatnonzero(engine.counts([key], unit).reveal())
        return FoundReach(key.edges[int(occupied.max(initial=0)) + 1], plan.cost, private=True)

    return patch.object(Reach, "find", careless)


def sums_of_a_row() -> AbstractContextManager[object]:
    """Add noise that hides a row in sums of outer products, where a person has several."""
    return patch.object(summing, "moment_weight", _one)


@contextmanager
def counts_of_a_row() -> Generator[None]:
    """Add noise that hides a row in a histogram, where several of a person's count."""
    with (
        patch.object(Noised, "noise", property(_law_of_a_row)),
        patch.object(Plan, "admit", _nothing),  # which would notice, and withhold it
    ):
        yield


def threshold_one_lower() -> AbstractContextManager[object]:
    """Show a cell one row too early, at the price of showing it in time."""

    def careless(exact: Exact, *, scale: float, threshold: int) -> Noisy:
        paid = occupied_counts(exact, scale=scale, threshold=threshold)
        shown = occupied_counts(exact, scale=scale, threshold=threshold - 1)
        return Noisy(shown.values, paid.cost, shown.private)

    return patch.object(filling, "occupied_counts", careless)


def _one(unit: PrivacyUnit) -> int:
    del unit
    return 1


def _nothing(plan: Plan, spent: Cost) -> None:
    del plan, spent


def _law_of_a_row(filling: Noised) -> NoiseLaw:
    return filling.portion.law(1)

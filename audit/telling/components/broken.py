"""Components and score plots that break their promise, for as long as a context lasts."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.pca import analysis as summing
from sfumato.charts.pca.analysis import RadiusSearch
from sfumato.charts.scoreplot import cells as filling
from sfumato.charts.scoreplot.cells import Noised
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.lattice import DistanceCells
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.sparse import threshold_counts
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import metered


def distance_from_the_data() -> AbstractContextManager[object]:
    """Take the farthest row for a radius or a frame, and say that a quantile was paid for."""

    def careless(
        plan: RadiusSearch, engine: Engine, meter: Meter, key: DistanceCells, unit: PrivacyUnit
    ) -> float:
        meter.pay(plan.cost)
        occupied = np.flatnonzero(engine.counts([key], unit).reveal())
        return key.edges[int(occupied.max(initial=0)) + 1]

    return patch.object(RadiusSearch, "find", careless)


def scale_from_the_data() -> AbstractContextManager[object]:
    """Take the farthest row for a scale, and say that a quantile was paid for."""

    def careless(plan: RadiusSearch, meter: Meter, exact: Exact, rungs: int) -> int:
        del rungs
        meter.pay(plan.cost)
        return int(np.flatnonzero(exact.reveal()).max(initial=0) % exact.reveal().shape[-1])

    return patch.object(RadiusSearch, "choose", careless)


def sums_of_a_row() -> AbstractContextManager[object]:
    """Add noise that hides a row in sums of outer products, where a person has several."""
    return patch.object(summing, "moment_weight", _one)


@contextmanager
def counts_of_a_row() -> Generator[None]:
    """Add noise that hides a row in a histogram, where several of a person's count."""
    with (
        patch.object(Noised, "noise", property(_law_of_a_row)),
        patch.object(Cost, "within", _always),  # or the meter would notice, and withhold it
    ):
        yield


def threshold_one_lower() -> AbstractContextManager[object]:
    """Show a cell one row too early, at the price of showing it in time."""

    def careless(meter: Meter, exact: Exact, *, scale: float, threshold: int) -> NDArray[np.int64]:
        threshold_counts(meter, exact, scale=scale, threshold=threshold)
        return metered(threshold_counts, exact, scale=scale, threshold=threshold - 1).values

    return patch.object(filling, "threshold_counts", careless)


def _one(unit: PrivacyUnit) -> int:
    del unit
    return 1


def _always(spent: Cost, limit: Cost, order: Fraction | None = None) -> bool:
    del spent, limit, order
    return True


def _law_of_a_row(filling: Noised) -> NoiseLaw:
    return filling.portion.law(1)

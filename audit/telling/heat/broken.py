"""Heatmaps that break their promise, for as long as a context lasts."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import dispatch as duck
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.mechanisms import survey
from sfumato.mechanisms.meter import Receipt
from sfumato.mechanisms.noise import Family, add_noise
from sfumato.mechanisms.survey import NoisySquares, Survey
from sfumato.plane import Plane, Weight, influence
from sfumato.privacy.guarantee import PrivacyUnit


def noise_on_occupied() -> AbstractContextManager[object]:
    """Add noise only where someone is."""

    def careless(
        receipt: Receipt, values: NDArray[np.int64], family: Family, scale: float
    ) -> NDArray[np.int64]:
        return np.where(values > 0, add_noise(receipt, values, family, scale), 0)

    return patch.object(survey, "add_noise", careless)


@contextmanager
def full_price_each_level() -> Generator[None]:
    """Spend all there is on every level, as if squares of different sizes held different people."""
    ask = Survey.ask

    def careless(self: Survey, level: object, code: object, price: Fraction) -> NoisySquares:
        del price
        return ask(self, level, code, self._price)  # type: ignore[arg-type]

    with (
        patch.object(Survey, "ask", careless),
        patch.object(Survey, "_compute_path_price", _free),
    ):
        yield


def rows_weigh_one() -> AbstractContextManager[object]:
    """Let each row of a person weigh as much as the person."""
    masses = DuckEngine.masses

    def careless(
        self: DuckEngine, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None
    ) -> Exact:
        del unit
        return masses(self, plane, PrivacyUnit.rows(), weight)

    return patch.object(DuckEngine, "masses", careless)


def weights_half_as_heavy() -> AbstractContextManager[object]:
    """Take a row to weigh at most half of what it can."""

    def careless(unit: PrivacyUnit, weight: Weight | None) -> tuple[int, float]:
        whole, step = influence(unit, weight)
        return whole // 2, step

    return patch.object(duck, "influence", careless)


def _free(survey: Survey, asks: Sequence[NoisySquares]) -> Fraction:
    del survey, asks
    return Fraction(0)

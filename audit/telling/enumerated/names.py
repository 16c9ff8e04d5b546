"""Categories that are shown from a threshold on: the chances of all sets of them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms import stability
from sfumato.mechanisms.meter import Receipt
from sfumato.mechanisms.stability import threshold_categories
from sfumato.testing import metered
from telling.enumerated.counts import laplace_tail, neighbours
from telling.enumerated.walks import precisely

Shows = dict[int, Decimal]
"""How likely each count is to be shown."""


def named(counts: list[int], labels: list[str], rows: int = 1) -> Exact:
    """Return the counts of categories whose names are secret too."""
    return Exact(rows, rows**2, 1.0, np.array(counts, dtype=np.int64), tuple(labels))


def decimal(amount: Fraction) -> Decimal:
    """Return a fraction to as many digits as are in use."""
    return Decimal(amount.numerator) / Decimal(amount.denominator)


@precisely
def show_chances(threshold: int, scale: float) -> Shows:
    """How likely each count is to be shown, from what the code does with every possible noise."""
    reach = np.arange(-threshold - 10, threshold + 11)

    def every_noise(
        receipt: Receipt, values: NDArray[np.int64], _: str, __: float
    ) -> NDArray[np.int64]:
        del receipt
        return values + reach

    chances = {0: Decimal(0)}
    with mock.patch.object(stability, "add_noise", every_noise):
        for count in range(1, threshold + 6):
            labels = [f"{index:06d}" for index in range(reach.size)]
            exact = named([count] * reach.size, labels)
            shown = metered(threshold_categories, exact, scale=scale, threshold=threshold).values
            # Noise is shown from some value on upwards, so that its tail is the whole chance.
            first = reach.size - len(shown)
            assert list(shown) == labels[first:]
            chances[count] = laplace_tail(int(reach[first]), scale)
    return chances


@precisely
def worst_delta(rows: int, threshold: int, shows: Shows, epsilon: Fraction) -> Decimal:
    """The largest sum of max(0, P - e^ε Q) over the outcomes, for all neighbours both ways."""
    growth = decimal(epsilon).exp()
    worst = Decimal(0)
    for pair in neighbours(3, [0, 1, threshold - 1, threshold], rows):
        laws = [_outcomes([shows[n] for n in table]) for table in pair]
        for here, there in (laws, laws[::-1]):
            gaps = (p - growth * q for p, q in zip(here, there, strict=True))
            worst = max(worst, sum((gap for gap in gaps if gap > 0), Decimal(0)))
    return worst


def _outcomes(chances: list[Decimal]) -> list[Decimal]:
    """The probability of each set of shown cells."""
    return [
        math.prod(p if shown else 1 - p for p, shown in zip(chances, outcome, strict=True))
        for outcome in product([True, False], repeat=len(chances))
    ]  # pyright: ignore[reportReturnType]

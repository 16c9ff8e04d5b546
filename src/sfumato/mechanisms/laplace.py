"""Discrete Laplace noise: pure ε. The argument stands in `laplace.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, Spending
from sfumato.exact import Exact
from sfumato.mechanisms.gradual import MOST_CELLS, UnfinishedNoise
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import add_noise, check_scale
from sfumato.privacy.budget import Cost, float_above


def laplace(meter: Meter, exact: Exact, *, scale: float) -> NDArray[np.int64]:
    """Add discrete Laplace noise of the given scale, in integer steps.

    Privacy
    -------
    Pure ε-DP with ε = ``exact.l1 / scale``, for the privacy unit that `exact` was counted under,
    over all cells together.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([3, 5]))
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     noisy = laplace(meter, counts, scale=2.0)
    >>> meter.spent
    Cost(ε = 0.5, ρ = 0.125)
    """
    check_scale(scale)
    receipt = meter.pay(Cost.laplace(Fraction(exact.l1) / Fraction(scale), exact.l1))
    noisy = add_noise(receipt, exact.reveal(), "laplace", scale)
    if noisy.size <= MOST_CELLS:
        meter.leave(UnfinishedNoise(exact, noisy, scale))
    return noisy


def laplace_scale(l1: int, epsilon: Fraction) -> float:
    """Return the smallest float whose Laplace noise costs at most `epsilon`.

    Examples
    --------
    >>> laplace_scale(20, Fraction(1, 2))
    40.0
    """
    if epsilon <= 0:
        raise BudgetError(
            "Laplace noise needs an ε above 0.",
            "With none to spend nothing can be shown.",
            ("Spend more on this chart: ", Spending(1), "."),
        )
    scale = Fraction(l1) / epsilon
    check_scale(scale)
    return float_above(scale)

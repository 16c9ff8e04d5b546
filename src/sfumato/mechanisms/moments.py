"""Gaussian noise for sums of outer products. The argument stands in `moments.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import add_noise, check_scale
from sfumato.privacy.budget import Cost


def add_moment_noise(meter: Meter, exact: Exact, *, scale: float) -> NDArray[np.int64]:
    """Add symmetric discrete Gaussian noise to a symmetric matrix of integers.

    The noise has the given scale σ on the diagonal and σ/√2 beside it, so that along every unit
    vector v the noise v'Zv has the same standard deviation σ. `gaussian_scale` finds σ.

    Parameters
    ----------
    exact
        A symmetric matrix, ``exact.l2_squared`` being the square of the most that one unit moves
        it in the Frobenius norm: off the diagonal every entry counts twice there.

    Privacy
    -------
    ρ-zCDP with ρ = ``exact.l2_squared / (2 scale²)``, for the privacy unit that `exact` was summed
    under, over all entries together. There is no pure ε.

    Examples
    --------
    >>> sums = Exact(l1=2, l2_squared=4, step=1.0, _values=np.array([[900, 30], [30, 400]]))
    >>> with Meter(Cost.gaussian(Fraction(1))) as meter:
    ...     noisy = add_moment_noise(meter, sums, scale=4.0)
    >>> meter.spent, bool(noisy[0, 1] == noisy[1, 0])
    (Cost(ρ = 0.125), True)
    """
    check_scale(scale)
    receipt = meter.pay(Cost.gaussian(Fraction(exact.l2_squared) / (2 * Fraction(scale) ** 2)))
    values = exact.reveal()
    above = np.triu_indices(len(values), 1)
    noisy = np.diag(add_noise(receipt, np.diagonal(values), "gaussian", scale))
    beside = add_noise(receipt, values[above], "gaussian", off_diagonal_scale(scale))
    noisy[above] = noisy.T[above] = beside
    return noisy


def off_diagonal_scale(scale: float) -> float:
    """Return the smallest float that is at least `scale` / √2.

    Examples
    --------
    >>> Fraction(1) <= 2 * Fraction(off_diagonal_scale(1.0)) ** 2 < 1 + Fraction(1, 2**50)
    True
    """
    # An entry that counts twice and is charged as if it counted once: variance scale² / 2.
    return gaussian_scale(1, 1 / Fraction(scale) ** 2)

"""The posterior of tiny trees by plain summation, sharing only its prior with the decoder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from sfumato.postprocess.polya_prior import WINDOW, Mixture

Array = NDArray[np.float64]

# The ends of thousands of intervals of shares, closest at nothing and at all.
_ENDS = np.sin(np.pi / 2 * np.linspace(0, 1, 1501)) ** 2
_SHARES = np.concatenate([[0.0], (_ENDS[1:-2] + _ENDS[2:-1]) / 2, [1.0]])


def _mixed(mixture: Mixture) -> Array:
    total = sum(weight for _, weight in mixture)
    laws = [weight / total * betainc(shape, shape, _ENDS) for shape, weight in mixture]
    return np.diff(np.sum(laws, axis=0))


_MANY, _SINGLE = _mixed(WINDOW.many), _mixed(WINDOW.single)


def _prior_weights(mass: float) -> Array:
    single = WINDOW.few / (WINDOW.few + mass)
    return (1 - single) * _MANY + single * _SINGLE


def _pair_likelihood(mass: float, first: float, second: float, rate: float) -> Array:
    parts = _SHARES * mass
    misfit = abs(first - parts) + abs(second - (mass - parts))
    return _prior_weights(mass) * np.exp(-rate * misfit)


def quarters_given_total(total: float, values: Array, rate: float) -> Array:
    """Return the expected quarters of a window of known total, shared across, then along."""
    whole = np.array([_pair_likelihood(s * total, *values[:2], rate).sum() for s in _SHARES])
    rest = np.array([_pair_likelihood((1 - s) * total, *values[2:], rate).sum() for s in _SHARES])
    weights = _prior_weights(total) * whole * rest
    upper = total * float((weights * _SHARES).sum() / weights.sum())
    quarters: list[float] = []
    for mass, pair in ((upper, values[:2]), (total - upper, values[2:])):
        likelihood = _pair_likelihood(mass, *pair, rate)
        part = mass * float((likelihood * _SHARES).sum() / likelihood.sum())
        quarters += [part, mass - part]
    return np.array(quarters)


def total_of_one(value: float, rate: float) -> float:
    """Return the expected mass of a single square."""
    doubt = np.sqrt(2) / rate
    masses = np.linspace(0, 1.5 * max(value, 0.0) + 12 * doubt, 200_001)
    weights = np.exp(-rate * abs(value - masses)) / (masses + doubt)
    return float((weights * masses).sum() / weights.sum())

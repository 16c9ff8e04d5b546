"""The posterior of tiny trees by plain summation, sharing only its prior with the decoder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from sfumato.postprocess.noise_law import NoiseKind
from sfumato.postprocess.polya import WINDOW, Mixture

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


def _misfit(residual: Array, rate: float, noise: NoiseKind) -> Array:
    return rate * abs(residual) if noise == "laplace" else (rate * residual) ** 2 / 2


def quarters_given_total(
    total: float, values: Array, rate: float, noise: NoiseKind = "laplace"
) -> Array:
    """Return the expected quarters of a window of known total, shared across, then along."""

    def likelihood_of(mass: float, pair: Array) -> Array:
        parts = _SHARES * mass
        misfit = _misfit(pair[0] - parts, rate, noise)
        misfit += _misfit(pair[1] - (mass - parts), rate, noise)
        return _prior_weights(mass) * np.exp(-misfit)

    whole = np.array([likelihood_of(s * total, values[:2]).sum() for s in _SHARES])
    rest = np.array([likelihood_of((1 - s) * total, values[2:]).sum() for s in _SHARES])
    weights = _prior_weights(total) * whole * rest
    upper = total * float((weights * _SHARES).sum() / weights.sum())
    quarters: list[float] = []
    for mass, pair in ((upper, values[:2]), (total - upper, values[2:])):
        likelihood = likelihood_of(mass, pair)
        part = mass * float((likelihood * _SHARES).sum() / likelihood.sum())
        quarters += [part, mass - part]
    return np.array(quarters)


def total_of_one(value: float, rate: float, noise: NoiseKind = "laplace") -> float:
    """Return the expected mass of a single square."""
    doubt = (np.sqrt(2) if noise == "laplace" else 1) / rate
    masses = np.linspace(0, 1.5 * max(value, 0.0) + 12 * doubt, 200_001)
    weights = np.exp(-_misfit(value - masses, rate, noise)) / (masses + doubt)
    return float((weights * masses).sum() / weights.sum())

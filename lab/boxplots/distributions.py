"""Nine distributions of mean 0 and variance 1.

Five are those of Section 5 of the paper; four were never looked at while methods were tuned.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from scipy import stats
from scipy.special import ndtr

from boxplots.boxes import Floats, population_box, sample_box, scaled
from sfumato.postprocess.box import Box

Draw = Callable[[np.random.Generator, int], Floats]

MISSING = (
    "The Airbnb prices are left out: they are read from airbnb_nyc_2019.parquet in the folder that "
    "the environment variable SFUMATO_DATA names."
)

_SKEWNESS = 20.0
_SLANT = _SKEWNESS / math.hypot(1, _SKEWNESS)
_SKEW_SCALE = 1 / math.sqrt(1 - 2 * _SLANT**2 / math.pi)
_SKEW_START = -_SKEW_SCALE * _SLANT * math.sqrt(2 / math.pi)
_LOG_SPREAD = 0.7
_LOG_MEAN = math.exp(_LOG_SPREAD**2 / 2)
_LOG_SCALE = _LOG_MEAN * math.sqrt(math.expm1(_LOG_SPREAD**2))
_MODE = 0.9
_MODE_SPREAD = math.sqrt(1 - _MODE**2)


@dataclass(frozen=True)
class Distribution:
    """A way to draw samples, and the boxplot they tend to.

    Parameters
    ----------
    population
        The boxplot of the distribution; its outliers are fractions, not counts.
    """

    name: str
    draw: Draw
    population: Box

    def expected(self, size: int) -> Box:
        """Return the population's boxplot with the outliers that `size` draws would have."""
        return scaled(self.population, 1.0, 0.0, size)


@cache
def tuned() -> list[Distribution]:
    """Return the paper's five distributions, or four of them where the prices are not at hand."""
    found = [_normal(), _skew(), _uniform(), _beta()]
    return [*found, _airbnb()] if prices_path() else found


@cache
def untuned() -> list[Distribution]:
    """Return the four distributions that no method was tuned on."""
    return [_student(), _exponential(), _lognormal(), _bimodal()]


def named(name: str) -> Distribution:
    """Return one of the nine by its name."""
    return next(found for found in [*tuned(), *untuned()] if found.name == name)


def prices_path() -> Path | None:
    """Return where the Airbnb listings are, if they are."""
    path = Path(os.environ.get("SFUMATO_DATA", ""), "airbnb_nyc_2019.parquet")
    return path if path.is_file() else None


@cache
def standard_prices() -> Floats:
    """Return the prices of all listings, shifted and scaled to mean 0 and variance 1."""
    prices = np.asarray(pq.read_table(prices_path(), columns=["price"])["price"], dtype=np.float64)
    return (prices - prices.mean()) / prices.std()


def _normal() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return generator.standard_normal(size)

    return Distribution("normal", draw, population_box(stats.norm()))


def _skew() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        half, whole = np.abs(generator.standard_normal(size)), generator.standard_normal(size)
        return _SKEW_START + _SKEW_SCALE * (_SLANT * half + math.sqrt(1 - _SLANT**2) * whole)

    law = stats.skewnorm(_SKEWNESS, loc=_SKEW_START, scale=_SKEW_SCALE)
    return Distribution("skew", draw, population_box(law))


def _uniform() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return generator.uniform(-math.sqrt(3), math.sqrt(3), size)

    law = stats.uniform(-math.sqrt(3), 2 * math.sqrt(3))
    return Distribution("uniform", draw, population_box(law))


def _beta() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return (generator.beta(2, 2, size) - 0.5) * math.sqrt(20)

    law = stats.beta(2, 2, loc=-math.sqrt(5), scale=math.sqrt(20))
    return Distribution("beta", draw, population_box(law))


def _airbnb() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return generator.choice(standard_prices(), size)

    prices = standard_prices()
    return Distribution("airbnb", draw, scaled(sample_box(prices), 1.0, 0.0, 1 / len(prices)))


def _student() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return generator.standard_t(3, size) / math.sqrt(3)

    return Distribution("t3", draw, population_box(stats.t(3, scale=1 / math.sqrt(3))))


def _exponential() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return generator.standard_exponential(size) - 1

    return Distribution("exponential", draw, population_box(stats.expon(-1)))


def _lognormal() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        return (generator.lognormal(0, _LOG_SPREAD, size) - _LOG_MEAN) / _LOG_SCALE

    law = stats.lognorm(_LOG_SPREAD, loc=-_LOG_MEAN / _LOG_SCALE, scale=1 / _LOG_SCALE)
    return Distribution("lognormal", draw, population_box(law))


def _bimodal() -> Distribution:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        sides = np.where(generator.random(size) < 0.5, -_MODE, _MODE)
        return sides + _MODE_SPREAD * generator.standard_normal(size)

    return Distribution("bimodal", draw, population_box(_TwoModes()))


class _TwoModes:
    """Two normal humps of equal weight, with the verbs of `scipy.stats`."""

    def cdf(self, value: float) -> float:
        places = ((value + _MODE) / _MODE_SPREAD, (value - _MODE) / _MODE_SPREAD)
        return sum(float(ndtr(place)) for place in places) / 2

    def sf(self, value: float) -> float:
        return self.cdf(-value)

    def ppf(self, level: float) -> float:
        low, high = -9.0, 9.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.cdf(middle) < level else (low, middle)
        return low

    def isf(self, level: float) -> float:
        return -self.ppf(level)

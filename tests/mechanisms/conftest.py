"""What the noise should be, worked out without the code under test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from sfumato.exact import Exact
from sfumato.mechanisms.gaussian import gaussian
from sfumato.mechanisms.laplace import laplace
from sfumato.mechanisms.meter import simulated
from sfumato.testing import metered
from telling.enumerated import counts as enumerated

DRAWS = 20_000
"""As many as tell a law from its neighbours: `test_noise` works it out."""

RARE = 1e-6
"""How often a test rejects a true law: a build that fails by chance teaches nobody anything."""

Table = tuple[int, ...]


@dataclass(frozen=True)
class Law:
    """Discrete Laplace or Gaussian noise, from its definition."""

    family: str
    scale: float

    def tail(self, least: int) -> float:
        """P(Z >= least)."""
        if self.family == "laplace":
            ratio = math.exp(-1 / self.scale)
            if least < 1:
                return 1 - ratio ** (1 - least) / (1 + ratio)
            return ratio**least / (1 + ratio)
        if self.scale > 1000:
            # The midpoint rule is exact here to one part in the scale squared.
            return float(stats.norm.sf((least - 0.5) / self.scale))
        points, chances = self._few
        return float(chances[points >= least].sum())

    def moment(self, power: int) -> float:
        """E |Z|^power."""
        if self.scale > 1000:
            if self.family == "laplace":
                return math.factorial(power) * self.scale**power
            return float(stats.norm(scale=self.scale).moment(power))
        points, chances = self._few
        return float((np.abs(points) ** power * chances).sum())

    @cached_property
    def _few(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        reach = math.ceil(60 * self.scale) + 10
        points = np.arange(-reach, reach + 1, dtype=np.float64)
        exponent = np.abs(points) if self.family == "laplace" else points**2 / (2 * self.scale)
        weights = np.exp(-exponent / self.scale)
        return points, weights / weights.sum()

    def edges(self) -> list[int]:
        """Integers that cut the line into pieces of at least 1/400 each."""
        reach = math.ceil(8 * self.scale)
        step = max(1, math.ceil(self.scale / 10))
        edges: list[int] = []
        for edge in range(-reach, reach + 1, step):
            left = 1.0 if not edges else self.tail(edges[-1])
            if left - self.tail(edge) >= 1 / 400 and self.tail(edge) >= 1 / 400:
                edges.append(edge)
        return edges

    def fit(self, draws: NDArray[np.int64]) -> float:
        """The chance of a worse fit than that of `draws`, by chi-square."""
        edges = self.edges()
        tails = np.array([1.0, *map(self.tail, edges), 0.0])
        reached = np.array([draws.size, *((draws >= edge).sum() for edge in edges), 0])
        expected = -np.diff(tails) * draws.size
        return float(stats.chisquare(-np.diff(reached), expected).pvalue)

    def deviation(self, draws: NDArray[np.int64]) -> float:
        """How many standard errors the draws' spread lies from this law's."""
        power = 1 if self.family == "laplace" else 2
        mean, square = self.moment(power), self.moment(2 * power)
        error = math.sqrt((square - mean**2) / draws.size)
        return float((np.abs(draws.astype(np.float64)) ** power).mean() - mean) / error


def counts(values: NDArray[np.int64] | list[int], rows: int = 1) -> Exact:
    """Counts of which one unit moves at most `rows`."""
    return Exact(rows, rows**2, 1.0, np.asarray(values, dtype=np.int64))


@pytest.fixture(scope="session")
def draw() -> Callable[..., NDArray[np.int64]]:
    """Draw many times, once for all tests that ask for the same."""
    drawn: dict[tuple[str, float, str, int], NDArray[np.int64]] = {}

    def fresh(family: str, scale: float, source: str, draws: int) -> NDArray[np.int64]:
        mechanism = {"laplace": laplace, "gaussian": gaussian}[family]
        exact = counts(np.full(draws, 1234))
        if source == "real":
            return metered(mechanism, exact, scale=scale).values - 1234
        with simulated(np.random.default_rng(7)):
            return metered(mechanism, exact, scale=scale).values - 1234

    def cached(family: str, scale: float, source: str, draws: int = DRAWS) -> NDArray[np.int64]:
        key = (family, scale, source, draws)
        if key not in drawn:
            drawn[key] = fresh(*key)
        return drawn[key]

    return cached


@pytest.fixture
def law() -> type[Law]:
    return Law


@pytest.fixture
def exact_counts() -> Callable[..., Exact]:
    return counts


@pytest.fixture
def rare() -> float:
    return RARE


@pytest.fixture
def neighbours() -> Callable[[int, list[int], int], Iterator[tuple[Table, Table]]]:
    return enumerated.neighbours


@pytest.fixture
def precise() -> Iterator[None]:
    """Fifty digits for the duration of a test."""
    with localcontext() as context:
        context.prec = 50
        yield


@pytest.fixture
def laplace_tail() -> Callable[[int, float], Decimal]:
    return enumerated.laplace_tail


@pytest.fixture
def interval() -> Callable[[int, int], tuple[float, float]]:
    """A Clopper–Pearson interval that misses the truth as rarely."""

    def around(hits: int, trials: int) -> tuple[float, float]:
        found = stats.binomtest(hits, trials).proportion_ci(1 - RARE, method="exact")
        return float(found.low), float(found.high)

    return around

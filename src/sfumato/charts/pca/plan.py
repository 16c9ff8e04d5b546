"""`PcaPlan`: what principal components will cost and how well they will be found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.charts.chart import Plan, describe_text_columns
from sfumato.charts.pca.analysis import Analysis
from sfumato.domain import convert_to_float
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError
from sfumato.grid import Grid
from sfumato.postprocess.principal import estimate_captured
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee

GUESS = (0.3, 0.2)
"""The shares of variance that a plan supposes the first two components to have."""

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""The ε that a plan compares."""

_SIZES = (1_000, 10_000, 100_000)
_LENGTHS = 0.6  # of the square of the radius, which rows that are hardly cut have on average


@dataclass(frozen=True)
class PcaPlan(Plan):
    """The cost of principal components and the noise on the sums they come from."""

    analysis: Analysis

    @property
    def expected_error(self) -> float:
        """The mean absolute error of a variance, as so many rows of full length."""
        return self.analysis.directions.noise * math.sqrt(2 / math.pi)

    def captured(self, *, size: float, explained: Sequence[float] = GUESS) -> float:
        """Return how much of what two exact components capture the noisy ones will.

        Parameters
        ----------
        size
            A guess of the number of rows or people.
        explained
            A guess of the shares of variance that the first two components have; the others are
            taken to share the rest evenly.

        Examples
        --------
        >>> import sfumato as sf
        >>> domain = sf.Domain({name: (0, 1) for name in "abcdefgh"})
        >>> plan = sf.PCA(list("abcdefgh")).plan(domain, sf.PrivacyUnit.rows(), sf.Budget(1, 1e-6))
        >>> plan.captured(size=1_000) < plan.captured(size=100_000)
        True
        """
        return captured_share(self.analysis, size, explained)

    def buys(self, *, size: float, epsilons: Sequence[float] = EPSILONS) -> list[dict[str, float]]:
        """Return what other ε would buy at the same δ, one record for each.

        Examples
        --------
        >>> import sfumato as sf
        >>> domain = sf.Domain(a=(0, 1), b=(0, 1), c=(0, 1))
        >>> plan = sf.PCA(["a", "b", "c"]).plan(domain, sf.PrivacyUnit.rows(), sf.Budget(1, 1e-6))
        >>> [round(row["captured"], 2) for row in plan.buys(size=1_000, epsilons=[0.1, 1, 10])]
        [0.96, 1.0, 1.0]
        """
        return [
            {
                "epsilon": epsilon,
                "captured": captured_share(self.analysis, size, GUESS, noise=factor),
                "error": self.expected_error * factor,
            }
            for epsilon, factor in compare_noise(self.guarantee, epsilons)
        ]

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        check_columns(self.analysis, schema)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        counted = self.guarantee.unit.people
        lines = [("expected error", f"{self.expected_error:,.3g} {counted} of maximal norm")]
        for size in _SIZES:
            lines += [(f"with {size:,} {counted}", describe_share(self.captured(size=size)))]
        lines += [("assuming", f"{_SIZES[1]:,} {counted}")]
        for row in self.buys(size=_SIZES[1]):
            lines += [(f"at ε = {row['epsilon']:g}", describe_share(row["captured"]))]
        return lines + describe_text_columns(self.analysis.bounds)


def captured_share(
    analysis: Analysis, size: float, explained: Sequence[float], *, noise: float = 1.0
) -> float:
    """Return how much two noisy components capture, with so many times the planned noise."""
    first, second = (*map(convert_to_float, explained), math.nan, math.nan)[:2]
    if not (convert_to_float(size) > 0 and 1 > first >= second > 0 and first + second <= 1):
        raise DomainError(
            "A guess needs a size above 0 and two falling shares of variance that sum to at most "
            "1.",
            "They turn noise into what will be seen, and must not be read from the data.",
            "Write captured(size=10_000, explained=(0.3, 0.2)).",
        )
    columns = len(analysis.columns)
    rest = (1 - first - second) / max(1, columns - 2)
    spectrum = [first, second, *([min(rest, second)] * (columns - 2))]
    return estimate_captured(spectrum, noise * analysis.directions.noise / (_LENGTHS * size))


def describe_share(captured: float) -> str:
    """Say how much of the variance along exact directions noisy ones will have, rounded down.

    Examples
    --------
    >>> describe_share(0.9879)
    '98.7 % of the variance along exact directions'
    """
    return f"{math.floor(1000 * captured) / 10:.1f} % of the variance along exact directions"


def check_columns(analysis: Analysis, schema: Schema) -> None:
    """Refuse a table that lacks a column of an analysis, or holds another kind."""
    pairs = zip(analysis.columns, analysis.bounds, strict=True)
    schema.check([Grid(*pair, 1) for pair in pairs], analysis.unit)


def compare_noise(guarantee: Guarantee, epsilons: Sequence[float]) -> list[tuple[float, float]]:
    """Return other ε, and how many times the planned noise each of them means."""

    def rho(epsilon: float) -> Fraction:
        return Budget(epsilon, guarantee.delta, reserve=0, weak=True).rho

    now, others = rho(guarantee.epsilon), [(epsilon, rho(epsilon)) for epsilon in epsilons]
    return [(epsilon, math.sqrt(now / rho)) for epsilon, rho in others]

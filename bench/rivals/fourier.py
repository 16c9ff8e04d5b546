"""JointExp as published: a quadratic recursion, turned into Toeplitz products by FFT.

Gillenwater, Joseph and Kulesza (2021). The n ordered values cut [lower, upper] into n + 1
intervals. α_j(i, k) is the total weight of all ways to place the first j quantiles so that the
j-th lies in interval i and is the k-th there. The factor between two quantiles depends only on how
many values lie between them, so a step from j - 1 to j is a convolution. Weights are kept as
logarithms; for the convolution they are divided by the largest and exponentiated.

In 64-bit floats a convolution by FFT is wrong by about 2⁻⁵³ of its *largest* entry everywhere.
Weights smaller than that come out as noise, half of them not positive: these are set to 0, and an
outcome of probability 0 that a neighbouring table makes possible ends pure privacy. `zeros` counts
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import fft

Floats = NDArray[np.float64]
_fourier = cast(Any, fft)  # its annotations are partial


@dataclass(frozen=True, eq=False)
class Weights:
    """The logarithms of α, one array of shape (j, n + 1) for each j; and what they follow from."""

    tables: list[Floats]
    edges: Floats
    targets: Floats
    rate: float

    @property
    def zeros(self) -> float:
        """The fraction of entries that an FFT made 0, of those it filled for a true width."""
        wide = np.diff(self.edges) > 0
        filled = [table[0, wide] for table in self.tables[1:]]
        return float(np.mean(np.isneginf(filled)))


def joint_by_fourier(
    values: Floats,
    levels: Sequence[float],
    bounds: tuple[float, float],
    epsilon: float,
    generator: np.random.Generator,
) -> tuple[Floats, Weights]:
    """Draw all quantiles together, from values in any order; the noise is not private."""
    weights = forward(np.sort(values), levels, bounds, epsilon)
    return backward(weights, generator), weights


def forward(
    ordered: Floats, levels: Sequence[float], bounds: tuple[float, float], epsilon: float
) -> Weights:
    """Fill the tables of weights, for tables of which one may have a row more."""
    size = len(ordered)
    edges = np.concatenate([[bounds[0]], ordered, [bounds[1]]])
    gaps = np.diff([0.0, *levels, 1.0])
    rate = epsilon / (4 * (1 - gaps.min()))
    targets = gaps * size
    with np.errstate(divide="ignore"):
        widths = np.log(np.diff(edges))
    below = np.arange(size + 1, dtype=np.float64)
    tables = [(widths - rate * np.abs(below - targets[0]))[None, :]]
    kernel, known = np.empty(0), -1.0
    length = int(_fourier.next_fast_len(2 * size + 1, real=True))
    for place in range(1, len(levels)):
        if targets[place] != known:  # quartiles share one kernel, transformed once
            known = float(targets[place])
            kernel = np.exp(-rate * np.abs(below - known))
            kernel[0] = 0.0  # the same interval twice is counted below
            kernel = _fourier.rfft(kernel, length)
        last = tables[-1]
        table = np.empty((place + 1, size + 1))
        table[0] = _convolved(_total(last), kernel, length)
        table[1:] = last - rate * known - np.log(np.arange(2, place + 2))[:, None]
        table += widths
        tables.append(table)
    return Weights(tables, edges, targets, rate)


def _total(table: Floats) -> Floats:
    """Add up over the places within an interval."""
    return table[0] if len(table) == 1 else np.logaddexp.reduce(table, axis=0)


def _convolved(logarithms: Floats, kernel: Floats, length: int) -> Floats:
    largest = float(logarithms.max())
    product = _fourier.rfft(np.exp(logarithms - largest), length, overwrite_x=True)
    product *= kernel
    sums = _fourier.irfft(product, length, overwrite_x=True)[: len(logarithms)]
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(sums, 0.0, out=sums)) + largest


def backward(weights: Weights, generator: np.random.Generator) -> Floats:
    """Draw intervals from the last quantile to the first, and a value in each."""
    place, next_place = len(weights.tables) - 1, len(weights.edges) - 2
    first_free = len(weights.edges) - 1
    chosen: list[int] = []
    while place >= 0:
        table = weights.tables[place][:, :first_free]
        between = next_place - np.arange(first_free)
        scores = table - weights.rate * np.abs(between - weights.targets[place + 1])
        sums: Floats = np.cumsum(np.exp(scores - scores.max()))
        drawn = int(np.searchsorted(sums, generator.random() * float(sums[-1]), side="right"))
        repeats, interval = divmod(drawn, first_free)
        chosen += [interval] * (repeats + 1)
        place -= repeats + 1
        next_place = first_free = interval
    low, high = weights.edges[chosen], weights.edges[np.array(chosen) + 1]
    return np.sort(generator.uniform(low, high))

"""What the fence boxplot would release, drawn fast: the laws of its mechanisms, not themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.box import (
    COUNT_SHARE,
    QUARTILE_SHARE,
    SIZE_SHARE,
    Box,
    Summary,
    decode_box,
)
from sfumato.postprocess.box_counts import BoxCounts, Quartiles, choose_tail_bins, fence_layout
from sfumato.postprocess.noise_law import CountNoise, NoiseKind, NoiseLaw

Cells = NDArray[np.int64]

NAMES = ("outliers_below", "lower_whisker", "q1", "median", "q3", "upper_whisker", "outliers_above")


def noise(law: NoiseLaw, size: int, generator: np.random.Generator) -> NDArray[np.float64]:
    if law.kind == "gaussian":
        return np.rint(generator.normal(0, law.scale, size))
    first, second = generator.geometric(-np.expm1(-1 / law.scale), (2, size))
    return (first - second).astype(np.float64)


def rank_errors(epsilon: float, generator: np.random.Generator, size: int = 1):
    """Draw rank errors of three quartiles: a cube of random size, as `rank_error` explains."""
    a, b, c = generator.gamma(4, 2 / epsilon, size) * generator.uniform(-1, 1, (3, size))
    return np.stack([(a + b + c) / 4, a / 2, (a + b - c) / 4], axis=1)


def quartiles(values: Cells, epsilon: float, generator: np.random.Generator) -> Quartiles:
    errors = rank_errors(epsilon, generator)[0]
    places = np.clip(values.size * np.array([0.25, 0.5, 0.75]) + errors, 0, values.size - 1)
    first, median, third = np.sort(values)[np.sort(places).astype(int)].tolist()
    return first, median, third


def release(
    values: Cells,
    cells: int,
    epsilon: float,
    generator: np.random.Generator,
    *,
    chosen: Quartiles | None = None,
    whis: float = 1.5,
    kind: NoiseKind = "laplace",
    step: float = 1.0,
) -> Summary:
    """Return the decoded box of values that are cells, each worth one unit."""
    counts_law = NoiseLaw(kind, 1 / (COUNT_SHARE * epsilon * step))
    size_law = NoiseLaw(kind, 1 / (SIZE_SHARE * epsilon * step))
    chosen = chosen or quartiles(values, QUARTILE_SHARE * epsilon, generator)
    size = float((values.size / step + noise(size_law, 1, generator)[0]) * step)
    starts = fence_layout(chosen, cells, whis, choose_tail_bins(size, counts_law, step))
    exact = np.diff(np.append(np.searchsorted(np.sort(values), starts), values.size))
    counts = (exact / step + noise(counts_law, starts.size, generator)) * step
    counted = BoxCounts(chosen, starts, counts, CountNoise(counts_law, step), cells, whis)
    return decode_box(
        counted,
        epsilon=QUARTILE_SHARE * epsilon,
        size=size,
        size_noise=CountNoise(size_law, step),
    )


def boxplot(values: Cells, whis: float = 1.5) -> Box:
    """Return the boxplot of the sample itself."""
    first, median, third = np.quantile(values, [0.25, 0.5, 0.75])
    lower, upper = first - whis * (third - first), third + whis * (third - first)
    return Box(
        float((values < lower).sum()),
        float(max(lower, values.min())),
        float(first),
        float(median),
        float(third),
        float(min(upper, values.max())),
        float((values > upper).sum()),
    )


def numbers(box: Box) -> NDArray[np.float64]:
    return np.array([getattr(box, name) for name in NAMES])

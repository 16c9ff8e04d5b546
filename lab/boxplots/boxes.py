"""Boxplots without privacy: of a sample, and of the distribution it comes from.

A whisker ends at the fence or at the end of the data, whichever comes first. For a distribution
without an end, that end is where the paper has it, at what ten million draws reach: the quantiles
of 10⁻⁷ and 1 - 10⁻⁷. For a skew normal distribution this is no detail: its lower tail, though
endless, is so thin that every sample ends far above the fence.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.box import Box

Floats = NDArray[np.float64]

QUARTILES = (0.25, 0.5, 0.75)
END = 1e-7
REACH = 1.5


def scaled(box: Box, scale: float, shift: float, size: float = 1.0) -> Box:
    """Return the boxplot of ``scale * x + shift``, with `size` times the outliers."""
    inner = (box.lower_whisker, box.q1, box.median, box.q3, box.upper_whisker)
    lower, q1, median, q3, upper = (scale * value + shift for value in inner)
    below, above = box.outliers_below * size, box.outliers_above * size
    return Box(below, lower, q1, median, q3, upper, above)


def clipped(box: Box) -> Box:
    """Return the box with no fewer outliers than none."""
    below, above = max(0.0, box.outliers_below), max(0.0, box.outliers_above)
    return replace(box, outliers_below=below, outliers_above=above)


def sample_box(values: Floats) -> Box:
    """Return the boxplot of a sample, without any privacy."""
    ordered = np.sort(values)
    q1, median, q3 = (float(value) for value in np.quantile(ordered, QUARTILES))
    lower = max(q1 - REACH * (q3 - q1), float(ordered[0]))
    upper = min(q3 + REACH * (q3 - q1), float(ordered[-1]))
    below = float(np.searchsorted(ordered, lower, "left"))
    above = float(len(ordered) - np.searchsorted(ordered, upper, "right"))
    return Box(below, lower, q1, median, q3, upper, above)


def population_box(law: object) -> Box:
    """Return the boxplot of a distribution of `scipy.stats`; its outliers are fractions."""
    known = cast(Any, law)
    q1, median, q3 = (float(known.ppf(level)) for level in QUARTILES)
    lowest, highest = float(known.ppf(END)), float(known.isf(END))
    lower, upper = q1 - REACH * (q3 - q1), q3 + REACH * (q3 - q1)
    below = float(known.cdf(lower)) if lower > lowest else 0.0
    above = float(known.sf(upper)) if upper < highest else 0.0
    return Box(below, max(lower, lowest), q1, median, q3, min(upper, highest), above)

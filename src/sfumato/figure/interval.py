"""Released numbers with the ends of an interval around each."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """Ends of an interval around a released value, and how often it covers the truth."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    coverage: float


@dataclass(frozen=True)
class Estimates:
    """Released numbers, and the ends of an interval around each."""

    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def percent(coverage: float) -> str:
    """Write a coverage in whole percents, never more than it is.

    Examples
    --------
    >>> percent(0.95), percent(0.9953)
    ('95 %', '99 %')
    """
    return f"{math.floor(100 * coverage + 1e-9)} %"

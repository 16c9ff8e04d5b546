"""`Box`: the seven numbers of a boxplot, and how sure we are of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """The seven numbers a boxplot draws, from the lowest outlier to the highest."""

    outliers_below: float
    lower_whisker: float
    q1: float
    median: float
    q3: float
    upper_whisker: float
    outliers_above: float


@dataclass(frozen=True)
class Summary:
    """A released box with the ends of its intervals.

    Parameters
    ----------
    box
        What is drawn.
    low, high
        The ends of an interval around each of the seven numbers, each for itself.
    size
        The noisy number of units in the group.
    clear
        False where the group is too small for its box to say anything.
    """

    box: Box
    low: Box
    high: Box
    size: float
    clear: bool

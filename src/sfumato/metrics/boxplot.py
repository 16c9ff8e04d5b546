"""The four errors of a boxplot, as Ramsay and Diaz-Rodriguez (2025) define them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class BoxplotNumbers(Protocol):
    """Whatever has the seven numbers of a boxplot."""

    @property
    def outliers_below(self) -> float:
        """How many values lie below the lower fence."""
        ...

    @property
    def lower_whisker(self) -> float:
        """Where the lower whisker ends."""
        ...

    @property
    def q1(self) -> float:
        """The first quartile."""
        ...

    @property
    def median(self) -> float:
        """The median."""
        ...

    @property
    def q3(self) -> float:
        """The third quartile."""
        ...

    @property
    def upper_whisker(self) -> float:
        """Where the upper whisker ends."""
        ...

    @property
    def outliers_above(self) -> float:
        """How many values lie above the upper fence."""
        ...


@dataclass(frozen=True)
class BoxplotErrors:
    """How far one boxplot is from another.

    Parameters
    ----------
    location
        Between the medians.
    scale
        Between the widths of the boxes.
    skewness
        Between the ends of the whiskers, both sides together.
    tails
        Between the numbers of outliers, both sides together.
    """

    location: float
    scale: float
    skewness: float
    tails: float


def boxplot_errors(box: BoxplotNumbers, truth: BoxplotNumbers) -> BoxplotErrors:
    """Return the four errors of `box`. Swapping the two changes nothing.

    Examples
    --------
    >>> from sfumato.postprocess.box import Box
    >>> boxplot_errors(Box(0, 1, 3, 5, 6, 9, 2), Box(1, 2, 3, 4, 8, 9, 4))
    BoxplotErrors(location=1, scale=2, skewness=1, tails=3)
    """
    lower = abs(box.lower_whisker - truth.lower_whisker)
    upper = abs(box.upper_whisker - truth.upper_whisker)
    below = abs(box.outliers_below - truth.outliers_below)
    above = abs(box.outliers_above - truth.outliers_above)
    return BoxplotErrors(
        location=abs(box.median - truth.median),
        scale=abs((box.q3 - box.q1) - (truth.q3 - truth.q1)),
        skewness=lower + upper,
        tails=below + above,
    )

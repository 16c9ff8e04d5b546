"""What a chart costs at sizes that were not measured, from what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rates:
    """What a chart was measured to cost.

    Parameters
    ----------
    scanned, shuffled
        Bytes that are read for each row, all passes together, and that tasks hand to each other.
    cpu
        CPU seconds of the cluster for each row more.
    a_sum
        Bytes that come to the driver for each sum that is not zero.
    sums
        How many sums there are if none of them is zero: a public fact.
    driver
        Seconds that follow the sums, by the number of rows.
    """

    scanned: float
    shuffled: float
    cpu: float
    a_sum: float
    sums: int
    driver: Mapping[int, float]


@dataclass(frozen=True)
class Bill:
    """What a chart of so many rows costs: bytes, driver seconds, hours of one core."""

    scanned: float
    shuffled: float
    sent: float
    driver: float
    core_hours: float


def bill(rates: Rates, rows: int) -> Bill:
    """Work out the cost of a chart: most grows by the row, and what the driver gets does not.

    Examples
    --------
    >>> bill(Rates(8.0, 0.0, 3.6e-6, 32.0, 20, {10**9: 0.01}), 10**9)
    Bill(scanned=8000000000.0, shuffled=0.0, sent=640.0, driver=0.01, core_hours=1.0)
    """
    return Bill(
        scanned=rates.scanned * rows,
        shuffled=rates.shuffled * rows,
        sent=rates.a_sum * rates.sums,
        driver=rates.driver[rows],
        core_hours=rates.cpu * rows / 3600,
    )

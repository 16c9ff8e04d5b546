"""`QuantilesRelease`: noisy quantiles, by group if asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import moment
from sfumato.figure import Figure, Interval
from sfumato.grid import Grid, Labels
from sfumato.releases import axes, strict, wording
from sfumato.releases.release import Release

METHODS = {
    "joint": "All levels by one exponential mechanism, with a balanced score.",
    "jointexp": "All levels by one exponential mechanism, with the published score.",
    "approx": "Levels by exponential mechanisms on halves of the data.",
    "single": "Each level by an exponential mechanism of its own.",
    "unbounded": "Each level by an above-threshold search.",
}
"""How each method works, as the caption says it."""


@dataclass(frozen=True)
class RankMeasured:
    """The integers released about one group besides its cells.

    Parameters
    ----------
    size
        The number of units in steps: noisy, or public.
    starts
        The first cell of each bin of the histogram.
    counts
        Noisy counts of the bins, in steps.
    """

    size: int
    starts: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class QuantilesRelease(Release):
    """One cell of a public grid per group and level, and an interval around its value.

    Parameters
    ----------
    value
        The public grid the quantiles were chosen from.
    by
        The public groups.
    levels
        The levels asked for, rising, between 0 and 1.
    method
        How they were chosen.
    step
        The spacing of whole-number data; None where values may lie anywhere.
    cells
        The chosen cells of `value`, those of one group together.
    low, high
        The ends of an interval around each quantile, in the same order.
    coverage
        How often each interval, for itself, covers the truth; 0 where the method knows none.
    found
        The columns whose categories or bounds were found privately.
    reliable
        Whether the counts tell where each quantile lies. Where they do not, there are too few to
        say, and the interval is all of the bounds. Empty in files that know no intervals.
    measured
        The released counts that intervals were computed from, one for each group.
    unit_step
        What one integer of a count is worth: 1, or 2**-30 where a person's rows share its weight.
    bounds_found
        False where a private search for bounds found nothing.
    beyond
        Between which shares of all units lie at or beyond bounds that were found privately; None
        where bounds are public, or too few are there to say.
    """

    kind: ClassVar[str] = "quantiles"
    # Files of version 0.1 knew no intervals.
    added: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "parameters": {"unit_step": 1.0, "bounds_found": True},
        "values": {"reliable": [], "measured": [], "beyond": None},
    }

    value: Grid
    by: Labels | None
    levels: tuple[float, ...]
    method: str
    step: float | None
    cells: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    coverage: float
    found: tuple[str, ...] = ()
    reliable: tuple[bool, ...] = ()
    measured: tuple[RankMeasured, ...] = ()
    unit_step: float = 1.0
    bounds_found: bool = True
    beyond: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        count = self.groups * len(self.levels)
        if not len(self.cells) == len(self.low) == len(self.high) == count:
            raise ValueError("There is one cell and one interval per group and level.")
        if len(self.reliable) not in (0, count) or len(self.measured) not in (0, self.groups):
            raise ValueError("There is one verdict per interval, one measurement per group.")

    @property
    def groups(self) -> int:
        """The number of groups; without `by` everyone is in the only one."""
        return 1 if self.by is None else self.by.cells

    @cached_property
    def quantiles(self) -> NDArray[np.float64]:
        """The values in the middle of the chosen cells, one row per group.

        A cell that the counts rule out gives way to the nearest value that they do not. Where
        there are too few to say, the value is NaN.
        """
        middle = self.value.edge(np.array(self.cells, dtype=np.float64) + 0.5)
        if self.coverage:
            middle = np.clip(middle, self.low, self.high)
        middle = np.where(self.told, middle, np.nan)
        return middle.reshape(self.groups, len(self.levels))

    @property
    def told(self) -> tuple[bool, ...]:
        """Whether each quantile is told; all are where a file knows no intervals."""
        return self.reliable or (True,) * len(self.cells)

    @property
    def uncertainty(self) -> Interval:
        """Intervals around the quantiles, known from the mechanism alone."""
        return Interval(self.low, self.high, self.coverage)

    @property
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with."""
        return {
            "value": axes.write(self.value),
            "by": axes.write(self.by),
            "levels": list(self.levels),
            "method": self.method,
            "step": self.step,
            "coverage": self.coverage,
            "found": list(self.found),
            "unit_step": self.unit_step,
            "bounds_found": self.bounds_found,
        }

    def values(self) -> dict[str, Any]:
        """Return the released integers, and the intervals computed from them."""
        return {
            "cells": list(map(int, self.cells)),
            "low": list(map(float, self.low)),
            "high": list(map(float, self.high)),
            "reliable": list(map(bool, self.reliable)),
            "measured": [
                {
                    "size": int(group.size),
                    "starts": list(map(int, group.starts)),
                    "counts": list(map(int, group.counts)),
                }
                for group in self.measured
            ],
            "beyond": None if self.beyond is None else list(map(float, self.beyond)),
        }

    @classmethod
    def from_parts(cls, common: Mapping[str, Any], parts: Mapping[str, Any]) -> QuantilesRelease:
        """Rebuild quantiles from their document."""
        value = strict.grid(parts["value"])
        levels = tuple(map(strict.share, parts["levels"]))
        cells = tuple(map(strict.integer, parts["cells"]))
        low, high = (tuple(strict.place(e, value) for e in parts[name]) for name in ("low", "high"))
        rising = levels == tuple(sorted(set(levels))) and len(levels) > 0
        within = all(0 <= cell < value.cells for cell in cells)
        ordered = all(a <= b for a, b in zip(low, high, strict=True))
        if not (rising and within and ordered and parts["method"] in METHODS):
            raise ValueError("The levels, cells or intervals are not those of quantiles.")
        return cls(
            **common,
            value=value,
            by=strict.labels(parts["by"]),
            levels=levels,
            method=parts["method"],
            step=strict.spacing(parts["step"]),
            cells=cells,
            low=low,
            high=high,
            coverage=strict.share(parts["coverage"], none=True),
            found=tuple(map(str, parts["found"])),
            reliable=tuple(map(strict.flag, parts["reliable"])),
            measured=tuple(_measured(each, value) for each in parts["measured"]),
            unit_step=strict.scale(parts["unit_step"]),
            bounds_found=strict.flag(parts["bounds_found"]),
            beyond=_shares(parts["beyond"]),
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group and level: a quantile, its interval, and if it is told.

        Where it is not, the numbers are NaN, and dates None. A column of groups that has the name
        of one of the others is called ``…_group``.
        """
        groups: list[dict[str, Any]] = [{}] if self.by is None else axes.places(self.by)
        places = [(group, level) for group in groups for level in self.levels]
        numbers = zip(self.quantiles.ravel().tolist(), self.low, self.high, strict=True)
        verdicts = zip(numbers, self.told, strict=True)
        return [
            {
                **{_named(column): value for column, value in group.items()},
                "level": level,
                **{name: self._plain(end, told) for name, end in zip(_ENDS, ends, strict=True)},
                "reliable": told,
            }
            for (group, level), (ends, told) in zip(places, verdicts, strict=True)
        ]

    def figure(self) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases import quantiles_figure

        return quantiles_figure.figure(self)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the quantiles."""
        from sfumato.releases import quantiles_figure

        return quantiles_figure.caption(self)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What whoever reads the numbers must know about them."""
        if not self.bounds_found:
            return (wording.found_nothing(self.guarantee),)
        if self.beyond is None or self.beyond[0] < _MANY:
            return ()
        return (wording.beyond(self.beyond, self.guarantee.unit),)

    def _plain(self, number: float, told: bool) -> Any:
        if self.value.bounds.time:
            return moment(number) if told else None
        return number if told else math.nan


_MANY = 0.02  # of all units, beyond bounds that were searched for: fewer are no news
_ENDS = ("quantile", "low", "high")


def _named(column: str) -> str:
    return f"{column}_group" if column in ("level", *_ENDS, "reliable") else column


def _shares(plain: object) -> tuple[float, float] | None:
    if plain is None:
        return None
    low, high = map(strict.number, cast(list[object], plain))
    if not 0 <= low <= high <= 1:
        raise ValueError("Shares lie between 0 and 1.")
    return low, high


def _measured(plain: Mapping[str, Any], value: Grid) -> RankMeasured:
    starts = tuple(map(strict.integer, plain["starts"]))
    counts = tuple(map(strict.integer, plain["counts"]))
    rising = all(low < high for low, high in pairwise((-1, *starts, value.cells)))
    if not (rising and len(starts) == len(counts) and 0 in starts):
        raise ValueError("The bins of a histogram rise from the first cell.")
    return RankMeasured(strict.integer(plain["size"]), starts, counts)

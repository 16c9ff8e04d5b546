"""`QuantilesRelease`: noisy quantiles, by group if asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import moment
from sfumato.figure import Figure, Interval
from sfumato.grid import Grid, Labels
from sfumato.releases import axes, strict
from sfumato.releases.release import Release

METHODS = {
    "joint": "All levels by one exponential mechanism, with a balanced score.",
    "jointexp": "All levels by one exponential mechanism, with the published score.",
    "approx": "Levels by exponential mechanisms on halves of the data.",
    "single": "Each level by an exponential mechanism of its own.",
    "unbounded": "Each level by an above-threshold search.",
}
"""How each method works, as the caption says it."""


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
    """

    kind: ClassVar[str] = "quantiles"

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

    def __post_init__(self) -> None:
        count = self.groups * len(self.levels)
        if not len(self.cells) == len(self.low) == len(self.high) == count:
            raise ValueError("There is one cell and one interval per group and level.")

    @property
    def groups(self) -> int:
        """The number of groups; without `by` everyone is in the only one."""
        return 1 if self.by is None else self.by.cells

    @cached_property
    def quantiles(self) -> NDArray[np.float64]:
        """The values in the middle of the chosen cells, one row per group."""
        middle = self.value.edge(np.array(self.cells, dtype=np.float64) + 0.5)
        return middle.reshape(self.groups, len(self.levels))

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
        }

    def values(self) -> dict[str, Any]:
        """Return the released cells, and the intervals around their values."""
        ends = {"low": list(map(float, self.low)), "high": list(map(float, self.high))}
        return {"cells": list(map(int, self.cells)), **ends}

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
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group and level: the quantile and its interval.

        A column of groups that has the name of one of the others is called ``…_group``.
        """
        groups: list[dict[str, Any]] = [{}] if self.by is None else axes.places(self.by)
        places = [(group, level) for group in groups for level in self.levels]
        numbers = zip(self.quantiles.ravel().tolist(), self.low, self.high, strict=True)
        return [
            {
                **{_named(column): value for column, value in group.items()},
                "level": level,
                **dict(zip(("quantile", "low", "high"), map(self._plain, ends), strict=True)),
            }
            for (group, level), ends in zip(places, numbers, strict=True)
        ]

    def figure(self) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases import quantiles_figure

        return quantiles_figure.figure(self)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the quantiles."""
        from sfumato.releases import quantiles_figure

        return quantiles_figure.caption(self)

    def _plain(self, number: float) -> Any:
        return moment(number) if self.value.bounds.time else number


def _named(column: str) -> str:
    return f"{column}_group" if column in ("level", "quantile", "low", "high") else column

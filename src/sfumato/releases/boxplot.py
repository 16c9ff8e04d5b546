"""`BoxplotRelease`: seven noisy numbers per group, and how sure we are of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, ClassVar

from sfumato.domain import moment
from sfumato.figure import Figure, Interval, Orient
from sfumato.grid import Grid, Labels
from sfumato.postprocess.box import Box, Summary
from sfumato.releases import axes, strict
from sfumato.releases.release import Release

NUMBERS = tuple(field.name for field in fields(Box))
"""The names of the seven numbers, from the lowest outliers to the highest."""

PLACES = NUMBERS[1:-1]
"""The five that are values of the column; the two others are counts."""

METHODS = {
    "fence": "Quartiles by a joint exponential mechanism, tails by a noisy histogram.",
    "dpboxplot": "Quartiles by a joint exponential mechanism, extremes by above-threshold "
    "searches, outliers by noisy counts (DPBoxplot).",
    "jointexp": "Quantiles by a joint exponential mechanism, outliers by noisy counts.",
    "approx": "Quantiles by exponential mechanisms on halves of the data, outliers by noisy "
    "counts.",
    "single": "Quantiles by one exponential mechanism each, outliers by noisy counts.",
    "unbounded": "Quantiles by above-threshold searches, outliers by noisy counts.",
}
"""How each method works, as the caption says it."""


@dataclass(frozen=True)
class Measured:
    """The integers released for one group: cells of the value grid, and noisy counts in steps."""

    cells: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class BoxplotRelease(Release):
    """One box per group, with an interval around each of its seven numbers.

    Parameters
    ----------
    value
        The public grid along which boxes have their values.
    x, hue
        The public groups, side by side and by colour.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    method
        How quartiles, whiskers and outliers were measured.
    whis
        How far a whisker may reach beyond the box, in lengths of the box.
    step
        The spacing of whole-number data; None where values may lie anywhere.
    coverage
        How often each interval, for itself, covers the truth; 0 where the method knows none.
    summaries
        What is drawn for each group; those of one `x` together, in the order of `hue`.
    measured
        The released integers that `summaries` were computed from, in the same order.
    unit_step
        What one integer of a count is worth: 1, or 2**-30 where a person's rows share its weight.
    found
        The columns whose categories or bounds were found privately.
    bounds_found
        False where a private search for bounds found nothing.
    """

    kind: ClassVar[str] = "boxplot"
    # Files of version 0.1 do not tell whether a search found anything.
    added: ClassVar[Mapping[str, Mapping[str, Any]]] = {"parameters": {"bounds_found": True}}

    value: Grid
    x: Labels | None
    hue: Labels | None
    orient: Orient
    method: str
    whis: float
    step: float | None
    coverage: float
    summaries: tuple[Summary, ...]
    measured: tuple[Measured, ...]
    unit_step: float
    found: tuple[str, ...] = ()
    bounds_found: bool = True

    def __post_init__(self) -> None:
        groups = len(list(self._groups()))
        if not len(self.summaries) == len(self.measured) == groups:
            raise ValueError("A boxplot has one summary and one measurement per group.")

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The seven numbers of each group."""
        return tuple(summary.box for summary in self.summaries)

    @property
    def uncertainty(self) -> dict[str, Interval]:
        """Intervals around each of the seven numbers, known from the mechanism alone."""
        return {
            name: Interval(
                tuple(getattr(summary.low, name) for summary in self.summaries),
                tuple(getattr(summary.high, name) for summary in self.summaries),
                self.coverage,
            )
            for name in NUMBERS
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with."""
        return {
            "value": axes.write(self.value),
            "x": axes.write(self.x),
            "hue": axes.write(self.hue),
            "orient": self.orient,
            "method": self.method,
            "whis": self.whis,
            "step": self.step,
            "coverage": self.coverage,
            "unit_step": self.unit_step,
            "found": list(self.found),
            "bounds_found": self.bounds_found,
        }

    def values(self) -> dict[str, Any]:
        """Return the released integers, and the numbers computed from them."""
        return {
            "summaries": list(map(_plain_summary, self.summaries)),
            "measured": [
                {"cells": list(map(int, group.cells)), "counts": list(map(int, group.counts))}
                for group in self.measured
            ],
        }

    @classmethod
    def from_parts(cls, common: Mapping[str, Any], parts: Mapping[str, Any]) -> BoxplotRelease:
        """Rebuild a boxplot from its document."""
        value = strict.grid(parts["value"])
        whis, unit_step = strict.number(parts["whis"]), strict.number(parts["unit_step"])
        known = parts["method"] in METHODS and parts["orient"] in ("v", "h")
        if not (known and whis >= 0 and 0 < unit_step <= 1):
            raise ValueError("The parameters are not those of a boxplot.")
        return cls(
            **common,
            value=value,
            x=strict.labels(parts["x"]),
            hue=strict.labels(parts["hue"]),
            orient=parts["orient"],
            method=parts["method"],
            whis=whis,
            step=strict.spacing(parts["step"]),
            coverage=strict.share(parts["coverage"], none=True),
            summaries=tuple(_summary(plain, value) for plain in parts["summaries"]),
            measured=tuple(map(_measured, parts["measured"])),
            unit_step=unit_step,
            found=tuple(map(str, parts["found"])),
            bounds_found=strict.flag(parts["bounds_found"]),
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group: its seven numbers, their intervals, its size.

        A column that has the name of one of them is called ``…_group``.
        """
        groups = zip(self._groups(), self.summaries, strict=True)
        return [group | self._record(summary) for group, summary in groups]

    def figure(self) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases import boxplot_figure

        return boxplot_figure.figure(self)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of what is drawn."""
        from sfumato.releases import boxplot_figure

        return boxplot_figure.caption(self)

    def _groups(self) -> list[dict[str, Any]]:
        keys = [key for key in (self.x, self.hue) if key is not None]
        return [
            {_named(column): value for place in places for column, value in place.items()}
            for places in product(*map(axes.places, keys))
        ]

    def _record(self, summary: Summary) -> dict[str, Any]:
        numbers = {name: self._plain(summary.box, name) for name in NUMBERS}
        for name in NUMBERS:
            numbers[f"{name}_low"] = self._plain(summary.low, name)
            numbers[f"{name}_high"] = self._plain(summary.high, name)
        return {**numbers, "size": summary.size, "clear": summary.clear}

    def _plain(self, box: Box, name: str) -> Any:
        number = getattr(box, name)
        return moment(number) if self.value.bounds.time and name in PLACES else number


_RESERVED = {
    *NUMBERS,
    *(f"{name}_{end}" for name in NUMBERS for end in ("low", "high")),
    "size",
    "clear",
}


def _named(column: str) -> str:
    return f"{column}_group" if column in _RESERVED else column


def _plain_summary(summary: Summary) -> dict[str, Any]:
    boxes = {"box": summary.box, "low": summary.low, "high": summary.high}
    return {
        **{
            name: {number: float(getattr(box, number)) for number in NUMBERS}
            for name, box in boxes.items()
        },
        "size": float(summary.size),
        "clear": bool(summary.clear),
    }


def _summary(plain: Mapping[str, Any], value: Grid) -> Summary:
    box, low, high = (_box(plain[name], value) for name in ("box", "low", "high"))
    places = [getattr(box, name) for name in PLACES]
    intervals = [getattr(low, name) <= getattr(high, name) for name in NUMBERS]
    if places != sorted(places) or not all(intervals):
        raise ValueError("The numbers of a box rise, and so do the ends of intervals.")
    return Summary(box, low, high, strict.number(plain["size"]), strict.flag(plain["clear"]))


def _box(plain: Mapping[str, Any], value: Grid) -> Box:
    numbers = {
        name: strict.place(plain[name], value) if name in PLACES else strict.number(plain[name])
        for name in NUMBERS
    }
    return Box(**numbers)


def _measured(plain: Mapping[str, Any]) -> Measured:
    cells, counts = (tuple(map(strict.integer, plain[name])) for name in ("cells", "counts"))
    return Measured(cells, counts)

"""`HistogramRelease`: noisy counts in public cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Figure
from sfumato.grid import Edges, Grid, Key, Labels, shape
from sfumato.postprocess.noise_law import KINDS, NoiseLaw
from sfumato.postprocess.proportion import proportions
from sfumato.privacy.budget import Cost
from sfumato.releases import axes, strict
from sfumato.releases.release import Release
from sfumato.releases.uncertainty import Uncertainty

Stat = Literal["count", "density", "proportion"]
STATS: tuple[Stat, ...] = ("count", "density", "proportion")


@dataclass(frozen=True, kw_only=True)
class HistogramRelease(Release):
    """Noisy counts per bin or category, in one or two dimensions, by group if asked.

    Parameters
    ----------
    x, y, hue
        The public cells along each axis.
    stat
        What the figure shows: counts, proportions of the noisy total, or their density.
    noise
        The law of the noise on each integer.
    step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight.
    steps
        The released integers, in the order hue, x, y.
    found
        The columns whose categories were found privately.
    """

    kind: ClassVar[str] = "histogram"

    x: Key
    y: Key | None
    hue: Labels | None
    stat: Stat
    noise: NoiseLaw
    step: float
    steps: tuple[int, ...]
    found: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.steps) != np.prod(shape(self.keys)) or self.stat not in STATS:
            raise ValueError("A histogram has one integer per cell, and a stat it knows.")

    @property
    def keys(self) -> tuple[Key, ...]:
        """The axes there are, in the order of the numbers."""
        return tuple(key for key in (self.hue, self.x, self.y) if key is not None)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The noisy counts, one axis per key; unbiased, and so sometimes below zero."""
        return np.array(self.steps, dtype=np.float64).reshape(shape(self.keys)) * self.step

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """What the figure shows: `counts`, or what `stat` makes of them."""
        if self.stat == "count":
            return self.counts
        return proportions(self.counts) * self._per_proportion

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """Intervals around `numbers`, known from the noise and not from the data."""
        if self.stat == "count":
            return Uncertainty.of_counts(self.counts.ravel(), self.noise, self.step)
        steps = np.array(self.steps, dtype=np.float64)
        return Uncertainty.of_proportions(steps, self.noise, self._per_proportion.ravel())

    @property
    def least_cost(self) -> Cost:
        """What the noise on the counts costs."""
        return self.noise.cost(self.guarantee.unit.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """The public facts the release was made with."""
        return {
            "x": axes.write(self.x),
            "y": axes.write(self.y),
            "hue": axes.write(self.hue),
            "stat": self.stat,
            "noise": {"kind": self.noise.kind, "scale": self.noise.scale},
            "step": self.step,
            "found": list(self.found),
        }

    def values(self) -> dict[str, Any]:
        """Return the released integers."""
        return {"steps": list(self.steps)}

    @classmethod
    def from_parts(cls, common: Mapping[str, Any], parts: Mapping[str, Any]) -> HistogramRelease:
        """Rebuild a histogram from its document."""
        x, hue = axes.read(parts["x"]), axes.read(parts["hue"])
        plain, step = parts["noise"], strict.number(parts["step"])
        if x is None or not isinstance(hue, Labels | None) or not 0 < step <= 1:
            raise ValueError("The axes or the noise are not those of a histogram.")
        return cls(
            **common,
            x=x,
            y=axes.read(parts["y"]),
            hue=hue,
            stat=parts["stat"],
            noise=NoiseLaw(strict.choice(plain["kind"], KINDS), strict.scale(plain["scale"])),
            step=step,
            steps=tuple(strict.integer(step) for step in parts["steps"]),
            found=tuple(map(str, parts["found"])),
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per cell: where it lies, its number and its intervals."""
        places = product(*(axes.places(key) for key in self.keys))
        columns = {
            self.stat: self.numbers.ravel().tolist(),
            "low": self.uncertainty.pointwise.low,
            "high": self.uncertainty.pointwise.high,
            "low_all": self.uncertainty.simultaneous.low,
            "high_all": self.uncertainty.simultaneous.high,
        }
        cells = (
            dict(zip(columns, cell, strict=True)) for cell in zip(*columns.values(), strict=True)
        )
        return [
            {name: value for part in place for name, value in part.items()} | cell
            for place, cell in zip(places, cells, strict=True)
        ]

    def figure(self) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases import histogram_figure

        return histogram_figure.figure(self)

    def caption(self) -> str:
        """Say what protects whom, and how noisy the numbers are."""
        from sfumato.releases import histogram_figure

        return histogram_figure.caption(self)

    @property
    def _per_proportion(self) -> NDArray[np.float64]:
        """What a proportion of 1 in each cell is worth in the unit of `stat`."""
        worth = np.ones(shape(self.keys))
        if self.stat == "density":
            for axis, key in enumerate(self.keys):
                if isinstance(key, Grid | Edges):
                    widths = np.diff(key.edges)
                    worth /= np.expand_dims(widths, [i for i in range(worth.ndim) if i != axis])
        return worth

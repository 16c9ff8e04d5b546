"""`HistogramRelease`: noisy counts in public cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Figure, Orient
from sfumato.grid import Edges, Grid, Key, Labels, shape
from sfumato.postprocess.combined_noise import CombinedNoise
from sfumato.postprocess.noise_law import NoiseLaw, proportions
from sfumato.privacy.budget import Cost
from sfumato.releases import axes
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import Integer, Parameter, Released, Step
from sfumato.releases.uncertainty import Uncertainty
from sfumato.render.look import Looks

Stat = Literal["count", "density", "proportion"]
Multiple = Literal["layer", "panels"]
STATS: tuple[Stat, ...] = ("count", "density", "proportion")


@dataclass(frozen=True, kw_only=True)
class HistogramRelease(FacetedRelease):
    """Noisy counts per bin or category, in one or two dimensions, by group if asked.

    Parameters
    ----------
    x
        The public cells along x.
    y
        The cells along y; None in one dimension.
    hue
        The groups; None where there are none.
    stat
        What the figure shows. Counts are kept in any case: a proportion is a count over the sum of
        all counts, or 0 where that sum is not above zero, and a density is a proportion over the
        width of its cell, or over width times height.
    noise
        The law of the noise on each integer.
    step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight; less by
        a power of two where releases were combined.
    steps
        One noisy integer for each cell: all cells of the first panel, then of the next; within a
        panel all cells of the first group, then of the next; within a
        group all of the first x, then of the next; within an x by y. Times `step` it is a count,
        unbiased and so sometimes below zero.
    found
        The columns whose categories or bounds were found by a private search, and paid for.
    """

    kind: ClassVar[str] = "histogram"
    by_panel: ClassVar[tuple[str, ...]] = ("steps",)

    x: Parameter[Key]
    y: Parameter[Key | None]
    hue: Parameter[Labels | None]
    stat: Parameter[Stat]
    noise: Parameter[NoiseLaw | CombinedNoise]
    step: Parameter[Step]
    steps: Released[tuple[Integer, ...]]
    found: Parameter[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.steps) != np.prod(shape(self.keys)) or self.stat not in STATS:
            raise ValueError("A histogram has one integer per cell, and a stat it knows.")
        whole = self.noise.whole if isinstance(self.noise, CombinedNoise) else None
        if whole and self.step * whole != self.guarantee.unit.step:
            raise ValueError("Combined integers are worth a part of what they were.")

    @property
    def keys(self) -> tuple[Key, ...]:
        """The axes there are, in the order of the numbers."""
        own = (key for key in (self.hue, self.x, self.y) if key is not None)
        return (*self.facets, *own)

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

    def figure(
        self,
        *,
        sort: Literal["count"] | None = None,
        top: int | None = None,
        orient: Orient | None = None,
        multiple: Multiple | None = None,
        **look: Unpack[Looks],
    ) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        sort
            ``"count"`` draws categories from the largest released count to the smallest.
        top
            Draw so many categories, those with the largest released counts. The choice is free; the
            only intervals that are drawn then are those that hold for all categories jointly, also
            for those that are not shown.
        orient
            ``"v"`` for upright bars, ``"h"`` for lying ones; left out, the names of categories
            decide.
        multiple
            ``"layer"`` draws all groups of `hue` in one panel, ``"panels"`` each in its own; left
            out, so do more groups than can be told apart.
        """
        from sfumato.releases.histogram import figure

        shown = figure.figure(self, sort=sort, top=top, orient=orient, multiple=multiple)
        return self._dressed(shown, look)

    def caption(self) -> str:
        """Say what protects whom, and how noisy the numbers are."""
        from sfumato.releases.histogram import figure

        return figure.caption(self)

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

"""`HeatmapRelease`: noisy masses of squares, and the density they make."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError, abbreviate
from sfumato.figure import Figure
from sfumato.grid import Grid, Labels
from sfumato.plane import MOST_STEPS, Outside
from sfumato.postprocess import density
from sfumato.postprocess.combined_noise import CombinedNoise, match_scale
from sfumato.postprocess.density import Leaves
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.presence import doubt_squares, find_present
from sfumato.privacy.budget import Cost
from sfumato.releases.heatmap.area import Area, Aspect, on_earth
from sfumato.releases.heatmap.leaves import LeafIntervals, LeafNoise, check_leaves, ends_of
from sfumato.releases.heatmap.view import Resolution, Smooth, cells_of, widths_of
from sfumato.releases.release import Endings, Release
from sfumato.releases.spelling import (
    Absent,
    Integer,
    OneOf,
    Parameter,
    Positive,
    Released,
    Scale,
    Step,
    ToldOnce,
    Within,
)
from sfumato.releases.uncertainty import widen
from sfumato.render.look import Looks

if TYPE_CHECKING:
    from sfumato.releases.heatmap.basemap import Basemap
    from sfumato.releases.heatmap.places import Center
    from sfumato.releases.heatmap.view import Background

Array = NDArray[np.float64]
Origin = Literal["lower", "upper"]

METHODS = {
    "adaptive": "Adaptive cells",
    "pyramid": "Cells of several sizes, the largest counts split further",
    "laplace": "Every cell, with Laplace noise",
    "dense": "Cells of one size, chosen by a noisy count",
}
"""What each method measures, as the caption says it."""

DECODERS = {
    "bayes": "values are posterior means",
    "lp": "values fit all measurements best",
    "": "values below zero are shown as zero",
}
"""How masses follow from measurements, as the caption says it."""

View = Literal["density", "scatter", "joint"]

NUMBERS = ("mass", "density", "low", "high")
"""What a record says of a leaf, besides where it lies."""


@dataclass(frozen=True)
class WindowSide:
    """A side of a window that was found by a private search.

    Parameters
    ----------
    column
        Which column is meant.
    share
        The share of the budget that the searches for all sides took together.
    found
        False where nothing was found: the side is then all of the public limits of the search.
    """

    column: str
    share: Annotated[float, Within(above=0, below=1)]
    found: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class HeatmapRelease(Release):
    """How much lies where in a window, as the masses of squares that do not overlap.

    Parameters
    ----------
    x, y
        The public window. Its bins are how finely the picture was asked for; the shape of the
        leaves is how finely it was measured.
    method
        How squares were chosen and measured.
    decoder
        How masses follow from measurements; an empty text where masses below zero count as zero
        and nothing else was done.
    top
        Which fraction of the cells was kept, the fullest ones; None for all.
    origin
        ``"upper"`` draws the y axis downwards, as the rows of an image run.
    aspect
        ``"map"`` for degrees of longitude and latitude, ``"equal"`` where both axes have the same
        unit, ``"free"`` for any others.
    outside
        What became of rows beyond the window: left out, or moved to its edge.
    weight
        The column that says how much each row weighs; None where all weigh the same.
    step
        What one integer is worth: 1, 2**-30 where a person's rows share its weight, or another
        power of two where a column weighs them.
    leaves
        The squares with their masses after decoding, in units.
    noisy
        The last direct measurement of each leaf, in steps: times `step` it is a mass. Unbiased, and
        so sometimes below zero.
    scale
        The scale of the discrete Laplace noise on each measurement, in steps; of Laplace noise with
        the same variance, where releases were combined.
    total
        The mass of all leaves together after decoding.
    combined
        The law of the noise on every measurement where releases were combined; absent elsewhere.
    hue
        The groups, each with squares of its own; absent where there is one map.
    found
        The column whose categories were found by a private search, and paid for.
    window
        The sides of the window that were found by private searches, and paid for; absent where
        both were declared.
    sizes
        How many leaves each group has; they stand one group after the other.
    view
        How it is drawn if nobody says otherwise.

    Notes
    -----
    Two heatmaps are equal when all their numbers are.
    """

    kind: ClassVar[str] = "heatmap"
    indent: ClassVar[int | None] = None
    endings: ClassVar[Endings] = {".geojson": lambda release: release.to_geojson()}

    x: Parameter[Grid]
    y: Parameter[Grid]
    method: Parameter[Annotated[str, OneOf(METHODS)]]
    decoder: Parameter[Annotated[str, OneOf(DECODERS)]]
    top: Parameter[Positive | None]
    origin: Parameter[Origin]
    aspect: Parameter[Aspect]
    outside: Parameter[Outside]
    weight: Parameter[str | None]
    step: Parameter[Step]
    leaves: Released[Leaves]
    noisy: Released[tuple[Integer, ...]]
    scale: Released[Annotated[tuple[Scale, ...], ToldOnce("scales")]]
    total: Released[Annotated[float, Within(minimum=0)]]
    combined: Parameter[Annotated[CombinedNoise | None, Absent(None)]] = None
    hue: Parameter[Annotated[Labels | None, Absent(None)]] = None
    found: Parameter[Annotated[tuple[str, ...], Absent(())]] = ()
    window: Parameter[Annotated[tuple[WindowSide, ...], Absent(())]] = ()
    sizes: Released[Annotated[tuple[Integer, ...], Absent(())]] = ()
    view: Parameter[Annotated[View, Absent("density")]] = "density"

    def __post_init__(self) -> None:
        if len(self.sizes) != (0 if self.hue is None else self.hue.cells):
            raise ValueError("Each group says how many leaves it has.")
        _check_window(self)
        if min(self.sizes, default=0) < 0:
            raise ValueError("A group has no less than no leaves.")
        _check_view(self.view)
        if self.hue is not None and sum(self.sizes) != len(self.leaves.mass):
            raise ValueError("Every leaf belongs to one group.")
        for part in self._slices:
            check_leaves(self._leaves_of(part))
        if not len(self.noisy) == len(self.scale) == len(self.leaves.mass):
            raise ValueError("A leaf has one measurement, with noise of one scale.")
        if self.aspect == "map" and not on_earth(self.x, self.y):
            raise ValueError("A map of the earth has degrees along its sides.")
        if not self.total >= 0:
            raise ValueError("There is not less than nothing in all.")
        if self.combined is not None:
            matched = match_scale(self.combined.variance)
            if not all(math.isclose(scale, matched) for scale in set(self.scale)):
                raise ValueError("Combined noise is as wide as it says.")

    @property
    def _slices(self) -> tuple[slice, ...]:
        """Where the leaves of each group stand."""
        if self.hue is None:
            return (slice(None),)
        ends = np.cumsum([0, *self.sizes]).tolist()
        return tuple(slice(*pair) for pair in pairwise(ends))

    def _leaves_of(self, part: slice) -> Leaves:
        leaves = self.leaves
        column, row, span = (each[part] for each in (leaves.column, leaves.row, leaves.span))
        return Leaves(leaves.shape, column, row, span, leaves.mass[part])

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; one without a name where nobody asked for any."""
        return tuple(map(str, self.hue.categories.values)) if self.hue else ("",)

    @cached_property
    def maps(self) -> tuple[HeatmapRelease, ...]:
        """The map of each group, as a release without groups; itself where it has none."""
        if self.hue is None:
            return (self,)
        return tuple(map(self._map, self._slices))

    def _map(self, part: slice) -> HeatmapRelease:
        leaves = self._leaves_of(part)
        return replace(
            self,
            leaves=leaves,
            noisy=self.noisy[part],
            scale=self.scale[part],
            total=float(leaves.mass.sum()),
            hue=None,
            found=(),
            sizes=(),
        )

    @cached_property
    def present(self) -> tuple[bool, ...]:
        """Which groups have too many people for noise alone, with 95 % for all groups together."""
        return find_present([each._doubt for each in self.maps])

    @property
    def _doubt(self) -> float:
        """How probably noise alone makes what was measured of a map without anybody."""
        noisy, scale = (np.array(each, dtype=np.float64) for each in (self.noisy, self.scale))
        return doubt_squares(self.leaves, noisy, scale)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeatmapRelease) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.label, self.guarantee, self.noisy))

    @cached_property
    def noise(self) -> LeafNoise:
        """What was measured of each leaf, and the law of its noise."""
        return LeafNoise(self.noisy, self.scale, self.step, self.combined)

    @property
    def uncertainty(self) -> LeafIntervals:
        """Intervals around the direct measurements of the leaves, known from the noise alone."""
        return self.noise.intervals

    @cached_property
    def ends(self) -> tuple[Array, Array, Array, Array]:
        """The left, right, low and high end of every leaf."""
        return ends_of(self.leaves, self.x, self.y)

    @property
    def area(self) -> Area:
        """What densities are told per: a choice of the bounds alone."""
        return Area.of(self.x, self.y, self.aspect)

    @property
    def density_label(self) -> str:
        """What a density counts, per what."""
        if self.guarantee.unit.column is not None:
            return f"{self.guarantee.unit.people} per {self.area.words}"
        return f"{abbreviate(self.weight or 'rows')} per {self.area.words}"

    @property
    def least_cost(self) -> Cost:
        """What the least noisy measurement of a leaf costs, if there is one."""
        if not self.scale:
            return Cost.nothing()
        unit = self.guarantee.unit
        weighed = unit.column is None and self.weight is not None
        # A weight has as many steps as fit: its bound is more than half of the most there can be.
        weight = MOST_STEPS // 2 if weighed else unit.weight
        law = self.combined or NoiseLaw("laplace", min(self.scale))
        return law.cost(weight)

    def to_array(self, *, resolution: Resolution | None = None, smooth: Smooth = 0.0) -> Array:
        """Return the density as an array ``[row, column]`` that sums to 1.

        With a hue it is ``[group, row, column]``, and each group sums to 1. Rows run with y and
        columns with x, from the lower bounds up. Where all masses are zero the density is the
        same everywhere.

        Parameters
        ----------
        resolution
            Cells along both sides, or a pair of columns and rows; as was asked, if left out.
        smooth
            The standard deviation of a Gaussian filter in the units of the data, or a pair for x
            and y; 0 for no filter.
        """
        cells = cells_of(resolution, self.x, self.y)
        if self.hue is not None:
            each = [one.to_array(resolution=resolution, smooth=smooth) for one in self.maps]
            return np.reshape(each, (len(each), *cells[::-1]))
        picture = density.rasterise(self.leaves, cells)
        total = picture.sum()
        if not total > 0:
            return np.full(cells[::-1], 1 / (cells[0] * cells[1]))
        return density.smooth(picture / total, widths_of(smooth, self.x, self.y, cells))

    def numbers(self) -> dict[str, list[float]]:
        """Return the mass, density and interval of every leaf; intervals hold the mass."""
        mass, sure = self.leaves.mass, self.uncertainty
        dense = mass / self.area.count(*self.ends)
        low, high = widen(mass, np.array(sure.low), np.array(sure.high))
        columns = (each.tolist() for each in (mass, dense, low, high))
        return dict(zip(NUMBERS, columns, strict=True))

    def records(self) -> list[dict[str, Any]]:
        """Return one record per leaf: its ends, its mass and density, and its interval.

        An interval is that of the last measurement, widened where it does not hold the mass, which
        rests on all measurements. ``low`` and ``high`` belong to the mass; a density is told in the
        unit of `density_label`.
        """
        columns: dict[str, list[Any]] = {}
        if self.hue is not None:
            named = zip(self.hue.categories.values, self.sizes, strict=True)
            columns[self.hue.column] = [name for name, size in named for _ in range(size)]
        for grid, pair in ((self.x, self.ends[:2]), (self.y, self.ends[2:])):
            for end, places in zip(("left", "right"), pair, strict=True):
                plain = places.tolist()
                columns[f"{grid.column}_{end}"] = [grid.bounds.show(place) for place in plain]
        columns |= self.numbers()
        return [
            dict(zip(columns, leaf, strict=True)) for leaf in zip(*columns.values(), strict=True)
        ]

    def centers(self, k: int) -> tuple[Center, ...]:
        """Return k places that most of the mass lies near, those with the most first.

        They are the k-median of the leaves, found by a local search on the masses as released.
        Distances are horizontal plus vertical ways, as shares of the window's sides.
        """
        if self.hue is not None:
            raise ReleaseError(
                "A heatmap with a hue has centers of each group, not of all.",
                "Squares of several groups lie over each other.",
                f"Write [each.centers({k}) for each in release.maps].",
            )
        from sfumato.releases.heatmap import places as centers

        return centers.centers(self, k)

    def to_geojson(self) -> dict[str, Any]:
        """Return the leaves as a GeoJSON FeatureCollection, for use in any map tool."""
        from sfumato.releases.heatmap import places as geojson

        return geojson.write(self)

    @property
    def heading(self) -> str:
        """What is shown, in words: points and margins follow from the same numbers."""
        from sfumato.releases.heatmap import figure

        return figure.describe_view(self, self.view)

    def figure(
        self,
        *,
        smooth: Smooth | None = None,
        leaves: bool = False,
        background: Background | None = None,
        basemap: Basemap | None = None,
        panels: bool | None = None,
        view: View | None = None,
        **look: Unpack[Looks],
    ) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        smooth
            The standard deviation of a Gaussian filter in the units of the data, or a pair for x
            and y; 0 for no filter. If left out, 1.5 % of the window's side.
        leaves
            Draw the outlines of the squares that were measured.
        background
            A picture of the window, to draw the density over: the path of a PNG or JPEG file, or
            an array.
        basemap
            Lines and outlines to draw over the density: the path of your own GeoJSON file, whose
            coordinates are those of the axes, or what is in it. It must be public.
        panels
            A panel for each group, instead of all in one; if left out, for more than ten.
        view
            ``"scatter"`` draws synthetic points of the released density, none of them anybody's,
            instead of the density itself; the same release always gives the same points.
            ``"joint"`` draws the density with the distribution of each column beside it. If left
            out, as it was asked for.
        """
        from sfumato.releases.heatmap import figure
        from sfumato.releases.heatmap import view as backgrounds
        from sfumato.releases.heatmap.basemap import read_basemap

        chosen = figure.default_smooth(self) if smooth is None else smooth
        shown = figure.figure(
            self,
            figure.HeatmapView(
                chosen,
                leaves=leaves,
                background=backgrounds.read(background),
                lines=read_basemap(basemap, *figure.window(self)),
                panels=panels,
                view=self.view if view is None else _check_view(view),
            ),
        )
        return self._dressed(shown, look)

    def caption(self) -> str:
        """Say what protects whom, how it was measured and what the picture's signs mean."""
        from sfumato.releases.heatmap import figure

        return figure.caption(self)


def _check_view(view: View) -> View:
    if view in ("density", "scatter", "joint"):
        return view
    raise ReleaseError(
        "The view of a heatmap is 'density', 'scatter' or 'joint'.",
        "It decides how the release is drawn, and costs nothing.",
        "Write view='scatter', or leave it out.",
    )


def _check_window(release: HeatmapRelease) -> None:
    sides = [each.column for each in release.window]
    both = {release.x.column, release.y.column}
    if len(set(sides)) != len(sides) or not {*sides} <= both:
        raise ValueError("A side of the window is found once.")
    if len({each.share for each in release.window}) > 1:
        raise ValueError("All sides of a window are paid for together.")

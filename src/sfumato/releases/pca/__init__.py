"""`PcaRelease`: the directions in which rows differ most, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.errors import ReleaseError
from sfumato.figure import Figure, Interval
from sfumato.lattice import MOST_COLUMNS, REACH, SHARES, Lattice, Point
from sfumato.postprocess.correlation import ClippedSums, Correlations, estimate_correlations
from sfumato.postprocess.length_tail import Clipped, LengthTail, fit_tail, tells_tail
from sfumato.postprocess.principal import (
    PrincipalComponents,
    VarianceEstimates,
    estimate_variances,
    find_components,
    find_distinct,
    loading_bands,
)
from sfumato.privacy.budget import Cost
from sfumato.releases.pca import moments as normal
from sfumato.releases.pca.moments import NoisyMoments
from sfumato.releases.release import Release
from sfumato.releases.spelling import Absent, Integer, Length, Named, Parameter, Released, Within
from sfumato.releases.uncertainty import LEVEL
from sfumato.render.look import Looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Scaled = Literal["range", "given", "private"]
View = Literal["scree", "loadings", "correlations"]

VIEWS: tuple[View, ...] = ("scree", "loadings", "correlations")
"""What can be drawn of components."""

_ROUNDED = 1e-9
_Vector = tuple[Integer, ...]

SCALED: dict[Scaled, str] = {
    "range": "Columns are scaled by half of their public range.",
    "given": "Columns are scaled as given.",
    "private": "Columns are scaled by a private measure of their spread.",
}
"""What distances are measured in, as the caption says it."""


@dataclass(frozen=True, kw_only=True)
class PcaRelease(Release):
    """Principal components of several columns, and the variance along each.

    Directions and variances come from two independent noisy sums, so that variances are not
    flattered by the choice of the directions.

    Parameters
    ----------
    lattice
        The columns, in the order of all numbers about them. Values are measured from the middle of
        each range, in units of its scale, and moved to the nearest point of a lattice whose spacing
        is the smallest power of two with no more than 2^20 points from the middle to the farther
        end of any column. A lattice integer is a coordinate of such a point: times the spacing it
        is a distance in scaled units, and times the scale of its column one in the column's own
        units.
    scaled
        Where the scales come from: half of each range, the person who asked, or private distances.
    directions
        The noisy sums that the directions follow from, about the private medians.
    spread
        The noisy sums that the variances follow from, about the released mean.
    vectors
        All directions by falling variance, one integer for each column: divided by 2^20 they have
        a length of 1, but for rounding.
    kept
        How many components are shown.
    view
        What is drawn where nobody says: shares of variance, loadings, or correlations.
    beyond
        About how many rows or people are longer than `directions` were clipped at, besides 2 % of
        them all; null in files of sfumato 0.1, which do not tell.
    """

    kind: ClassVar[str] = "pca"
    indent: ClassVar[int | None] = None

    lattice: Parameter[Annotated[Lattice, Named(key="columns")]]
    scaled: Parameter[Scaled]
    directions: Released[NoisyMoments]
    spread: Released[NoisyMoments]
    vectors: Released[Annotated[tuple[_Vector, ...], Length(2, MOST_COLUMNS)]] = field(repr=False)
    kept: Parameter[Annotated[int, Within(1, MOST_COLUMNS)]]
    view: Parameter[Annotated[View, Absent("scree")]] = "scree"
    beyond: Parameter[Annotated[float | None, Within(above=0.0), Absent()]] = None

    def __post_init__(self) -> None:
        for sums in (self.directions, self.spread):
            sums.asked(self.lattice)
        step = 1 / SHARES if self.guarantee.unit.shared else 1.0
        if not self.directions.step == self.spread.step == step:
            raise ValueError("A unit weighs as much in both sums as it is protected.")
        if not 1 <= self.kept <= len(self.columns) or self.scaled not in SCALED:
            raise ValueError("There are no more components than columns.")
        _check_directions(self.vectors, len(self.columns))
        if self.view not in VIEWS:
            raise ValueError("A release is drawn in a way that it has.")

    @property
    def centre(self) -> Point:
        """The private medians, from which rows were measured when directions were looked for."""
        return self.directions.origin

    @property
    def origin(self) -> Point:
        """The released mean, as a point of the lattice: scores are 0 there."""
        return self.spread.origin

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of all numbers about them."""
        return self.lattice.columns

    @cached_property
    def components(self) -> Array:
        """The directions shown: ``components[component, column]``, each row of length 1."""
        return self._directions[: self.kept]

    @property
    def mean(self) -> dict[str, Any]:
        """The released mean of each column, in its own units and within its public range."""
        places = self.lattice.middles + np.array(self.origin) / self.lattice.factors
        columns = zip(self.columns, self.lattice.bounds, places.tolist(), strict=True)
        inside = {column: (bounds, _within(place, bounds)) for column, bounds, place in columns}
        return {column: bounds.show(place) for column, (bounds, place) in inside.items()}

    @property
    def size(self) -> float:
        """The noisy number of rows, or of people whose rows share one weight.

        Both sums counted them, and the less noisy count weighs more. It may lie below zero.
        """
        return self._size[0]

    @property
    def variances(self) -> Array:
        """The variance along every direction, shown or not, in squared units of the scales."""
        return self._spread.variance

    @property
    def explained_variance(self) -> Array:
        """The variance along each component shown, in squared units of the scales."""
        return self.variances[: self.kept]

    @property
    def explained_variance_ratio(self) -> Array:
        """The share of each component shown in the variance of all columns together."""
        return self._spread.ratio[: self.kept]

    @property
    def total_variance(self) -> float:
        """The variance of all columns together, in squared units of the scales."""
        return self._spread.total

    @property
    def distinct(self) -> tuple[bool, ...]:
        """Whether the gap between each component shown and the next is wider than the noise."""
        return find_distinct(self._principal)[: self.kept]

    @property
    def reliable(self) -> tuple[bool, ...]:
        """Whether each component shown is told from its neighbours, so that it has a direction."""
        gaps = (True, *self.distinct[: len(self.columns) - 1], True)
        return tuple(gaps[place] and gaps[place + 1] for place in range(self.kept))

    @property
    def variance_noise(self) -> float:
        """The standard deviation of the noise on each variance."""
        return float(self._spread.variance_error.max())

    @cached_property
    def uncertainty(self) -> dict[str, Interval]:
        """Intervals around each kind of number, known from the noise and not from the data.

        They are about rows moved to the lattice. Those of variances and shares allow for what
        clipping took off, unless a file does not tell; those of ``components`` are about rows as
        they were clipped, in the order of its rows, and cover more than they state where noise
        may have exchanged directions.
        """
        reach, most = normal.reach(), self.spread.length(self.lattice) ** 2
        bands = loading_bands(self._principal)[: self.kept]
        low, high = self._spread.total_limits(reach, most)
        along, highest = self._spread.variance_limits(reach, most)
        lost = self.excess or 0.0
        return {
            "size": normal.intervals(*map(np.array, self._size)),
            "total_variance": Interval((low,), (high + lost,), LEVEL),
            "explained_variance": self._shown((along, highest + lost)),
            "explained_variance_ratio": self.share_intervals(),
            "components": normal.intervals(self.components, bands, limits=(-1.0, 1.0)),
        }

    def share_intervals(self, *, together: bool = False) -> Interval:
        """Return intervals around the shares of variance: each alone, or all of them together."""
        reach = normal.reach(self.kept if together else 1)
        return self._shown(self._share_limits(reach))

    def axis_label(self, component: int) -> str:
        """Name a component, counted from 1, and the share of variance along it."""
        return f"PC{component} ({self.share_words(component)} of variance)"

    def share_words(self, component: int) -> str:
        """Print the share of variance along a component, counted from 1, and how sure we are."""
        ends = (self._spread.ratio, *self._share_limits(normal.reach()))
        return normal.percents(*(float(each[component - 1]) for each in ends))

    @cached_property
    def correlations(self) -> Correlations:
        """The correlations of all pairs of columns, a valid matrix, with intervals.

        They follow from both sums: those of directions have less noise, those of variances lack
        less of long rows. Their intervals allow for what clipping took off.
        """
        sums, excess = self.spread.sums(self.lattice), self.excess or 0.0
        return estimate_correlations(sums, excess, shorter=self._shorter)

    @cached_property
    def excess(self) -> float | None:
        """About how much smaller clipping makes the mean square of the rows' distances, at most.

        In squared units of the scales, for the sums that variances and correlations follow from;
        None where a file does not tell.
        """
        farthest = self.lattice.farthest_from(self.origin)
        if self.spread.length(self.lattice) >= farthest * (1 - _ROUNDED):
            return 0.0
        return None if self._tail is None else self._tail.excess(self.spread.length(self.lattice))

    def reorder(self, columns: Sequence[str]) -> PcaRelease:
        """Return the same numbers with the columns in another order."""
        if tuple(columns) == self.columns:
            return self
        places = [self.columns.index(column) for column in columns]
        return replace(
            self,
            lattice=self.lattice.reorder(places),
            directions=self.directions.reorder(places),
            spread=self.spread.reorder(places),
            vectors=tuple(tuple(vector[place] for place in places) for vector in self.vectors),
        )

    @property
    def least_cost(self) -> Cost:
        """What the noise on both sums costs."""
        unit = self.guarantee.unit
        return self.directions.cost(self.lattice, unit) + self.spread.cost(self.lattice, unit)

    def records(self) -> list[dict[str, Any]]:
        """Return one record per component and column: the loading and its interval.

        The component's variance and its share stand beside each, with intervals of their own.
        Drawn as correlations, there is one record per pair of columns.
        """
        if self.view == "correlations":
            return self.correlation_records()
        sure = self.uncertainty
        along = {
            "explained_variance": self.explained_variance,
            "explained_variance_ratio": self.explained_variance_ratio,
        }
        loadings = zip(
            self.components.ravel().tolist(),
            sure["components"].low,
            sure["components"].high,
            strict=True,
        )
        records: list[dict[str, Any]] = []
        for place, numbers in enumerate(loadings):
            component, column = divmod(place, len(self.columns))
            record = {"component": component + 1, "column": self.columns[column]}
            record |= dict(zip(("loading", "low", "high"), numbers, strict=True))
            for name, values in along.items():
                record[name] = float(values[component])
                record[f"{name}_low"] = sure[name].low[component]
                record[f"{name}_high"] = sure[name].high[component]
            records.append(record)
        return records

    def correlation_records(self) -> list[dict[str, Any]]:
        """Return one record per pair of columns: the correlation and its intervals.

        Those that end in ``_all`` hold for all pairs together. All allow for ``clipping``: how far
        clipped rows may have moved the correlation.
        """
        found = self.correlations
        numbers = {
            "correlation": found.value,
            "low": found.low,
            "high": found.high,
            "low_all": found.low_all,
            "high_all": found.high_all,
            "clipping": found.clipping,
        }
        return [
            {"column": column, "other": self.columns[other]}
            | {name: float(each[place, other]) for name, each in numbers.items()}
            for place, column in enumerate(self.columns)
            for other in range(place)
        ]

    @property
    def heading(self) -> str:
        """What is shown, in words: correlations follow from the same numbers."""
        from sfumato.releases.pca import correlations

        return correlations.describe(self) if self.view == "correlations" else self.label

    def figure(self, *, view: View | None = None, **look: Unpack[Looks]) -> Figure:
        """Describe a picture as plain data.

        Parameters
        ----------
        view
            ``"scree"`` shows the share of variance along each component, ``"loadings"`` what each
            column adds to the first components, ``"correlations"`` those of all pairs of columns;
            left out, what was asked for.
        """
        from sfumato.releases.pca import figure

        return self._dressed(figure.figure(self, self._known(view)), look)

    def caption(self, *, view: View | None = None) -> str:
        """Say what protects whom, how columns are scaled, and how noisy the numbers are."""
        from sfumato.releases.pca import figure

        return figure.caption(self, self._known(view))

    def screeplot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the share of variance along each component, and return the Axes."""
        return self.plot(ax=ax, view="scree")

    def loadings_plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw what each column adds to the first components, and return the Axes."""
        return self.plot(ax=ax, view="loadings")

    def corrplot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the correlations of all pairs of columns, and return the Axes."""
        return self.plot(ax=ax, view="correlations")

    def _known(self, view: View | None) -> View:
        return self.view if view is None else _known(view)

    @cached_property
    def _directions(self) -> Array:
        """All directions, as rows of length 1."""
        vectors = np.array(self.vectors, dtype=np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    @cached_property
    def _principal(self) -> PrincipalComponents:
        return find_components(self.directions.sums(self.lattice))

    @cached_property
    def _spread(self) -> VarianceEstimates:
        return estimate_variances(self.spread.sums(self.lattice), self._directions)

    def _share_limits(self, reach: float) -> tuple[Array, Array]:
        """Return limits of shares, where all that clipping took off may lie along one direction."""
        low, high = self._spread.ratio_limits(reach)
        total = max(self.total_variance, self._spread.total_error)
        kept = total / (total + (self.excess or 0.0))
        return low * kept, high * kept + (1 - kept)

    def _shown(self, limits: tuple[Array, Array]) -> Interval:
        low, high = (tuple(ends[: self.kept].tolist()) for ends in limits)
        return Interval(low, high, LEVEL)

    @cached_property
    def _tail(self) -> LengthTail | None:
        """The lengths of long rows, where the file tells how many there are."""
        if self.beyond is None:
            return None
        near, far = (
            Clipped(sums.sums(self.lattice), sums.length(self.lattice))
            for sums in (self.directions, self.spread)
        )
        shift = (np.array(self.origin) - np.array(self.centre)) * self.lattice.unit
        return fit_tail(near, far, shift, size=max(self._size), beyond=self.beyond)

    @property
    def _shorter(self) -> ClippedSums | None:
        """The sums of directions and what they lack, where that is told."""
        least = self._size[0] - 2 * self._size[1]
        if self._tail is None or not tells_tail(least, self.beyond or 0.0):
            return None
        length = self.directions.length(self.lattice)
        whole = length >= self.lattice.farthest_from(self.centre) * (1 - _ROUNDED)
        excess = 0.0 if whole else self._tail.excess(length)
        return ClippedSums(self.directions.sums(self.lattice), excess)

    @cached_property
    def _size(self) -> tuple[float, float]:
        """The number of rows, and the standard deviation of the noise on it."""
        counts = [sums.sums(self.lattice) for sums in (self.directions, self.spread)]
        weights = np.array([1 / each.noise_count**2 for each in counts])
        size = float(weights @ [each.count for each in counts] / weights.sum())
        return size, float(1 / np.sqrt(weights.sum()))


def _known(view: View) -> View:
    if view in VIEWS:
        return view
    raise ReleaseError(
        "view must be 'scree', 'loadings' or 'correlations'.",
        "All are drawn from numbers that are released already, and cost nothing.",
        "Write view='loadings'.",
    )


def _within(place: float, bounds: Bounds) -> float:
    return min(max(place, bounds.lower), bounds.upper)


def _check_directions(vectors: tuple[Point, ...], columns: int) -> None:
    if len(vectors) != columns or any(len(vector) != columns for vector in vectors):
        raise ValueError("There are as many directions as columns.")
    turned = np.array(vectors, dtype=np.float64) / REACH
    # Rounding moves each coordinate by at most half a step, and so a product by √d steps.
    if np.abs(turned @ turned.T - np.eye(columns)).max() > columns / REACH:
        raise ValueError("Directions have a length of 1 and are at right angles.")

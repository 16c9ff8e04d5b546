"""`DistributionRelease`: noisy masses of intervals of a column, by group; any picture of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Annotated, Any, ClassVar, Literal, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError, Setting
from sfumato.figure import Figure
from sfumato.grid import Grid, Labels
from sfumato.postprocess.cumulated import Band, MeasuredIntervals
from sfumato.postprocess.noise_law import NoiseKind, NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.releases import axes, wording
from sfumato.releases.distribution.line import LEVEL, FittedLine
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import (
    Absent,
    Index,
    Integer,
    Length,
    OneOf,
    Parameter,
    Positive,
    Released,
    Scale,
    Step,
)
from sfumato.render.look import Looks

Drawn = Literal["ecdf", "kde", "violin", "boxen"]
View = Drawn | Literal["histogram"]
VIEWS: tuple[View, ...] = (*get_args(Drawn), "histogram")

_MOST_INTERVALS = 2**16
_KINDS = get_args(NoiseKind)


@dataclass(frozen=True)
class LineRound:
    """Noisy masses of intervals that make up the line, all with the same noise.

    Parameters
    ----------
    starts
        The first cell of each interval, from 0, rising; one ends where the next begins.
    steps
        A noisy integer for each. Times `unit_step` of the release it is a mass, unbiased and so
        sometimes below zero.
    scale
        The scale of the noise on each integer, in steps.
    """

    starts: tuple[Index, ...]
    steps: tuple[Integer, ...]
    scale: Scale


@dataclass(frozen=True)
class LineMeasured:
    """What was measured of one group.

    Parameters
    ----------
    rounds
        One round after the other, of ever more intervals: the first is of the whole line.
    """

    rounds: Annotated[tuple[LineRound, ...], Length(2, 8)]


@dataclass(frozen=True)
class QuantileEstimate:
    """A quantile of one group, and between which values it lies.

    Parameters
    ----------
    level
        How large a share lies below.
    value
        Where that is.
    low, high
        The ends of an interval around it.
    reliable
        Whether there is enough to say so.
    """

    level: float
    value: float
    low: float
    high: float
    reliable: bool


@dataclass(frozen=True)
class BinEstimate:
    """The mass of one bin of one group, and between which numbers it lies.

    Parameters
    ----------
    left, right
        Where the bin begins and ends.
    count
        How many rows or people lie in it.
    low, high
        The ends of an interval around that.
    """

    left: float
    right: float
    count: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class DistributionRelease(FacetedRelease):
    """Noisy masses of intervals of a line, one group after the other.

    Every picture of the column follows from them: how large a share lies below each value, its
    density, quantiles, and counts in any bins.

    Parameters
    ----------
    value
        The public cells that intervals are made of.
    by
        The public groups; None where there are none.
    step
        The spacing of whole-number data; None where values may lie anywhere.
    noise
        The law of the noise on each integer.
    unit_step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight.
    measured
        What was measured of each group: all of the first panel, then of the next.
    view
        How it is drawn where nobody says otherwise.
    found
        The columns whose categories or bounds were found by a private search, and paid for.
    bounds_found
        False where a private search for bounds found nothing: nothing can be relied on then.
    hue
        The public groups within each of `by`; None where there are none.
    """

    kind: ClassVar[str] = "distribution"
    indent: ClassVar[int | None] = None
    by_panel: ClassVar[tuple[str, ...]] = ("measured",)

    value: Parameter[Grid]
    by: Parameter[Labels | None]
    step: Parameter[Positive | None]
    noise: Parameter[Annotated[NoiseKind, OneOf(_KINDS)]]
    unit_step: Parameter[Step]
    measured: Released[tuple[LineMeasured, ...]]
    view: Parameter[Annotated[Drawn, Absent("ecdf")]] = "ecdf"
    found: Parameter[tuple[str, ...]] = ()
    bounds_found: Parameter[Annotated[bool, Absent(True)]] = True
    hue: Parameter[Annotated[Labels | None, Absent(None)]] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        groups = math.prod(key.cells for key in self.groups)
        if len(self.measured) != len(self.panels) * groups or (self.hue and not self.by):
            raise ValueError("There is one measurement per group.")
        if self.noise not in _KINDS or self.view not in get_args(Drawn):
            raise ValueError("A distribution has noise of a known law, and a known view.")
        for each in self.measured:
            _check(each, self.value.cells)

    @property
    def groups(self) -> tuple[Labels, ...]:
        """The columns that groups are of, in the order of the numbers."""
        return tuple(key for key in (self.by, self.hue) if key is not None)

    @property
    def least_cost(self) -> Cost:
        """What the noise of all rounds of the dearest group costs."""
        weight = self.guarantee.unit.weight
        costs = [
            Cost.sum(NoiseLaw(self.noise, each.scale).cost(weight) for each in group.rounds)
            for group in self.measured
        ]
        return max(costs, key=lambda cost: cost.rho, default=Cost.nothing())

    @cached_property
    def lines(self) -> tuple[FittedLine, ...]:
        """What was released about each group, as cumulated masses with their errors."""
        return tuple(
            FittedLine.of(
                [self._read(each) for each in group.rounds], self.value, self.unit_step, self.step
            )
            for group in self.measured
        )

    def _read(self, each: LineRound) -> MeasuredIntervals:
        cuts = np.array([*each.starts, self.value.cells], dtype=np.int64)
        steps = np.array(each.steps, dtype=np.int64)
        return MeasuredIntervals(cuts[:-1], cuts[1:], steps, NoiseLaw(self.noise, each.scale))

    @property
    def reliable(self) -> tuple[bool, ...]:
        """Whether each group is large enough to say where it lies."""
        return tuple(self.bounds_found and line.reliable for line in self.lines)

    @property
    def sizes(self) -> tuple[float, ...]:
        """How many rows or people each group has, about."""
        return tuple(line.size for line in self.lines)

    def quantiles(
        self, levels: Iterable[float] = (0.25, 0.5, 0.75), *, together: bool = False
    ) -> tuple[tuple[QuantileEstimate, ...], ...]:
        """Return quantiles of every group with their intervals, which costs nothing.

        Parameters
        ----------
        levels
            Shares above 0 and below 1.
        together
            Whether the intervals of a group hold jointly, at all levels that there are.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = sf.testing.city(people=2000)
        >>> release = sf.distribution(people, x="age", bounds=(0, 100), budget=1.0)
        >>> (median,) = release.quantiles([0.5])[0]
        >>> median.low <= median.value <= median.high
        True
        """
        asked = _read_levels(levels)
        return tuple(
            tuple(
                _estimate(
                    line, level, line.band if together else line.intervals, self.step, reliable
                )
                for level in asked
            )
            for line, reliable in zip(self.lines, self.reliable, strict=True)
        )

    def histogram(
        self, bins: int | Sequence[float] = 20, *, together: bool = False
    ) -> tuple[tuple[BinEstimate, ...], ...]:
        """Return the masses of any bins of every group with their intervals, which costs nothing.

        Parameters
        ----------
        bins
            How many equal bins between the bounds, or the edges of all, rising. A bin holds its
            left edge and not its right one; the last holds both.
        together
            Whether the intervals of a group hold jointly, for all bins.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = sf.testing.city(people=2000)
        >>> release = sf.distribution(people, x="age", bounds=(0, 100), budget=1.0)
        >>> [each.left for each in release.histogram(4)[0]]  # between two ages
        [-0.5, 24.5, 49.5, 74.5]
        """
        edges = _read_edges(bins, self.value, self.step)
        return tuple(
            _count(line, edges, _find_ends(line, edges), together=together) for line in self.lines
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group and place: the share below it, and the ends of the band.

        Where values have a spacing, shares lie at or below values.
        """
        keys = [*self.facets, *self.groups]
        groups = [
            {name: value for place in places for name, value in place.items()}
            for places in product(*map(axes.places, keys))
        ]
        show, column = self.value.bounds.show, self.value.column
        records: list[dict[str, Any]] = []
        for group, line, reliable in zip(groups, self.lines, self.reliable, strict=True):
            told = list(zip(line.values, line.shares, line.band.low, line.band.high, strict=True))
            records += [
                {f"{name}_group" if name in _NAMES else name: each for name, each in group.items()}
                | {column if column not in _NAMES else f"{column}_value": show(float(place))}
                | {"share": float(share), "low": float(low), "high": float(high)}
                | {"reliable": reliable}
                for place, share, low, high in told[1 if self.step else 0 :]
            ]
        return records

    def figure(self, *, view: View | None = None, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        view
            ``"ecdf"`` draws how large a share lies at or below each value, ``"kde"`` a smooth
            density, ``"violin"`` the same of groups side by side, ``"boxen"`` boxes between
            quantiles that lie ever further out, and ``"histogram"`` 20 bins. Left out, the chart
            that was asked for decides.
        """
        from sfumato.releases.distribution import figure

        return self._dressed(figure.figure(self, self._known(view)), look)

    def caption(self, *, view: View | None = None) -> str:
        """Say what protects whom, and how sure we are."""
        from sfumato.releases.distribution import figure

        return figure.caption(self, self._known(view))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What whoever reads the numbers must know about them."""
        return () if self.bounds_found else (wording.found_nothing(self.guarantee),)

    def _known(self, view: View | None) -> View:
        check_view(view=view)
        return self.view if view is None else view


def check_view(*, view: View | None = None) -> None:
    """Refuse a way to draw that there is not."""
    if view is not None and view not in VIEWS:
        raise ReleaseError(
            (Setting("view", view), " is no way to draw a distribution."),
            "Nothing was charged.",
            f"Write one of {', '.join(map(repr, VIEWS))}.",
        )


_NAMES = ("share", "low", "high", "reliable")


def _estimate(
    line: FittedLine, level: float, band: Band, step: float | None, reliable: bool
) -> QuantileEstimate:
    low, high = line.quantile_interval(level, band)
    value = line.quantile(level)
    low, high = min(low, value), max(high, value)
    if step:  # each value is the middle of its cell, and both ends lie between two values
        value = _find_middle(value, float(line.places[0]), step)
        low, high = min(low + step / 2, value), max(high - step / 2, value)
    return QuantileEstimate(level, value, low, high, reliable)


def _find_middle(value: float, lower: float, step: float) -> float:
    return lower + (math.floor((value - lower) / step - 1e-9) + 0.5) * step


def _read_levels(given: Iterable[float]) -> tuple[float, ...]:
    levels = tuple(float(each) for each in given)
    if not levels or not all(0 < level < 1 for level in levels):
        raise ReleaseError(
            "levels must be shares between 0 and 1.",
            "The ends of the data belong to single people and are not quantiles.",
            ("Write ", Setting("levels", [0.25, 0.5, 0.75]), "."),
        )
    return levels


def _read_edges(bins: int | Sequence[float], value: Grid, step: float | None) -> list[float]:
    """Return the edges of bins; a number of them have edges half-way between two values."""
    bounds = value.bounds
    if isinstance(bins, int) and not isinstance(bins, bool) and 1 <= bins <= value.cells:
        if step:
            return value.edges[np.arange(bins + 1) * value.cells // bins].tolist()
        return np.linspace(bounds.lower, bounds.upper, bins + 1).tolist()
    edges = [] if isinstance(bins, int) else [float(edge) for edge in bins]
    if (
        len(edges) < 2
        or not all(a < b for a, b in pairwise(edges))
        or not math.isfinite(sum(edges))
    ):
        raise ReleaseError(
            "bins must be a number of bins, or their edges, rising.",
            "Nothing was charged: drawing is free.",
            ("Write ", Setting("bins", 20), "."),
        )
    return edges


def _find_ends(line: FittedLine, edges: Sequence[float]) -> NDArray[np.float64]:
    """Return where bins end on the line: what equals an edge lies above it, and at last below."""
    ends = np.array(edges)
    if line.spacing is None:
        ends[-1] = np.nextafter(ends[-1], math.inf)
        return ends
    ends[-1] += _CLOSED * line.spacing
    return line.grid.edges[line.find_cuts(ends)]


_CLOSED = 1e-3  # of a step: more than rounding may move a value


def _count(
    line: FittedLine, edges: Sequence[float], ends: NDArray[np.float64], *, together: bool
) -> tuple[BinEstimate, ...]:
    """Return the masses of bins: between two places mass lies evenly, and may lie anywhere."""
    estimates: list[BinEstimate] = []
    # No sum of Laplace or Gaussian noises has wider tails than a Laplace law.
    wider = 1 + math.log(len(ends) - 1) / -math.log(1 - LEVEL) if together else 1.0
    for (left, right), pair in zip(pairwise(edges), pairwise(ends.tolist()), strict=True):
        low, high = np.interp(pair, line.places, line.masses)
        inner, outer = _find_around(line, *pair)
        estimates.append(
            BinEstimate(
                left,
                right,
                float(high - low),
                max(0.0, min(_reach(line, *inner, wider)[0], float(high - low))),
                max(_reach(line, *outer, wider)[1], float(high - low)),
            )
        )
    return tuple(estimates)


def _find_around(line: FittedLine, left: float, right: float) -> tuple[tuple[int, int], ...]:
    """Return the widest run of places within a bin, and the narrowest that holds it."""
    last, places = len(line.places) - 1, line.places
    inner = int(np.searchsorted(places, left)), int(np.searchsorted(places, right, "right")) - 1
    outer = int(np.searchsorted(places, left, "right")) - 1, int(np.searchsorted(places, right))
    clip = [tuple(int(np.clip(end, 0, last)) for end in pair) for pair in (inner, outer)]
    return (clip[0][0], max(clip[0])), (clip[1][0], clip[1][1])


def _reach(line: FittedLine, first: int, end: int, wider: float) -> tuple[float, float]:
    raw = line.fit.estimate[line.chosen]
    mass = float(raw[end] - raw[first])
    reach = float(np.quantile(abs(line.errors[end] - line.errors[first]), LEVEL)) * wider
    return mass - reach, mass + reach


def _check(measured: LineMeasured, cells: int) -> None:
    """Refuse rounds that are not of one line."""
    for each in measured.rounds:
        rising = all(low < high for low, high in pairwise((*each.starts, cells)))
        if len(each.starts) != len(each.steps) or each.starts[:1] != (0,) or not rising:
            raise ValueError("The intervals of a round rise from the first cell, with an integer.")
    if len(measured.rounds[0].starts) != 1:
        raise ValueError("The first round is of the whole line.")
    if sum(len(each.starts) for each in measured.rounds) > _MOST_INTERVALS:
        raise ValueError("There are too many intervals.")

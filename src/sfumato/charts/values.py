"""`Values`: the column whose quantiles are asked for, its grid, and private bounds for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation
from sfumato.charts.option import About, Ranges
from sfumato.domain import Bounds, ColumnType, Domain, convert_to_float, is_on_calendar
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import BoundsOf, DomainError, PrivateSearch, Setting, SourceError, Worded
from sfumato.exact import Exact
from sfumato.grid import MOST_CELLS, Edges, Grid
from sfumato.mechanisms.joint import MOST_CELLS as MOST_CHOSEN_FROM
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.threshold import extremes, threshold_scale
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private

SMALLEST = 2.0**-30
"""Numbers closer to zero than this, about 10⁻⁹, are not told apart by a search for bounds."""

_FINEST = 2.0**-20
_ROOT = math.sqrt(2)


def make_geometric_ladder(
    grid: Grid, ratio: float = 1.001, *, upward: bool = True, unit: float = 1.0
) -> NDArray[np.int64]:
    """Return the cells at distances ``unit * (ratio**i - 1)`` from one end of a grid.

    Rungs are dense near that end and lie apart in proportion to their distance from it. Those
    that share a cell are one; the cell at the other end is always a rung.

    Parameters
    ----------
    upward
        Whether distances are measured from the lower end, where a walk upward begins.
    unit
        What a distance of one is worth in the data.

    Returns
    -------
    NDArray
        Indices of cells, rising whichever way distances are measured.

    Examples
    --------
    >>> make_geometric_ladder(Grid("age", Bounds(0, 100), 100), ratio=2.0)
    array([ 0,  1,  3,  7, 15, 31, 63, 99])
    >>> make_geometric_ladder(Grid("age", Bounds(0, 100), 100), ratio=2.0, upward=False)
    array([ 0, 36, 68, 84, 92, 96, 98, 99])
    """
    if not (unit > 0 and 1 < ratio < math.inf):
        raise _make_ladder_error()
    rate, last = math.log(ratio), grid.cells - 1
    rungs = math.log1p(grid.bounds.width / unit) / rate
    if not rungs < MOST_CELLS:
        raise _make_ladder_error()
    distances = unit * np.expm1(rate * np.arange(math.ceil(rungs)))
    # Rungs that should lie on an edge of a cell must not fall short of it by a rounding.
    cells = np.floor(distances / grid.bounds.width * grid.cells * (1 + 1e-12)).astype(np.int64)
    cells = np.unique(np.append(cells.clip(max=last), last))
    return cells if upward else last - cells[::-1]


def make_signed_ladder(
    limits: Bounds, *, ratio: float = _ROOT, smallest: float | None = None
) -> tuple[float, ...]:
    """Return the edges of cells around zero that widen in proportion to their distance from it.

    They are …, −s·r, −s, 0, s, s·r, … with r = `ratio` and s = `smallest`, from one end of
    `limits` to the other: a grid for numbers of unknown size and sign, to be used in
    `sfumato.grid.Edges`. The cells at both ends are from half a step to one and a half steps wide.

    Parameters
    ----------
    smallest
        The edge next to zero; 2⁻³⁰, or a millionth of the limits where that is less.

    Examples
    --------
    >>> make_signed_ladder(Bounds(-10, 50), ratio=4.0, smallest=1.0)
    (-10.0, -4.0, -1.0, 0.0, 1.0, 4.0, 16.0, 50.0)
    """
    farthest = max(abs(limits.lower), abs(limits.upper))
    smallest = min(SMALLEST, _FINEST * farthest) if smallest is None else smallest
    if not (0 < smallest <= farthest and 1.001 <= ratio < math.inf):
        raise _make_ladder_error()
    # Rounded, as the float next to √2 is not half a doubling to the bit; powers of 2 are exact.
    doublings = round(math.log2(ratio), 12)
    steps = math.floor(math.log2(farthest / smallest) / doublings) + 1
    sizes = smallest * np.exp2(doublings * np.arange(steps))
    marks = np.concatenate([-sizes[::-1], [0.0], sizes])
    inside = marks[(marks > limits.lower) & (marks < limits.upper)]
    apart = np.ones(inside.size, dtype=np.bool_)
    for end in (limits.lower, limits.upper):
        sizes = np.maximum(np.abs(inside), abs(end))
        apart &= np.abs(inside - end) >= (1 - ratio**-0.5) * sizes
    return (limits.lower, *inside[apart].tolist(), limits.upper)


def _make_ladder_error() -> DomainError:
    return DomainError(
        "A ladder needs a ratio above 1 and a smallest step above 0, with fewer rungs than a grid "
        "may have cells.",
        "A walk draws noise for every rung it looks at.",
        "Use a ratio of 1.001 or more.",
    )


_EVEN = 2**10


def make_even_ladder(limits: Bounds) -> tuple[float, ...]:
    """Return edges that are evenly spaced within limits, which have no natural zero.

    Examples
    --------
    >>> len(make_even_ladder(Bounds.of(("2020-01-01", "2030-01-01")))) - 1
    1024
    """
    fine = math.floor(limits.width / (16 * math.ulp(max(abs(limits.lower), abs(limits.upper)))))
    return tuple(Grid("", limits, max(1, min(_EVEN, fine))).edges.tolist())


_WINDOW = Worded(
    "bounds=sf.private(within=(date(2000, 1, 1), date(2030, 1, 1)))",
    in_shell="--bounds private:2000-01-01,2030-01-01",
)

MARGIN = 1.5
"""By how many of their widths found bounds are widened: if a box is inside, its fences are too."""

_EARLY = 0.001

_BOX = 4  # a quartile is inside what was found where so many times as many units are there


@dataclass(frozen=True)
class BoundsSearch:
    """A planned search: bounds that leave about `least` steps of weight beyond either end.

    Parameters
    ----------
    key
        The public cells that the search counts in.
    epsilon
        What it may spend.
    least
        Where a walk from outside stops: the weight at which the part that it has passed is taken
        for data and not for noise. Noise alone reaches it in one of a thousand searches.
    """

    key: Edges
    unit: PrivacyUnit
    epsilon: Fraction
    least: int
    cost: Cost

    @property
    def column(self) -> str:
        """The column whose bounds are searched for."""
        return self.key.column

    @property
    def beyond(self) -> float:
        """About how many units lie beyond either end before it is widened."""
        return self.least * self.unit.step

    @property
    def succeeds_from(self) -> float:
        """About how many units a search needs, for the quartiles to lie within what it finds.

        With fewer it may find nothing, or bounds that are too narrow.
        """
        return _BOX * self.beyond

    @classmethod
    def plan(
        cls,
        column: str,
        unit: PrivacyUnit,
        asked: Private,
        whole: Allocation,
        known: ColumnType = ColumnType(),  # noqa: B008 - which never changes
    ) -> BoundsSearch:
        """Plan a search that spends the asked share of the chart's portion."""
        if asked.delta is not None:
            raise DomainError(
                f"The private search for bounds of {column!r} takes no δ.",
                "Its answers are steps of a public ladder, so it needs no δ.",
                (
                    "Write ",
                    Setting("bounds", PrivateSearch()),
                    "; a δ is for searches for categories.",
                ),
            )
        limits = asked.limits.located(known)
        ladder = make_even_ladder(limits) if limits.time else make_signed_ladder(limits)
        key = Edges(column, limits, ladder)
        epsilon = whole.part(to_fraction(asked.bounds_share)).epsilon
        return cls.in_cells(key, unit, epsilon, early=_EARLY)

    @classmethod
    def in_cells(
        cls, key: Edges, unit: PrivacyUnit, epsilon: Fraction, *, early: float
    ) -> BoundsSearch:
        """Plan a search in given cells, that stops for noise so often."""
        scale = threshold_scale(unit.weight, Fraction(0), epsilon)
        least = _compute_threshold(scale, key.cells, early)
        return cls(key, unit, epsilon, least, Cost.pure(epsilon))

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        units = self.unit.counted
        enough = f"succeeds from about {format_two_digits(self.succeeds_from)} {units}"
        return [("search for bounds", f"ε = {float(self.epsilon):.3g}, {enough}")]

    def check(self, schema: Schema) -> None:
        """Refuse a table that cannot answer, before anything is charged."""
        if schema.kind(self.column) == "time" and not self.key.bounds.time:
            raise SourceError(
                f"Column {self.column!r} holds dates, whose bounds are searched for within public "
                "ones.",
                "Around which date to search would have to be read from the data.",
                ("Write ", _WINDOW, ", or declare its range."),
            )
        schema.check([self.key], self.unit)

    def run(self, engine: Engine, meter: Meter) -> FoundBounds:
        """Ask for the bounds.

        Privacy
        -------
        As `sfumato.mechanisms.threshold.extremes` states, at no more than the planned cost. There
        is an answer for every table.
        """
        lower, upper = self.choose(engine, meter)
        bounds, limits = self.widen(lower, upper), self.key.bounds
        return FoundBounds(
            bounds,
            found=upper > 0,
            cut=(bounds.lower > limits.lower, bounds.upper < limits.upper),
        )

    def choose(self, engine: Engine, meter: Meter) -> tuple[int, int]:
        """Return the cells where the walks from both ends stop; the upper one is 0 for nothing.

        Privacy
        -------
        As `run`: what follows from these cells costs no more.
        """
        return self.walk(meter, engine.counts([self.key], self.unit))

    def walk(self, meter: Meter, exact: Exact) -> tuple[int, int]:
        """Return what `choose` does, of counts in the cells of the search.

        Privacy
        -------
        As `run`.
        """
        rungs = np.arange(self.key.cells)
        chosen = extremes(meter, exact, ladder=rungs, least=self.least, epsilon=self.epsilon)
        lower, upper = chosen[0].tolist()
        return lower, upper

    def over(self, key: Edges, *, early: float) -> BoundsSearch:
        """Return a search at the same cost in other cells, that stops for noise so often."""
        scale = threshold_scale(self.unit.weight, Fraction(0), self.epsilon)
        return replace(self, key=key, least=_compute_threshold(scale, key.cells, early))

    def widen(self, lower: int, upper: int) -> Bounds:
        """Return bounds around the cells where the walks stopped; the limits for nothing."""
        limits, edges = self.key.bounds, self.key.values
        if upper == 0:
            return limits  # nothing was found, so nothing is known
        margin = MARGIN * (edges[upper + 1] - edges[lower])
        return replace(
            limits,
            lower=max(limits.lower, edges[lower] - margin),
            upper=min(limits.upper, edges[upper + 1] + margin),
        )


@dataclass(frozen=True)
class FoundBounds:
    """Bounds that are public now, declared or found.

    Parameters
    ----------
    found
        False where a search found nothing: the bounds are then its public limits.
    cut
        Whether values may lie beyond the lower and the upper bound that no declaration puts there.
    """

    bounds: Bounds
    found: bool = True
    cut: tuple[bool, bool] = (False, False)


def format_two_digits(number: float) -> str:
    """Print two digits of a number.

    Examples
    --------
    >>> format_two_digits(1234.5), format_two_digits(47.3), format_two_digits(2.53)
    ('1,200', '47', '2.5')
    """
    return f"{float(f'{number:.2g}'):,.{0 if number >= 10 else 1}f}"


def _compute_threshold(scale: float, rungs: int, early: float) -> int:
    """Return the weight that noise reaches at no rung without weight, but in few searches.

    One rung does with probability q^least / (1 + q), where q = exp(−1/scale).
    """
    return math.ceil(scale * math.log(rungs / (early * (1 + math.exp(-1 / scale)))))


MOST_VALUES = 2**20
"""How many cells a value grid has where neither `step` nor the groups ask for fewer."""

STEP = About(
    help="The spacing of the values: 1 for whole numbers. Default: from the type of the column.",
    python="A ``range`` as bounds also sets it.",
    metavar="NUMBER",
)
"""What every `step` says about itself."""

SEARCH = About(
    help="``sf.private()``, to search for bounds that are not declared, with a share of the "
    "budget.",
)
"""What `bounds` say about themselves in a session, which has declared all that is public."""

RANGES = Ranges(
    help="The public range of the values, ``(lower, upper)``; or ``sf.private()`` to search for it "
    "with a share of the budget.",
    typed="The range of the values, 1..12 if they are whole numbers; private searches for it, "
    "private:0.2 with that share of the budget.",
    type="Range | Private | Mapping[str, Range] | None",
)
"""What `bounds` are where a chart stands alone."""


@dataclass(frozen=True)
class Values:
    """A column of numbers or dates with public bounds, or with a search for them.

    Parameters
    ----------
    step
        How far apart values lie; None where they may lie anywhere.
    asked
        Whether the chart itself was asked for with that step, and is refused if it is too small;
        otherwise bounds or the type of the column tell it.
    """

    column: str
    bounds: Bounds | BoundsSearch
    step: float | None
    asked: bool = True

    def __post_init__(self) -> None:
        if self.step is None or not self.asked:
            return
        if isinstance(self.bounds, Bounds):
            dated, widest = self.bounds.time, float_info.max
        else:  # around bounds that are found, a wider step could leave what floats can hold
            limits = self.bounds.key.bounds
            dated, widest = limits.time, limits.width
        if dated or not 0 < convert_to_float(self.step) <= widest:
            raise DomainError(
                f"A step of {self.step!r} for {self.column!r} must be a number above 0, no wider "
                "than what is searched, and dates have theirs from their type.",
                "It is the spacing of the values and must not depend on the data.",
                ("Write ", Setting("step", 1), " for whole numbers, and leave it out for others."),
            )
        object.__setattr__(self, "step", float(self.step))

    @classmethod
    def plan(
        cls,
        column: str,
        domain: Domain,
        unit: PrivacyUnit,
        whole: Allocation,
        *,
        search: Private | None,
        step: float | None,
    ) -> Values:
        """Look up the bounds, or cost a search for them with its share of a portion."""
        known = domain.typed(column)
        if search is None:
            bounds = domain.spaced_bounds(column)
            spacing = bounds.step
        else:
            bounds = BoundsSearch.plan(column, unit, search, whole, known)
            spacing = None if known.time else known.spacing
        return cls(column, bounds, spacing if step is None else step, asked=step is not None)

    @property
    def limits(self) -> Bounds:
        """The bounds, or the range in which they are searched for."""
        return self.bounds.key.bounds if isinstance(self.bounds, BoundsSearch) else self.bounds

    @property
    def cost(self) -> Cost:
        """What the search for bounds costs, if there is one."""
        return self.bounds.cost if isinstance(self.bounds, BoundsSearch) else Cost.nothing()

    def check(self, schema: Schema, unit: PrivacyUnit) -> None:
        """Refuse a table that cannot answer, before anything is charged."""
        if isinstance(self.bounds, BoundsSearch):
            self.bounds.check(schema)
        else:
            schema.check([self.grid(self.bounds, 1)], unit)

    def settle(self, engine: Engine, meter: Meter) -> FoundBounds:
        """Return the bounds, searched for where they are not declared.

        Privacy
        -------
        A search spends its planned cost; declared bounds cost nothing.
        """
        if isinstance(self.bounds, BoundsSearch):
            return self.bounds.run(engine, meter)
        return FoundBounds(self.bounds)

    def grid(self, bounds: Bounds, groups: int) -> Grid:
        """Return the cells that `groups` groups can be counted in.

        Bounds with more steps than can be counted are cut as if no step were known, unless it was
        asked for.
        """
        room = min(MOST_CELLS // max(groups, 1), MOST_CHOSEN_FROM)
        bounds = replace(bounds, step=None)
        if self.step is not None:
            if self._fits(bounds, self.step, room):
                return self._stepped(bounds, self.step)
            if self.asked and isinstance(self.bounds, Bounds):
                raise DomainError(
                    f"A step of {self.step:g} cuts {self.column!r} into more values than the "
                    f"{room} that an answer may have for each of its groups, here {groups}.",
                    "Most of them would hold nobody.",
                    "Choose a larger step, or leave it out.",
                )
        fine = bounds.width / (16 * math.ulp(max(abs(bounds.lower), abs(bounds.upper))))
        cells = max(1.0, min(MOST_VALUES, room, fine))
        return Grid(self.column, bounds, 2 ** math.floor(math.log2(cells)))

    def spacing(self, grid: Grid) -> float | None:
        """Return the step that the cells of a grid have; none where it was too small for them."""
        stepped = self.step and math.isclose(grid.bounds.width, grid.cells * self.step)
        return self.step if stepped else None

    def _fits(self, bounds: Bounds, step: float, room: int) -> bool:
        # Half a step beyond its ends, time itself may have ended.
        dated = not bounds.time or is_on_calendar(bounds.lower - step, bounds.upper + step)
        wide = self.asked or step <= bounds.width
        return dated and wide and bounds.width / step + 2 <= room

    def _stepped(self, bounds: Bounds, step: float) -> Grid:
        """Return cells whose centres are the steps from the lower bound on, up to the upper one."""
        lower = bounds.lower
        if isinstance(self.bounds, BoundsSearch):
            lower = math.floor(lower / step) * step
        # A bound that is a step but for its rounding is that step.
        cells = math.floor((bounds.upper - lower) / step + 1e-9) + 1
        lower -= step / 2
        return Grid(self.column, replace(bounds, lower=lower, upper=lower + cells * step), cells)


def check_search(bounds: object) -> None:
    """Refuse bounds that are neither left out nor a request for a search."""
    if not isinstance(bounds, Private | None):
        raise DomainError(
            "The bounds of a chart ask for a private search, and nothing else.",
            "What is public about a column holds for all charts of a table.",
            (
                "Declare it, ",
                BoundsOf("wait"),
                ", or write ",
                Setting("bounds", PrivateSearch()),
                ".",
            ),
        )

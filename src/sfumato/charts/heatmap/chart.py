"""`Heatmap`: where people are, at any resolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from sfumato.charts.allocation import Allocation, CategorySearch, divide_budget, run_searches
from sfumato.charts.axes import HUE, HUE_ORDER, Order, declare_categories, read_labels, read_order
from sfumato.charts.chart import Chart
from sfumato.charts.heatmap.adaptive import Adaptive
from sfumato.charts.heatmap.method import (
    HeatProcedure,
    Resolution,
    choose_aspect,
    join_maps,
    read_resolution,
)
from sfumato.charts.heatmap.plan import HeatmapPlan
from sfumato.charts.heatmap.published import Decoder, Dense, HeatPyramid, Laplace
from sfumato.charts.heatmap.window import (
    FoundSide,
    WindowSearch,
    list_searches,
    read_searches,
    total_share,
)
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.charts.values import SEARCH
from sfumato.domain import Domain, convert_to_float
from sfumato.engines.engine import Engine
from sfumato.errors import BoundsOf, DomainError, ProtectedUsers, Setting, Settings
from sfumato.grid import Grid, Labels
from sfumato.mechanisms.meter import Meter
from sfumato.plane import MOST_LEVELS, Outside, Plane, Weight
from sfumato.privacy.budget import Budget, plain_above
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.heatmap import HeatmapRelease, Origin, WindowSide
from sfumato.releases.heatmap.area import Aspect

HeatMethod = Literal["adaptive", "pyramid", "laplace", "dense"]

_WIDTHS = range(1, 2**12 + 1)


@explained
@dataclass(frozen=True)
class Heatmap(Chart[HeatmapPlan, HeatmapRelease]):
    """The density of rows or people over two columns.

    Rows beyond the window are not drawn, though they share their person's weight.

    Examples
    --------
    >>> chart = Heatmap(x="lon", y="lat")
    >>> domain = Domain(lon=(-74.3, -73.7), lat=(40.5, 40.9))
    >>> plan = chart.plan(domain, PrivacyUnit.users("user"), Budget(epsilon=1))
    >>> round(plan.expected_error, 2)  # people, in one of the squares that are measured
    2.08
    """

    verb = "heatmap"
    summary = "Show the density of rows or people in two columns."
    privacy = "The maps of all groups are charged once together, at any resolution."
    ranges = Ranges(
        help='The public window, ``{"lon": (…), "lat": (…)}``, and the public range of `weight` if '
        "there is one; or ``sf.private(within=(…))`` for a column, or for both, to search for it "
        "with a share of the budget.",
        typed="The range of a column; repeat it for both of the window, and for the weight if "
        "there is one. lon=private:-180,180 searches within that range, private for both columns.",
        type="Mapping[str, Range | Private] | Private",
        required=True,
        metavar="COLUMN=LOWER,UPPER",
    )
    example = Example(
        table="checkins(people=500)",
        asks='x="lon", y="lat"',
        bounds='{"lon": (-30.10, -29.90), "lat": (44.94, 45.06)}',
        domain='{"lon": (-30.10, -29.90), "lat": (44.94, 45.06)}',
        unit='"person_id"',
        budget="1.0",
        shows="release.to_array(resolution=(4, 3)).shape",
        gives="(3, 4)",
        command="heatmap visits.csv --x lon --y lat --bounds lon=-74.3,-73.7 "
        "--bounds lat=40.5,40.9 --unit user_id --epsilon 0.5",
    )
    endings = (".geojson",)

    x: str = field(
        metadata=About(
            help="The column along the x axis.",
            metavar="COLUMN",
            positional=True,
        )
    )
    y: str = field(
        metadata=About(
            help="The column along the y axis.",
            metavar="COLUMN",
            positional=True,
        )
    )
    resolution: Resolution = field(
        default=256,
        metadata=About(
            help="Cells along each side of the map, up to 2²⁰.",
            python="A pair is for x and y.",
            typed="320,240 is for x and y.",
            metavar="CELLS",
            spelled="cells",
        ),
    )
    method: HeatMethod = field(
        default="adaptive",
        metadata=About(
            help="How the map is measured; the others than adaptive are for comparison.",
            why="It decides what is measured.",
        ),
    )
    decoder: Decoder | None = field(
        default=None,
        metadata=About(
            help="For pyramid: how masses are estimated from noisy ones; default lp, as published.",
            why="It decides how noisy masses are made to agree.",
            panel="Methods to compare with",
        ),
    )
    top: float | None = field(
        default=None,
        metadata=About(
            help="For laplace: show only this fraction of the cells, those with the largest "
            "counts.",
            metavar="FRACTION",
            panel="Methods to compare with",
        ),
    )
    width: int = field(
        default=20,
        metadata=About(
            help="For pyramid: how many squares are split on each level, w of the paper.",
            metavar="NUMBER",
            panel="Methods to compare with",
        ),
    )
    decay: float = field(
        default=2**-0.5,
        metadata=About(
            help="For pyramid: how ε shrinks from one level to the one below, γ of the paper.",
            metavar="NUMBER",
            panel="Methods to compare with",
        ),
    )
    levels: int | None = field(
        default=None,
        metadata=About(
            help="For pyramid: how many times squares are split; default: from the resolution.",
            metavar="NUMBER",
            panel="Methods to compare with",
        ),
    )
    weight: str | None = field(
        default=None,
        metadata=About(
            help="The column with the weight of each row, with public bounds from 0.",
            metavar="COLUMN",
        ),
    )
    outside: Outside = field(
        default="drop",
        metadata=About(
            help="Rows outside the window are dropped, or clipped to its edge.",
            why="It decides what is counted.",
        ),
    )
    origin: Origin = field(
        default="lower",
        metadata=About(
            help="Where y begins: upper draws it downwards, as in images.",
            why="It decides which way up the picture is.",
        ),
    )
    aspect: Aspect | None = field(
        default=None,
        metadata=About(
            help="How the window is drawn: map for degrees of longitude and latitude, equal for "
            "one scale on both axes, free to fill the picture. Default: from the names of the "
            "columns and the origin.",
            why="It decides how the window is drawn.",
        ),
    )

    bounds: Private | Mapping[str, Private] | None = field(default=None, metadata=SEARCH)
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "resolution", read_resolution(self.resolution))
        self._check_columns()
        self._check_groups()
        self._check_options()
        searches = read_searches(self.bounds, (self.x, self.y))
        object.__setattr__(self, "bounds", searches)

    def declare(self, bounds: object) -> Domain:
        """Return what a heatmap declares alone: its window, and how much a row may weigh."""
        if isinstance(bounds, Private):
            return Domain(declare_categories({self.hue: self.hue_order}))
        if not isinstance(bounds, Mapping):
            raise DomainError(
                "A heatmap needs the public bounds of both columns.",
                "A window read from the data would leak its extremes.",
                ("Write ", BoundsOf(self.x, self.y), "."),
            )
        told = cast(Mapping[str, object], bounds)
        ranges = {name: each for name, each in told.items() if not isinstance(each, Private)}
        return Domain(ranges | declare_categories({self.hue: self.hue_order}))

    def _check_columns(self) -> None:
        columns = [column for column in (self.x, self.y, self.weight, self.hue) if column]
        if len(set(columns)) != len(columns):
            raise DomainError(
                "x, y, weight and hue must be different columns.",
                "A column against itself shows a line, and costs the same.",
                ("Write ", Settings({"x": "lon", "y": "lat"}), "."),
            )

    def _check_groups(self) -> None:
        if (self.hue is None and self.hue_order is not None) or (
            self.hue is not None and self.method != "adaptive"
        ):
            raise DomainError(
                (
                    Setting("hue_order"),
                    " needs a hue, and hue the adaptive method.",
                ),
                "Other methods are for comparison, and measure one map.",
                ("Write ", Setting("hue", "ward"), ", or leave both out."),
            )

    def _check_options(self) -> None:
        pyramid = self.method == "pyramid"
        usual = (20, 2**-0.5, None, None)
        if not pyramid and (self.width, self.decay, self.levels, self.decoder) != usual:
            raise DomainError(
                ("decoder, width, decay and levels belong to ", Setting("method", "pyramid"), "."),
                "They have no effect on other methods.",
                ("Leave them out, or write ", Setting("method", "pyramid"), "."),
            )
        if self.top is not None and (
            self.method != "laplace" or not 0 < convert_to_float(self.top) <= 1
        ):
            raise DomainError(
                (
                    Setting("top", self.top),
                    " must be above 0 and up to 1, with method 'laplace'.",
                ),
                "It must not depend on the data.",
                ("Write ", Settings({"method": "laplace", "top": 0.0001}), ", or leave it out."),
            )
        if not (_is_whole(self.width, _WIDTHS) and 0 < convert_to_float(self.decay) <= 1):
            raise DomainError(
                f"width must be a whole number up to {_WIDTHS[-1]}, and decay above 0 and up to 1.",
                "They decide how ε is spent.",
                "Leave them out for the published 20 and 0.7071.",
            )
        if self.levels is not None and not _is_whole(self.levels, range(MOST_LEVELS + 1)):
            raise DomainError(
                (Setting("levels", self.levels), f" must be a whole number up to {MOST_LEVELS}."),
                "It decides how small the smallest squares are.",
                "Leave it out for those of the resolution.",
            )

    @property
    def label(self) -> str:
        """What is asked, in words."""
        by = f", weighted by {self.weight}" if self.weight else ""
        groups = f" by {self.hue}" if self.hue else ""
        return f"heatmap of {self.x} and {self.y}{groups}{by}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> HeatmapPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        if unit.max_rows is not None:
            raise DomainError(
                "In a heatmap each person has a total weight of 1, shared by their rows.",
                "With a limit on rows, a few people with many rows would dominate the picture.",
                ("Write ", ProtectedUsers(unit.columns), "."),
            )
        columns, rows = cast(tuple[int, int], self.resolution)
        windows = list_searches(self.bounds, (self.x, self.y))
        order = read_order(self.hue_order)
        searched = {self.hue or "": order} if isinstance(order, Private) else {}
        division = divide_budget(budget, searched, unit, taken=total_share(windows))
        side = 2 ** (max(columns, rows) - 1).bit_length()
        window = {
            name: WindowSearch.plan(name, domain, unit, each, division.whole, side=side)
            for name, each in windows.items()
        }
        x, y = (
            Grid(name, window[name].limits if name in window else domain.bounds(name), cells)
            for name, cells in ((self.x, columns), (self.y, rows))
        )
        plane = self._plane(x, y)
        hue = division.searches.get(self.hue or "") or read_labels(domain, self.hue, self.hue_order)
        method = self._method(division.left, plane)
        cost = sum((each.cost for each in window.values()), division.cost) + method.cost
        return HeatmapPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            x=x,
            y=y,
            plane=plane,
            weight=None if self.weight is None else _read_weight(domain, self.weight),
            method=method,
            name=self.method,
            aspect=self.aspect or choose_aspect(x, y, self.origin),
            hue=hue,
            window=tuple(window.values()),
            share=float(total_share(windows)),
        )

    def measure(self, engine: Engine, plan: HeatmapPlan, meter: Meter) -> HeatmapRelease:
        """Ask the engine once, measure squares, decode, return the release.

        Privacy
        -------
        One query answers for all cells of the finest level; the method sees its sums alone, and
        spends the plan's cost once on every path from the whole window to a cell, of all groups
        together. Groups and window are public, or searches for them were paid for before.
        """
        hue = cast(Labels | None, run_searches(engine, meter, (plan.hue,))[0])
        sides = {each.column: each.run(engine, meter) for each in plan.window}
        x, y = (_move(grid, sides.get(grid.column)) for grid in (plan.x, plan.y))
        plane = replace(self._plane(x, y), hue=hue)
        exact = engine.masses(plane, plan.guarantee.unit, plan.weight)
        if hue is None:
            maps = [plan.method.map(meter, exact, plane)]
        else:
            maps = cast(Adaptive, plan.method).map_groups(meter, exact, plane)
        found = join_maps(maps, plane)
        return HeatmapRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            x=x,
            y=y,
            method=self.method,
            decoder=self._decoder,
            top=None if self.top is None else float(self.top),
            origin=self.origin,
            aspect=plan.aspect,
            outside=self.outside,
            weight=self.weight,
            step=exact.step,
            leaves=found.leaves,
            noisy=tuple(found.noisy.tolist()),
            scale=tuple(found.scale.tolist()),
            total=float(found.leaves.mass.sum()),
            hue=hue,
            found=(self.hue,) if self.hue and isinstance(plan.hue, CategorySearch) else (),
            window=tuple(WindowSide(name, plan.share, side.found) for name, side in sides.items()),
            sizes=() if hue is None else tuple(len(each.noisy) for each in maps),
        )

    def arrange(self, release: Any) -> Any:
        """Return the density drawn as such, where points or margins were asked for first."""
        return replace(release, view="density") if _is_redrawn(release) else release

    @property
    def _decoder(self) -> str:
        if self.method == "pyramid":
            return self.decoder or "lp"
        return {"adaptive": "bayes", "dense": "lp"}.get(self.method, "")

    def _plane(self, x: Grid, y: Grid) -> Plane:
        """Return the cells to count in: those of the picture, or a power of two a side.

        A quadtree is stretched over the window. Cut out of a larger square, part of its cells
        would lie where nobody can be, and be paid for in squares of odd shapes at the rim.
        """
        if self.method != "laplace":
            side = 2 ** Plane(x, y).levels
            x, y = Grid(x.column, x.bounds, side), Grid(y.column, y.bounds, side)
        return Plane(x, y, self.outside)

    def _method(self, portion: Allocation, plane: Plane) -> HeatProcedure:
        epsilon = portion.epsilon
        match self.method:
            case "pyramid":
                levels = plane.levels if self.levels is None else min(self.levels, plane.levels)
                decoder = cast(Decoder, self._decoder)
                return HeatPyramid(epsilon, levels, self.width, float(self.decay), decoder)
            case "laplace":
                return Laplace(epsilon, None if self.top is None else float(self.top))
            case "dense":
                return Dense(epsilon)
            case _:
                return Adaptive(epsilon)


def _is_redrawn(release: object) -> bool:
    return isinstance(release, HeatmapRelease) and release.view != "density"


def _move(grid: Grid, side: FoundSide | None) -> Grid:
    return grid if side is None else Grid(grid.column, side.bounds, grid.cells)


def _is_whole(number: object, among: range) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number in among


def _read_weight(domain: Domain, column: str) -> Weight:
    bounds = domain.bounds(column)
    if bounds.lower < 0 or bounds.time:
        raise DomainError(
            f"The weight {column!r} must have bounds from 0 up.",
            "Negative weights could cancel the weights of others.",
            ("Declare it as ", BoundsOf(column, ends=(0, 100)), "."),
        )
    return Weight(column, bounds.upper)

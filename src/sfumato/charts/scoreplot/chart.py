"""`Scoreplot`: where rows lie along two principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, cast

from sfumato.charts.allocation import Allocation, CategorySearch, divide_budget, run_searches
from sfumato.charts.axes import HUE, HUE_ORDER, Order, declare_categories, read_labels, read_order
from sfumato.charts.chart import Chart
from sfumato.charts.option import About, explained
from sfumato.charts.pca.chart import (
    PCA,
    RANGES,
    SCALE,
    Scale,
    declare_ranges,
    join_names,
    require_delta,
)
from sfumato.charts.scoreplot.cells import Filling, Noised, ScorePyramid, ScoreWindow, Sparse
from sfumato.charts.scoreplot.plan import BudgetSplit, ScoreplotPlan
from sfumato.domain import Domain, read_list
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError, Setting, Worded
from sfumato.grid import Grid, Labels
from sfumato.lattice import MOST_COLUMNS
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.haar import Estimate
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import Method as ScoreMethod
from sfumato.releases.scoreplot import ScoreplotRelease

CALLED = "Score plots"

_COLUMNS = Setting("columns", ["age", "weight", "height"])
_RELEASED = Worded("scoreplot(pca)", in_shell="--pca FILE.json")

MOST_BINS = 256
"""How many cells a side a frame may have."""


@explained
@dataclass(frozen=True)
class Scoreplot(Chart[ScoreplotPlan, ScoreplotRelease]):
    """The density of rows over two principal components, by groups if there are any.

    Examples
    --------
    >>> chart = Scoreplot(columns=["age", "weight", "height"], bins=16)
    >>> domain = Domain(age=(0, 100), weight=(0, 200), height=(100, 220))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1, delta=1e-5))
    >>> round(plan.expected_error, 1)  # rows, in one of the cells
    4.2
    """

    verb = "scoreplot"
    summary = "Show the density of rows along two principal components, by groups."
    privacy = (
        "Directions, frame and counts of all groups together are charged once. What `pca` cost "
        "was charged where it was released, and comes on top."
    )
    ranges = replace(
        RANGES,
        help=f"{RANGES.help} Not needed with a `pca`.",
        type="Mapping[str, Range] | None",
        required=False,
    )
    example = replace(
        PCA.example,
        asks=f"{PCA.example.asks}, bins=16",
        shows="release.to_array().shape",
        gives="(16, 16)",
        command="scoreplot visits.csv --columns pulse,pressure,sugar --bounds pulse=30,200 "
        "--bounds pressure=60,260 --bounds sugar=2,30 --hue ward --hue-order A,B --epsilon 3 "
        "--delta 1e-6",
    )
    needs_delta = True

    pca: PcaRelease | None = field(
        default=None,
        metadata=About(
            help="Released components, with their columns and bounds. Without them, components "
            "are computed first, with part of this chart's budget.",
            metavar="FILE.json",
            spelled="components",
            positional=True,
        ),
    )
    columns: Sequence[str] | None = field(
        default=None,
        metadata=About(
            help="Without a `pca`: the columns to analyse, from 2 to 100. Rows with a missing "
            "value are dropped.",
            metavar="A,B,C",
            spelled="columns",
        ),
    )
    axes: tuple[int, int] = field(
        default=(1, 2),
        metadata=About(
            help="Which two components to show, the first being 1.", metavar="1,2", spelled="cells"
        ),
    )
    bins: int | tuple[int, int] | None = field(
        default=None,
        metadata=About(
            help="How many cells a side. Default: from 8 to 64, chosen from the noise and the "
            "released number of rows.",
            python="A pair is for both axes.",
            typed="20,30 is for both axes.",
            metavar="CELLS",
            spelled="cells",
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    method: ScoreMethod = field(
        default="haar",
        metadata=About(
            help="How cells are measured; the others than haar are for comparison.",
            why="It decides what is measured.",
        ),
    )
    split: Literal["thirds", "halves"] | Sequence[float] | None = field(
        default=None,
        metadata=About(
            help="Shares of the budget for directions, frame and histogram; or thirds, or halves "
            "with released components, as in the literature.",
            metavar="0.35,0.05,0.6",
            spelled="split",
        ),
    )
    scale: Scale | None = field(default=None, metadata=SCALE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_source()
        object.__setattr__(self, "axes", _read_pair(self.axes, MOST_COLUMNS, self._axes_error))
        object.__setattr__(self, "bins", None if self.bins is None else _read_bins(self.bins))
        if self.axes[0] == self.axes[1] or max(self.axes) > self._known:
            raise self._axes_error
        if self.hue in self.analysed or (self.hue is None and self.hue_order is not None):
            raise DomainError(
                (
                    "hue must be a column of groups, not one of those analysed, and ",
                    Setting("hue_order"),
                    " needs one.",
                ),
                "Without groups there is nothing to compare.",
                ("Write ", Setting("hue", "ward"), ", or leave both out."),
            )
        self._split  # noqa: B018 - refuses one that does not add up

    def _check_source(self) -> None:
        given = cast(object, self.pca)
        if (given is None) == (self.columns is None) or not isinstance(given, PcaRelease | None):
            raise DomainError(
                "A score plot needs released components, or the columns to find them from, and "
                "not both.",
                "Otherwise it is ambiguous what is paid for.",
                ("Write ", _RELEASED, ", or ", _COLUMNS, "."),
            )
        if self.pca is not None and self.scale is not None:
            raise DomainError(
                "The scale belongs to the components, which are released already.",
                "Another scale would have no effect.",
                ("Leave it out, or ask for new components: ", _COLUMNS, "."),
            )

    @property
    def analysed(self) -> tuple[str, ...]:
        """The columns whose components are shown."""
        if self.pca is not None:
            return self.pca.columns
        return tuple(PCA(cast(Sequence[str], self.columns)).columns)

    @property
    def asked(self) -> PCA:
        """The components to find first, where none are given."""
        analysis = PCA(cast(Sequence[str], self.columns), scale=self.scale)
        return replace(analysis, n_components=max(analysis.kept, *self.axes))

    def declare(self, bounds: object) -> Domain:
        """Return what a score plot declares alone."""
        return Domain(
            declare_ranges(bounds, CALLED) | declare_categories({self.hue: self.hue_order})
        )

    @property
    def named_columns(self) -> frozenset[str]:
        """The columns that its options name, and those of components that were released before."""
        return super().named_columns | frozenset(self.analysed)

    @property
    def label(self) -> str:
        """What is asked, in words."""
        x, y = self.axes
        by = f" by {self.hue}" if self.hue else ""
        return f"scores of {join_names(self.analysed)} on PC{x} and PC{y}{by}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> ScoreplotPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        require_delta(budget, CALLED)
        order = read_order(self.hue_order)
        searched = {self.hue or "": order} if isinstance(order, Private) else {}
        delta = budget.threshold_delta if self.method == "sparse" else Fraction(0)
        division = divide_budget(budget, searched, unit, thresholds=delta)
        left, split = division.left, self._split
        analysis = None
        if self.pca is None:
            analysis = self.asked.analysis(domain, unit, left.part(split.directions))
        frame = ScoreWindow.plan(left.part(split.frame))
        filling = self._filling(left.part(split.histogram), delta, unit)
        hue = division.searches.get(self.hue or "") or read_labels(domain, self.hue, self.hue_order)
        parts = [part.cost for part in (analysis, frame, filling) if part is not None]
        return ScoreplotPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta, unit),
            cost=sum(parts, division.cost),
            analysis=analysis,
            frame=frame,
            filling=filling,
            hue=hue,
            cells=cast(tuple[int, int] | None, self.bins),
            columns=self._columns(domain),
            borrowed=None if self.pca is None else self.pca.guarantee,
        )

    def measure(self, engine: Engine, plan: ScoreplotPlan, meter: Meter) -> ScoreplotRelease:
        """Find components where asked, then the frame, then what fills it.

        Privacy
        -------
        Each part asks about what the parts before released, and spends its own share; together
        they spend at most the plan's cost, or nothing is published. All groups share one frame
        and one charge: a unit's weight is bounded over all of them together.
        """
        unit = plan.guarantee.unit
        hue = cast(Labels | None, run_searches(engine, meter, (plan.hue,))[0])
        pca = self._components(engine, plan, meter)
        cells = plan.cells or plan.usual_cells(pca.size, 1 if hue is None else hue.cells)
        frame = plan.frame.find(engine, meter, pca, unit, axes=self.axes, cells=cells)
        filled = plan.filling.fill(engine, meter, frame, hue, unit)
        return ScoreplotRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            pca=pca,
            axes=self.axes,
            method=self.method,
            x=frame.x.grid,
            y=frame.y.grid,
            hue=hue,
            found=(self.hue,) if self.hue and isinstance(plan.hue, CategorySearch) else (),
            noise=None if filled.steps is None else plan.filling.noise,
            step=unit.step,
            threshold=plan.filling.threshold,
            steps=() if filled.steps is None else tuple(filled.steps.ravel().tolist()),
            masses=tuple(filled.masses.ravel().tolist()),
            split=self._split.numbers,
            alone=self.pca is None,
        )

    def _components(self, engine: Engine, plan: ScoreplotPlan, meter: Meter) -> PcaRelease:
        if plan.analysis is None:
            return cast(PcaRelease, self.pca)
        found = plan.analysis.run(engine, meter)
        return self.asked.released(found, plan.guarantee, plan.analysis.cost)

    def _filling(self, portion: Allocation, delta: Fraction, unit: PrivacyUnit) -> Filling:
        match self.method:
            case "sparse":
                return Sparse(portion, delta, unit)
            case "pyramid":
                return ScorePyramid(portion, unit)
            case _:
                return Noised(cast(Estimate, self.method), portion, unit)

    def _columns(self, domain: Domain) -> tuple[Grid, ...]:
        if self.pca is not None:
            pairs = zip(self.pca.columns, self.pca.lattice.bounds, strict=True)
        else:
            pairs = ((column, domain.bounds(column)) for column in self.analysed)
        return tuple(Grid(*pair, 1) for pair in pairs)

    @property
    def _split(self) -> BudgetSplit:
        return BudgetSplit.of(self.split, paid=self.pca is not None)

    @property
    def _known(self) -> int:
        return len(self.analysed) if self.pca is None else self.pca.kept

    @property
    def _axes_error(self) -> DomainError:
        return DomainError(
            (Setting("axes", self.axes), f" must be two different ones from 1 to {self._known}."),
            "Only these components were computed.",
            ("Write ", Setting("axes", (1, 2)), "."),
        )


def _read_pair(spelling: object, most: int, error: DomainError) -> tuple[int, int]:
    pair = (spelling, spelling) if isinstance(spelling, int) else read_list(spelling)
    whole = [each for each in pair if isinstance(each, int) and not isinstance(each, bool)]
    if len(pair) != 2 or len(whole) != 2 or not all(1 <= each <= most for each in whole):
        raise error
    return whole[0], whole[1]


def _read_bins(spelling: object) -> tuple[int, int]:
    return _read_pair(
        spelling,
        MOST_BINS,
        DomainError(
            (Setting("bins", spelling), f" must be one or two whole numbers up to {MOST_BINS}."),
            "A number of bins read from the data would leak it.",
            ("Write ", Setting("bins", 32), ", or leave it out."),
        ),
    )

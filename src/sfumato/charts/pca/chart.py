"""`PCA`: the directions in which rows differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from sfumato.charts.allocation import Allocation
from sfumato.charts.chart import Chart
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.charts.pca.analysis import HALF, SPREAD, Analysis, FoundComponents
from sfumato.charts.pca.plan import PcaPlan
from sfumato.domain import Domain, convert_to_float, read_list
from sfumato.engines.engine import Engine
from sfumato.errors import BoundsOf, BudgetError, DomainError, PrivateSearch, Setting, Spending
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pca import PcaRelease, Scaled

CALLED = "Principal components"

Scale = Mapping[str, float] | Private

USUAL = 10
"""How many components are shown where nobody says."""

_NAMED = 3


COLUMNS = About(
    help="The columns to analyse, from 2 to 100, each with public bounds. Rows with a missing "
    "value are dropped.",
    metavar="A,B,C",
    spelled="columns",
)
SCALE = About(
    help="One scaled unit in each column; default: half of each public range.",
    python='``{"age": 20, …}``, or ``sf.private(share=0.1)`` to scale each column by '
    "how far its rows spread, with that share of the budget.",
    typed="Repeat it for all columns. private:0.1 scales them by how far rows spread, with that "
    "share of the budget.",
    metavar="COLUMN=NUMBER",
    spelled="scale",
)
"""What the columns of components, and their scale, say about themselves."""

RANGES = Ranges(
    help='The public range of every column, ``{"age": (0, 100), …}``.',
    typed="The range of a column; repeat for all of them.",
    type="Mapping[str, Range]",
    required=True,
    metavar="COLUMN=LOWER,UPPER",
)
"""What `bounds` of components are."""


@explained
@dataclass(frozen=True)
class PCA(Chart[PcaPlan, PcaRelease]):
    """The principal components of several columns.

    Examples
    --------
    >>> chart = PCA(columns=["age", "weight", "height"])
    >>> domain = Domain(age=(0, 100), weight=(0, 200), height=(100, 220))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1, delta=1e-6))
    >>> plan.captured(size=10_000) > 0.99
    True
    """

    verb = "pca"
    summary = "Compute principal components and the variance along each."
    privacy = "Centre, directions and variances together are charged once."
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='columns=["heart_rate", "systolic", "bmi"]',
        bounds='{"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}',
        domain='{"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}',
        budget="sf.Budget(1, 1e-6)",
        shows="release.components.shape",
        gives="(3, 3)",
        command="pca visits.csv --columns pulse,pressure,sugar --bounds pulse=30,200 "
        "--bounds pressure=60,260 --bounds sugar=2,30 --epsilon 1 --delta 1e-6",
    )
    needs_delta = True

    columns: Sequence[str] = field(metadata=COLUMNS)
    n_components: int | None = field(
        default=None,
        metadata=About(
            help="How many components to show; default: all, at most ten.",
            names=("--components",),
            metavar="NUMBER",
        ),
    )
    scale: Scale | None = field(default=None, metadata=SCALE)

    def __post_init__(self) -> None:
        super().__post_init__()
        columns = read_list(self.columns)
        if not all(isinstance(column, str) for column in columns) or len(columns) < 2:
            raise DomainError(
                "columns must be a list of at least two names.",
                "Components and correlations are between columns.",
                ("Write ", Setting("columns", ["age", "weight", "height"]), "."),
            )
        object.__setattr__(self, "columns", columns)
        if self.n_components is not None and not _is_among(self.n_components, len(columns)):
            raise DomainError(
                f"There can be from 1 to {len(columns)} components, one for each column.",
                "There are no more components than columns.",
                "Leave it out, or write a smaller one.",
            )
        if isinstance(self.scale, Private):
            _check_private(self.scale)

    @property
    def question(self) -> PCA:
        """The same of the columns in alphabetical order, on which nothing that is found depends."""
        return replace(self, columns=sorted(self.columns))

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return f"principal components of {join_names(self.columns)}"

    def declare(self, bounds: object) -> Domain:
        """Return what components declare alone."""
        return Domain(declare_ranges(bounds, CALLED))

    @property
    def kept(self) -> int:
        """How many components are shown."""
        return self.n_components or min(len(self.columns), USUAL)

    @property
    def scaled(self) -> Scaled:
        """Where scales come from."""
        if isinstance(self.scale, Private):
            return "private"
        return "range" if self.scale is None else "given"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> PcaPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        require_delta(budget, CALLED)
        # Who scales columns by their spread may be after correlations, which need variances.
        variances = SPREAD if self.scale is None else HALF
        analysis = self.analysis(domain, unit, Allocation.of(budget), variances=variances)
        return PcaPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta, unit),
            cost=analysis.cost,
            analysis=analysis,
        )

    def analysis(
        self,
        domain: Domain,
        unit: PrivacyUnit,
        portion: Allocation,
        *,
        variances: Fraction = SPREAD,
    ) -> Analysis:
        """Plan the analysis with a portion of a chart's budget, and a share of it for variances."""
        bounds = [domain.bounds(column) for column in self.columns]
        scale: tuple[float, ...] | Private
        match self.scale:
            case Private():
                scale = self.scale
            case None:
                scale = tuple(each.width / 2 for each in bounds)
            case given:
                scale = _read_given_scales(given, self.columns)
        return Analysis.plan(self.columns, bounds, scale, unit, portion, variances=variances)

    def measure(self, engine: Engine, plan: PcaPlan, meter: Meter) -> PcaRelease:
        """Find the components, return the release.

        Privacy
        -------
        As `Analysis.run` states, at no more than the plan's cost.
        """
        found = plan.analysis.run(engine, meter)
        return replace(self.released(found, plan.guarantee, plan.cost), label=plan.label)

    def arrange(self, release: Any) -> Any:
        """Return the same components, drawn as such and with the columns in this order."""
        if not isinstance(release, PcaRelease):
            return release
        ordered = release.reorder(self.columns)
        return replace(ordered, view="scree") if ordered.view == "correlations" else ordered

    def released(self, found: FoundComponents, guarantee: Guarantee, cost: Cost) -> PcaRelease:
        """Return what an analysis found, with the guarantee it was made under.

        Privacy
        -------
        Everything in `found` is released already.
        """
        return PcaRelease(
            label=self.label,
            guarantee=guarantee,
            cost=cost,
            lattice=found.lattice,
            scaled=self.scaled,
            directions=found.directions,
            spread=found.spread,
            vectors=found.vectors,
            kept=self.kept,
            beyond=found.beyond,
        )


def join_names(columns: Sequence[str]) -> str:
    """Name columns in a line: all of a few, the first of many.

    Examples
    --------
    >>> join_names(["a", "b", "c"]), join_names(["a", "b", "c", "d", "e", "f"])
    ('a, b, c', 'a, b, c and 3 more')
    """
    if len(columns) <= _NAMED + 1:
        return ", ".join(columns)
    return f"{', '.join(columns[:_NAMED])} and {len(columns) - _NAMED} more"


def declare_ranges(bounds: object, what: str) -> dict[str, object]:
    """Return the bounds of all columns, or refuse what names none."""
    if not isinstance(bounds, Mapping | None):
        raise DomainError(
            f"{what} need the public bounds of every column.",
            "A range read from the data would leak its extremes.",
            ("Write ", BoundsOf("age", "weight"), "."),
        )
    return dict(cast(Mapping[str, object], bounds or {}))


def require_delta(budget: Budget, what: str) -> None:
    """Refuse a budget that Gaussian noise cannot be paid from."""
    if budget.pure:
        raise BudgetError(
            f"{what} need Gaussian noise, and so a δ.",
            "It is the probability that the guarantee fails; choose it far below 1 / (number of "
            "people).",
            ("Write ", Spending(budget.epsilon, 1e-6), "."),
        )


def _is_among(number: object, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most


def _check_private(scale: Private) -> None:
    if scale.delta is not None or scale.within is not None:
        raise DomainError(
            (Setting("scale", PrivateSearch()), " takes a share of the budget and nothing else."),
            "Distances are chosen within the public bounds, and need no δ.",
            ("Write ", Setting("scale", PrivateSearch(share=0.1)), "."),
        )


def _read_given_scales(scale: object, columns: Sequence[str]) -> tuple[float, ...]:
    named = cast(Mapping[str, object], scale if isinstance(scale, Mapping) else {})
    if set(named) != set(columns):
        raise DomainError(
            "scale must name every column, and no other.",
            "Every column needs its own scale.",
            ("Write ", Setting("scale", dict.fromkeys(columns, 10)), ", or leave it out."),
        )
    return tuple(convert_to_float(named[column]) for column in columns)

"""`Scoreplot`: where rows lie along two principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from sfumato.asking import Private
from sfumato.charts.order import Order, labels, read_order
from sfumato.charts.pca import PCA, Scale, named, require_delta
from sfumato.charts.portion import Portion
from sfumato.charts.scores.filling import Filling, Noised, Sparse
from sfumato.charts.scores.frame import Frame
from sfumato.charts.scores.plan import ScoreplotPlan
from sfumato.charts.scores.pyramid import Pyramid
from sfumato.charts.scores.split import Split
from sfumato.charts.search import Search, divide, settle
from sfumato.domain import Domain, listed
from sfumato.engines.engine import Engine
from sfumato.errors import DomainError
from sfumato.grid import Grid, Labels
from sfumato.lattice import MOST_COLUMNS
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.haar import Estimate
from sfumato.privacy.budget import Budget, exactly
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases.pca import PcaRelease
from sfumato.releases.score_method import METHODS, Method
from sfumato.releases.scoreplot import ScoreplotRelease

MOST_BINS = 256
"""How many cells a side a frame may have."""


@dataclass(frozen=True)
class Scoreplot:
    """The density of rows over two principal components, by groups if there are any.

    Parameters
    ----------
    pca
        Released components. Left out, they are found first, with part of this chart's budget.
        What they cost was charged where they were released, and comes on top of this chart.
    columns, scale
        As in `PCA`, where there is no `pca` yet.
    axes
        Which two components to show, the first being 1.
    bins
        How many cells a side, or a pair for both axes. Left out, from 8 to 64: as many as the
        noise and the released number of rows make the best picture with.
    hue, hue_order
        A column with public categories, and which of them to show; as in seaborn.
    method
        ``"haar"``, or one of those it is compared with: ``"additive"``, ``"sparse"``,
        ``"pyramid"``.
    split
        The shares of the budget for directions, frame and histogram; ``"thirds"``, or
        ``"halves"`` where directions are paid for, as others divide it.

    Examples
    --------
    >>> chart = Scoreplot(columns=["age", "weight", "height"], bins=16)
    >>> domain = Domain(age=(0, 100), weight=(0, 200), height=(100, 220))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1, delta=1e-5))
    >>> round(plan.expected_error, 1)  # rows, in one of the cells
    4.2
    """

    pca: PcaRelease | None = None
    columns: Sequence[str] | None = None
    axes: tuple[int, int] = (1, 2)
    bins: int | tuple[int, int] | None = None
    hue: str | None = None
    hue_order: Order | None = None
    method: str = "haar"
    split: str | Sequence[float] | None = None
    scale: Scale | None = None

    def __post_init__(self) -> None:
        self._check_source()
        object.__setattr__(self, "axes", _pair(self.axes, MOST_COLUMNS, self._axes_error))
        object.__setattr__(self, "bins", None if self.bins is None else _bins(self.bins))
        if self.axes[0] == self.axes[1] or max(self.axes) > self._known:
            raise self._axes_error
        if self.method not in METHODS:
            raise DomainError(
                f"method={self.method!r} is not known. It decides what is measured. Leave it out, "
                f"or choose one of {', '.join(map(repr, METHODS))}."
            )
        if self.hue in self.analysed or (self.hue is None and self.hue_order is not None):
            raise DomainError(
                "hue must be a column of groups, not one of those analysed, and hue_order needs "
                "one. Without groups there is nothing to tell apart. Write hue='ward', or leave "
                "both out."
            )
        self._split  # noqa: B018 - refuses one that does not add up

    def _check_source(self) -> None:
        given = cast(object, self.pca)
        if (given is None) == (self.columns is None) or not isinstance(given, PcaRelease | None):
            raise DomainError(
                "A score plot needs released components, or the columns to find them from, and "
                "not both. Otherwise it would not be clear what is paid for. Write "
                "scoreplot(pca), or scoreplot(columns=['age', 'weight', 'height'])."
            )
        if self.pca is not None and self.scale is not None:
            raise DomainError(
                "scale= belongs to the components, which are released already. Another scale "
                "would be without effect. Leave it out, or ask for new components: "
                "columns=[…], scale=…."
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

    @property
    def label(self) -> str:
        """What is asked, in words."""
        x, y = self.axes
        by = f" by {self.hue}" if self.hue else ""
        return f"scores of {named(self.analysed)} on PC{x} and PC{y}{by}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> ScoreplotPlan:
        """Return the price and the expected error, or refuse. Knows public facts only."""
        require_delta(budget, "Score plots")
        order = read_order(self.hue_order)
        searched = {self.hue or "": order} if isinstance(order, Private) else {}
        delta = exactly(budget.delta) / 2 if self.method == "sparse" else Fraction(0)
        division = divide(budget, searched, unit, thresholds=delta)
        left, split = division.left, self._split
        analysis = None
        if self.pca is None:
            analysis = self.asked.analysis(domain, unit, left.part(split.directions))
        frame = Frame.plan(left.part(split.frame))
        filling = self._filling(left.part(split.histogram), delta, unit)
        hue = division.searches.get(self.hue or "") or labels(domain, self.hue, self.hue_order)
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
        hue = cast(Labels | None, settle(engine, meter, (plan.hue,))[0])
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
            method=cast(Method, self.method),
            x=frame.x.grid,
            y=frame.y.grid,
            hue=hue,
            found=(self.hue,) if self.hue and isinstance(plan.hue, Search) else (),
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

    def _filling(self, portion: Portion, delta: Fraction, unit: PrivacyUnit) -> Filling:
        match self.method:
            case "sparse":
                return Sparse(portion, delta, unit)
            case "pyramid":
                return Pyramid(portion, unit)
            case _:
                return Noised(cast(Estimate, self.method), portion, unit)

    def _columns(self, domain: Domain) -> tuple[Grid, ...]:
        if self.pca is not None:
            pairs = zip(self.pca.columns, self.pca.lattice.bounds, strict=True)
        else:
            pairs = ((column, domain.bounds(column)) for column in self.analysed)
        return tuple(Grid(*pair, 1) for pair in pairs)

    @property
    def _split(self) -> Split:
        return Split.of(self.split, paid=self.pca is not None)

    @property
    def _known(self) -> int:
        return len(self.analysed) if self.pca is None else self.pca.kept

    @property
    def _axes_error(self) -> DomainError:
        return DomainError(
            f"axes={self.axes!r} must be two different components from 1 to "
            f"{self._known}, as many as there are. Others have no direction to lie along. Write "
            "axes=(1, 2)."
        )


def _pair(spelling: object, most: int, error: DomainError) -> tuple[int, int]:
    pair = (spelling, spelling) if isinstance(spelling, int) else listed(spelling)
    whole = [each for each in pair if isinstance(each, int) and not isinstance(each, bool)]
    if len(pair) != 2 or len(whole) != 2 or not all(1 <= each <= most for each in whole):
        raise error
    return whole[0], whole[1]


def _bins(spelling: object) -> tuple[int, int]:
    return _pair(
        spelling,
        MOST_BINS,
        DomainError(
            f"bins={spelling!r} must be a whole number up to {MOST_BINS}, or two for both axes. A "
            "number of bins read from the data would leak it. Write bins=32, or leave it out."
        ),
    )

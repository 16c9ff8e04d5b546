"""`Refinement`: a release measured again, and both measurements combined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.chart import Chart, Plan
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.plan import HeatmapPlan
from sfumato.domain import Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import LedgerError, ReleaseError, Setting, shorten_label
from sfumato.grid import Key
from sfumato.mechanisms.gradual import UnfinishedNoise, continue_laplace, price_continuation
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.combined_noise import CombinedNoise
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.privacy.payment import Payment
from sfumato.releases import wording
from sfumato.releases.combining import (
    Measurement,
    add_promises,
    average,
    combine_independent,
    find_measurement,
)
from sfumato.releases.heatmap import HeatmapRelease
from sfumato.releases.histogram import HistogramRelease
from sfumato.releases.release import Release
from sfumato.releases.uncertainty import LEVEL


@dataclass(frozen=True)
class Refinement(Chart["RefinementPlan", Any]):
    """A histogram, or a heatmap of every cell, to be measured again and combined with itself.

    Parameters
    ----------
    release
        What was released before.
    unfinished
        Its noise, where that can be continued at the difference in ε.

    Examples
    --------
    >>> import sfumato as sf
    >>> table = sf.testing.city(people=500)
    >>> ages = sf.histplot(table, x="age", bounds=(0, 100), budget=0.5)
    >>> plan = Refinement(ages).plan(Domain(), PrivacyUnit.rows(), Budget(0.5))
    >>> plan.guarantee.epsilon, plan.cost.epsilon, len(plan.noise.terms)
    (1.0, Fraction(1, 2), 2)
    """

    release: Release = field(repr=False)
    unfinished: UnfinishedNoise | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Ask about the rows that the release is of: there are no other options."""
        selection = self.release.selection
        object.__setattr__(self, "where", None if selection is None else selection.where)

    def __deepcopy__(self, memo: object) -> Refinement:
        # A release does not change, and noise that can be continued must not be copied.
        return Refinement(self.release)

    @property
    def label(self) -> str:
        """What is asked, in words: the same again, which every entry that paid for it says."""
        return self.release.label

    @property
    def named_columns(self) -> frozenset[str]:
        """The derived columns that the release is about."""
        selection = self.release.selection
        derived = () if selection is None else selection.columns
        return frozenset(column.name for column in derived)

    @property
    def paid(self) -> tuple[Payment, ...]:
        """What paid for the first measurement."""
        return self.release.paid

    def declare(self, bounds: object) -> Domain:
        """Return nothing: all that is public stands in the release."""
        del bounds
        return Domain()

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> RefinementPlan:
        """Return the cost and the expected error of both together. Knows public facts only."""
        first = _require_refinable(self.release, unit)
        delta = budget.delta if not budget.pure else 0.0
        own = replace(self.release.guarantee, epsilon=budget.epsilon, delta=delta)
        if budget.pure and self.unfinished is not None and self.unfinished.ready:
            return self._plan_continuation(own, self.unfinished, Allocation.of(budget))
        again = self._plan_again(domain, unit, budget)
        near = tuple(round(number * first.step / first.lattice) for number in first.steps)
        both = average(first, Measurement(near, first.lattice, again.noise))  # or too large
        return RefinementPlan(
            label=self.label,
            guarantee=self._promise(own, again.cost),
            cost=again.cost,
            own=own,
            again=again,
            noise=both.noise,
            step=both.step,
        )

    def _plan_continuation(
        self, own: Guarantee, unfinished: UnfinishedNoise, portion: Allocation
    ) -> RefinementPlan:
        more, weight = portion.amount, unfinished.l1
        again = Again(portion.cost(weight), portion.law(weight), _list_keys(self.release))
        return RefinementPlan(
            label=self.label,
            guarantee=self._promise(own, again.cost),
            cost=price_continuation(unfinished.spent, more),
            own=own,
            again=again,
            noise=NoiseLaw("laplace", laplace_scale(weight, unfinished.spent + more)),
            step=own.unit.step,
            continued=True,
        )

    def _plan_again(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> Again:
        keys = _list_keys(self.release)
        if not isinstance(self.release, HeatmapRelease):
            portion = Allocation.of(budget)
            return Again(portion.cost(unit.weight), portion.law(unit.weight), keys)
        chart = _ask_map_again(self.release)
        grids = {grid.column: grid for grid in (self.release.x, self.release.y)}
        found = {each.column: grids[each.column].bounds for each in self.release.window}
        plan = chart.plan(domain | found, unit, budget)
        if (plan.x, plan.y) != (self.release.x, self.release.y):
            raise ReleaseError(
                "This map was made of another window than the session declares.",
                "What is counted would differ, and the two could not be combined.",
                "Open the session with the bounds that the release has.",
            )
        return Again(plan.cost, plan.noise, keys, chart, plan)

    def _promise(self, own: Guarantee, cost: Cost) -> Guarantee:
        return add_promises(self.release.guarantee, own, self.release.cost + cost)

    def measure(self, engine: Engine, plan: RefinementPlan, meter: Meter) -> Any:
        """Continue the noise of the first measurement, or measure again; combine both.

        Privacy
        -------
        Spends the plan's cost: on less noise for the true integers of the first measurement, or
        on a measurement of its own. What is combined is released already.
        """
        if self.unfinished is not None and plan.continued and isinstance(plan.noise, NoiseLaw):
            less = continue_laplace(meter, self.unfinished, scale=plan.noise.scale)
            if less is not None:
                return self._replace(plan, plan.noise, tuple(less.ravel().tolist()))
        if plan.again.chart is None:
            again = self._count_again(engine, plan, meter)
        else:
            again = plan.again.chart.measure(engine, cast(HeatmapPlan, plan.again.plan), meter)
            # The window is public by now, whoever found it.
            again = replace(again, window=cast(HeatmapRelease, self.release).window)
        # A chart does not know of which rows it is: the session has seen to it that they are these.
        return combine_independent(self.release, replace(again, selection=self.release.selection))

    def _replace(
        self, plan: RefinementPlan, noise: NoiseLaw, steps: tuple[int, ...]
    ) -> HistogramRelease:
        """Return the release with less noise: its ε is what one such release would have cost."""
        release = cast(HistogramRelease, self.release)
        cost = release.cost + plan.cost  # just what was charged, so that payments can be verified
        promised = {"cost": cost, "guarantee": plan.guarantee, "signature": None}
        return replace(release, steps=steps, noise=noise, **promised)

    def _count_again(self, engine: Engine, plan: RefinementPlan, meter: Meter) -> Release:
        release, unit = cast(HistogramRelease, self.release), plan.own.unit
        exact = engine.counts(plan.again.keys, unit)
        noisy = add_noise(meter, exact, plan.again.noise)
        return replace(
            release,
            steps=tuple(noisy.ravel().tolist()),
            step=unit.step,
            noise=plan.again.noise,
            cost=plan.again.cost,
            guarantee=plan.own,
        )


@dataclass(frozen=True)
class Again:
    """The second measurement: what it costs, its noise, and the cells that it counts.

    A map is asked for once more as it was, by its `chart` and a `plan` of its own.
    """

    cost: Cost
    noise: NoiseLaw
    keys: list[Key]
    chart: Heatmap | None = None
    plan: HeatmapPlan | None = None


@dataclass(frozen=True)
class RefinementPlan(Plan):
    """The cost of a second measurement, and the noise on both together.

    Parameters
    ----------
    own
        What the second measurement guarantees by itself.
    again
        The second measurement.
    noise, step
        The law of the noise on the result, and what one integer of it is worth.
    continued
        Whether the noise of the first measurement is continued, so that nothing is lost.
    """

    own: Guarantee
    again: Again
    noise: NoiseLaw | CombinedNoise
    step: float
    continued: bool = False

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one number of the result."""
        return self.noise.mean_absolute * self.step

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        if self.again.plan is not None:
            self.again.plan.check(schema)
        else:
            schema.check(self.again.keys, self.own.unit)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        how = "continues the first draw: as accurate as one release at the summed ε"
        noise, said = self.noise, wording.added(self.noise, self.step, "every number")
        if isinstance(noise, NoiseLaw):
            said = f"{noise.kind}, scale {noise.scale * self.step:,.4g} on every number"
        return [
            ("method", how if self.continued else "measured again, then combined"),
            ("noise", said),
            ("expected error", f"{self.expected_error:,.4g} per number"),
            (f"{100 * LEVEL:.0f} % interval", f"± {self.noise.radius(LEVEL) * self.step:,.4g}"),
        ]


def can_continue(release: Release, unfinished: UnfinishedNoise) -> bool:
    """Tell whether this is the noise of a release, and all of its noise."""
    if not isinstance(release, HistogramRelease) or not isinstance(release.noise, NoiseLaw):
        return False
    return unfinished.belongs_to(release.steps, release.noise.scale)


def _require_refinable(release: Release, unit: PrivacyUnit) -> Measurement:
    found = find_measurement(release)
    every = isinstance(release, HistogramRelease)
    every = every or (isinstance(release, HeatmapRelease) and release.method == "laplace")
    if found is None or not every:
        raise ReleaseError(
            f"{shorten_label(release.label)} cannot be refined.",
            "Only histograms, and heatmaps of every cell, are measured again and averaged.",
            ("Ask once with all to be spent; a heatmap with ", Setting("method", "laplace"), "."),
        )
    if release.guarantee.unit != unit:
        raise LedgerError(
            f"{shorten_label(release.label)} protects another unit than this session.",
            "The costs of different units do not add up.",
            "Refine it in a session with the same unit.",
        )
    return found


def _list_keys(release: Release) -> list[Key]:
    return list(release.keys) if isinstance(release, HistogramRelease) else []


def _ask_map_again(release: HeatmapRelease) -> Heatmap:
    return Heatmap(
        x=release.x.column,
        y=release.y.column,
        resolution=(release.x.cells, release.y.cells),
        method="laplace",
        top=release.top,
        weight=release.weight,
        outside=release.outside,
        origin=release.origin,
        aspect=release.aspect,
    )

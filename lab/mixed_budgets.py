"""Mixed budgets: how many charts one budget pays for, by the ledger and by other accountants.

Three tables. The first repeats the figures that the rule was chosen by, in ledgers that are really
charged. The second draws lists of 1 to 50 charts with Laplace, Gaussian and exponential noise and
counts how many of them each accountant admits: until the first refusal, and where those that do not
fit are skipped. The third says what one chart gains whose parts are pure and whose budget has a δ.

**What is compared.** `PLD` is dp-accounting's accountant of privacy loss distributions. It is told
the whole list beforehand, uses all of δ for noise, and proves nothing about charts that are chosen
after looking at others; the ledger keeps half of δ for thresholds and holds for any choice. `best
order` is the one fixed order that admits most of a list, found with hindsight among 25 around the
ledger's own, and with the same pure account beside it. It is given δ less the reserve, as the
ledger is, which is what our demand is about, and for comparison all of δ.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

import sfumato as sf
from budgets.accountants import (
    PLD_IS_MISSING,
    Accountant,
    ByRule,
    Ours,
    Tightest,
    count_all,
    count_prefix,
    has_pld,
    list_orders,
)
from budgets.mixes import BUDGETS, NARROW, WIDE, Sizes, draw_mix
from demands import Demand
from sfumato.catalogue import CITY, citizens, request
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost, epsilon_of, to_fraction
from sfumato.privacy.currency import Concentrated
from sfumato.privacy.share import Grant, Share, grant

LISTS = 30
Count = Callable[[Accountant, Sequence[Cost]], int]


def print_after_pure() -> None:
    """Print which Gaussian chart still fits after pure ones, by the ledger itself."""
    table, chart = citizens(20), request("pca-scale", CITY).chart
    print("the largest components that still fit, as an ε at the ledger's δ")
    print(f"{'ledger':<32} {'order':>6} {'after':<16} {'ρ':>6} {'ours':>7} {'ratio':>6}")
    for budget, charts, each in [
        (Budget(1, 1e-6), 1, 0.25),
        (Budget(1, 1e-6), 10, 0.05),
        (Budget(2, 1e-6), 1, 0.25),
        (Budget(4, 1e-7), 10, 0.1),
    ]:
        session = sf.Session(table, domain=CITY.domain, budget=budget)
        for _ in range(charts):
            session.ledger.charge("chart", Cost.pure(to_fraction(each)))
        largest = session.find_largest(chart, budget)
        ours = 0.0 if largest is None else largest.epsilon
        old = PrivacyFilter.concentrated(budget)
        left = Share.remaining(old, session.ledger.spent)
        before = float(epsilon_of(left.rho, old.converted_delta))
        order = float(session.ledger.rule.order or 0)
        ratio = f"{ours / before:.2f}" if before else "∞"
        after = f"{charts} pure {each:g}"
        print(f"{budget!r:<32} {order:>6.1f} {after:<16} {before:>6.2f} {ours:>7.4g} {ratio:>6}")
    budget, tenth = Budget(4, 1e-7), [Cost.pure(Fraction(1, 10))] * 100
    before = count_prefix(ByRule(PrivacyFilter.concentrated(budget)), tenth)
    ours = count_prefix(Ours(budget), tenth)
    print(f"charts of pure 0.1 in {budget!r}: {before} by ρ, {ours} by the ledger\n")


@dataclass(frozen=True)
class Counted:
    """How many charts of one list each accountant admits."""

    asked: int
    ours: int
    before: int
    order: int
    order_all: int
    spared: int
    tightest: int | None

    @property
    def refused(self) -> bool:
        """Whether the ledger refuses any of it; other lists would count as well admitted."""
        return self.ours < self.asked


def count_mix(budget: Budget, mix: Sequence[Cost], count: Count, *, pld: bool) -> Counted:
    """Put a list to every accountant."""
    rule = PrivacyFilter.of(budget)
    assert rule.order is not None
    all_of_it = to_fraction(budget.delta)
    spared = Budget(budget.epsilon, budget.delta, reserve=0)
    return Counted(
        asked=len(mix),
        ours=count(Ours(budget), mix),
        before=count(ByRule(PrivacyFilter.concentrated(budget)), mix),
        order=_best(budget, rule.converted_delta, mix, count),
        order_all=_best(budget, all_of_it, mix, count),
        spared=count(Ours(spared), mix),
        tightest=count(Tightest(budget, rule.order), mix) if pld else None,
    )


def _best(budget: Budget, delta: Fraction, mix: Sequence[Cost], count: Count) -> int:
    return max(count(ByRule(rule), mix) for rule in list_orders(budget, delta))


def draw_counts(
    lists: int, sizes: Sizes, count: Count, *, pld: bool
) -> Iterator[tuple[Budget, list[Counted]]]:
    """Draw lists for every budget, the same in every run."""
    for number, budget in enumerate(BUDGETS):
        generator = np.random.default_rng(number)
        mixes = [draw_mix(generator, budget, sizes) for _ in range(lists)]
        yield budget, [count_mix(budget, mix, count, pld=pld) for mix in mixes]


def summarise(pairs: Sequence[tuple[int, int | None]]) -> tuple[float, float]:
    """Return the mean and the worst decile of what was admitted over what could have been."""
    ratios = [ours / other if other else 1.0 for ours, other in pairs if other is not None]
    return (float(np.mean(ratios)), float(np.quantile(ratios, 0.1))) if ratios else (1.0, 1.0)


COLUMNS = {
    "PLD": lambda c: (c.ours, c.tightest),
    "PLD, reserve=0": lambda c: (c.spared, c.tightest),
    "best order": lambda c: (c.ours, c.order),
    "best order, all of δ": lambda c: (c.ours, c.order_all),
    "by ρ": lambda c: (c.ours, c.before),
}


def print_mixes(lists: int, sizes: Sizes, name: str, count: Count, *, pld: bool) -> list[Demand]:
    """Print how many charts we admit over others, and return what is demanded of that."""
    print(f"random mixes, {sizes}, {name}: charts admitted over others', mean and worst decile")
    print(f"{'':<32} {'lists':>5} {'charts':>6}  " + "".join(f"{each:>22}" for each in COLUMNS))
    every: list[Counted] = []
    for budget, counted in draw_counts(lists, sizes, count, pld=pld):
        refused = [each for each in counted if each.refused]
        every += refused
        _print_row(repr(budget), refused)
    _print_row("all", every)
    mean, _ = summarise([(each.ours, each.tightest) for each in every])
    order, _ = summarise([(each.ours, each.order) for each in every])
    where = f"{sizes}, {name}"
    demands = [Demand(f"0.95 over our part of the best order's, {where}", 0.95 / order, 1)]
    if pld:
        demands.append(Demand(f"0.8 over our part of PLD's, {where}", 0.8 / mean, 1))
    print()
    return demands


def _print_row(name: str, counted: Sequence[Counted]) -> None:
    cells = []
    for pair in COLUMNS.values():
        pairs = [pair(each) for each in counted]
        missing = any(other is None for _, other in pairs)
        mean, worst = summarise(pairs)
        cells.append("–" if missing else f"{mean:.3f}, {worst:.2f}")
    admitted = float(np.mean([each.ours for each in counted])) if counted else 0.0
    print(f"{name:<32} {len(counted):>5} {admitted:>6.1f}  " + "".join(f"{c:>22}" for c in cells))


CHARTS = (
    "histplot-bins", "boxplot-lying", "boxplot-unbounded", "quantiles-joint", "quantiles-single",
    "quantiles-unbounded", "heatmap-adaptive", "heatmap-dense", "pca-scale", "scoreplot",
)  # fmt: skip


def print_charts(budget: Budget) -> None:
    """Print the expected error of one chart of the whole budget, before and now."""
    rule, old = PrivacyFilter.of(budget), PrivacyFilter.concentrated(budget)
    print(f"expected error of one chart of {budget!r}")
    print(f"{'chart':<22} {'by ρ':>12} {'by the order':>13} {'ratio':>6}")
    for name in CHARTS:
        asked = request(name, CITY)
        now = grant(rule, budget)
        assert isinstance(now, Grant)
        then = replace(now, amount=old.limit, currency=Concentrated())
        errors = [
            asked.chart.plan(CITY.domain, asked.unit, each).expected_error for each in (then, now)
        ]
        print(f"{name:<22} {errors[0]:>12.4g} {errors[1]:>13.4g} {errors[1] / errors[0]:>6.2f}")
    print()


def main(lists: int = LISTS) -> int:
    """Print all tables; 1 where a demand is missed."""
    pld = has_pld()
    print_after_pure()
    print_charts(Budget(1, 1e-6))
    if not pld:
        print(PLD_IS_MISSING)
    demands: list[Demand] = []
    for sizes in (WIDE, NARROW):
        demands += print_mixes(lists, sizes, "until the first refusal", count_prefix, pld=pld)
        demands += print_mixes(lists, sizes, "skipping what does not fit", count_all, pld=pld)
    for demand in demands:
        print(demand)
    return not all(demand.met for demand in demands)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

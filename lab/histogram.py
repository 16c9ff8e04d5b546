"""How wrong a histogram is, and whether it says so: predicted against observed, on a known table.

Prints, for each way to pay, the error its plan predicts over the error observed, and the coverage
its intervals state beside the coverage they have. Noise is simulated: nothing here is private.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.engines.dispatch import DuckEngine
from sfumato.testing import measure_planned, seeded

REPEATS = 1000
USERS = sf.PrivacyUnit.users("person")
CAPPED = sf.PrivacyUnit.users("person", max_rows=3)
ROWS = sf.PrivacyUnit.rows()
DOMAIN = sf.Domain(age=(0, 100))

CASES = [
    ("rows", ROWS, sf.Budget(0.1), "count"),
    ("rows", ROWS, sf.Budget(0.5), "count"),
    ("rows", ROWS, sf.Budget(1), "count"),
    ("rows", ROWS, sf.Budget(0.5, 1e-6), "count"),
    ("people, once", USERS, sf.Budget(0.5), "count"),
    ("people, 3 rows", CAPPED, sf.Budget(1), "count"),
    ("rows", ROWS, sf.Budget(0.5), "proportion"),
    ("rows", ROWS, sf.Budget(0.5), "density"),
]


def table() -> pa.Table:
    generator = np.random.default_rng(1)
    ages = generator.gamma(4, 10, 5000)
    return pa.table({"age": ages, "person": generator.integers(0, 2000, 5000)})


def held(interval: object, truth: np.ndarray) -> np.ndarray:
    low, high = np.array(interval.low), np.array(interval.high)
    return (low <= truth + 1e-9) & (truth <= high + 1e-9)


class Once:
    """An engine that is asked for the true counts once, and then repeats itself."""

    def __init__(self, engine: DuckEngine) -> None:
        self._engine, self._answer = engine, None

    def counts(self, keys: object, unit: object) -> object:
        self._answer = self._answer or self._engine.counts(keys, unit)
        return self._answer


def row(name: str, unit: sf.PrivacyUnit, budget: sf.Budget, stat: str, rows: pa.Table) -> str:
    chart = sf.Histogram("age", bins=20, stat=stat)
    engine = Once(DuckEngine(rows))
    truth = measure_planned(
        chart, engine, chart.plan(DOMAIN, unit, sf.Budget(1e9, weak=True))
    ).numbers
    plan = chart.plan(DOMAIN, unit, budget)
    errors, alone, together = [], [], []
    with seeded(1):
        for _ in range(REPEATS):
            release = measure_planned(chart, engine, plan)
            errors.append(np.abs(release.numbers - truth).mean())
            alone.append(held(release.uncertainty.pointwise, truth))
            together.append(held(release.uncertainty.simultaneous, truth).all())
    stated = release.uncertainty
    ratio = f"{plan.expected_error / np.mean(errors):.3f}" if stat == "count" else "-"
    return (
        f"{name:<15} {budget!r:<37} {stat:<11} {ratio:>9}"
        f" {stated.pointwise.coverage:>8.3f} {np.mean(alone):>8.3f}"
        f" {stated.simultaneous.coverage:>8.3f} {np.mean(together):>8.3f}"
    )


def main() -> None:
    print(f"{'unit':<15} {'budget':<37} {'stat':<11} {'pred/obs':>9}", end="")
    print(f" {'alone':>8} {'observed':>8} {'together':>8} {'observed':>8}")
    rows = table()
    for case in CASES:
        print(row(*case, rows))


if __name__ == "__main__":
    main()

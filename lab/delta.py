"""Private categories: the δ that is promised, the δ that is true, and the δ that is seen.

In each setting a unit has up to k rows, the noise has scale k/ε, and the unit opens new cells in
the worst way it can. `exact` follows from the threshold T in use; `seen` counts, in real draws, how
many of many such units have a cell shown, with a 99.9 % Clopper–Pearson interval. The broken twin
uses a threshold one too low. OpenDP's `make_laplace_threshold` is asked, in the same run, for the
smallest threshold whose δ it reports to be small enough, and for what it then shows (opendp#2922).

    python lab/delta.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from opendp.domains import atom_domain, map_domain
from opendp.measurements import make_laplace_threshold
from opendp.metrics import absolute_distance, l01inf_distance
from opendp.mod import enable_features
from scipy import stats

from sfumato.exact import Exact
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.stability import (
    stability_delta,
    stability_threshold,
    threshold_categories,
)
from sfumato.testing import metered

UNITS = 30_000


@dataclass(frozen=True)
class Setting:
    """At most `rows` rows of each unit, and what may be spent."""

    rows: int
    epsilon: Fraction
    delta: Fraction

    @cached_property
    def scale(self) -> float:
        return laplace_scale(self.rows, self.epsilon)

    @cached_property
    def threshold(self) -> int:
        return stability_threshold(self.rows, self.scale, self.delta)

    @cached_property
    def split(self) -> tuple[int, ...]:
        """The worst way to open new cells: all rows in one, or each in its own."""
        together = stability_delta(1, self.scale, self.threshold - self.rows + 1)
        worst = stability_delta(self.rows, self.scale, self.threshold)
        return (self.rows,) if together >= worst else (1,) * self.rows


SETTINGS = [
    Setting(rows, Fraction(epsilon), Fraction(delta))
    for rows, epsilon, delta in [
        (1, "1", "0.05"),
        (1, "0.3", "0.05"),
        (1, "1", "0.001"),
        (3, "1", "0.05"),
        (3, "6", "0.05"),
        (20, "1", "0.05"),
    ]
]


def units(setting: Setting) -> Iterator[tuple[str, int]]:
    """Many units that each open new cells in the worst way."""
    for unit in range(UNITS):
        for cell, rows in enumerate(setting.split):
            yield f"{unit}/{cell}", rows


def seen(labels: tuple[str, ...]) -> str:
    """How many units have a cell shown, with an interval."""
    exposed = len({label.split("/")[0] for label in labels})
    result = stats.binomtest(exposed, UNITS)
    interval = result.proportion_ci(0.999, method="exact")
    return f"{result.statistic:.5f} [{interval.low:.5f}, {interval.high:.5f}]"


def ours(setting: Setting, threshold: int) -> str:
    """What our code shows at `threshold`."""
    labels, counts = zip(*units(setting), strict=True)
    exact = Exact(setting.rows, setting.rows**2, 1.0, np.array(counts), labels)
    found = metered(threshold_categories, exact, scale=setting.scale, threshold=threshold)
    return seen(found.values)


def theirs(setting: Setting) -> tuple[int, float, str]:
    """OpenDP's smallest threshold for the setting, the δ it reports, and what it shows."""
    counts = map_domain(atom_domain(T="String"), atom_domain(T="i64"))
    metric = l01inf_distance(absolute_distance(T="i64"))
    threshold = setting.rows + 1
    while True:
        release = make_laplace_threshold(counts, metric, setting.scale, threshold)
        _, reported = release.map((setting.rows,) * 3)
        if reported <= setting.delta:
            return threshold, reported, seen(tuple(release(dict(units(setting)))))
        threshold += 1


def main() -> None:
    """Print the table."""
    enable_features("contrib")
    print("rows  ε    promised δ           T    exact δ  seen δ")
    for setting in SETTINGS:
        price = f"{setting.rows:<5} {float(setting.epsilon):<4g} {float(setting.delta):<10g}"
        threshold, split = setting.threshold, setting.split
        for name, shift in ((price, 0), ("      broken on purpose:", -1)):
            exact = float(stability_delta(setting.rows, setting.scale, threshold + shift))
            found = ours(setting, threshold + shift)
            print(f"{name:<32}{threshold + shift:<5}{exact:<9.5f}{found}")
        other, reported, found = theirs(setting)
        print(f"      OpenDP, reporting {reported:<8.5f}{other:<14}{found}")
        ratio = f"OpenDP's T is {other / threshold:.2f} of ours"
        print(f"      worst split: {len(split)} of {split[0]}; {ratio}\n")


if __name__ == "__main__":
    main()

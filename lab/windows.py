"""How near heatmaps come to the truth where nobody knows the window: declared, too wide, and found.

python lab/windows.py

Check-ins of the invented city at ε = 1, as people. The earth mover's distance from the density of
all of them, in sides of the city, of maps of the declared window, of windows 10 and 100 times too
wide along both sides, and of the window that `sf.private(within=…)` finds in these. In brackets
how wide the window is, in sides of the city.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from demands import Demand
from sfumato.metrics.plane import emd
from sfumato.releases.heatmap import HeatmapRelease

CITY = {"lon": (-30.10, -29.90), "lat": (44.94, 45.06)}
PEOPLE, FACTORS, RUNS, CELLS = (200, 2000), (10, 100), 20, 48
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """The mean distance of some maps, and how wide their windows were."""

    distance: float
    width: float

    def __str__(self) -> str:
        return f"{self.distance:.4f} ({self.width:.1f})"


def widen(factor: float) -> dict[str, tuple[float, float]]:
    """Return a window so many times too wide, with the city three tenths into it."""
    found: dict[str, tuple[float, float]] = {}
    for name, (low, high) in CITY.items():
        width = (high - low) * factor
        start = low - 0.3 * (width - (high - low))
        found[name] = (start, start + width)
    return found


def draw_city(release: HeatmapRelease) -> Array:
    """Return what a map says of the city's own window, as shares of what it says of it."""
    left, right, low, high = release.ends
    edges = [np.linspace(*CITY[name], CELLS + 1) for name in ("lon", "lat")]
    across, up = _share(left, right, edges[0]), _share(low, high, edges[1])
    picture = np.einsum("i,ij,ik->jk", release.leaves.mass, up, across)
    total = picture.sum()
    return picture / total if total > 0 else np.full_like(picture, 1 / picture.size)


def _share(start: Array, end: Array, edges: Array) -> Array:
    inner = np.minimum(end[:, None], edges[1:]) - np.maximum(start[:, None], edges[:-1])
    return np.clip(inner, 0, None) / (end - start)[:, None]


def measure(table: object, bounds: object, truth: Array) -> Seen:
    """Release maps of a table, and compare them with its density."""
    seen: list[tuple[float, float]] = []
    for run in range(RUNS):
        with sf.testing.seeded(run):
            release = sf.heatmap(
                table, x="lon", y="lat", bounds=bounds, unit="person_id", budget=1.0
            )
        found = emd(draw_city(release), truth)
        width = release.x.bounds.width / (CITY["lon"][1] - CITY["lon"][0])
        seen.append(((found.low + found.high) / 2, width))
    distance, width = np.mean(seen, axis=0).tolist()
    return Seen(distance, width)


def main() -> int:
    """Print the table, and whether what the documentation says of it holds."""
    print("| people | too wide | declared | as wide | found in it | found / as wide |")
    print("| --- | --- | --- | --- | --- | --- |")
    ratios: dict[tuple[int, int], float] = {}
    for people in PEOPLE:
        table = sf.testing.checkins(people)
        with sf.testing.seeded(0):
            exact = sf.heatmap(
                table, x="lon", y="lat", bounds=CITY, resolution=CELLS, method="laplace",
                unit="person_id", budget=sf.Budget(1e4, weak=True),
            )  # fmt: skip
        truth = exact.to_array(resolution=CELLS)
        declared = measure(table, CITY, truth)
        for factor in FACTORS:
            limits = widen(factor)
            wide = measure(table, limits, truth)
            searches = {name: sf.private(share=0.125, within=ends) for name, ends in limits.items()}
            found = measure(table, searches, truth)
            ratio = ratios[people, factor] = found.distance / wide.distance
            print(f"| {people} | {factor} | {declared} | {wide} | {found} | {ratio:.2f} |")
            sys.stdout.flush()
    against = "against one 100 times too wide"
    verdicts = [
        Demand(f"a window found among 2000, {against}", ratios[2000, 100], 0.6),
        Demand(f"a window found among 200, {against}", ratios[200, 100], 1.1),
    ]
    print("\n".join(map(str, verdicts)))
    return 0 if all(each.met for each in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The heatmap paper's experiments, and whether our method beats the published one.

Figures 1 to 11 of Ghazi et al. (arXiv:2211.13454), and centers as in its Appendix A: four metrics
by ε, number of people, resolution and sparsity. The paper's linear program has many optima, so its
method stands here twice: as a solver finds one, and with ties shared. Noise is simulated: nothing
here is private. What was simulated is kept in ``lab/out/heatmap.sqlite``, so a second call
continues the first; figures go beside it.

    python lab/heatmap.py                     # some forty minutes on two cores
    RUNS=1 python lab/heatmap.py              # half as often as the paper
    python lab/heatmap.py figure-1 figure-8   # these alone
    SKIP_DATA=1 python lab/heatmap.py         # synthetic crowds alone

The check-ins and the gaze are not part of this repository: the environment variable SFUMATO_DATA
names a folder with the files that `lab/heatmaps/places.py` lists.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from heatmaps import centers, demands, experiments, figures, tables
from heatmaps.experiments import Experiment
from heatmaps.measuring import SIGMAS
from heatmaps.places import busiest, missing, photographs
from heatmaps.results import Results
from heatmaps.store import Store
from heatmaps.study import Task, gather

OUT = Path(__file__).parent / "out"
RUNS = 2
"""How often every place is run by default, as in the paper."""


def arguments(typed: Sequence[str] | None, known: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Repeat the heatmap paper's experiments.")
    parser.add_argument("only", nargs="*", help=f"some of {', '.join(known)}")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(typed)
    if unknown := set(asked.only) - set(known):
        parser.error(f"there is no {', '.join(sorted(unknown))} among {', '.join(known)}")
    return asked


def study(experiment: Experiment, store: Store, processes: int) -> bool:
    """Run and show one experiment; tell whether what is demanded of it is met."""
    print(f"\n== {experiment.title}")
    gather(experiment.tasks, store, processes)
    met = True
    for sigma in SIGMAS:
        results = Results(store, experiment, sigma)
        if sigma == SIGMAS[0] or experiment.name == "figure-1":
            tables.print_results(results)
            figures.draw_results(results, OUT / f"heatmap-{experiment.name}-{sigma:g}.png")
        met &= demands.print_demands(results)
    return met


def examples(sigma: float = SIGMAS[0]) -> None:
    """Draw Figures 3 and 9."""
    city = Task(busiest(200)[0][0], 200, experiments.USUAL, 1.0, 0)
    both = [city, city._replace(epsilon=5.0)]
    figures.draw_examples(both, sigma, OUT / "heatmap-figure-3.png", downward=False)
    seen = [Task(each, 50, experiments.GAZE, 10.0, 0) for each in photographs(50)[:2]]
    figures.draw_examples(seen, sigma, OUT / "heatmap-figure-9.png", downward=True)


def main(typed: Sequence[str] | None = None) -> int:
    begun, absent = time.monotonic(), missing()
    known = dict(experiments.SYNTHETIC) if absent else {**experiments.REAL, **experiments.SYNTHETIC}
    if absent:
        print(f"Missing in the folder that SFUMATO_DATA names: {', '.join(absent)}.")
        if os.environ.get("SKIP_DATA") != "1":
            print("Set SKIP_DATA=1 to run what needs no data.")
            return 2
    asked = arguments(typed, [*known, "centers"])
    OUT.mkdir(exist_ok=True)
    runs, store = int(os.environ.get("RUNS", RUNS)), Store(OUT / "heatmap.sqlite")
    chosen = asked.only or [*known, "centers"]
    met = [study(known[name](runs), store, asked.processes) for name in chosen if name in known]
    if "centers" in chosen:
        met.append(centers.print_centers(5 * runs))
    if not absent and not asked.only:
        examples()
    verdict = "all met" if all(met) else "NOT ALL MET"
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes; {verdict}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())

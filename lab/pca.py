"""Our score plots beside those of the R package dppca, on six tables.

Total variation and sliced Wasserstein distance to the exact score plot (`pcas.truth`), of ours and
of dppca with the settings that suit it best, which nobody can know without the data. dppca is
written anew here (`pcas.dppca`), as it is: not all of what it promises holds. Noise is simulated:
nothing here is private.

    python lab/pca.py                         # a quarter of an hour on two cores
    python lab/pca.py --runs 3 --epsilons 1 --only gau_g "Dry Bean"
    SKIP_DATA=1 python lab/pca.py             # without the tables that are not here

Four tables are not part of this repository: the environment variable SFUMATO_DATA names a folder
with the files that `lab/pcas/sets.py` lists. Two come with scikit-learn.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from pcas import demands, tables
from pcas.ours import DELTA
from pcas.protocol import EPSILONS, Task, gather
from pcas.results import Results
from pcas.sets import NAMES, missing

RUNS = 40
"""How often each method is run on each table at each ε by default."""

MIXTURE = "5000"
"""What is compared where there is no table: a mixture of so many rows."""


def arguments(typed: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare score plots with those of dppca.")
    parser.add_argument("--only", nargs="*", default=[], help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--epsilons", nargs="*", type=float, default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=int(os.environ.get("RUNS", RUNS)))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(typed)
    if unknown := set(asked.only) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))} among {', '.join(NAMES)}")
    if asked.runs < 2:
        parser.error("a mean with its error needs at least 2 runs")
    return asked


def main(typed: Sequence[str] | None = None) -> int:
    begun, asked, absent = time.monotonic(), arguments(typed), missing()
    wanted = asked.only or list(NAMES)
    for name in wanted:
        if name in absent:
            print(f"{name}: {absent[name]}.")
    if absent.keys() & set(wanted) and os.environ.get("SKIP_DATA") != "1":
        print("Set SKIP_DATA=1 to run without them.")
        return 2
    names = [name for name in wanted if name not in absent] or [MIXTURE]
    runs = range(asked.runs)
    tasks = [
        Task(name, epsilon, run) for name in names for epsilon in asked.epsilons for run in runs
    ]
    results = Results(gather(tasks, asked.processes))
    print(f"\nTotal variation / sliced W1, δ = {DELTA:g}; under dppca what suits it best there.")
    print("ours: one row added or removed; ρ/4: one row replaced, as dppca; ratios: to b43ece9\n")
    for name in names:
        tables.print_table(results, name)
    met = [demands.print_demands(demands.compared(results))]
    met.append(demands.print_demands(demands.captured(asked.runs)))
    if "gau_g" in names:
        met.append(demands.print_demands(demands.grouped("gau_g", asked.runs)))
    verdict = "ALL MET" if all(met) else "NOT ALL MET"
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes; {verdict}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())

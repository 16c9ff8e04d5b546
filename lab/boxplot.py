"""The boxplot paper's simulations, and whether our method beats the published one.

Section 5 and Appendix C: nine distributions, five sizes, four ε, six methods and the non-private
boxplot, four metrics; errors against the population and against the sample's own boxplot. Noise is
simulated: nothing here is private. Figures and a table of all means go to ``lab/out``.

    python lab/boxplot.py                   # some ten minutes on two cores
    python lab/boxplot.py --repeats 1000    # as often as the paper
    python lab/boxplot.py --all             # print every table, not only those at ε = 1
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from boxplots import buffer, comparison, figures, several, study, tables
from boxplots.distributions import MISSING, prices_path, tuned, untuned

OUT = Path(__file__).parent / "out"
REPEATS, FEW = 100, 30
"""By default the two methods that are compared get more repeats than the others."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Repeat the boxplot paper's simulations.")
    parser.add_argument("--repeats", type=int, help="of every method, in every scenario")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="print every table")
    return parser.parse_args()


def single(repeats: int, few: int, processes: int, *, everything: bool) -> bool:
    """Run and show the experiments with one boxplot; tell whether the targets are met."""
    sets = {
        "paper's": [distribution.name for distribution in tuned()],
        "untuned": [distribution.name for distribution in untuned()],
    }
    papers, both = sets["paper's"], [*sets["paper's"], *sets["untuned"]]
    work = [*study.tasks(papers, repeats, few), *study.tasks(sets["untuned"], repeats, 0)]
    errors = study.gather(work, processes)
    tables.write_all(errors, OUT / "boxplot.csv")
    if everything:
        tables.print_all(errors, papers)
    else:
        tables.print_errors(errors, papers, 1.0, "population")
    tables.print_reference(errors, papers)
    for epsilon in study.EPSILONS:
        path = OUT / f"boxplot-{epsilon:g}.png"
        figures.draw_methods(errors, papers, epsilon, "population", path)
    met = comparison.print_medians(errors, sets)
    comparison.print_worst(errors, both, "sample")
    return comparison.print_worse(errors, both, repeats, processes) and met


def show_buffers(repeats: int, processes: int, *, everything: bool) -> None:
    """Run and show the experiment with the buffer."""
    papers = [distribution.name for distribution in tuned()]
    methods = buffer.PUBLISHED if everything else buffer.PUBLISHED[:1]
    errors = buffer.simulate(papers, methods, repeats, processes)
    buffer.print_buffers(errors, papers, methods)
    buffer.draw_buffers(errors, papers, OUT / "boxplot-buffers.png")


def main() -> int:
    asked, begun = arguments(), time.monotonic()
    OUT.mkdir(exist_ok=True)
    if not prices_path():
        print(MISSING)
    repeats, few = asked.repeats or REPEATS, asked.repeats or FEW
    print(f"{repeats} repeats of fence and dpboxplot, {few} of the other methods")
    met = single(repeats, few, asked.processes, everything=asked.all)
    show_buffers(few, asked.processes, everything=asked.all)
    found = several.gather(few, asked.processes)
    several.print_similitudes(found)
    several.draw_similitudes(found, OUT / "boxplot-several.png")
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())

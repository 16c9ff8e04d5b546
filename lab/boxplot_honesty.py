"""Whether a solid box is right, and how small a group is drawn.

Seventeen shapes of data (real prices, ages and hours among them where ``SFUMATO_DATA`` has them),
bounds 1 to 100 times too wide, groups of 30/ε to 1,000/ε rows. For each: how many boxes are drawn
solid, how many of those are off by more than the length of the true box, and how often each
interval holds the sample's own number. Nothing here is private.

    python lab/boxplot_honesty.py                    # some minutes on two cores
    python lab/boxplot_honesty.py --boxes 400        # more boxes in every cell
    python lab/boxplot_honesty.py --method dpboxplot # one of the published methods
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from boxplots.honesty import FACTORS, NUMBERS, UNITS, Seen, Task, shapes, simulate
from boxplots.study import side_by_side
from demands import Demand

MOST_OFF = 1.0
"""Of a thousand solid boxes."""

LEAST_HELD = 0.93


def main() -> int:
    asked, begun = arguments(), time.monotonic()
    work = [
        Task(shape, factor, units, asked.boxes, asked.method, above=above)
        for shape in shapes()
        for factor in FACTORS
        for above in ((False, True) if factor > 1 else (False,))
        for units in UNITS
    ]
    seen = [one for part in side_by_side(simulate, work, asked.processes) for one in part]
    print(
        f"{len(seen):,} boxes by {asked.method}, {sum(one.solid for one in seen):,} of them solid"
    )
    print_drawn(seen)
    for solid in (True, False):
        print_held(seen, solid=solid)
    met = demands(seen, interval=asked.method == "fence")
    print(f"\n{(time.monotonic() - begun) / 60:.1f} minutes")
    return 0 if met else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tell how often solid boxes are off.")
    parser.add_argument("--boxes", type=int, default=48, help="in every cell")
    parser.add_argument("--method", default="fence")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def print_drawn(seen: Sequence[Seen]) -> None:
    """Print which share of boxes is solid, and how many of those are off."""
    rows: list[tuple[str, Callable[[Seen], bool]]] = [
        *((name, lambda one, name=name: one.shape == name) for name in shapes()),
        *((f"bounds × {factor}", lambda one, f=factor: one.factor == f) for factor in FACTORS),
        ("all", lambda one: bool(one.shape)),
    ]
    print("\nSolid boxes by rows × ε; after them, solid boxes that are off, and per thousand")
    print(f"{'':<18}" + "".join(f"{units:>7,}" for units in UNITS) + f"{'off':>10}{'‰':>8}")
    for name, chosen in rows:
        there = [one for one in seen if chosen(one)]
        shares = [np.mean([one.solid for one in there if one.units == u]) for u in UNITS]
        solid, off = count_off(there)
        line = "".join(f"{share:>7.2f}" for share in shares)
        print(f"{name:<18}{line}{f'{off}/{solid}':>10}{1000 * off / max(solid, 1):>8.2f}")


def count_off(seen: Sequence[Seen]) -> tuple[int, int]:
    """Return how many boxes are solid, and how many of those are off."""
    solid = [one for one in seen if one.solid]
    return len(solid), sum(one.off > 1 for one in solid)


def print_held(seen: Sequence[Seen], *, solid: bool) -> None:
    """Print how often each interval holds the truth."""
    print(f"\nHow often intervals of {'solid' if solid else 'dashed'} boxes hold the truth")
    print(f"{'':<18}" + "".join(f"{name:>16}" for name in NUMBERS) + f"{'boxes':>8}")
    for name in [*shapes(), "all"]:
        there = [one for one in seen if one.solid == solid and name in (one.shape, "all")]
        if there:
            held = np.mean([one.held for one in there], axis=0)
            print(f"{name:<18}" + "".join(f"{h:>16.3f}" for h in held) + f"{len(there):>8,}")


def demands(seen: Sequence[Seen], *, interval: bool) -> bool:
    """Print what is demanded and tell whether it is met."""
    solid, off = count_off(seen)
    asked = [
        Demand("solid boxes that are off, of a thousand", 1000 * off / max(solid, 1), MOST_OFF)
    ]
    for solid_ones in (True, False) if interval else ():
        held = np.mean([one.held for one in seen if one.solid == solid_ones], axis=0)
        kind = "solid" if solid_ones else "dashed"
        what = f"intervals of {kind} boxes that miss the truth, the worst of seven"
        asked.append(Demand(what, 1 - float(held.min()), 1 - LEAST_HELD))
    print()
    for demand in asked:
        print(demand)
    return all(demand.met for demand in asked)


if __name__ == "__main__":
    sys.exit(main())

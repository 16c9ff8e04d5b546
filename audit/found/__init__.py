"""What readers from outside found: every defect they reported, tried again.

Each line is a reproduction as it was reported, through the public functions, of a leak or of a
figure that misled. None may reproduce.
"""

from __future__ import annotations

import sys

from found import boxes, frames, memory, names, quantiles, reading, types
from found.find import Find, ReproducedError
from report import Outcome, Size, Table

FINDS: tuple[Find, ...] = (
    *reading.FINDS,
    *memory.FINDS,
    *frames.FINDS,
    *names.FINDS,
    *quantiles.FINDS,
    *boxes.FINDS,
    *types.FINDS,
)


def attack(size: Size) -> Outcome:
    """Try every find again, and count those that reproduce."""
    rows = tuple(_tried(find, size) for find in FINDS)
    again = sum(row[-1].startswith("REPRODUCED") for row in rows)
    headings = ("what was found", "gravity", "then", "now")
    table = Table("Defects reported from outside, tried again", headings, rows)
    summary = f"found: {again} of {len(FINDS)} defects reported from outside reproduce"
    return Outcome(summary, (table,), again == 0)


def _tried(find: Find, size: Size) -> tuple[str, ...]:
    try:
        now = find.attempt(size)
    except ReproducedError as again:
        now = f"REPRODUCED: {again}"
    print(f"found: {find.name} done", file=sys.stderr)
    return find.name, find.gravity, find.was, now

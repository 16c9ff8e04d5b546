"""`Results`: means over runs, and the settings with which the peer does best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boxplots.summary import Estimate, mean, ratio
from pcas.protocol import Found, Setting, Task
from pcas.sets import NAMES, Floats
from pcas.truth import Closeness

TV, W1, CAPTURED, *PLACED = Closeness._fields
Cell = tuple[str, float]
"""A table and an ε."""


@dataclass(frozen=True, eq=False)
class Results:
    """What was found in all runs."""

    found: dict[Task, Found]

    @cached_property
    def cells(self) -> list[Cell]:
        """The tables and ε there are, in order."""
        return list(
            dict.fromkeys((task.name, task.epsilon) for task in sorted(self.found, key=_order))
        )

    def runs(self, cell: Cell, setting: Setting, metric: str) -> Floats:
        """Return one metric of one setting, run by run."""
        name, epsilon = cell
        tasks = sorted(task for task in self.found if task[:2] == (name, epsilon))
        return np.array([getattr(self.found[task][setting], metric) for task in tasks])

    def mean(self, cell: Cell, setting: Setting, metric: str) -> Estimate:
        """Return the mean of a metric."""
        return mean(self.runs(cell, setting, metric))

    def ratio(self, cell: Cell, ours: Setting, theirs: Setting, metric: str) -> Estimate:
        """Return our mean over theirs."""
        return ratio(*(self.runs(cell, each, metric) for each in (ours, theirs)))

    def best(self, cell: Cell, who: str, editions: Sequence[str], metric: str = TV) -> Setting:
        """Return the peer's setting with the lowest mean, which its users cannot know."""
        task = next(task for task in self.found if task[:2] == cell)
        open_to = [
            each for each in self.found[task] if each.who == who and each.edition in editions
        ]
        return min(open_to, key=lambda setting: float(self.runs(cell, setting, metric).mean()))


def _order(task: Task) -> tuple[int, float]:
    return (NAMES.index(task.name) if task.name in NAMES else len(NAMES), task.epsilon)

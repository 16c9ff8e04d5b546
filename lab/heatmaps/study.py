"""Simulations: one crowd, one ε, every method and filter, in a store that a second call continues.

Everything that is random in a run follows from its own name, so a run can be repeated alone, all
methods measure the same people, and the same run in two figures is done once.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from heatmaps.crowd import Crowd, Resolution
from heatmaps.measuring import (
    METHODS,
    SIGMAS,
    Closeness,
    closeness,
    filtered,
    measured,
    noise_of,
    picture,
)
from heatmaps.places import drawn
from heatmaps.store import Store
from sfumato.testing import seeded
from workers import answers


class Task(NamedTuple):
    """One run: so many people of one place, measured at one ε."""

    place: str
    users: int
    resolution: Resolution
    epsilon: float
    run: int

    def crowd(self) -> Crowd:
        """Return the people of this run, the same at every ε and resolution."""
        return drawn(self.place, self.users, self._generator("people"))

    def noise(self, method: str) -> int:
        """Return what makes the noise of one method."""
        generator = self._generator(noise_of(method), *self.resolution, self.epsilon)
        return int(generator.integers(2**62))

    def _generator(self, *parts: object) -> np.random.Generator:
        names = [self.place, str(self.users), *map(str, parts)]
        return np.random.default_rng([zlib.crc32("/".join(names).encode()), self.run])


Found = dict[tuple[str, float], Closeness]
"""For each method and filter, the four metrics of one run."""


def simulate(task: Task, methods: Sequence[str] = METHODS) -> Found:
    """Return how close every method's picture is."""
    people = task.crowd()
    truth = people.picture(task.resolution)
    true = {sigma: filtered(truth, sigma) for sigma in SIGMAS}
    found: Found = {}
    for method in methods:
        with seeded(task.noise(method)):
            leaves = measured(people, method, task.epsilon, task.resolution)
        heat = picture(leaves, task.resolution)
        for sigma in SIGMAS:
            found[method, sigma] = closeness(true[sigma], filtered(heat, sigma))
    return found


def gather(tasks: Iterable[Task], store: Store, processes: int) -> None:
    """Do what the store does not hold yet, and put every answer into it at once."""
    wanted = list(dict.fromkeys(tasks))
    work = [task for task in wanted if not store.has(task)]
    print(f"{len(wanted)} runs, {len(wanted) - len(work)} of them done before", flush=True)
    for count, (task, found) in enumerate(answers(simulate, work, processes), 1):
        store.put(task, found)
        if count % 100 == 0:
            print(f"  {count} of {len(work)}", flush=True)

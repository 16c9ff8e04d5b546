"""One run of every method on one table at one ε, and many runs at once.

Everything that is random in a run follows from its own name, so a run can be repeated alone.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from pcas import dppca, ours, sets
from pcas.dppca import EDITIONS, METHODS, Edition, Framed, Peer
from pcas.truth import Closeness, Picture, Truth
from workers import answers

EPSILONS = (0.5, 1.0, 3.0, 5.0)
BINS = (6, 8, 10, 12, 16, 20, 25, 32)
"""Among these the peer may choose, as among its two histograms, separately for each table and ε."""


class Setting(NamedTuple):
    """How a picture is made: whose method, and of the peer its edition, histogram and bins."""

    who: str
    edition: str = ""
    method: str = ""
    bins: int = 0

    def __str__(self) -> str:
        return f"{self.edition}, {self.method} {self.bins}" if self.edition else self.who


PRIVATE, RAW = "dppca", "dppca, raw directions"
"""The peer with private directions, and with those of the raw covariance: not private."""


class Task(NamedTuple):
    """One run."""

    name: str
    epsilon: float
    run: int

    def generator(self, *parts: object) -> np.random.Generator:
        """Return what makes the noise of one method."""
        names = "/".join([self.name, str(self.epsilon), *map(str, parts)])
        return np.random.default_rng([zlib.crc32(names.encode()), self.run])

    def noise(self, who: str) -> int:
        """Return what makes the noise of one of ours."""
        return zlib.crc32(self.generator(who).bytes(16))


Found = dict[Setting, Closeness]


@cache
def truth(name: str) -> Truth:
    """Return the exact picture of a table, by its name, or of a mixture by its size."""
    return Truth(sets.mixture(int(name)) if name.isdigit() else sets.table(name))


@cache
def peer(name: str) -> Peer:
    """Return the peer for a table."""
    return Peer(truth(name).table)


def simulate(task: Task) -> Found:
    """Return how close the pictures of all methods are in one run."""
    found = {Setting(who): close for who, close in our_runs(task)}
    for edition in EDITIONS:
        found |= dict(their_runs(task, PRIVATE, edition))
        found |= dict(their_runs(task, RAW, edition))
    return found


def our_runs(
    task: Task, budgets: Sequence[str] = tuple(ours.BUDGETS)
) -> Iterator[tuple[str, Closeness]]:
    """Yield how close ours is with each budget."""
    exact = truth(task.name)
    for who in budgets:
        spent = ours.budget(task.epsilon, ours.BUDGETS[who])
        release = ours.released(exact.table, spent, task.noise(who))
        yield who, exact.closeness(ours.picture(release))


def their_runs(task: Task, who: str, edition: Edition) -> Iterator[tuple[Setting, Closeness]]:
    """Yield how close the peer is with each histogram, on one draw of directions and frame."""
    exact, generator = truth(task.name), task.generator(who, edition.name)
    framed = peer(task.name).framed(
        edition, task.epsilon, ours.DELTA, generator, private=who == PRIVATE
    )
    for bins in BINS:
        for method, picture in _pictures(framed, bins, exact, generator):
            yield Setting(who, edition.name, method, bins), exact.closeness(picture)


def _pictures(
    framed: Framed, bins: int, exact: Truth, generator: np.random.Generator
) -> Iterator[tuple[str, Picture]]:
    window, counts = dppca.counted(framed, bins)
    for method, histogram in METHODS.items():
        density = histogram(framed, counts, generator)
        yield method, Picture(density, window, framed.directions, exact.mean)


def gather(tasks: Iterable[Task], processes: int) -> dict[Task, Found]:
    """Do all runs, and tell how far it is on a terminal."""
    work = list(tasks)
    gathered: dict[Task, Found] = {}
    for task, found in answers(simulate, work, processes):
        gathered[task] = found
        if sys.stderr.isatty() or len(gathered) % 20 == 0:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"  {len(gathered)} of {len(work)} runs", end=end, file=sys.stderr, flush=True)
    return gathered

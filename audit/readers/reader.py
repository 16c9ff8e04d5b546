"""`Reader`: one reader of untrusted bytes, what it is fed with and what must hold."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from pathlib import Path

KINDS = (
    "histogram",
    "boxplot",
    "quantiles",
    "distribution",
    "means",
    "heatmap",
    "choropleth",
    "regional_means",
    "pairplot",
    "pca",
    "scoreplot",
)
"""The kinds of releases, each fuzzed by itself."""

Mutate = Callable[[bytes, int], bytes]
"""Change bytes in no particular way, up to a length: what libFuzzer does by itself."""


class BreachError(Exception):
    """A reader did what it must not."""

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(what)
        self.detail = detail


class Reader(ABC):
    """Feeds one reader, and judges what came of it."""

    longest: int
    """The most bytes of an input."""

    modules: tuple[str, ...]
    """Whose lines are counted, as paths below the package."""

    aside: tuple[str, ...] = ()
    """How the names of their functions begin that do not read: their lines are not counted."""

    def __init__(self, seeds: list[bytes]) -> None:
        self.seeds = seeds
        self.done: Counter[str] = Counter()

    @abstractmethod
    def examine(self, data: bytes) -> None:
        """Read `data`, and raise where anything but reading or refusing came of it."""

    @abstractmethod
    def mutate(self, data: bytes, size: int, seed: int, plainly: Mutate) -> bytes:
        """Change `data` so that it still means something, or nearly."""

    def turn(self, what: str, every: int) -> bool:
        """Tell whether it is time for something that is done once in so many times."""
        self.done[f"{what} asked"] += 1
        return self.done[f"{what} asked"] % every == 0


def located(problem: BaseException) -> str:
    """Name an exception that nobody should have seen, and the line of ours it came through."""
    if isinstance(problem, BreachError):
        return str(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [frame for frame in frames if "sfumato" in Path(frame.filename).parts]
    where = f" in {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return f"{type(problem).__name__}{where}"

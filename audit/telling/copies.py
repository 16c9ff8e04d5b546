"""Many releases at once: a chart by copies of a tiny table.

A table may hold many copies of the same rows, each of people of its own. Charted by the column
that names the copy, each of its groups is a release of one copy, with noise of its own and at the
full price, since a unit lies in one copy. So thousands of releases are drawn by one call of the
code that users call, on a table that a real engine has read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from unittest import mock

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.domain import Domain
from sfumato.engines.engine import Engine
from sfumato.grid import Key
from sfumato.mechanisms import noise
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Areas
from telling.pairs import DOMAIN, Pair
from telling.remembering import Remembering

Floats = NDArray[np.float64]

MOST = 512
"""How many copies one table holds."""

_THOUGHT_OF = 64


@dataclass(frozen=True)
class Copies:
    """Many copies of the rows of one table."""

    number: int
    engine: Engine

    @classmethod
    def of(cls, pair: Pair, joined: bool, number: int) -> Copies:
        """Make a table with so many copies of one of two neighbours."""
        return cls(number, cast(Engine, Remembering(pair.table(joined, number))))

    @property
    def domain(self) -> Domain:
        """What is public: besides the usual, how many copies there are."""
        return domain_of(self.number)


@cache
def domain_of(copies: int) -> Domain:
    """Return what is public about a table of so many copies."""
    every, wards = range(copies), DOMAIN.categories("ward").values
    return Domain(
        **DOMAIN.columns,
        copy=[str(copy) for copy in every],
        copy_ward=[f"{copy}{ward}" for copy in every for ward in wards],
    )


def by_copies(
    pair: Pair, joined: bool, trials: int, look: Callable[[Copies], Floats], *, most: int = MOST
) -> Floats:
    """Return what is seen of so many releases, where one look sees one release of each copy."""
    copies = Copies.of(pair, joined, min(trials, most))
    with swiftly():
        looks = [look(copies) for _ in range(math.ceil(trials / copies.number))]
    return np.concatenate(looks)[:trials]


@contextmanager
def swiftly() -> Generator[None]:
    """Draw the same noise with less ado: without threads, each measurement made but once."""
    made = cache(noise._make_measurement)  # pyright: ignore[reportPrivateUsage]
    with (
        mock.patch.object(noise, "ThreadPoolExecutor", _NoThreads),
        mock.patch.object(noise, "_make_measurement", made),
    ):
        yield


class _NoThreads(nullcontext["_NoThreads"]):
    """Stands in for a pool of threads."""

    def __init__(self, _: int) -> None:
        super().__init__(self)

    map = staticmethod(map)


@dataclass(frozen=True)
class Belief:
    """What an auditor thinks that one copy counts, without the unit and with it.

    It is formed once and before anything is drawn: were it formed anew for either table, it could
    give away which of them is looked at. Copies differ by the rows of a person that happen to
    count, so these are means.
    """

    without: Floats
    within: Floats

    @classmethod
    def of(
        cls, pair: Pair, keys: Callable[[Domain], Sequence[Key | Areas]], unit: PrivacyUnit
    ) -> Belief:
        """Count both tables in the cells of a chart by copies."""
        tables = (Copies.of(pair, joined, _THOUGHT_OF) for joined in (False, True))
        return cls(*(_mean(copies, keys(copies.domain), unit) for copies in tables))

    def says(self, steps: ArrayLike, law: NoiseLaw) -> Floats:
        """Return how much noisy integers, a row for each release, speak for the unit."""
        return noise_says(steps, law, self.without, self.within)


def _mean(copies: Copies, keys: Sequence[Key | Areas], unit: PrivacyUnit) -> Floats:
    counts = copies.engine.counts(keys, unit).reveal().astype(np.float64)
    return per_copy(counts, keys).mean(axis=0)


def per_copy(values: NDArray[Any], keys: Sequence[Key | Areas]) -> Floats:
    """Return numbers in the order of `keys` as rows, one for each copy."""
    axis = next(place for place, key in enumerate(keys) if key.column == "copy")
    cells = values.reshape([key.cells for key in keys])
    return np.moveaxis(cells, axis, 0).reshape(keys[axis].cells, -1).astype(np.float64)


def noise_says(steps: ArrayLike, law: NoiseLaw, without: Floats, within: Floats) -> Floats:
    """Return how much noisy integers, a row for each release, speak for the unit being there."""
    seen = np.asarray(steps, dtype=np.float64).reshape(-1, without.size)
    far, near = ((seen - means.ravel()) / law.scale for means in (without, within))
    if law.kind == "laplace":
        return (np.abs(far) - np.abs(near)).sum(axis=1)
    return (far**2 - near**2).sum(axis=1) / 2

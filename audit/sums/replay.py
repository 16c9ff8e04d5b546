"""Releases as functions of what mechanisms said, and of public facts; of nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from sfumato.engines.dispatch import DuckEngine
from sfumato.releases.release import Release
from sfumato.testing import measure_planned
from sums.asked import Asked
from sums.tape import Tape

# What documents call the integers that left a mechanism; all else is computed from them.
_MEASURED = ("steps", "cells", "counts", "noisy", "matrix")


@dataclass(frozen=True)
class Replayed:
    """A release of one table, and what another table makes of the same noisy numbers.

    Parameters
    ----------
    other
        The release that the other table gives when mechanisms repeat what they said of the first.
    """

    asked: Asked
    tape: Tape
    release: Release
    other: Release

    @property
    def integers(self) -> int:
        """How many integers left the mechanisms."""
        return sum(len(said.integers) for said in self.tape.said)

    @property
    def lattice(self) -> bool:
        """Whether mechanisms were given integers, and gave integers back."""
        return all(said.lattice for said in self.tape.said)

    @property
    def recomputed(self) -> bool:
        """Whether every integer that is published was said by a mechanism."""
        said = Counter(number for each in self.tape.said for number in each.integers)
        published = Counter(_measured(self.release.to_dict()["values"]))
        whole = all(isinstance(number, int) for number in published)
        # Of groups that are searched for in private there may be none.
        some = bool(published) or bool(self.release.parameters.get("found"))
        return some and whole and published <= said

    @property
    def same(self) -> bool:
        """Whether the table behind the mechanisms makes no difference to the document."""
        return self.release.to_dict() == self.other.to_dict()

    @property
    def faults(self) -> list[str]:
        """What is wrong, in words."""
        checks = {
            "a mechanism left the integers": self.lattice,
            "an integer is published that no mechanism said": self.recomputed,
            "a release depends on the table behind the noise": self.same,
        }
        return [words for words, held in checks.items() if not held]


def replayed(asked: Asked, one: pa.Table, other: pa.Table) -> Replayed:
    """Measure a chart of one table, and once more with the same noisy numbers over another."""
    plan, tape = asked.plan(), Tape()
    with tape.recording():
        release = measure_planned(asked.chart, DuckEngine(one, threads=1), plan)
    with tape.playing():
        again = measure_planned(asked.chart, DuckEngine(other, threads=1), plan)
    return Replayed(asked, tape, release, again)


def _measured(values: object, name: str = "") -> list[object]:
    if isinstance(values, dict):
        parts = cast(dict[str, Any], values).items()
        # A price counts steps too, of public facts.
        return [number for key, part in parts if key != "cost" for number in _measured(part, key)]
    if isinstance(values, list | tuple):
        many = cast(list[object], values)
        return [number for part in many for number in _measured(part, name)]
    return [values] if name in _MEASURED else []

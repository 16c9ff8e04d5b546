"""Privacy bugs, planted one at a time: would our tests have noticed?

Each mutant is a copy of the library with one bug that somebody could have written: a sensitivity
halved, a charge made after the look, a weight rounded up. The tests are run on it as they are. At
least one of them must fail by itself, and none of those that break the library on purpose, to show
that their own check works, is counted. The fast form asks one test of each mutant; the full form
all tests of the files that mirror what was changed, and tells how many of them noticed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from queue import SimpleQueue
from typing import TypeVar

from planted.catalogue import MUTANTS
from planted.mutant import ROOT, Mutant
from planted.trial import BrokenAuditError, Nursery, Trial
from report import Outcome, Size, Table

S = TypeVar("S")
T = TypeVar("T")

_TWIN = re.compile("twin|would|notice|reject|broken")


def attack(size: Size) -> Outcome:
    """Plant all mutants, and tell which of them were caught, and by how many tests."""
    wide = size == "full"
    if wide:
        _refuse_tests_that_fail_anyway({file for mutant in MUTANTS for file in files(mutant)})
    trials = _side_by_side(lambda nursery, mutant: tried(nursery, mutant, size), MUTANTS)
    pairs = list(zip(MUTANTS, trials, strict=True))
    caught = sum(trial.caught for trial in trials)
    summary = f"mutants: {caught} caught of {len(MUTANTS)} planted"
    families = Table("Mutants by family", ("family", "planted", "caught", "tests"), _rows(pairs))
    every = Table(
        "Mutants one by one",
        ("a sfumato in which …", "file", "noticed by"),
        tuple((m.name, m.file, _noticed(trial, wide)) for m, trial in pairs),
    )
    return Outcome(summary, (families, every), passed=caught == len(MUTANTS))


def tried(nursery: Nursery, mutant: Mutant, size: Size) -> Trial:
    """Run the one test that should notice, or all that could, on a planted mutant."""
    if size == "fast":
        return nursery.tried(mutant)
    found = nursery.tried(mutant, files(mutant), stop=False)
    by_itself = tuple(test for test in found.failed if not is_twin(test))
    return Trial(found.passed, by_itself, found.crashed)


def files(mutant: Mutant) -> tuple[str, ...]:
    """Return the test files that mirror what a mutant changes, and that of its own test."""
    place = PurePosixPath(mutant.file)
    mirror = PurePosixPath("tests") / place.parent / f"test_{place.name}"
    found = {f"tests/{mutant.among}"}
    found |= {str(mirror)} if (ROOT / mirror).exists() else set()
    return tuple(sorted(found))


def is_twin(test: str) -> bool:
    """Tell whether a test breaks the library itself, to show that a check would notice.

    Examples
    --------
    >>> is_twin("tests/engines/test_bounding.py::test_a_broken_bound_would_be_caught[uncapped]")
    True
    """
    return bool(_TWIN.search(test.partition("::")[2].partition("[")[0]))


def _refuse_tests_that_fail_anyway(asked: set[str]) -> None:
    """Run all tests on the library as it is: one that fails there would notice anything."""
    trials = _side_by_side(lambda nursery, file: nursery.innocent((file,)), sorted(asked))
    failed = [test for trial in trials for test in trial.failed]
    if failed:
        raise BrokenAuditError(f"These fail without any mutant: {', '.join(failed)}")


def _side_by_side(work: Callable[[Nursery, S], T], things: Sequence[S]) -> list[T]:
    """Work on all things in as many nurseries as there are cores."""
    many = min(len(things), os.cpu_count() or 1)
    idle: SimpleQueue[Nursery] = SimpleQueue()
    done = 0

    def run(thing: S) -> T:
        nonlocal done
        nursery = idle.get()
        try:
            return work(nursery, thing)
        finally:
            idle.put(nursery)
            done += 1
            print(f"planted: {done} of {len(things)}", file=sys.stderr)

    nurseries = [Nursery() for _ in range(many)]
    for nursery in nurseries:
        idle.put(nursery)
    try:
        with ThreadPoolExecutor(many) as pool:
            return list(pool.map(run, things))
    finally:
        for nursery in nurseries:
            nursery.close()


def _rows(pairs: Sequence[tuple[Mutant, Trial]]) -> tuple[tuple[str, ...], ...]:
    families = dict.fromkeys(mutant.family for mutant, _ in pairs)
    rows: list[tuple[str, ...]] = []
    for family in families:
        trials = [trial for mutant, trial in pairs if mutant.family == family]
        noticed = len({test for trial in trials for test in trial.failed})
        caught = sum(trial.caught for trial in trials)
        rows.append((family, str(len(trials)), str(caught), str(noticed)))
    return tuple(rows)


def _noticed(trial: Trial, wide: bool) -> str:
    if not trial.failed:
        return "**nothing**"
    of = f"{len(trial.failed)} of {len(trial.failed) + len(trial.passed)} tests: " if wide else ""
    return of + trial.failed[0].rpartition("::")[2].partition("[")[0]

"""Runs of tests on copies of the library, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from planted.mutant import ROOT, Mutant, copied, planted
from planted.request import HUNG, INTERNAL, LOG, REPORT, Request

_PASSED, _FAILED = 0, 1  # of pytest's exit statuses, those that say something about the library
_LAST_LINES = 20


class BrokenAuditError(Exception):
    """A run that says nothing about the library: no tests, an error outside of them, no end."""


@dataclass(frozen=True)
class Trial:
    """The tests that passed, those that failed by themselves, and those that crashed."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    crashed: tuple[str, ...] = ()

    @property
    def caught(self) -> bool:
        """Whether any test noticed something."""
        return bool(self.failed)


class Nursery:
    """The process that `planted.nursery` describes, to be closed."""

    def __init__(self) -> None:
        # A run must not take itself for a part of the one that asked for it.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        # Threads do not outlive a fork.
        alone = {"PYTHONPATH": str(ROOT / "audit"), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "planted.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**inherited, **alone, "MPLBACKEND": "agg"},
            text=True,
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def innocent(self, tests: tuple[str, ...]) -> Trial:
        """Run tests on the library as it is."""
        with TemporaryDirectory(prefix="planted-") as folder:
            return self._run(copied(Path(folder) / "source"), Path(folder), tests, stop=False)

    def tried(
        self, mutant: Mutant, tests: tuple[str, ...] | None = None, *, stop: bool = True
    ) -> Trial:
        """Plant a bug and run its tests, or others."""
        with TemporaryDirectory(prefix="planted-") as folder:
            source = planted(mutant, Path(folder) / "source")
            return self._run(source, Path(folder), tests or (mutant.test,), stop=stop)

    def _run(self, source: Path, folder: Path, tests: tuple[str, ...], *, stop: bool) -> Trial:
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        asked.write(Request(str(source), str(folder), tests, stop).written())
        asked.flush()
        status = int(told.readline() or INTERNAL)
        trial = _reported(folder)
        # Where every charge is let through, for one, a test that spends all there is never ends.
        noticed = trial.failed or trial.crashed
        expected = (_FAILED, HUNG) if noticed else (_PASSED,) if trial.passed else ()
        if status not in expected:
            raise BrokenAuditError(_told(status, tests, folder))
        return trial


def _reported(folder: Path) -> Trial:
    report = folder / REPORT
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    ends = [line.partition(" ") for line in lines]
    outcomes = (
        tuple(test for outcome, _, test in ends if outcome == wanted)
        for wanted in ("passed", "failed", "crashed")
    )
    return Trial(*outcomes)


def _told(status: int, tests: tuple[str, ...], folder: Path) -> str:
    lines = (folder / LOG).read_text(errors="replace").splitlines()[-_LAST_LINES:]
    return "\n".join([f"pytest ended with {status} on {' '.join(tests)}", *lines])

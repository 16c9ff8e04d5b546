"""The program that runs in another process: it releases a table, or draws what was released."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from artefacts import surroundings
from artefacts.surroundings import Surroundings
from artefacts.watching import watch

if TYPE_CHECKING:
    from sfumato.releases.release import Release

AUDIT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Task:
    """What is to be written.

    Parameters
    ----------
    forms
        The names of requests, each with the forms that are written of it.
    folder
        Where each request has a folder for what is written of it.
    table
        The file to release charts of; None to draw releases again.
    releases
        Where those releases lie.
    seed
        For noise that can be repeated; None for real noise.
    typed
        Whether the charts are asked for on the command line.
    """

    forms: dict[str, list[str]]
    folder: str
    table: str | None = None
    releases: str | None = None
    seed: int | None = None
    typed: bool = False


def run(task: Task, where: Surroundings, home: Path) -> list[str]:
    """Do a task in a process of its own, and return what it wrote to and called."""
    environment = where.environment(home)
    environment["PYTHONPATH"] = os.pathsep.join([str(AUDIT), environment.get("PYTHONPATH", "")])
    place = next(name for name, value in vars(surroundings).items() if value is where)
    done = subprocess.run(
        [sys.executable, "-c", f"from artefacts.making import main; main({place!r})"],
        input=json.dumps(asdict(task)),
        cwd=where.home(home) / "work",
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    # A single line of a warning would be a file that nobody asked for.
    if done.returncode or done.stderr:
        raise AssertionError(f"The process in other surroundings failed.\n{done.stderr}")
    return json.loads(done.stdout)


def do(task: Task) -> None:
    """Write all that a task asks for."""
    for name, forms in task.forms.items():
        folder = Path(task.folder) / name
        folder.mkdir(parents=True, exist_ok=True)
        if task.typed:
            from artefacts.commands import type_words

            type_words(name, str(task.table), folder, forms)
        else:
            _write(_release(task, name), folder, forms)


def _write(release: Release, folder: Path, forms: list[str]) -> None:
    from artefacts.broken import BROKEN
    from artefacts.writers import writers

    known = {**writers(release), **BROKEN}
    for form in forms:
        if form in known:
            (folder / form).write_bytes(known[form](release, folder))


def _release(task: Task, name: str) -> Release:
    from artefacts.requests import named, release
    from sfumato.releases.document import load
    from sfumato.testing import seeded

    if task.releases is not None:
        return load(Path(task.releases) / name / "json")
    with nullcontext() if task.seed is None else seeded(task.seed):
        return release(named(name), task.table)


def main(place: str) -> None:
    """Assume the surroundings, do the task on standard input, and tell what was touched."""
    where: Surroundings = getattr(surroundings, place)
    where.assume()
    asked: dict[str, Any] = json.load(sys.stdin)
    touched = watch()
    do(Task(**asked))
    sys.stdout.write(json.dumps(touched()))

"""`Mutant`: one privacy bug, and how it is planted in a copy of the library."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "sfumato"


@dataclass(frozen=True)
class Mutant:
    """A bug that somebody could have written.

    Parameters
    ----------
    name
        What is wrong, as the rest of the sentence "a sfumato in which …".
    family
        The part of the library that it is planted in.
    file
        Where, under ``src/sfumato``.
    old, new
        The text that is replaced, which stands there once, and what replaces it.
    notices
        The test that should notice: one that is enough, and that was not written for this bug.
    among
        Its file, under ``tests``.
    """

    name: str
    family: str
    file: str
    old: str
    new: str
    among: str
    notices: str

    @property
    def test(self) -> str:
        """The test that should notice, as pytest is asked for it."""
        return f"tests/{self.among}::{self.notices}"


class UnplantedError(Exception):
    """A mutant that no longer fits the library: the audit would plant nothing."""


def copied(folder: Path) -> Path:
    """Return a folder to import a copy of the library from, with what Python has compiled of it.

    Files are second names of ours where that is possible: nothing is ever written through them.
    """
    shutil.copytree(PACKAGE, folder / PACKAGE.name, copy_function=_linked)
    return folder


def planted(mutant: Mutant, folder: Path) -> Path:
    """Return a folder to import the library with its bug from."""
    place = copied(folder) / PACKAGE.name / mutant.file
    text = place.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1 or mutant.old == mutant.new:
        raise UnplantedError(f"{mutant.name}: its text stands {text.count(mutant.old)} times")
    broken = text.replace(mutant.old, mutant.new)
    try:
        compile(broken, str(place), "exec")
    except SyntaxError as error:
        raise UnplantedError(f"{mutant.name}: what it plants is not Python") from error
    place.unlink()
    place.write_text(broken, encoding="utf-8")
    # Two texts of one length, written within a second, look alike to Python.
    Path(cache_from_source(str(place))).unlink(missing_ok=True)
    return folder


def _linked(source: str, place: str) -> str:
    try:
        os.link(source, place)
    except OSError:  # on another disk, for one
        shutil.copy2(source, place)
    return place

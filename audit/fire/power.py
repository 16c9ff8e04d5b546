"""Cuts the power at every moment of a charge, in thought: see `fire.disk` for what is then left."""

from __future__ import annotations

import errno
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from fire.disk import Disk, Recorder
from fire.stage import Scene, Stage, begin, broken, settings
from fire.tally import Tally, judged
from fire.tracing import Call, traced
from fire.witness import Found
from sfumato.privacy import sqlite

Looked = Counter[str]


class Filming(Recorder):
    """Remembers what was looked at before every call too, and may keep folders shut."""

    def __init__(self, scene: Scene, *, shut: bool = False) -> None:
        super().__init__(scene.path.parent)
        self._scene, self._shut = scene, shut
        self.looked: list[Looked] = []

    def entering(self, call: Call) -> int | None:
        super().entering(call)
        self.looked.extend([self._scene.looked] * (len(self.moments) - len(self.looked)))
        if self._shut and call.name == "openat" and Path(call.text(call.arguments[1])).is_dir():
            return errno.EACCES
        return None


def power_cut(stage: Stage) -> Tally:
    """Cut the power at every moment of a charge, with every page it may have to write."""
    turns = stage.turning() if stage.full else stage.turning()[1:2]
    return sum((_filmed(stage, stage.scene(entries)) for entries in turns), Tally())


def power_cut_in_creation(stage: Stage) -> Tally:
    """Cut the power at every moment of beginning a ledger and charging it."""
    scene = stage.empty()
    return _filmed(stage, scene, lambda: begin(scene))


def power_cut_beside_a_shut_folder(stage: Stage) -> Tally:
    """Cut the power where files may be made and removed, and the folder not be opened to sync."""
    return _filmed(stage, stage.scene(), shut=True)


def unsynced(stage: Stage) -> Tally:
    """Do the same to a ledger broken on purpose: it leaves the folder to SQLite."""
    with broken(sqlite, sync_folder=lambda *_: nullcontext()):
        return power_cut_beside_a_shut_folder(stage)


def synchronous_full(stage: Stage) -> Tally:
    """Cut the power of a ledger that was broken on purpose: it syncs less than it does."""
    return _hurried(stage, "FULL")


def synchronous_normal(stage: Stage) -> Tally:
    """Cut the power of one that syncs still less."""
    return _hurried(stage, "NORMAL")


def synchronous_off(stage: Stage) -> Tally:
    """Cut the power of one that does not sync at all."""
    return _hurried(stage, "OFF")


def _hurried(stage: Stage, setting: str) -> Tally:
    with broken(sqlite, sync_folder=lambda *_: nullcontext()), settings(f"synchronous = {setting}"):
        return _filmed(stage, stage.scene())


def _filmed(
    stage: Stage, scene: Scene, work: Callable[[], None] | None = None, *, shut: bool = False
) -> Tally:
    film, tally, dice = Filming(scene, shut=shut), Tally(), random.Random(3)
    status = traced(work or scene.visit, film)
    for disk, looked in [*zip(film.moments, film.looked, strict=True), (film.disk, scene.looked)]:
        for state in disk.states(dice, most=64 if stage.full else 12):
            tally += _found(stage, scene, state, looked, status)
    return tally


def _found(stage: Stage, scene: Scene, state: Disk, looked: Looked, status: int) -> Tally:
    """Judge what is left of a ledger on a disk."""
    with tempfile.TemporaryDirectory(dir=stage.folder) as folder:
        state.write_to(Path(folder))
        path = Path(folder) / scene.path.name
        if not path.exists():
            return Tally(tried=1, lost=sum(looked.values()))
        found = stage.witness.read(path)
        before = found if scene.before == Found() else scene.before
        return judged(before, found, looked, status)

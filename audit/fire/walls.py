"""Walls: no room on the disk, no memory, no right to write."""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
from functools import partial

from fire.calls import hot
from fire.mounts import filled
from fire.stage import PRICE, Scene, Stage, apart, settings
from fire.tally import INTERRUPTED, KILLED, Tally
from sfumato.privacy.ledger import Ledger

NOBODY = 65534


def page_limit(stage: Stage) -> Tally:
    """Let SQLite have as many pages as a ledger has, or some more, when it needs another."""
    return _limited(stage, "max_page_count", range(1, 8))


def heap_limit(stage: Stage) -> Tally:
    """Let SQLite have less memory than a charge needs, a little more each time."""
    return _limited(stage, "hard_heap_limit", range(8_000, 160_000, 2_000 if stage.full else 9_500))


def _limited(stage: Stage, pragma: str, limits: range) -> Tally:
    tally = Tally()
    for entries in stage.turning() if stage.full else stage.turning()[1:2]:
        for limit in limits:
            scene = stage.scene(entries)
            tally += scene.judge(apart(partial(_visit_within, scene, f"{pragma} = {limit}")))
    return tally


def _visit_within(scene: Scene, pragma: str) -> None:
    ledger = Ledger.open(scene.path)
    try:
        with settings(pragma):
            scene.visit(ledger)
    except MemoryError:
        sys.exit(INTERRUPTED)


def file_limit(stage: Stage) -> Tally:
    """Let no file grow beyond a limit, a few bytes more each time."""
    tally = Tally()
    for entries in stage.turning() if stage.full else stage.turning()[1:2]:
        size = stage.scene(entries).path.stat().st_size
        for limit in range(0, size + 9_000, 512 if stage.full else 2_500):
            scene = stage.scene(entries)
            tally += scene.judge(apart(partial(_visit_below, scene, limit)))
    return tally


def _visit_below(scene: Scene, limit: int) -> None:
    ledger = Ledger.open(scene.path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        ledger.charge("visit", PRICE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    scene.look("visit")


def full_disk(stage: Stage) -> Tally:
    """Leave less room on a whole file system than a charge needs, a page more each time."""
    tally = Tally()
    for entries in stage.turning() if stage.full else stage.turning()[1:2]:
        for pages in range(12):
            scene = stage.scene(entries)
            status = apart(partial(filled, scene.path.parent, pages, scene.visit))
            tally += scene.judge(status)
    return tally


def no_memory(stage: Stage) -> Tally:
    """Have one request for memory fail after another, of all that Python makes in a charge."""
    tally, when = Tally(), 1
    while apart(partial(_charge_without, stage.scene(), when, 0)) == INTERRUPTED:
        scene = stage.scene()
        status = apart(partial(_charge_without, scene, when, when + 1))
        # An interpreter that breaks down is a process killed.
        tally += scene.judge(KILLED if status < 0 else status)
        when += 5 if stage.full else 61
    return tally


def _charge_without(scene: Scene, start: int, stop: int) -> None:
    """Charge; refuse requests for memory from one to another, or all that follow if it is 0."""
    memory = importlib.import_module("_testcapi")
    ledger, refused = Ledger.open(scene.path), False
    # A charge takes milliseconds; one that is refused everything may try again for ever.
    signal.alarm(30 if stop else 3)
    memory.set_nomemory(start, stop)
    try:
        ledger.charge("visit", PRICE)
    except Exception:  # noqa: BLE001 - short of memory, Python may complain of anything
        refused = True
    finally:
        memory.remove_mem_hooks()
    if refused:
        sys.exit(INTERRUPTED)
    scene.look("visit")


RIGHTS = {
    "no new files": (0o555, 0o666),
    "no writing": (0o777, 0o444),
    "no reading": (0o777, 0o200),
    "no syncing": (0o333, 0o666),
    "no way in": (0o666, 0o666),
}
"""What may be done with a folder, and with the files in it."""


def no_rights(stage: Stage) -> Tally:
    """Visit a ledger that may not be written, read, reached, or have its folder synced."""
    tally = Tally()
    for rights in RIGHTS.values():
        for scene in (stage.scene(), hot(stage)):
            tally += _visited(scene, *rights)
    return tally


def _visited(scene: Scene, folder: int, file: int) -> Tally:
    paths = list(scene.path.parent.iterdir())
    for path in paths:
        path.chmod(file)
    scene.path.parent.chmod(folder)
    status = apart(partial(_visit_as_nobody, scene))
    scene.path.parent.chmod(0o777)
    for path in paths:
        if path.exists():
            path.chmod(0o666)
    return scene.judge(status)


def _visit_as_nobody(scene: Scene) -> None:
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    scene.visit()

"""Strikes at every system call: the process is killed there, or the call fails."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fire.stage import Scene, Stage, begin, settings
from fire.tally import KILLED, Tally
from fire.tracing import KILL, Call, Striking, traced
from sfumato.errors import LedgerError
from sfumato.privacy.ledger import Ledger

Work = Callable[[Scene], Callable[[], None]]

FAULTS = (errno.EIO, errno.ENOSPC, errno.ENOMEM, errno.EMFILE)


def _can_fail(call: Call) -> bool:
    return bool(call.name)


def _always(_: Call) -> bool:
    return True


def struck(
    stage: Stage,
    work: Work,
    blow: int,
    *,
    entries: int = 2,
    first: int = 1,
    every: int = 1,
    for_good: bool = False,
) -> Tally:
    """Do the same work again and again, struck one call later each time, until none is left."""
    tally, when = Tally(), first
    while True:
        scene = stage.scene(entries)
        counts = _always if blow == KILL else _can_fail
        watcher = Striking(when, blow, counts, for_good=for_good)
        status = traced(work(scene), watcher)
        tally += scene.judge(status)
        if not watcher.struck:
            return tally
        when += every


def killed_in_a_charge(stage: Stage) -> Tally:
    """Kill a process at every system call of opening a ledger, charging it and looking."""
    every = 2 if stage.full else 11
    # Each time other calls, so that all together are every call.
    tallies = (
        struck(stage, lambda scene: scene.visit, KILL, entries=entries, first=first, every=every)
        for first, entries in enumerate(stage.turning(), 1)
    )
    return sum(tallies, Tally())


def unjournalled(stage: Stage) -> Tally:
    """Kill processes whose ledger was broken on purpose: it writes into the file as it goes."""
    tally = Tally()
    with settings("journal_mode = OFF"):
        for when in range(1, 5):
            scene = stage.scene(stage.turning()[1])
            traced(scene.visit, Striking(when, KILL, partial(writes, scene.path)))
            tally += scene.judge(KILLED)
    return tally


def writes(path: Path, call: Call) -> bool:
    """Tell whether a call changes the file at `path`, or makes sure of its changes."""
    return call.name in ("pwrite", "fdatasync", "fsync") and call.file(call.arguments[0]) == path


def failing_calls(stage: Stage) -> Tally:
    """Have every system call of a charge fail, once or from then on, in four ways."""
    tally = Tally()
    every = 2 if stage.full else 5
    for first, fault in enumerate(FAULTS if stage.full else FAULTS[:1], 1):
        for for_good in (False, True):
            tally += struck(stage, _opened, fault, first=first, every=every, for_good=for_good)
    return tally


def _opened(scene: Scene) -> Callable[[], None]:
    ledger = Ledger.open(scene.path)
    return lambda: scene.visit(ledger)


def hot(stage: Stage, entries: int = 33) -> Scene:
    """Return a ledger that a killed process has left half written, its journal beside it."""
    scene = stage.scene(entries)
    assert traced(scene.visit, Striking(2, KILL, partial(writes, scene.path))) == KILLED
    assert scene.path.with_name(f"{scene.path.name}-journal").stat().st_size > 0
    return scene


def failing_recovery(stage: Stage) -> Tally:
    """Have every call fail of the process that finds a ledger half written by a killed one."""
    tally, when = Tally(), 1
    while True:
        scene = hot(stage)
        watcher = Striking(when, errno.EIO, _can_fail)
        tally += scene.judge(traced(scene.visit, watcher))
        if not watcher.struck:
            return tally
        when += 1 if stage.full else 6


def killed_in_creation(stage: Stage) -> Tally:
    """Kill a process at every call of beginning a ledger; another then begins or opens it."""
    tally, when = Tally(), 1
    while True:
        scene = stage.empty()
        watcher = Striking(when, KILL)
        status = traced(partial(begin, scene), watcher)
        tally += _judge_begun(scene, status)
        if not watcher.struck:
            return tally
        when += 1 if stage.full else 6


def _judge_begun(scene: Scene, status: int) -> Tally:
    """Judge a ledger that may not be there at all, or have two names, which is refused."""
    if not scene.path.exists():
        return Tally(tried=1, lost=sum(scene.looked.values()))
    if scene.path.stat().st_nlink > 1:
        return Tally(tried=1, refused=int(_is_refused(scene)))
    begun = Scene(scene.path, scene.witness.read(scene.path), scene.witness)
    return begun.judge(status)


def _is_refused(scene: Scene) -> bool:
    try:
        Ledger.open(scene.path)
    except LedgerError:
        return True
    return False

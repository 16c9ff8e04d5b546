"""Forks in mid-charge: by another thread, and by a signal's handler in the thread that charges."""

from __future__ import annotations

import linecache
import os
import sys
import threading
from functools import partial
from types import FrameType
from typing import Any

from fire.crowd import settled, wait_for
from fire.lines import PLACES
from fire.stage import Scene, Stage, apart, broken, leave
from fire.tally import Tally
from sfumato.privacy import sqlite
from sfumato.privacy.ledger import Ledger


def forked_by_a_handler(stage: Stage) -> Tally:
    """Fork at every line of a charge, as a handler may; the child goes on, or leaves by an exit."""
    tally, when = Tally(), 1
    while True:
        scene = stage.scene(room=3)
        status = apart(partial(_visit, scene, when, leaves=bool(when % 2)))
        tally += settled(scene, [status])
        if not scene.path.with_name("forked").exists():
            return tally
        when += 1 if stage.full else 13


def unaware(stage: Stage) -> Tally:
    """Do the same to a ledger broken on purpose: a child goes on with the charge of its parent."""
    with broken(sqlite, kill_forked_child=lambda *_: None):
        return forked_by_a_handler(stage)


def _visit(scene: Scene, when: int, *, leaves: bool) -> None:
    sqlite.PATIENCE = 0.2
    ledger, left = Ledger.open(scene.path), when
    children: list[int] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in PLACES:
            return None
        if event == "line" and _is_charging(frame):
            left -= 1
        if left == 0:
            left = -1
            children.append(_forked(scene, leaves=leaves))
        return trace

    sys.settrace(trace)
    try:
        scene.visit(ledger)
    finally:
        sys.settrace(None)
        scene.path.with_name("done").touch()
        if 0 in children:
            os._exit(0)
        for child in children:
            os.waitpid(child, 0)


def _is_charging(frame: FrameType | None) -> bool:
    """Tell whether the charge goes on: a fork after it copies a process that has paid.

    The ledger cannot know of such a copy any more; a session refuses a second release for it.
    """
    if frame is None:
        return False
    if linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip() == "return answer":
        return False
    return frame.f_code is Ledger.charge.__code__ or _is_charging(frame.f_back)


def _forked(scene: Scene, *, leaves: bool) -> int:
    """Fork; the child comes back from here, in one way or the other, when the parent is done."""
    scene.path.with_name("forked").touch()
    child = os.fork()
    if child == 0:
        wait_for(scene.path.with_name("done"), 5)
        if leaves:
            sys.exit()
    return child


def forked_by_a_thread(stage: Stage) -> Tally:
    """Fork while another thread charges; the children charge too, or end as a program ends."""
    tally = Tally()
    for _ in range(8 if stage.full else 2):
        scene = stage.scene(room=40)
        tally += settled(scene, [apart(partial(_charge_and_fork, scene))])
    return tally


def _charge_and_fork(scene: Scene) -> None:
    ledger = Ledger.open(scene.path)
    thread = threading.Thread(target=lambda: [scene.visit(ledger) for _ in range(20)])
    thread.start()
    children: list[int] = []
    while thread.is_alive() and len(children) < 20:
        child = os.fork()
        if child == 0 and len(children) % 2:
            leave(partial(scene.visit, ledger, "child"))
        if child == 0:
            sys.exit()
        children.append(child)
    thread.join()
    for child in children:
        os.waitpid(child, 0)

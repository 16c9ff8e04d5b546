"""Many at once: threads, processes, some of them killed or stopped, clocks that run backwards."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from fire.stage import Scene, Stage, begin, leave
from fire.tally import KILLED, LOOKED, REFUSED, Tally, judged
from fire.tracing import Call, Counting, traced
from privacy.charging import CarelessLedger
from sfumato.privacy import ledger as ledgers
from sfumato.privacy import sqlite
from sfumato.privacy.ledger import Ledger


def together(
    works: Sequence[Callable[[], None]], meanwhile: Callable[[list[int]], None] = lambda _: None
) -> list[int]:
    """Do all of it at once, each in a process of its own; return their exit statuses."""
    children: list[int] = []
    for work in works:
        child = os.fork()
        if child == 0:
            leave(work)
        children.append(child)
    meanwhile(children)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def wait_for(path: Path, seconds: float) -> None:
    """Wait until there is a file at `path`, but not for ever."""
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.001)


def settled(scene: Scene, statuses: list[int]) -> Tally:
    """Judge a ledger after a crowd: as many tries as there were visitors."""
    found = scene.witness.read(scene.path)
    tally = judged(scene.before if scene.before.terms else found, found, scene.looked)
    rough = sum(status not in (LOOKED, REFUSED, KILLED) for status in statuses)
    refused = statuses.count(REFUSED)
    return tally + Tally(tried=len(statuses) - 1, rough=rough, refused=refused)


def processes(stage: Stage) -> Tally:
    """Let more processes than there is room for visit one ledger at once."""
    return _crowded(stage, Ledger)


def careless(stage: Stage) -> Tally:
    """Let them visit a ledger broken on purpose: it looks for room before it locks."""
    return _crowded(stage, CarelessLedger)


def _crowded(stage: Stage, kind: type[Ledger]) -> Tally:
    tally = Tally()
    for _ in range(20 if stage.full else 3):
        scene = stage.scene()
        go = scene.path.with_name("go")
        works = [partial(_visit, scene, kind, go) for _ in range(12)]
        tally += settled(scene, together(works, lambda _, go=go: go.touch()))
    return tally


def _visit(scene: Scene, kind: type[Ledger], go: Path) -> None:
    ledger = kind.open(scene.path)
    wait_for(go, 30)
    scene.visit(ledger)


def threads(stage: Stage) -> Tally:
    """Let threads of several processes visit one ledger, and change places at every step."""
    tally = Tally()
    for _ in range(10 if stage.full else 2):
        scene = stage.scene()
        tally += settled(scene, together([partial(_by_threads, scene)] * 3))
    return tally


def _by_threads(scene: Scene) -> None:
    sys.setswitchinterval(1e-6)
    ledger = Ledger.open(scene.path)
    crowd = [threading.Thread(target=_quietly, args=(scene, ledger)) for _ in range(8)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()


def _quietly(scene: Scene, ledger: Ledger) -> None:
    try:
        scene.visit(ledger)
    except SystemExit:
        return


def beginners(stage: Stage) -> Tally:
    """Let many processes begin the same ledger at once, and visit it."""
    tally = Tally()
    for _ in range(20 if stage.full else 3):
        scene = stage.empty()
        tally += settled(scene, together([partial(begin, scene)] * 8))
    return tally


def killed_at_random(stage: Stage) -> Tally:
    """Kill, stop and wake processes at random moments while all of them charge one ledger."""
    dice, tally = random.Random(5), Tally()
    for _ in range(12 if stage.full else 2):
        scene = stage.scene(room=100)
        tally += settled(scene, together([scene.fill] * 8, partial(_under_fire, dice)))
    return tally


def _under_fire(dice: random.Random, children: list[int]) -> None:
    # None of them is waited for yet, so each number is still that of our child.
    for child in children[1:]:
        for blow in (signal.SIGSTOP, signal.SIGCONT, dice.choice((signal.SIGKILL, signal.SIGCONT))):
            time.sleep(dice.uniform(0, 0.01))
            os.kill(child, blow)


class Pausing(Counting):
    """Has something done while a process stands still at the call with a given number."""

    def __init__(self, when: int, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._when, self._meanwhile = when, meanwhile

    def entering(self, call: Call) -> int | None:
        super().entering(call)
        if self.calls == self._when:
            self._meanwhile()
        return None


def standing_still(stage: Stage) -> Tally:
    """Stop a process at every call of its charge; meanwhile another fills the ledger, or waits."""
    tally, when = Tally(), 1
    while True:
        scene = stage.scene()
        ledger = Ledger.open(scene.path)
        watcher = Pausing(when, partial(together, [partial(_impatient, scene)]))
        status = traced(partial(scene.visit, ledger), watcher)
        tally += settled(scene, [status])
        if watcher.calls < when:
            return tally
        when += 1 if stage.full else 9


def _impatient(scene: Scene) -> None:
    sqlite.PATIENCE = 0.05
    scene.fill()


def clocks(stage: Stage) -> Tally:
    """Let the clock of every process run backwards, each at its own pace."""
    tally = Tally()
    for _ in range(10 if stage.full else 2):
        scene = stage.scene()
        tally += settled(
            scene, together([partial(_backwards, scene, days) for days in range(1, 9)])
        )
    return tally


def _backwards(scene: Scene, days: int) -> None:
    class Clock(datetime):
        moment = datetime(2026, 1, 1, tzinfo=UTC)

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            cls.moment -= timedelta(days=300 * days)
            return cls.moment.astimezone(tz)

    setattr(ledgers, "datetime", Clock)  # noqa: B010
    scene.fill()

"""Raises an exception at every line, and at every instruction, of a charge and of a release."""

from __future__ import annotations

import contextlib
import dis
import gc
import sqlite3
import sys
import threading
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import sfumato
from fire.stage import Interruption, Scene, Stage, apart
from fire.tally import INTERRUPTED, REFUSED, Tally
from sfumato.errors import SfumatoError
from sfumato.privacy.ledger import Ledger

LIBRARY = Path(sfumato.__file__).parent
PRIVACY = ("ledger", "store", "stores", "sqlite", "place", "records")
FILES = [LIBRARY / "session.py", *(LIBRARY / "privacy" / f"{name}.py" for name in PRIVACY)]
PLACES = {*map(str, FILES), str(contextlib.__file__)}
"""The code that charges, down to SQLite."""

# An interrupt; no memory; a disk or a database that fails under any line.
STRUCK: tuple[type[BaseException], ...] = (
    Interruption,
    KeyboardInterrupt,
    MemoryError,
    OSError,
    sqlite3.OperationalError,
)
STUCK = 71


class Striker:
    """Raises `problem` at the line, or the instruction, with a given number."""

    def __init__(self, when: int, problem: type[BaseException], *, instructions: bool) -> None:
        self._left, self._problem = when, problem
        self._event = "opcode" if instructions else "line"

    @property
    def struck(self) -> bool:
        return self._left <= 0

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in PLACES:
            return None
        frame.f_trace_opcodes = self._event == "opcode"
        if event == self._event and not self.struck and (event == "line" or _is_heard(frame)):
            self._left -= 1
            if self.struck:
                raise self._problem
        return self

    def during(self, work: Callable[[], None]) -> None:
        sys.settrace(self)
        try:
            work()
        finally:
            sys.settrace(None)


def _is_heard(frame: FrameType) -> bool:
    """Tell whether an interrupt would be heard before the next instruction of `frame`.

    Python hears it after calls and jumps, and not, for instance, between taking a lock and
    remembering to give it back.
    """
    return frame.f_lasti in _hearing(frame.f_code)


@cache
def _hearing(code: CodeType) -> frozenset[int]:
    instructions = list(dis.get_instructions(code))
    return frozenset(
        after.offset
        for before, after in pairwise(instructions)
        if before.opname.startswith(("CALL", "RESUME", "JUMP_BACKWARD"))
    )


def interrupted_charge(stage: Stage) -> Tally:
    """Raise every kind of exception at every line of a charge."""
    kinds = STRUCK if stage.full else STRUCK[1:2]
    every = 3 if stage.full else 7
    # Each time other lines, so that all together are every line.
    tallies = (
        _at_every_line(stage, kind, first=first, every=every) for first, kind in enumerate(kinds, 1)
    )
    return sum(tallies, Tally())


def interrupted_instructions(stage: Stage) -> Tally:
    """Raise an exception at every instruction of a charge at which Python hears an interrupt."""
    return _at_every_line(stage, Interruption, instructions=True, every=2 if stage.full else 29)


def _at_every_line(
    stage: Stage,
    problem: type[BaseException],
    *,
    first: int = 1,
    every: int,
    instructions: bool = False,
) -> Tally:
    tally, when = Tally(), first
    while True:
        scene, striker = stage.scene(), Striker(when, problem, instructions=instructions)
        status = apart(_visit(scene, striker))
        tally += scene.judge(status)
        if status == 0:
            return tally
        when += every


def _visit(scene: Scene, striker: Striker) -> Callable[[], None]:
    ledger = Ledger.open(scene.path)
    return lambda: interrupted(scene, striker, lambda: scene.visit(ledger), ledger)


def interrupted(scene: Scene, striker: Striker, work: Callable[[], None], ledger: Ledger) -> None:
    """Do `work` under a striker; then see whether a thread of this process can still charge."""
    status = 0
    # What an interrupt leaves half done is finished, not without complaint, when it is forgotten.
    sys.unraisablehook = lambda _: None
    try:
        striker.during(work)
    except SystemExit:
        status = REFUSED
    except SfumatoError:
        status = REFUSED
    except STRUCK:
        status = INTERRUPTED
    gc.collect()
    if not striker.struck:
        return
    thread = threading.Thread(target=lambda: scene.visit(ledger, "again"), daemon=True)
    thread.start()
    thread.join(30)
    sys.exit(STUCK if thread.is_alive() or not scene.looked["again"] else status)

"""Files that are copied, moved, replaced or seen from elsewhere, at the worst moment."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from fire.calls import hot, writes
from fire.crowd import Pausing, settled, together, wait_for
from fire.mounts import bind, enter
from fire.stage import Scene, Stage, apart, broken
from fire.tally import REFUSED, Tally, judged
from fire.tracing import KILL, Striking, traced
from sfumato.errors import LedgerError
from sfumato.privacy import ledger as ledgers
from sfumato.privacy import sqlite
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.records import Entry, Log, Mark, write_entry
from sfumato.privacy.store import Book


def moved(stage: Stage) -> Tally:
    """Move, replace or link a ledger at every call of a charge: the charge is in it, or none is."""
    tally = Tally()
    for deed in (_rename, _replace, _symlink):
        when = 1
        while True:
            scene, aside = stage.scene(), stage.empty().path
            ledger = Ledger.open(scene.path)
            watcher = Pausing(when, partial(deed, scene, aside))
            status = traced(partial(scene.visit, ledger), watcher)
            if watcher.calls < when:
                break
            tally += _judge_moved(stage, scene, aside, status)
            when += 1 if stage.full else 11
    return tally


def _rename(scene: Scene, aside: Path) -> None:
    scene.path.rename(aside)


def _replace(scene: Scene, aside: Path) -> None:
    other = aside.with_name("other.ledger")
    Ledger.create(other, budget=1, table="visits")
    scene.path.rename(aside)
    other.rename(scene.path)


def _symlink(scene: Scene, aside: Path) -> None:
    scene.path.rename(aside)
    scene.path.symlink_to(aside)


def _judge_moved(stage: Stage, scene: Scene, aside: Path, status: int) -> Tally:
    """Judge the ledger where it was moved to; what took its place must be as it was."""
    tally = judged(scene.before, stage.witness.read(aside), scene.looked, status)
    if scene.path.exists() and not scene.path.is_symlink():
        other = stage.witness.read(scene.path)
        tally += Tally(torn=int(bool(other.problem or other.entries)))
    return tally


def without_journal(stage: Stage) -> Tally:
    """Kill a process at every write of a charge and throw the journal away."""
    tally = Tally()
    for entries in stage.turning():
        for when in range(1, 9):
            scene = stage.scene(entries)
            watcher = Striking(when, KILL, partial(writes, scene.path))
            traced(scene.visit, watcher)
            scene.path.with_name(f"{scene.path.name}-journal").unlink(missing_ok=True)
            tally += _judge_half(scene)
            if not watcher.struck:
                break
    return tally


def _judge_half(scene: Scene) -> Tally:
    """Judge what may be half written: it is refused, or every charge of before is there."""
    status = apart(scene.fill)
    found = scene.witness.read(scene.path)
    if found.problem:
        return Tally(tried=1, refused=1) if _is_refused(scene) else Tally(tried=1, torn=1)
    lost = sum((scene.looked - found.labels).values())
    kept = found.goes_on_from(scene.before)
    return Tally(1, int(found.overspent), lost, int(not kept), refused=int(status != REFUSED))


def _is_refused(scene: Scene) -> bool:
    try:
        Ledger.open(scene.path)
    except LedgerError:
        return True
    return False


def backed_up(stage: Stage) -> Tally:
    """Copy the file in the process that charges it, in mid-charge, while others charge it too."""
    return _backed_up(stage, patience=0.3)


def _backed_up(stage: Stage, patience: float) -> Tally:
    tally = Tally()
    for turn in range(30 if stage.full else 4):
        scene = stage.scene(room=3)
        copying = partial(_copy_in_mid_charge, scene, late=bool(turn % 2), patience=patience)
        tally += settled(scene, together([copying, partial(_wait_and_fill, scene)]))
    return tally


def unheld(stage: Stage) -> Tally:
    """Do the same to a ledger broken on purpose: it relies on SQLite's locks alone."""
    with broken(sqlite, lock_file=lambda *_, **__: nullcontext()):
        return _backed_up(stage, patience=30)


def _copy_in_mid_charge(scene: Scene, *, late: bool, patience: float) -> None:
    ledger, (go, done) = Ledger.open(scene.path), _signals(scene)

    def copying(book: Book, log: Log, entry: Entry) -> tuple[Entry, Mark]:
        written = write_entry(book, log, entry) if late else None
        shutil.copy(scene.path, scene.path.with_name("copy"))
        go.touch()
        wait_for(done, patience)
        return written or write_entry(book, log, entry)

    with broken(ledgers, write_entry=copying):
        scene.visit(ledger)


def _wait_and_fill(scene: Scene) -> None:
    go, done = _signals(scene)
    wait_for(go, 30)
    ledger = Ledger.open(scene.path)
    scene.visit(ledger, "other")
    scene.visit(ledger, "other")
    done.touch()


def _signals(scene: Scene) -> tuple[Path, Path]:
    return scene.path.with_name("go"), scene.path.with_name("done")


def mounted(stage: Stage) -> Tally:
    """Charge a file that is mounted elsewhere by itself, away from the journal a kill has left."""
    scene = hot(stage, 2)
    elsewhere = scene.path.parent / "elsewhere"
    elsewhere.mkdir()
    place = elsewhere / scene.path.name
    status = apart(partial(_visit_mounted, scene, place))
    return scene.judge(status)


def _visit_mounted(scene: Scene, place: Path) -> None:
    enter()
    bind(scene.path, place)
    scene.visit(Ledger.open(place))


def unlooked(stage: Stage) -> Tally:
    """Do the same with a ledger broken on purpose: it does not ask whether it is mounted."""
    with broken(sqlite, is_mounted=lambda *_: False):
        return mounted(stage)

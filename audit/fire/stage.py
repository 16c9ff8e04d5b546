"""Where an event takes place: a passing folder, ledgers to charge, and the witness."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from sqlite3 import Connection
from types import ModuleType

from fire.tally import INTERRUPTED, LOOKED, REFUSED, Tally, judged
from fire.witness import Found, Witness, summoned
from report import Size
from sfumato.errors import SfumatoError
from sfumato.privacy import sqlite
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger

PRICE = Cost.pure(Fraction(1, 64))
WORD = "a chart of many words, so that few entries fill a page of the file"


class Interruption(BaseException):
    """Stands for whatever may strike at any line: an interrupt, no memory, a full disk."""


@dataclass(frozen=True)
class Scene:
    """A ledger with room for a few more charges, and a file that tells what was looked at."""

    path: Path
    before: Found
    witness: Witness

    @property
    def markers(self) -> Path:
        """Beside the folder, which may be one that nobody can write to."""
        return self.path.parent.with_suffix(".looked")

    @property
    def looked(self) -> Counter[str]:
        return Counter(self.markers.read_text().splitlines() if self.markers.exists() else [])

    def look(self, label: str) -> None:
        """Write down that somebody looked; whoever cannot write has not."""
        with suppress(OSError), self.markers.open("a") as file:
            file.write(f"{label}\n")

    def visit(self, ledger: Ledger | None = None, label: str = "visit") -> None:
        """Charge and look; leave with the status that tells of a refusal."""
        try:
            (ledger or Ledger.open(self.path)).charge(label, PRICE)
        except SfumatoError:
            sys.exit(REFUSED)
        self.look(label)

    def judge(self, status: int = LOOKED, *, fill: bool = True) -> Tally:
        """Compare the ledger with what was looked at, then let somebody else fill it."""
        tally = judged(self.before, self.witness.read(self.path), self.looked, status)
        if tally.torn or not fill:
            return tally
        apart(self.fill)
        found = self.witness.read(self.path)
        after = judged(self.before, found, self.looked)
        # Whatever happened, the ledger can be spent to the end, and no further.
        return tally + Tally(0, after.overspent, after.lost, after.torn, int(not found.full))

    def fill(self) -> None:
        """Charge until the ledger is full."""
        ledger = Ledger.open(self.path)
        while True:
            self.visit(ledger, "filling")


@dataclass(frozen=True)
class Stage:
    """A passing folder with as many scenes as an event needs."""

    folder: Path
    size: Size
    witness: Witness

    @property
    def full(self) -> bool:
        return self.size == "full"

    def scene(self, entries: int = 2, *, room: int = 2) -> Scene:
        """Return a ledger of that many entries, in a folder of its own, and room for some more."""
        path = self.empty().path
        shutil.copy(self._ledger(entries, room), path)
        return Scene(path, self.witness.read(path), self.witness)

    def empty(self) -> Scene:
        """Return a folder in which a ledger may be begun."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        folder.chmod(0o777)
        return Scene(folder / "visits.ledger", Found(), self.witness)

    def _ledger(self, entries: int, room: int) -> Path:
        path = self.folder / f"{entries}-{room}.ledger"
        if not path.exists():
            budget = Budget((entries + room) / 64, weak=True)  # more room than anyone fills
            ledger = Ledger.create(path, budget=budget, table="visits")
            for _ in range(entries):
                ledger.charge(WORD, PRICE)
        return path

    def turning(self) -> tuple[int, ...]:
        """Return numbers of entries: a page has room, gets its first neighbour, gets another."""
        path = self.folder / "growing.ledger"
        ledger, sizes = Ledger.create(path, budget=Budget(9.0), table="visits"), [0]
        while len(set(sizes)) < 4:
            sizes.append(path.stat().st_size)
            ledger.charge(WORD, PRICE)
        path.unlink()
        return (2, *(n - 2 for n in range(2, len(sizes)) if sizes[n] > sizes[n - 1]))


def begin(scene: Scene) -> None:
    """Open the ledger of a scene, or create it with room for four charges, and visit it."""
    scene.visit(Ledger.at(scene.path, budget=Budget(4 / 64), table="visits"))


def apart(work: Callable[[], None]) -> int:
    """Do `work` in a forked child; return its exit status."""
    child = os.fork()
    if child == 0:
        leave(work)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def leave(work: Callable[[], None]) -> None:
    """Do `work` and end this process without ceremony, with the status it deserves."""
    status = 70
    try:
        work()
        status = LOOKED
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 1
    except SfumatoError:
        status = REFUSED
    except Interruption:
        status = INTERRUPTED
    except BaseException:  # noqa: BLE001 - told, and ended with a status that nothing else has
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


@contextmanager
def broken(module: ModuleType, **parts: Callable[..., object]) -> Generator[None]:
    """Put something else in the place of parts of the library."""
    whole: dict[str, object] = {name: getattr(module, name) for name in parts}
    for name, part in parts.items():
        setattr(module, name, part)
    try:
        yield
    finally:
        for name, part in whole.items():
            setattr(module, name, part)


@contextmanager
def settings(*pragmas: str) -> Generator[None]:
    """Have SQLite do something else than the ledger asks of it, on every connection."""
    plain: Callable[[str], Connection] = getattr(sqlite, "_connect")  # noqa: B009

    def connect(address: str) -> Connection:
        connection = plain(address)
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        return connection

    with broken(sqlite, _connect=connect):
        yield


@contextmanager
def raised(size: Size) -> Generator[Stage]:
    """Set up a stage, in memory where there is a file system in it, and take it down."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, summoned() as witness:
        Path(folder).chmod(0o777)  # for visitors of no rights
        yield Stage(Path(folder), size, witness)

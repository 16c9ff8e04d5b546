"""The place of a ledger's file: what is asked of a file system besides what SQLite asks of it."""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO

if sys.platform == "linux":
    import fcntl

MOUNTS = Path("/proc/self/mountinfo")
"""Where Linux lists what is mounted, one mount a line, its place in the fifth column."""

# What SQLite appends to a file's name to get that of a journal, a log or its index; and what some
# builds put in place of an ending, for file systems with three letters to it.
_TAKEN = re.compile(r"(-(journal|wal|shm|mj[0-9a-f]{9})|\.(nal|wal|shm|9[0-9a-f]{2}))$")

_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""How a journal begins once it is on the disk, and how it ends where it names another file."""

# One byte far from those that SQLite locks, and from any that a ledger will have.
_OURS = 2**62


def exists(path: Path) -> bool:
    """Tell whether there is a file at `path`, as far as we are allowed to know."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_taken(path: Path) -> bool:
    """Tell whether SQLite could take the file at `path` for another file's journal or log.

    It deletes such files when it opens the other. Letters are compared as file systems do that
    know no capitals, and dots and spaces at the end as one does that drops them.
    """
    return _TAKEN.search(path.name.casefold().rstrip(". ")) is not None


def find_foreign_journal(path: Path) -> Path | None:
    """Return a file that SQLite would take for the journal of `path`, and that is none of ours.

    A journal begins with zeros or a mark, and ours never names a further file to be deleted.
    """
    journal = path.with_name(f"{path.name}-journal")
    mark = len(_JOURNAL)
    try:
        if not stat.S_ISREG(journal.lstat().st_mode):
            return journal
        with journal.open("rb") as file:
            head, size = file.read(mark), file.seek(0, os.SEEK_END)
            file.seek(max(mark, size - mark))
            tail = file.read(mark)
    except FileNotFoundError:
        return None
    ours = (head[:1] == b"\0" or _JOURNAL.startswith(head)) and tail != _JOURNAL
    return None if ours else journal


def has_one_name(path: Path) -> bool:
    """Tell whether the file at `path` has no other name in the file system."""
    for _ in range(20):
        with suppress(OSError):
            if path.stat().st_nlink <= 1:
                return True
        # A ledger that is being created has two names for a moment.
        time.sleep(0.05)
    return not exists(path)


def is_mounted(path: Path) -> bool:
    """Tell whether the file at `path` was mounted there by itself, as containers are given one."""
    # The list has octal numbers in place of these.
    place = re.sub(rb"[ \t\n\\]", lambda found: b"\\%03o" % found[0][0], os.fsencode(path))
    try:
        mounts = MOUNTS.read_bytes().splitlines()
    except OSError:
        return False
    return any(mount.split(b" ")[4:5] == [place] for mount in mounts)


@contextmanager
def sync_folder(folder: Path) -> Generator[None]:
    """Let the names that files get or lose in `folder` survive a crash.

    The folder is opened at the beginning: where it cannot be, nothing is done at all. SQLite
    syncs it too, but goes on without a word where it is not allowed to.
    """
    if os.name != "posix":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def lock_file(path: Path, *, alone: bool, patience: float) -> Generator[None]:
    """Hold the file at `path`, alone or with other readers, for at most one process at a time.

    SQLite's own locks belong to the process, and the system drops them all as soon as any part of
    it opens and closes the file: a thread that copies it, say. This one belongs to a descriptor.
    Where a file system has no such locks, SQLite's have to do.
    """
    file = None
    with suppress(OSError):
        # An object, not a number: whatever interrupts us, it is closed when it is forgotten.
        file = path.open("r+b" if alone else "rb", buffering=0)
    with file or nullcontext():
        if file is not None:
            _wait_for(file, alone=alone, patience=patience)
        yield


def _wait_for(file: IO[bytes], *, alone: bool, patience: float) -> None:
    end = time.monotonic() + patience
    while not _is_locked(file, alone=alone):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.002)


def _is_locked(file: IO[bytes], *, alone: bool) -> bool:
    """Try to lock our byte; tell whether nobody else has it, as far as can be known."""
    if sys.platform == "linux":
        kind = fcntl.F_WRLCK if alone else fcntl.F_RDLCK
        wanted = struct.pack("hhqqi", kind, os.SEEK_SET, _OURS, 1, 0)
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, wanted)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            pass
    return True

"""What work costs: seconds, CPU of all its processes, memory, bytes read, and bytes spilled."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from threading import Event, Thread

Costs = dict[str, float]

_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 0.1  # seconds between two looks


def clocked(work: Callable[[], object]) -> Costs:
    """Return the wall and CPU seconds of some work, and the bytes this process read for it."""
    read, cpu, wall = bytes_read(), cpu_seconds(), time.perf_counter()
    work()
    return {
        "wall": time.perf_counter() - wall,
        "CPU": cpu_seconds() - cpu,
        "read": bytes_read() - read,
    }


def cpu_seconds() -> float:
    """Return the CPU of this process and of all that descend from it, as Spark's do."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    # User and system time of each, its own and that of children that have ended.
    ticks = sum(sum(map(int, told[11:15])) for told in _descendants())
    return time.process_time() + ended.ru_utime + ended.ru_stime + ticks / _TICKS


def bytes_read() -> float:
    """Return how many bytes this process has asked the system for, from disk or cache."""
    try:
        lines = Path("/proc/self/io").read_text().split()
    except OSError:
        return float("nan")
    return float(lines[lines.index("rchar:") + 1])


def peak_memory() -> int:
    """Return the most memory that this process has filled, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@contextmanager
def spilling(folders: str) -> Generator[list[int]]:
    """Note how many bytes temporary folders of a name hold, again and again while work is done."""
    found, done = [0], Event()

    def look() -> None:
        while not done.wait(_PATIENCE):
            found.append(_on_disk(folders))

    thread = Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


def _on_disk(folders: str) -> int:
    # `glob` and `walk` pass over what is removed in the meantime, where `Path.glob` raises.
    found = glob(str(Path(tempfile.gettempdir(), folders)))  # noqa: PTH207
    files = (Path(top, name) for each in found for top, _, names in os.walk(each) for name in names)
    return sum(map(_blocks, files))


def _blocks(file: Path) -> int:
    try:
        return file.stat().st_blocks * 512
    except FileNotFoundError:  # removed since it was listed
        return 0


def _descendants() -> list[list[str]]:
    """Return what the system tells of all processes below this one."""
    everyone = {int(entry.name): _told(int(entry.name)) for entry in Path("/proc").glob("[0-9]*")}
    family = [os.getpid()]
    for parent in family:
        family += [pid for pid, told in everyone.items() if told and int(told[1]) == parent]
    return [everyone[pid] for pid in family[1:]]


def _told(pid: int) -> list[str]:
    """Return what the system tells of a process, from its state on; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []

"""A disk that loses power: what may be on it, if only what was synced is sure to be there.

The writes of a traced process are recorded. Up to each moment, every sector that was written and
not yet synced may or may not have reached the disk, and so may every name that was made or removed
in a folder that was not synced. This is harsher than any file system people use.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from fire.tracing import Call, Counting

SECTOR = 512
Names = dict[Path, int]

_CHANGES = frozenset(
    ["write", "pwrite", "ftruncate", "fsync", "fdatasync", "openat", "unlink", "link", "linkat"]
)


@dataclass(frozen=True)
class Write:
    """Bytes that were written to a file, or where it was cut off if there are none."""

    file: int
    offset: int
    content: bytes = b""

    def apply(self, kept: bytearray) -> None:
        if not self.content:
            del kept[self.offset :]
            return
        kept.extend(bytes(max(0, self.offset - len(kept))))
        kept[self.offset : self.offset + len(self.content)] = self.content

    def sectors(self) -> list[Write]:
        """Return the parts of the write that reach a disk, or do not, one by one."""
        cuts = range(self.offset - self.offset % SECTOR + SECTOR, self.end, SECTOR)
        starts = [self.offset, *cuts]
        ends = [*cuts, self.end]
        parts = zip(starts, ends, strict=True)
        return [self._part(start, end) for start, end in parts] if self.content else [self]

    @property
    def end(self) -> int:
        return self.offset + len(self.content)

    def _part(self, start: int, end: int) -> Write:
        return Write(self.file, start, self.content[start - self.offset : end - self.offset])


@dataclass
class Disk:
    """Files by number, names for them, and what of both is not yet sure to stay."""

    files: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    names: Names = field(default_factory=dict[Path, int])
    pending: list[Write] = field(default_factory=list[Write])
    renamed: list[tuple[Path, int | None]] = field(default_factory=list[tuple[Path, int | None]])

    def hold(self, path: Path, content: bytes = b"") -> None:
        """Put a file there, for good."""
        self.names[path] = len(self.files)
        self.files[self.names[path]] = bytearray(content)

    def sync(self, path: Path) -> None:
        """Let what was written to a file, or the names in a folder, stay."""
        number = self.current().get(path)
        for write in [write for write in self.pending if write.file == number]:
            write.apply(self.files[write.file])
            self.pending.remove(write)
        for name, file in [change for change in self.renamed if change[0].parent == path]:
            self.names = _renamed(self.names, name, file)
            self.renamed.remove((name, file))

    def current(self) -> Names:
        """Return the names as a running process sees them."""
        names = self.names
        for name, file in self.renamed:
            names = _renamed(names, name, file)
        return names

    def states(self, dice: random.Random, most: int) -> Iterator[Disk]:
        """Return what may be found after a power cut: all of it, or `most` if there is more."""
        parts = [part for write in self.pending for part in write.sectors()]
        doubts = len(parts) + len(self.renamed)
        if 2**doubts <= most:
            fates = product((False, True), repeat=doubts)
        else:
            fates = (_fate(doubts, turn, dice) for turn in range(most))
        for fate in fates:
            yield self._after(parts, tuple(fate))

    def write_to(self, folder: Path) -> None:
        """Lay the files into a folder; a file with two names has both."""
        first: dict[int, Path] = {}
        for name, number in self.names.items():
            place = folder / name.name
            if number in first:
                place.hardlink_to(first[number])
            else:
                place.write_bytes(self.files[number])
                first[number] = place

    def _after(self, parts: list[Write], fate: tuple[bool, ...]) -> Disk:
        files = {number: bytearray(content) for number, content in self.files.items()}
        for part, reached in zip(parts, fate, strict=False):
            if reached:
                part.apply(files[part.file])
        names = self.names
        for change, reached in zip(self.renamed, fate[len(parts) :], strict=True):
            if reached:
                names = _renamed(names, *change)
        return Disk(files, names)


def _renamed(names: Names, path: Path, file: int | None) -> Names:
    others = {name: number for name, number in names.items() if name != path}
    return others if file is None else {**others, path: file}


def _fate(doubts: int, turn: int, dice: random.Random) -> tuple[bool, ...]:
    """Return none, all, all but one of the first, and then anything."""
    if turn < 2:
        return (bool(turn),) * doubts
    if turn < min(2 + doubts, 8):
        return tuple(place != turn - 2 for place in range(doubts))
    return tuple(dice.random() < 0.5 for _ in range(doubts))


class Recorder(Counting):
    """Keeps a disk as a traced process writes to it, and remembers it before every call."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.disk = Disk()
        self.moments: list[Disk] = []
        for path in folder.iterdir():
            self.disk.hold(path, path.read_bytes())

    def entering(self, call: Call) -> int | None:
        if call.name in _CHANGES and (not self.moments or self.moments[-1] != self.disk):
            self.moments.append(deepcopy(self.disk))
        return super().entering(call)

    def leaving(self, call: Call, result: int) -> None:
        if result < 0 or call.name not in _CHANGES:
            return
        first, second, third, fourth = call.arguments
        match call.name:
            case "pwrite" if self._ours(call.file(first)):
                content = call.memory(second, result)
                self.disk.pending.append(Write(self._number(call.file(first)), fourth, content))
            case "ftruncate" if self._ours(call.file(first)):
                self.disk.pending.append(Write(self._number(call.file(first)), second))
            case "fsync" | "fdatasync":
                self.disk.sync(call.file(first))
            case "openat" if third & os.O_CREAT:
                self._made(Path(call.text(second)))
            case "unlink":
                self._named(Path(call.text(first)), None)
            case "link":
                self._named(Path(call.text(second)), self._number(Path(call.text(first))))
            case "linkat":
                self._named(Path(call.text(fourth)), self._number(Path(call.text(second))))
            case _:
                pass

    def _ours(self, path: Path) -> bool:
        return path.parent == self._folder

    def _number(self, path: Path) -> int:
        return self.disk.current()[path]

    def _made(self, path: Path) -> None:
        if self._ours(path) and path not in self.disk.current():
            self.disk.files[len(self.disk.files)] = bytearray()
            self._named(path, len(self.disk.files) - 1)

    def _named(self, path: Path, file: int | None) -> None:
        if self._ours(path):
            self.disk.renamed.append((path, file))

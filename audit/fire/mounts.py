"""File systems of one's own, in a namespace where anybody may mount them, where Linux lets them."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from fire.stage import apart

_NEW_USER, _NEW_MOUNTS, _BIND = 0x10000000, 0x00020000, 4096
_PAGE = 4096


def available() -> bool:
    """Tell whether file systems can be mounted here."""
    return sys.platform == "linux" and apart(enter) == 0


def enter() -> None:
    """Be alone, with a list of mounts of one's own."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _NEW_USER | _NEW_MOUNTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def bind(file: Path, place: Path) -> None:
    """Let a file be seen at another place too."""
    place.touch()
    _call("mount", bytes(file), bytes(place), None, ctypes.c_ulong(_BIND), None)


def filled(folder: Path, pages: int, work: Callable[[], None]) -> None:
    """Do `work` with `folder` on a file system that has room for so many more pages only."""
    kept = [(path, path.read_bytes()) for path in folder.iterdir()]
    enter()
    aside = os.open(folder, os.O_RDONLY)
    _call("mount", b"none", bytes(folder), b"tmpfs", ctypes.c_ulong(0), b"size=1m")
    for path, content in kept:
        path.write_bytes(content)
    _fill(folder / "junk", pages)
    try:
        work()
    finally:
        (folder / "junk").unlink()
        found = [(path.name, path.read_bytes()) for path in folder.iterdir()]
        os.fchdir(aside)  # the folder itself, under what is mounted over it
        for name, content in found:
            Path(name).write_bytes(content)


def _fill(junk: Path, pages: int) -> None:
    with junk.open("wb", buffering=0) as file:
        for _ in range(shutil.disk_usage(junk.parent).free // _PAGE - pages):
            file.write(bytes(_PAGE))


def _call(name: str, *arguments: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)

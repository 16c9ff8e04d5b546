"""What a process touches beside what it was asked to write."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MADE = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "sqlite3.connect": 0}
_TRIED = re.compile(r"\btmp.[a-z0-9_]{8}$")
_OUTWARD = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "subprocess.Popen")


def watch() -> Callable[[], list[str]]:
    """Note from now on every file this process opens to write, and every call to the outside.

    Returns a function that tells what was noted. A watch cannot be ended, so it is for processes
    that end soon.
    """
    noted: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and _writes(arguments):
            noted.append(_place(arguments[0]))
        elif event in _MADE:
            noted.append(_place(arguments[_MADE[event]]))
        elif event in _OUTWARD:
            noted.append(f"! {event} {arguments[0] if event.startswith('subprocess') else ''}")

    sys.addaudithook(note)
    return lambda: list(dict.fromkeys(noted))


def _writes(arguments: tuple[object, ...]) -> bool:
    _, mode, flags = arguments
    if isinstance(mode, str):
        return bool(set(mode) & set("wax+"))
    return isinstance(flags, int) and bool(flags & _WRITING)


def _place(path: object) -> str:
    if isinstance(path, int):
        return f"descriptor {path}"
    text = os.fsdecode(path) if isinstance(path, bytes) else str(path)
    return text if text.startswith("file:") else str(Path(text).absolute())


def files(folder: Path) -> set[str]:
    """Return every file below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def unasked(noted: Iterable[str], folder: Path, home: Path) -> list[str]:
    """Return what was noted outside the folder that was asked for.

    Allowed besides are a database's passing folder, which is removed, the file by which Python
    tries out where such folders can be, and what Matplotlib does when it is first used on a
    machine: it lists the fonts, and keeps the list.
    """
    allowed = [
        str(folder),
        str(home / "tmp" / "sfumato-"),
        *(str(home / name) for name in (".cache", ".config")),
        "! subprocess.Popen fc-list",
        "descriptor",
        "file::memory:",
        os.devnull,
    ]
    return [
        place
        for place in noted
        if not place.removeprefix("file://").startswith(tuple(allowed))
        and not place.endswith(":memory:")
        and not (place.startswith(str(home)) and _TRIED.search(place))
    ]

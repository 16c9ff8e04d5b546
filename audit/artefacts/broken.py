"""Writers that put something into a file which is no part of the release; each must be noticed."""

from __future__ import annotations

import getpass
import os
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from artefacts.writers import Writer
from sfumato.releases.release import Release


def _adding(trace: Callable[[], str]) -> Writer:
    def write(release: Release, folder: Path) -> bytes:
        del folder
        return f"{release.label} {trace()}".encode()

    return write


def _restyled() -> str:
    import matplotlib as mpl

    return str(mpl.rcParams["font.size"])


def _littered() -> str:
    (Path(tempfile.gettempdir()) / "litter").write_text("")
    return ""


TRACES: dict[str, Writer] = {
    "the time": _adding(lambda: str(time.time())),
    "the zone": _adding(lambda: time.strftime("%z", time.localtime(0))),
    "the user": _adding(getpass.getuser),
    "the host": _adding(socket.gethostname),
    "the home": _adding(lambda: str(Path.home())),
    "the folder": _adding(lambda: str(Path.cwd())),
    "a variable": _adding(lambda: os.environ["SFUMATO_AUDIT_SECRET"]),
    "a hash": _adding(lambda: str(hash("sfumato"))),
    "an order of hashes": _adding(lambda: str({f"cell {i}" for i in range(50)})),
    "an address": _adding(lambda: repr(object())),
    "the process": _adding(lambda: str(os.getpid())),
    "a setting": _adding(_restyled),
    "the epoch": _adding(lambda: os.environ.get("SOURCE_DATE_EPOCH", "none")),
}
"""What a writer could add that differs elsewhere."""

LITTER: dict[str, Writer] = {"litter": _adding(_littered)}
"""What leaves a file behind that nobody asked for."""

BROKEN = {**TRACES, **LITTER}

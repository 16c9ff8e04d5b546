"""Where and when a program runs: another user's account, another host, clock, zone and language."""

from __future__ import annotations

import getpass
import locale
import os
import platform
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from artefacts.searching import Search

# Settings of Matplotlib that a user may have, and that a release does not know. Its date.epoch is
# not among them: it moves the last digits of dates, and a process cannot put it back.
_STYLE = """
font.size: 23
font.family: monospace
savefig.dpi: 31
savefig.facecolor: red
savefig.bbox: tight
axes.facecolor: black
axes.unicode_minus: False
svg.hashsalt: somebody
svg.fonttype: path
pdf.fonttype: 3
timezone: Asia/Tokyo
"""


@dataclass(frozen=True)
class Surroundings:
    """What a process can learn about whoever runs it.

    Parameters
    ----------
    languages
        Locales, the first of which the system has is used.
    moment
        Seconds since 1970 that clocks show, where Python asks them; None for the true ones.
    styled
        Whether the user has Matplotlib look differently, and NumPy print differently.
    """

    user: str
    host: str
    zone: str
    languages: tuple[str, ...]
    hash_seed: int
    moment: int | None
    threads: int
    styled: bool
    secret: str

    def environment(self, home: Path) -> dict[str, str]:
        """Return the variables of a process that lives in `home`, which is made."""
        below = self.home(home)
        for name in ("tmp", "work"):
            (below / name).mkdir(parents=True, exist_ok=True)
        if self.styled:
            (below / "work" / "matplotlibrc").write_text(_STYLE)
        kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONPATH")
        names = ("USER", "LOGNAME", "USERNAME", "LNAME", "EMAIL", "GIT_AUTHOR_NAME")
        moment = {} if self.moment is None else {"SOURCE_DATE_EPOCH": str(self.moment)}
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            **dict.fromkeys(names, self.user),
            **dict.fromkeys(threads, str(self.threads)),
            **moment,
            "HOSTNAME": self.host,
            "HOME": str(below),
            "USERPROFILE": str(below),
            "TMPDIR": str(below / "tmp"),
            "TZ": self.zone,
            "LC_ALL": self.languages[-1],
            "PYTHONHASHSEED": str(self.hash_seed),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SFUMATO_AUDIT_SECRET": self.secret,
            "MPLBACKEND": "agg",
        }

    def home(self, above: Path) -> Path:
        """Return the user's own folder."""
        return above / self.user

    def assume(self) -> None:
        """Make this process believe in its host, its user, its clock and its language."""
        for module, name in ((socket, "gethostname"), (socket, "getfqdn"), (platform, "node")):
            setattr(module, name, lambda *_: self.host)  # pyright: ignore[reportUnknownLambdaType]
        for module, name in ((getpass, "getuser"), (os, "getlogin")):
            setattr(module, name, lambda: self.user)
        if self.moment is not None:
            seconds = float(self.moment)
            time.time, time.time_ns = (lambda: seconds), (lambda: int(seconds) * 10**9)
        for language in self.languages:
            with suppress(locale.Error):
                locale.setlocale(locale.LC_ALL, language)
                break
        if self.styled:
            import numpy as np

            np.set_printoptions(precision=2, threshold=3)

    @property
    def search(self) -> Search:
        """What of these surroundings must be found nowhere."""
        return Search(
            (("the user", self.user), ("the host", self.host), ("a variable", self.secret)), ()
        )


HERE = Surroundings(
    "wilhelmineq", "fernschreiber77", "UTC", ("C.UTF-8",), 1, None, 2, False, "sesamÖffneDich99"
)
ELSEWHERE = Surroundings(
    "xanthippeq",
    "hektograph88",
    "Asia/Kathmandu",
    ("de_DE.UTF-8", "tr_TR.UTF-8", "C"),
    4242,
    500_000_000,
    1,
    True,
    "abrakadabraß66",
)


def really() -> Search:
    """Return what is true of this machine and must be found nowhere, where it can be told apart."""
    moment = time.localtime()
    dates = [time.strftime(form, moment) for form in ("%Y-%m-%d", "%d %b %Y", "%Y:%m:%d", "%Y%m%d")]
    facts = [
        ("the host", socket.gethostname()),
        ("the user", getpass.getuser()),
        ("the home", str(Path.home())),
        ("the folder of Python", sys.prefix),
        ("the folder of the library", str(Path(__file__).parents[2])),
        *(("the date", date) for date in dates),
    ]
    # A name of a few letters is also part of words.
    return Search(tuple((name, text) for name, text in facts if len(text) > 6), ())

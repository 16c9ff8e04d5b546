"""Everything that anyone can see of a request, whether it succeeds or fails."""

from __future__ import annotations

import io
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields

from sfumato.privacy.ledger import Ledger
from sfumato.releases.release import Release

_OF_VERSIONS = "PySpark does not yet fully support"  # which it says to everyone


@dataclass(frozen=True)
class Told:
    """What a request told, all but its noisy numbers.

    Parameters
    ----------
    raised
        The class, text, arguments and notes of an error, and of those it came from.
    logged, printed, warned
        Log lines of any level and any library, both streams of the process, and warnings.
    charges
        What the ledger remembers: a label and a cost each.
    shape
        The document of a release with its noisy numbers left out.
    """

    raised: tuple[object, ...]
    logged: tuple[str, ...]
    printed: str
    warned: tuple[str, ...]
    charges: tuple[tuple[str, str], ...]
    shape: object

    def unlike(self, other: Told) -> list[str]:
        """Return the names of what differs."""
        names = [field.name for field in fields(self)]
        return [name for name in names if getattr(self, name) != getattr(other, name)]


def watched(
    ask: Callable[[], tuple[Ledger, Callable[[], Release]]], shape: Callable[[Release], object]
) -> tuple[Told, Release | None]:
    """Open a session and ask it for a release, and return what could be seen of that."""
    ledger: Ledger | None = None
    release: Release | None = None
    raised: tuple[object, ...] = ()
    lines = _Lines()
    with _quietly() as printed, lines.listening(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            ledger, act = ask()
            release = act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what was told
            raised = _all_of(error)
    told = Told(
        raised,
        tuple(lines.heard),
        printed(),
        tuple(text for each in warned if not (text := str(each.message)).startswith(_OF_VERSIONS)),
        () if ledger is None else tuple((each.label, str(each.cost)) for each in ledger.entries),
        None if release is None else shape(release),
    )
    return told, release


def _all_of(error: BaseException | None) -> tuple[object, ...]:
    if error is None:
        return ()
    notes = tuple(getattr(error, "__notes__", ()))
    itself = (type(error).__qualname__, str(error), repr(error.args), notes)
    return *itself, _all_of(error.__cause__), _all_of(error.__context__)


class _Lines(logging.Handler):
    """Hears log lines of every level, from every library that passes them on."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.append(f"{record.name} {record.levelname} {record.getMessage()}")

    @contextmanager
    def listening(self) -> Generator[None]:
        root = logging.getLogger()
        before = root.level
        root.addHandler(self)
        root.setLevel(logging.DEBUG)
        try:
            yield
        finally:
            root.setLevel(before)
            root.removeHandler(self)


@contextmanager
def _quietly() -> Generator[Callable[[], str]]:
    """Catch what the process prints, by Python or beside it."""
    said = io.StringIO()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(stream) for stream in (1, 2)]
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            with redirect_stdout(said), redirect_stderr(said):
                yield said.getvalue
        finally:
            for stream, before in zip((1, 2), kept, strict=True):
                os.dup2(before, stream)
                os.close(before)
            file.seek(0)
            said.write(file.read().decode(errors="replace"))

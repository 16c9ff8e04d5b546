"""`Spool`: what can be read only once, kept in a private file so that charts can read it."""

from __future__ import annotations

import io
import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any, BinaryIO, cast
from weakref import WeakSet, finalize

from sfumato.errors import SourceError, Worded

_ONCE = ("RecordBatchReader", "Scanner")
_KNOWN = {"pandas", "polars", "pyarrow", "duckdb", "_duckdb", "pyspark"}
_CHUNK = 2**20

_taken: WeakSet[Any] = WeakSet()  # holds streams that were begun, and nothing of them


class Spool:
    """A stream, and where its content is kept once it was read.

    Privacy
    -------
    Only this user may read the file. It is removed when nothing refers to the spool any more, or at
    the end of the process, though not by one that is killed. Bytes are copied as they are: nothing
    in them decides whether that fails. No row shows in the repr.
    """

    def __init__(self, stream: object) -> None:
        _refuse_taken(stream)
        self._given = stream
        self.stream: Any = stream
        self.identity = secrets.token_hex(8)
        self._lock = Lock()
        self._folder: Path | None = None
        self._path: Path | None = None

    def __repr__(self) -> str:
        return f"<{type(self._given).__name__}>"

    @property
    def of_bytes(self) -> bool:
        """Whether the stream is a file of text, and not of batches."""
        return is_file(self.stream)

    def keep(self, write: Callable[[Any, Path], None], name: str) -> Path:
        """Return the file, written by `write` if nobody has asked for it before.

        Privacy
        -------
        A stream that ended early is not read again: the rest of it is another table.
        """
        with self._lock:
            if self._path is None:
                if self._folder is not None:
                    raise SourceError(
                        "The stream could not be read to its end.",
                        "What is left of it is another table.",
                        "Open it again, and give sfumato the new one.",
                    )
                _refuse_taken(self._given)
                _take(self._given)
                self._folder = Path(mkdtemp(prefix="sfumato-"))
                finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
                place = self._folder / name
                place.touch(mode=0o600)
                write(self.stream, place)
                self._path = place
            return self._path


def _refuse_taken(stream: object) -> None:
    try:
        known = stream in _taken
    except TypeError:  # no weak reference, or no hash
        return
    if known:
        raise SourceError(
            "The stream was read before.",
            "What is left of it is another table than the one that was charted.",
            (
                "Make one table of it, and give that to all charts: ",
                Worded("table = sf.Table(stream)", in_shell="name a file"),
                ".",
            ),
        )


def _take(stream: object) -> None:
    """Remember that a stream was begun, if it says of itself that it ends."""
    ends = hasattr(stream, "__next__") or is_file(stream)
    named = any(word in type(stream).__name__ for word in ("Reader", "Stream", "Scanner"))
    with suppress(TypeError):
        if ends or named:
            _taken.add(stream)


def copy_bytes(stream: Any, place: Path) -> None:
    """Copy a file of text, as bytes, to its end."""
    source = getattr(stream, "buffer", stream) if isinstance(stream, io.TextIOBase) else stream
    with place.open("wb") as file:
        if isinstance(source, io.TextIOBase):  # letters in memory
            while more := source.read(_CHUNK):
                file.write(more.encode("utf-8", "surrogatepass"))
        else:
            shutil.copyfileobj(cast(BinaryIO, source), file, _CHUNK)


def is_file(source: object) -> bool:
    """Tell whether something is an open file."""
    return callable(getattr(source, "read", None)) and not isinstance(source, str | os.PathLike)


def is_one_shot(source: object) -> bool:
    """Tell whether a source can be read only once, or whether nothing tells that it can be again.

    Privacy
    -------
    Looks at its type alone.
    """
    if any(("pyarrow", name) in _list_classes(source) for name in _ONCE):
        return True
    return is_foreign(source) and (hasattr(source, "__arrow_c_stream__") or is_file(source))


def is_foreign(source: object) -> bool:
    """Tell whether something is of no library whose tables are known.

    Privacy
    -------
    Looks at its type alone.
    """
    return not _KNOWN & {library for library, _ in _list_classes(source)}


def _list_classes(source: object) -> set[tuple[str, str]]:
    return {(base.__module__.split(".")[0], base.__name__) for base in type(source).__mro__}

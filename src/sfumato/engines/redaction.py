"""Reading without repeating: what other libraries say about the data never reaches anyone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sfumato.errors import SfumatoError, SourceError

T = TypeVar("T")


def redact_errors(read: Callable[[], T], what: str = "The table") -> T:
    """Return what `read` returns; if it fails, say so without saying why.

    Privacy
    -------
    Readers quote values in their messages, and even the class of an error may depend on one. The
    error raised here always says the same, and is raised after theirs is gone, so that it carries
    neither cause nor context.
    """
    failure: BaseException
    try:
        return read()
    except (SfumatoError, KeyboardInterrupt, SystemExit) as error:
        failure = error
        # It may have struck while a reader's error was being handled.
        failure.__context__ = failure.__cause__ = None
    except BaseException as error:  # noqa: BLE001 - a panic in Polars is not an Exception
        # While DuckDB works, it takes an interruption from the keyboard for an error of its own.
        interrupted = error.args == ("Query interrupted",)
        failure = KeyboardInterrupt() if interrupted else _unreadable(what)
    try:
        raise failure
    finally:
        del failure  # which would keep this frame, and with it the data, alive


def _unreadable(what: str) -> SourceError:
    return SourceError(
        f"{what} could not be read. What went wrong is not repeated here, because readers quote "
        "the data in their messages. Check that it opens outside sfumato, has not changed and "
        "fits in memory and on disk."
    )

"""A progress bar for long work: on a terminal only, after a second, never in rows; and notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from sfumato.errors import abbreviate, make_printable

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[float], None]

_PATIENCE = 1.0  # seconds before a bar is worth looking at


@contextmanager
def show_progress(title: str) -> Generator[Report]:
    """Yield a function to call with the fraction that is done.

    As long as no fraction is known, and again when all is read and people are being grouped, the
    bar only moves to and fro.

    Privacy
    -------
    The number of rows is private, so only a fraction is shown. How long the work takes is not
    hidden.
    """
    bar = _Bar(title)
    try:
        bar.begin()
        yield bar.report
    finally:
        bar.close()


def tell(sentence: str) -> None:
    """Say something that is no error, where progress is shown: in a notebook below the cell."""
    if sys.stderr is not None:
        sys.stderr.write(f"{make_printable(sentence)}\n")
        sys.stderr.flush()


class _Bar:
    def __init__(self, title: str) -> None:
        self._title = title
        self._fraction = 0.0
        self._closed = False
        self._progress: Progress | None = None
        self._lock = Lock()
        self._timer = Timer(_PATIENCE, self._show)
        self._timer.daemon = True

    def begin(self) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            self._timer.start()

    def report(self, fraction: float) -> None:
        with self._lock:
            self._fraction = fraction
            self._update()

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True  # which a timer that has just run out sees
            if self._progress is not None:
                self._progress.stop()

    def _show(self) -> None:
        with self._lock:
            if not self._closed:
                self._progress = _start_bar(self._title)
                self._update()

    def _update(self) -> None:
        if self._progress is not None:
            (task,) = self._progress.tasks
            # Without a total the bar moves, and its clock goes on; a full bar would look stuck.
            task.total = 1.0 if 0 < self._fraction < 1 else None
            task.completed = self._fraction


def _start_bar(title: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(abbreviate(make_printable(title)), total=None)
    progress.start()
    return progress

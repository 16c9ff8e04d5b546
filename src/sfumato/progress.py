"""A progress bar for long work: on a terminal only, after a second, never in rows."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[float], None]

_PATIENCE = 1.0  # seconds before a bar is worth looking at


@contextmanager
def progress_bar(title: str) -> Generator[Report]:
    """Yield a function to call with the fraction that is done.

    Privacy
    -------
    The number of rows is private, so only a fraction is shown. How long the work takes is not
    hidden.
    """
    bar = _Bar(title)
    try:
        yield bar.report
    finally:
        bar.close()


class _Bar:
    def __init__(self, title: str) -> None:
        self._title = title
        self._begun = time.monotonic()
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._progress: Progress | None = None

    def report(self, fraction: float) -> None:
        if not self._shown or time.monotonic() - self._begun < _PATIENCE:
            return
        if self._progress is None:
            self._progress = _started(self._title)
        self._progress.update(self._progress.task_ids[0], completed=min(1.0, fraction))

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _started(title: str) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(title, total=1.0)
    progress.start()
    return progress

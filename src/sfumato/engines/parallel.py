"""Parts of a table, read side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import count
from threading import Event
from typing import TypeVar

import pyarrow as pa

S = TypeVar("S")
T = TypeVar("T")

Report = Callable[[float], None]
"""Called with the fraction that is done."""

_PATIENCE = 0.1  # seconds between two looks at how far the parts are


def side_by_side(work: Callable[[S, Report], T], parts: Sequence[S], report: Report) -> list[T]:
    """Return ``work(part, report)`` for each part, one thread to each that can be had.

    Work is told to stop, by an error from its report, when another part fails or the caller is
    interrupted.

    Privacy
    -------
    How many parts a table has may depend on its rows. Where the system has no thread left, those
    that there are do the work of others: nothing fails for want of one.

    Examples
    --------
    >>> side_by_side(lambda part, report: part**2, [1, 2, 3], report=lambda fraction: None)
    [1, 4, 9]
    """
    settle()
    if len(parts) == 1:
        return [work(parts[0], report)]
    fractions, results = [0.0] * len(parts), [Future[T]() for _ in parts]
    abandoned, places = Event(), count()

    def run() -> None:
        while (index := next(places)) < len(parts) and not abandoned.is_set():
            # A part that fails tells it by its result.
            _fill(results[index], lambda at=index: work(parts[at], lambda done: note(at, done)))

    def note(index: int, fraction: float) -> None:
        fractions[index] = fraction
        if abandoned.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(len(parts)) as pool:
        running: list[Future[None]] = []
        try:
            running += _started(pool, run, len(parts))
            if not running:
                run()
            while wait(results, _PATIENCE, FIRST_EXCEPTION).not_done:
                report(sum(fractions) / len(fractions))
                for part in results:
                    if part.done():
                        part.result()  # raises what it raised
            found = [part.result() for part in results]
        finally:
            abandoned.set()
            outlast(lambda: not wait(running, _PATIENCE).not_done)
    report(1.0)
    return found


def outlast(ended: Callable[[], bool]) -> None:
    """Ask until it is told that work in other threads has ended.

    Who presses Ctrl-C again meanwhile is heard afterwards. To join the threads would not do: Python
    takes one for ended when it is interrupted in that, and what it still uses would be closed.
    """
    done, pressed = False, False
    while not done:
        try:
            done = ended()
        except KeyboardInterrupt:
            pressed = True
    if pressed:
        raise KeyboardInterrupt


def _started(
    pool: ThreadPoolExecutor, run: Callable[[], None], threads: int
) -> Iterator[Future[None]]:
    """Yield what runs in so many threads, or in fewer where the system has none left."""
    for _ in range(threads):
        try:
            yield pool.submit(run)
        except RuntimeError:
            return


def _fill(result: Future[T], work: Callable[[], T]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told to who waits
        result.set_exception(error)


@cache
def settle() -> None:
    """Let Arrow look for pandas, which it does at its first number, in a thread of its own.

    Whoever presses Ctrl-C in the middle of that would not be heard.
    """
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: pa.array([0]).to_numpy()).result()

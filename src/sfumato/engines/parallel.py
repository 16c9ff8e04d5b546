"""Parts of a table, read side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")

Report = Callable[[float], None]
"""Called with the fraction that is done."""

_PATIENCE = 0.1  # seconds between two looks at how far the parts are


def side_by_side(work: Callable[[S, Report], T], parts: Sequence[S], report: Report) -> list[T]:
    """Return ``work(part, report)`` for each part, one thread to each.

    Work is told to stop, by an error from its report, when another part fails or the caller is
    interrupted.

    Examples
    --------
    >>> side_by_side(lambda part, report: part**2, [1, 2, 3], report=lambda fraction: None)
    [1, 4, 9]
    """
    if len(parts) == 1:
        return [work(parts[0], report)]
    fractions = [0.0] * len(parts)
    abandoned = Event()

    def run(index: int) -> T:
        def note(fraction: float) -> None:
            fractions[index] = fraction
            if abandoned.is_set():
                raise InterruptedError

        return work(parts[index], note)

    with ThreadPoolExecutor(len(parts)) as pool:
        running: list[Future[T]] = []
        try:
            for index in range(len(parts)):
                running.append(pool.submit(run, index))
            while wait(running, _PATIENCE, FIRST_EXCEPTION).not_done:
                report(sum(fractions) / len(fractions))
                for part in running:
                    if part.done():
                        part.result()  # raises what it raised
            results = [part.result() for part in running]
        finally:
            abandoned.set()
            outlast(lambda: not wait(running, _PATIENCE).not_done)
    report(1.0)
    return results


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

"""Many runs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def answers(simulate: Callable[[S], T], work: Sequence[S], processes: int) -> Iterator[tuple[S, T]]:
    """Yield every task with what came of it, as soon as it is there."""
    if processes == 1:
        yield from ((task, simulate(task)) for task in work)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(simulate, task): task for task in work}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)

"""The driver of a cluster, in a process of its own."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TypeVar

from engines.spark.sessions import BRIEF, session

T = TypeVar("T")

_SETTINGS = {
    "spark.executor.extraJavaOptions": BRIEF,
    "spark.executor.memory": "512m",
    # Whoever is dead is not waited for.
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
    "spark.task.maxFailures": "2",
}


def opened(master: str, folder: Path) -> None:
    """Make this process a driver; whatever it prints goes to a file."""
    with (folder / "printed.log").open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    (folder / "driver.pid").write_text(str(os.getpid()))
    Thread(target=_follow, daemon=True).start()
    lasting = ExitStack()
    lasting.enter_context(session(folder, master=master, settings=_SETTINGS))
    atexit.register(lasting.close)


def _follow() -> None:
    """Go when the tests are gone, also in the middle of a query that can never end."""
    tests = parent_process()
    assert tests is not None
    tests.join()
    os._exit(1)


def asked(question: Callable[..., T], path: Path, *facts: object) -> T:
    """Ask a question of the Parquet files at `path`, as a frame of several partitions."""
    from pyspark.sql import SparkSession

    return question(SparkSession.active().read.parquet(str(path)).repartition(5, "u"), *facts)

"""A standalone Spark cluster: a master, two workers and a driver, each a process on loopback."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
from collections.abc import Callable, Generator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from engines.spark import driver
from engines.spark.sessions import BRIEF, environment, until

T = TypeVar("T")

_ANYWHERE = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
_SMALL = ["--cores", "1", "--memory", "1g"]

# When the pipe to it breaks, for whatever reason, the whole group of processes goes.
GUARD = 'exec 3<&0; (cat <&3; kill -9 0) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null'


@dataclass(frozen=True)
class Node:
    """A process of the cluster, with all that it starts, and its folder."""

    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """Kill it and its executors at once, without a word to anybody."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self, pattern: str, times: int = 1) -> str:
        """Wait until it has logged a pattern so often, and return its first group."""
        log = self.folder / "output.log"
        until(lambda: len(re.findall(pattern, log.read_text())) >= times or not self.alive)
        found = re.findall(pattern, log.read_text())
        assert len(found) >= times, log.read_text()
        return found[0]


@dataclass(frozen=True)
class Cluster:
    """Whom to ask, whom to kill, and where all of them write."""

    folder: Path
    master: Node
    workers: list[Node]
    _stack: ExitStack = field(repr=False)
    _drivers: ProcessPoolExecutor = field(repr=False)

    def asked(self, question: Callable[..., T], path: Path, *facts: Any) -> Future[T]:
        """Ask a question of the Parquet files at `path`, in the driver."""
        return self._drivers.submit(driver.asked, question, path, *facts)

    def mended(self) -> Cluster:
        """Have two workers, whatever became of those before."""
        missing = 2 - len(self.living)
        for number in range(len(self.workers), len(self.workers) + missing):
            home = self.folder / f"worker-{number}"
            options = [*_ANYWHERE, *_SMALL, "--work-dir", str(home), self._address]
            self.workers.append(self._stack.enter_context(_node("worker.Worker", options, home)))
        self.master.said(r"Registering worker (\S+)", len(self.workers))
        return self

    @property
    def living(self) -> list[Node]:
        return [worker for worker in self.workers if worker.alive]

    @property
    def _address(self) -> str:
        return self.master.said(r"Starting Spark master at (spark://\S+)")

    def logs(self) -> dict[str, str]:
        """Return whatever any process of the cluster has written down so far."""
        kept = [path for path in self.folder.rglob("*") if path.suffix == ".log"]
        kept += [path for name in ("stdout", "stderr") for path in self.folder.rglob(name)]
        where = {str(path.relative_to(self.folder)): path for path in sorted(kept)}
        return {name: path.read_text(errors="replace") for name, path in where.items()}


@contextmanager
def cluster(folder: Path) -> Generator[Cluster]:
    """Start a master, two workers of one core each and a driver; stop all of them at the end."""
    with ExitStack() as stack:
        master = stack.enter_context(_node("master.Master", _ANYWHERE, folder / "master"))
        address = master.said(r"Starting Spark master at (spark://\S+)")
        drivers = stack.enter_context(_driver(address, folder / "driver"))
        yield Cluster(folder, master, [], stack, drivers).mended()


@contextmanager
def _node(kind: str, options: list[str], folder: Path) -> Generator[Node]:
    import pyspark

    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    small = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": BRIEF}
    tidy = {"SPARK_LOCAL_DIRS": str(scratch), "TMPDIR": str(scratch)}
    start = Path(pyspark.__file__).with_name("bin") / "spark-class"
    with (folder / "output.log").open("wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", GUARD, "sh", start, f"org.apache.spark.deploy.{kind}", *options],
            env=environment() | small | tidy,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    with process:
        node = Node(process, folder)
        try:
            yield node
        finally:
            if node.alive:
                node.kill()


@contextmanager
def _driver(address: str, folder: Path) -> Generator[ProcessPoolExecutor]:
    folder.mkdir()
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, fresh, driver.opened, (address, folder)) as pool:
        try:
            yield pool
        finally:
            # Were it asked for something, it would wait for a cluster that is gone.
            for pid in folder.glob("driver.pid"):
                os.kill(int(pid.read_text()), signal.SIGKILL)

"""Questions answered in a process of their own, and what each answer cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scaling.clocks import Costs, clocked, peak_memory, spilling
from scaling.driving import driver_seconds, grown, heard
from scaling.questions import Question
from scaling.ways import THREADS, opened, ways
from sfumato.engines.dispatch import choose_engine

WARM = "warm.parquet"


@dataclass(frozen=True)
class Answer:
    """The least that each way cost, by clock; and the most that was filled.

    Parameters
    ----------
    least
        Seconds of ``wall`` and ``CPU``, and bytes ``read``, of each way.
    memory, spilled, sent, shuffled
        Bytes: of the process at its largest (the driver's, for Spark), on disk beside the table,
        to the driver, and between the tasks of a cluster.
    verbs
        Seconds of each verb that the engine was asked.
    sums, occupied
        How many whole numbers answered, and how many of them were not zero.
    driver
        Seconds that follow the sums, by how often every unit stands in the table.
    failed
        What went wrong, or nothing.
    """

    least: dict[str, Costs]
    memory: float = 0.0
    spilled: float = 0.0
    sent: float = 0.0
    shuffled: float = 0.0
    verbs: Costs = field(default_factory=dict[str, float])
    sums: int = 0
    occupied: int = 0
    driver: dict[str, float] = field(default_factory=dict[str, float])
    failed: str = ""

    @property
    def wall(self) -> float:
        return self.least["chart"]["wall"]

    @property
    def cpu(self) -> float:
        return self.least["chart"]["CPU"]

    @property
    def read(self) -> float:
        return self.least["chart"]["read"]


def answers(questions: Sequence[Question], folder: Path) -> Iterator[Answer]:
    """Yield the answers of one process, as they come."""
    spoken = json.dumps([asdict(question) for question in questions])
    threads = {name: str(THREADS) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    settings = os.environ | threads | {"TMPDIR": str(folder)}
    command = [sys.executable, sys.argv[0], "--answer", spoken]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings, text=True) as process:
        assert process.stdout is not None
        yield from (Answer(**json.loads(line)) for line in process.stdout if line.startswith("{"))
    if process.returncode:
        raise SystemExit(f"A process that should answer ended with status {process.returncode}.")


def answer(question: Question, folder: Path) -> Answer:
    """Return the answer of a process of its own."""
    (found,) = answers([question], folder)
    return found


def speak(spoken: str) -> None:
    """Answer questions, one line each; with one Spark session for all that need it."""
    questions = [Question.of(told) for told in json.loads(spoken)]
    with ExitStack() as stack:
        spark = None
        if any(question.engine == "spark" for question in questions):
            from scaling.cluster import session

            spark = stack.enter_context(session())
        for question in questions:
            print(json.dumps(asdict(answered(question, spark))), flush=True)


def answered(question: Question, spark: Any = None) -> Answer:
    """Answer for a small table, which loads what is needed, and then for this one."""
    try:
        _warm(question.engine, question.chart, question.unit, Path(question.paths[0]).parent, spark)
        return _verbs(question, spark) if question.kind == "verbs" else _timed(question, spark)
    except Exception as error:  # noqa: BLE001 - the table is made up, and the rest is to be asked
        return Answer({}, failed=f"{type(error).__name__}: {error}")


@cache
def _warm(engine: str, chart: str, unit: str, folder: Path, spark: Any) -> None:
    """Ask for a chart of a small table, once in each process."""
    ways(Question(engine, chart, unit, (str(folder / WARM),)), spark)["chart"]()


def _timed(question: Question, spark: Any) -> Answer:
    works = ways(question, spark)
    with spilling("sfumato-*") as spilled, _moving(spark) as moving:
        turns = [{way: clocked(work) for way, work in works.items()} for _ in range(question.runs)]
    clocks = ("wall", "CPU", "read")
    least = {way: {c: min(turn[way][c] for turn in turns) for c in clocks} for way in works}
    sent, shuffled = (moving[name] / question.runs for name in ("sent", "shuffled"))
    return Answer(least, peak_memory(), max(spilled), sent, shuffled)


def _verbs(question: Question, spark: Any) -> Answer:
    with _moving(spark) as moving:
        found = heard(question, choose_engine(opened(question, spark)))
    driver = {str(k): driver_seconds(question, grown(found.answers, k)) for k in question.times}
    return Answer(
        {},
        sent=moving["sent"],
        verbs=found.seconds,
        sums=sum(found.sums),
        occupied=found.occupied,
        driver=driver,
    )


def _moving(spark: Any) -> AbstractContextManager[dict[str, float]]:
    if spark is None:
        return nullcontext({"sent": 0.0, "shuffled": 0.0})
    from scaling.cluster import moved

    return moved(spark)

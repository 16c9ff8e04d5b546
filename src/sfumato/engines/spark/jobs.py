"""Jobs on a cluster that can be interrupted, and what is refused before one reads anything."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from weakref import WeakKeyDictionary

import pyarrow as pa

from sfumato.engines.engine import redact_errors
from sfumato.engines.locating import name_geometry
from sfumato.engines.spark.task import fingerprint_code
from sfumato.engines.table import Report, wait_for_end
from sfumato.errors import SourceError

Making = Callable[[], Any]
"""Makes a frame, which takes calls to Spark."""

_OURS = "sfumato-on-spark"
_PATIENCE = 0.1  # seconds between two looks at how far a job is


@dataclass(frozen=True)
class Jobs:
    """What runs jobs of one release, tells how far they are, and stops them when interrupted.

    Parameters
    ----------
    spark
        A Spark session.
    report
        Called with the fraction that is done, again and again.

    Privacy
    -------
    A job's answer comes to this machine whole: ask for sums only.
    """

    spark: Any
    report: Report

    def collect_rows(self, make: Making, *, stages: int = 1) -> pa.Table:
        """Return the rows of a small frame that is made in so many stages.

        Privacy
        -------
        An interruption stops the job, and waits until it has stopped.
        """
        import pyspark

        tag = f"sfumato-{secrets.token_hex(8)}"
        # With what the caller's thread has set, such as a scheduler's pool.
        inheriting = cast(Any, pyspark).inheritable_thread_target(self.spark)
        _silence_logs()
        # All that is said to Spark is said in other threads: a call must not be interrupted.
        with _make_thread_pool() as working, _make_thread_pool() as aside:
            try:
                answer: Future[pa.Table] = working.submit(inheriting(self._collect), make, tag)
                self._await(answer, tag, aside, stages)
                return answer.result()
            finally:
                wait_for_end(lambda: self._has_ended(working, tag, aside))

    def _collect(self, make: Making, tag: str) -> pa.Table:
        context = get_classic_context(self.spark)
        self.spark.addTag(tag)
        if context is not None:
            context.setJobGroup(tag, "sfumato")
        try:
            return make().toArrow()
        finally:
            self.spark.removeTag(tag)
            if context is not None:
                context.setLocalProperty("spark.jobGroup.id", None)

    def _await(
        self, answer: Future[pa.Table], tag: str, aside: ThreadPoolExecutor, stages: int
    ) -> None:
        look = aside.submit(self._fraction, tag)
        while wait([answer], _PATIENCE).not_done:
            if look.done():
                self.report(look.result() / stages)
                look = aside.submit(self._fraction, tag)

    def _has_ended(self, working: ThreadPoolExecutor, tag: str, aside: ThreadPoolExecutor) -> bool:
        """Tell whether the work has ended, which is told to end if it has not.

        Again and again: a job that is still being planned cannot be stopped yet.
        """
        if not wait([working.submit(int)], _PATIENCE).not_done:
            return True
        aside.submit(self._stop, tag)
        return False

    def _stop(self, tag: str) -> None:
        # A tag of a session is known only to the thread that set it; a group is known to all.
        context = get_classic_context(self.spark)
        if context is None:
            self.spark.interruptTag(tag)
        else:
            context.cancelJobGroup(tag)

    def _fraction(self, tag: str) -> float:
        """Return how many stages are done, of which each may be done in part."""
        context = get_classic_context(self.spark)
        if context is None:
            return 0.0
        tracker = context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(tag)]
        stages = {stage for job in jobs if job is not None for stage in job.stageIds}
        known = [found for stage in stages if (found := tracker.getStageInfo(stage)) is not None]
        return sum(stage.numCompletedTasks / max(1, stage.numTasks) for stage in known)


def _make_thread_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix=_OURS)


@cache
def _silence_logs() -> None:
    """Keep Spark from quoting, on this machine's terminal, the value that a frame failed on."""
    from pyspark.logger import PySparkLogger

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).addFilter(_is_elsewhere)


def _is_elsewhere(record: Any) -> bool:
    """Tell whether something is said in a thread that is not ours."""
    return not str(record.threadName).startswith(_OURS)


def get_classic_context(spark: Any) -> Any:
    """Return the context of a session that has one; None where Spark is only connected to."""
    remote = type(spark).__module__.startswith("pyspark.sql.connect")
    return None if remote else spark.sparkContext


_PROBES = 8  # small jobs, so that most clusters of several machines are seen on more than one

_seen: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def check_frame(frame: Any) -> None:
    """Refuse a frame that would hold other rows whenever it is read.

    A session that is only connected to Spark cannot tell; there it is the user who must know.

    Privacy
    -------
    Looks at how the frame is made, not at what it holds. Several questions are asked about one
    table, and a lost part of an answer is computed again: both must find the same rows.
    """
    if get_classic_context(frame.sparkSession) is None:
        return
    if not frame._jdf.queryExecution().analyzed().deterministic():
        raise SourceError(
            "The frame is made with random numbers.",
            "It would hold other rows whenever it is read, and one person could count in each of "
            "them.",
            "Write it to a table, and read that.",
        )


def check_cluster(spark: Any) -> None:
    """Refuse a cluster that cannot run the code that this machine would run.

    Privacy
    -------
    Runs a job that reads no table, once for each session.
    """
    if _is_stopped(spark):
        raise SourceError(
            "The Spark session has ended.",
            "Nothing can be read through it, and nothing was charged.",
            "Start another one, and give sfumato a frame of that.",
        )
    if spark in _seen:
        return
    try:
        found = redact_errors(lambda: _collect_fingerprints(spark))
    except SourceError:
        found = {"code": [""], "geometry": [""]}
    if set(found["code"]) != {fingerprint_code()}:
        raise SourceError(
            "The cluster does not run the sfumato of this machine.",
            "The same code must count on both, or the cost would not fit the numbers.",
            "Install the same version for the Python of the executors: see 'From laptop to "
            "cluster'.",
        )
    _seen[spark] = set(found["geometry"]) == {name_geometry()}


def locates_alike(spark: Any) -> bool:
    """Tell whether a cluster that was checked locates points as this machine does."""
    return _seen.get(spark, False)


def _is_stopped(spark: Any) -> bool:
    context = get_classic_context(spark)
    return bool(spark.is_stopped) if context is None else context._jsc is None


def _collect_fingerprints(spark: Any) -> dict[str, list[str]]:
    # Sent as it stands here, and not by its name, since sfumato may be missing there.
    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from importlib import import_module

        import pyarrow as pa

        try:
            import_module("sfumato.engines.spark.people")  # and all that it needs
            code: str = import_module("sfumato.engines.spark.task").fingerprint_code()
            geometry: str = import_module("sfumato.engines.locating").name_geometry()
        except ImportError:
            code = geometry = ""
        for batch in batches:
            many = batch.num_rows
            yield pa.record_batch({"code": [code] * many, "geometry": [geometry] * many})

    probes = spark.range(0, _PROBES, 1, _PROBES).mapInArrow(look, "code string, geometry string")
    return probes.toArrow().to_pydict()

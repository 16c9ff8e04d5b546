"""Jobs on a cluster, waited for in a thread that can be interrupted."""

from __future__ import annotations

import secrets
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import pyarrow as pa

from sfumato.engines.parallel import Report, outlast

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

    def collected(self, frame: Any, *, stages: int = 1) -> pa.Table:
        """Return the rows of a small frame that is made in so many stages.

        Privacy
        -------
        An interruption stops the job, and waits until it has stopped.
        """
        import pyspark

        tag = f"sfumato-{secrets.token_hex(8)}"

        def collect() -> pa.Table:
            self.spark.addTag(tag)
            if (context := classic(self.spark)) is not None:
                context.setJobGroup(tag, "sfumato")
            return frame.toArrow()

        # With what the caller's thread has set, such as a scheduler's pool.
        inherited = cast(Any, pyspark).inheritable_thread_target(self.spark)(collect)
        _hush()
        with ThreadPoolExecutor(2, thread_name_prefix=_OURS) as pool:
            answer: Future[pa.Table] = pool.submit(inherited)
            try:
                self._awaited(answer, tag, pool, stages)
                return answer.result()
            finally:
                if not answer.done():
                    stopping = pool.submit(self.spark.interruptTag, tag)
                    outlast(lambda: not wait([stopping, answer], _PATIENCE).not_done)

    def _awaited(
        self, answer: Future[pa.Table], tag: str, pool: ThreadPoolExecutor, stages: int
    ) -> None:
        """Wait, and speak to Spark in another thread: a call to it must not be interrupted."""
        look = pool.submit(self._fraction, tag)
        while wait([answer], _PATIENCE).not_done:
            if look.done():
                self.report(look.result() / stages)
                look = pool.submit(self._fraction, tag)

    def _fraction(self, tag: str) -> float:
        """Return how many stages are done, of which each may be done in part."""
        context = classic(self.spark)
        if context is None:
            return 0.0
        tracker = context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(tag)]
        stages = {stage for job in jobs if job is not None for stage in job.stageIds}
        known = [found for stage in stages if (found := tracker.getStageInfo(stage)) is not None]
        return sum(stage.numCompletedTasks / max(1, stage.numTasks) for stage in known)


@cache
def _hush() -> None:
    """Keep Spark from quoting, on this machine's terminal, the value that a frame failed on."""
    from pyspark.logger import PySparkLogger

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).addFilter(_is_elsewhere)


def _is_elsewhere(record: Any) -> bool:
    """Tell whether something is said in a thread that is not ours."""
    return not str(record.threadName).startswith(_OURS)


def classic(spark: Any) -> Any:
    """Return the context of a session that has one; None where Spark is only connected to."""
    remote = type(spark).__module__.startswith("pyspark.sql.connect")
    return None if remote else spark.sparkContext

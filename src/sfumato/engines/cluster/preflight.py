"""What is refused before a cluster reads anything, and before anything is charged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakSet

import pyarrow as pa

from sfumato.engines.cluster.jobs import classic
from sfumato.engines.cluster.likeness import code
from sfumato.engines.discretion import discreetly
from sfumato.errors import SourceError

_PROBES = 8  # small jobs, so that most clusters of several machines are seen on more than one

_seen: WeakSet[Any] = WeakSet()


def check_frame(frame: Any) -> None:
    """Refuse a frame that would hold other rows whenever it is read.

    A session that is only connected to Spark cannot tell; there it is the user who must know.

    Privacy
    -------
    Looks at how the frame is made, not at what it holds. Several questions are asked about one
    table, and a lost part of an answer is computed again: both must find the same rows.
    """
    if classic(frame.sparkSession) is None:
        return
    if not frame._jdf.queryExecution().analyzed().deterministic():
        raise SourceError(
            "The frame is made with random numbers. It would hold other rows whenever it is read, "
            "and one person could count in each of them. Write it to a table, and read that."
        )


def check_cluster(spark: Any) -> None:
    """Refuse a cluster that cannot run the code that this machine would run.

    Privacy
    -------
    Runs a job that reads no table, once for each session.
    """
    if _is_stopped(spark):
        raise SourceError(
            "The Spark session has ended. Nothing can be read through it, and nothing was charged. "
            "Start another one, and give sfumato a frame of that."
        )
    if spark in _seen:
        return
    try:
        found = set(discreetly(lambda: _codes(spark)))
    except SourceError:
        found = {""}
    if found != {code()}:
        raise SourceError(
            "The cluster does not run the sfumato of this machine. The same code must count on "
            "both, or the price would be that of other numbers. Install the same version for the "
            "Python of the executors: see 'From laptop to cluster'."
        )
    _seen.add(spark)


def _is_stopped(spark: Any) -> bool:
    context = classic(spark)
    return bool(spark.is_stopped) if context is None else context._jsc is None


def _codes(spark: Any) -> list[str]:
    # Sent as it stands here, and not by its name, since sfumato may be missing there.
    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from importlib import import_module

        import pyarrow as pa

        try:
            import_module("sfumato.engines.cluster.people")  # and all that it needs
            found: str = import_module("sfumato.engines.cluster.likeness").code()
        except ImportError:
            found = ""
        for batch in batches:
            yield pa.record_batch({"code": [found] * batch.num_rows})

    probes = spark.range(0, _PROBES, 1, _PROBES).mapInArrow(look, "code string")
    return probes.toArrow().column("code").to_pylist()

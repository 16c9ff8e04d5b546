"""A query is fed while it runs, and neither waits for the other for ever."""

import subprocess
import sys
import textwrap
from itertools import chain, repeat

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from sfumato.engines.feeding import fed

BATCH = pa.record_batch({"x": np.arange(1000)})
NOTHING = BATCH.slice(0, 0)


def rows(answer):
    return answer.to_arrow_table().to_pylist()


@pytest.mark.parametrize("batches", [0, 1, 50])
def test_every_batch_arrives_once(batches):
    with duckdb.connect() as database:
        statement = "SELECT count(*) AS n, sum(x) AS s FROM stream"
        stream = repeat(BATCH, batches)
        answer = fed(database, statement, "stream", stream, rows, otherwise=NOTHING)
    assert answer == [{"n": 1000 * batches, "s": 499_500 * batches or None}]


@pytest.mark.parametrize(
    "statement", ["SELECT nobody FROM stream", "SELECT error('x') FROM stream"]
)
def test_a_query_that_fails_stops_an_endless_stream(statement):
    with duckdb.connect() as database, pytest.raises(duckdb.Error):
        fed(database, statement, "stream", repeat(BATCH), rows, otherwise=NOTHING)


def test_a_query_that_needs_no_more_stops_an_endless_stream():
    with duckdb.connect() as database:
        answer = fed(database, "SELECT 1 AS n", "stream", repeat(BATCH), rows, otherwise=NOTHING)
    assert answer == [{"n": 1}]


def test_a_stream_that_fails_stops_the_query():
    def failing():
        raise ZeroDivisionError
        yield

    statement = "SELECT count(*) FROM stream"
    with duckdb.connect() as database, pytest.raises(ZeroDivisionError):
        fed(database, statement, "stream", chain([BATCH] * 9, failing()), rows, otherwise=NOTHING)


@pytest.mark.slow
def test_whoever_presses_control_c_twice_still_waits_for_the_query():
    """A database that is closed under its query takes the process with it."""
    script = """
        import os, signal, time
        import duckdb, pyarrow as pa
        from sfumato.engines.feeding import fed
        done = []
        def read(found):
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.5)
            done.append(True)
        nothing = pa.record_batch({"x": pa.array([], pa.int64())})
        with duckdb.connect() as database:
            try:
                fed(database, "SELECT 1", "stream", iter([]), read, otherwise=nothing)
            except KeyboardInterrupt:
                print(done)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    assert subprocess.check_output(command, timeout=60) == b"[True]\n"

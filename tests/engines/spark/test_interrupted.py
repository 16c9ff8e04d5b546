"""Ctrl-C stops the job on the cluster, and the price stays charged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

import sfumato as sf
from engines.spark.sessions import environment, until
from sfumato.domain import Bounds
from sfumato.engines.spark.engine import SparkEngine
from sfumato.grid import Grid
from sfumato.privacy.guarantee import PrivacyUnit

SCRIPT = """
    import sys
    from pathlib import Path
    import sfumato as sf
    from engines.spark.sessions import session

    folder = Path(sys.argv[1])
    with session(folder) as spark:
        frame = spark.range(10**13).selectExpr("id % 7 AS x", "id % 1000 AS u")
        for unit in (None, "u"):
            ledger = folder / f"{unit}.ledger"
            s = sf.Session(frame, unit=unit, domain={"x": (0, 7)}, budget=1, ledger=ledger)
            print("asking", flush=True)
            try:
                s.histplot(x="x", bins=7, budget=0.25)
            except KeyboardInterrupt as error:
                active = spark.sparkContext.statusTracker().getActiveJobsIds()
                print(*error.__notes__, len(active), spark.range(5).count(), flush=True)
"""


# What follows is shown every day: jobs that are stopped, and elsewhere prices that stay charged.
@pytest.mark.slow
def test_control_c_ends_the_job_and_leaves_the_session_usable(java, tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        try:
            told = [interrupted(process, tmp_path / "spark.log") for _ in range(2)]
        finally:
            process.kill()
    for notes in told:
        assert notes.startswith("The cost was charged and stays charged")
        assert notes.endswith(" 0 5\n")
    for unit in (None, "u"):
        ledger = sf.Ledger.open(tmp_path / f"{unit}.ledger")
        assert [entry.cost.epsilon for entry in ledger.entries] == [0.25]


@pytest.mark.parametrize("unit", [PrivacyUnit.rows(), PrivacyUnit.users("u")], ids=repr)
def test_an_interruption_that_spark_does_not_hear_stops_its_job_too(spark, monkeypatch, unit):
    def press(_):
        raise KeyboardInterrupt  # as where nobody else hears it, in a notebook for example

    monkeypatch.setattr("sfumato.engines.spark.engine.throttle_reports", lambda _: press)
    endless = spark.range(10**13).selectExpr("id % 7 AS x", "id % 1000 AS u")
    with pytest.raises(KeyboardInterrupt):
        SparkEngine(endless).counts([Grid("x", Bounds(0, 7), 7)], unit)
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []
    assert spark.range(5).count() == 5


def interrupted(process, log):
    """Press Ctrl-C when tasks of the endless job run, and return what is said then."""
    assert process.stdout.readline() == "asking\n"
    before = log.read_text().count("Running task")
    until(lambda: log.read_text().count("Running task") > before)
    os.kill(process.pid, signal.SIGINT)
    return process.stdout.readline()

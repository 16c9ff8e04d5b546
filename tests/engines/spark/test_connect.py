"""Through Spark Connect, where there is no JVM beside us, a frame is counted like any other."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engines.oracle import SALT
from engines.spark.sessions import BRIEF, environment
from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.grid import Grid
from sfumato.privacy.guarantee import PrivacyUnit

SCRIPT = """
    import json, sys
    from pyspark.sql import SparkSession
    import sfumato as sf
    from engines.spark.test_connect import asked
    from sfumato.engines.spark.engine import SparkEngine

    path = sys.argv[1]
    settings = {"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
    spark = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
    try:
        frame = spark.read.parquet(path)
        frame.createOrReplaceTempView("visits")
        sharp = sf.Budget(50, weak=True)
        release = sf.histplot(sf.Table("visits", spark=spark), x="x", bounds=(0, 9), budget=sharp)
        failing = spark.sql("SELECT CAST(raise_error('CANARY') AS DOUBLE) AS x")
        try:
            sf.histplot(failing, x="x", bounds=(0, 9), budget=1)
        except sf.SourceError as error:
            refused = str(error)
        print(json.dumps([asked(SparkEngine(frame)), release.steps, refused]))
    finally:
        spark.stop()
"""


def asked(engine):
    """Return the integers of two units, and of a map that stays on the cluster."""
    from sfumato.plane import Plane

    engine._salt = SALT
    keys = [Grid("x", Bounds(0, 9), 9)]
    units = [PrivacyUnit.rows(), PrivacyUnit.users("u", max_rows=2)]
    plane = Plane(Grid("x", Bounds(0, 9), 2**15), Grid("u", Bounds(0, 40), 2**15))
    ends = np.arange(65, dtype=np.int64) << 24
    fine = engine.masses(plane, PrivacyUnit.users("u")).reveal_between(ends[:-1], ends[1:])
    return [*(engine.counts(keys, unit).reveal().tolist() for unit in units), fine.tolist()]


def test_a_connected_session_gives_the_integers_of_one_machine(java, tmp_path):
    path = tmp_path / "visits.parquet"
    generator = np.random.default_rng(3)
    rows = {"x": generator.normal(4, 3, 5000), "u": generator.integers(0, 40, 5000)}
    pq.write_table(pa.table(rows), path)
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(path)]
    told = subprocess.run(
        command,
        env=environment() | {"JAVA_TOOL_OPTIONS": BRIEF},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    integers, steps, refused = json.loads(told.stdout.splitlines()[-1])
    assert integers == asked(DuckEngine(path))
    assert abs(sum(steps) - 5000) < 50
    assert refused.startswith("The table could not be read.")
    assert "CANARY" not in refused

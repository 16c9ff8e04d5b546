"""A Spark of our own, on this machine, and what moves through it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from urllib.request import urlopen

import pyarrow as pa

from scaling.ways import THREADS
from sfumato.engines.spark.jobs import Jobs

MEMORY = "2g"


@contextmanager
def session() -> Generator[Any]:
    """Start a Spark with as many tasks at once as the other engines have threads."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": MEMORY,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    builder: Any = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.master(f"local[{THREADS}]").appName("bench").getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def moved(spark: Any) -> Generator[dict[str, float]]:
    """Note how many bytes come to the driver, and how many tasks hand to each other."""
    found = {"sent": 0.0, "shuffled": -_shuffled(spark)}
    collected = Jobs.collect_rows

    def noted(self: Jobs, *asked: Any, **named: Any) -> pa.Table:
        table = collected(self, *asked, **named)
        found["sent"] += table.nbytes
        return table

    with patch.object(Jobs, "collect_rows", noted):
        yield found
    found["shuffled"] += _shuffled(spark)


def _shuffled(spark: Any) -> float:
    """Return how many bytes all tasks so far have written for others, as Spark tells it."""
    context = spark.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urlopen(address) as answer:
        return float(sum(stage["shuffleWriteBytes"] for stage in json.load(answer)))

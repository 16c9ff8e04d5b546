"""Spark's Python daemon, which has imported what its workers need before it forks them."""

import pandas  # noqa: F401
import pyarrow.compute  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

import sfumato.engines.spark.engine
import sfumato.engines.spark.sums  # noqa: F401

if __name__ == "__main__":
    manager()

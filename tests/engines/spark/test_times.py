"""On a cluster dates, durations and their parts are counted as on one machine."""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from engines.spark.test_spark import both, told, written
from sfumato.domain import Bounds, Categories, Domain
from sfumato.ends import CYCLES
from sfumato.engines.spark.engine import SparkEngine
from sfumato.grid import Edges, Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()
SPRING = datetime(2026, 3, 8, 4)
MOMENTS = [None, datetime(1, 1, 1), datetime(9999, 12, 31)] + [
    SPRING + timedelta(minutes=41 * step) for step in range(40)
]
TABLE = pa.table(
    {
        "when": pa.array(MOMENTS, pa.timestamp("us", "UTC")),
        "text": pa.array([str(moment) for moment in MOMENTS]),
    }
)
ZONE = "America/New_York"


def weekdays(column, zone):
    return Labels(column, Categories(CYCLES["weekday"]), "weekday", zone)


QUESTIONS = {
    "parts": [
        weekdays("when", ZONE),
        Labels("when", Categories(CYCLES["hour of day"]), "hour of day", ZONE),
    ],
    "dropped": [Grid("when", Bounds.of(("2026-03-08", "2026-03-09")), 24, drop=True)],
    "text": [Edges("text", Bounds.of(("2026-03-08", "2026-03-10")), (1772928000e6, 1773014400e6))],
    "parts of text": [weekdays("text", ZONE)],
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_dates_are_counted_as_on_one_machine(spark, tmp_path, name):
    folder = written(TABLE, tmp_path)
    cluster, machine = both(spark, folder, lambda e: told(e.counts(QUESTIONS[name], ROWS)))
    assert cluster == machine
    assert np.sum(machine[1]) > 3


def test_durations_are_numbers_and_zones_those_of_the_session(spark):
    frame = spark.sql("SELECT INTERVAL '90' MINUTE AS late, TIMESTAMP '2026-01-01 00:00' AS t")
    engine = SparkEngine(frame)
    assert engine.schema().columns == {"late": "duration", "t": "time"}
    assert set(engine.schema().zones) == {"t"}
    key = Grid("late", Bounds.of(("0min", "120min")), 4)
    assert engine.counts([key], ROWS).reveal().tolist() == [0, 0, 0, 1]
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    try:
        local = SparkEngine(spark.sql("SELECT TIMESTAMP '2026-03-08 23:30' AS t"))
        domain = local.schema().refine(Domain(t=("2026-03-08", "2026-03-09")))
        assert domain.bounds("t").width == 23 * 3600e6
        assert local.counts([weekdays("t", ZONE)], ROWS).reveal().tolist() == [0] * 6 + [1]
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)

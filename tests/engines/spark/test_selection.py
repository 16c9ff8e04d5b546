"""On a cluster, filters and derived columns give what they give on one machine, to the last bit."""

from __future__ import annotations

import pytest

from engines.spark.test_spark import MOMENTS, told, written
from engines.test_duck import TABLE
from engines.test_selection import CONDITIONS, DERIVED
from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.spark.engine import SparkEngine
from sfumato.grid import Grid
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("u")
CAPPED = PrivacyUnit.users("u", max_rows=3)
KEYS = [Grid("x", Bounds(-0.7, 2.9), 23)]
PLANE = Plane(Grid("x", Bounds(0, 3), 8), Grid("n", Bounds(0, 2), 8))
WHERE = "g.strip().upper() in ['A', 'B'] and not x / n > 2 or m.hour < 6"
COLUMNS = {"ratio": "x / n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written(TABLE, tmp_path_factory.mktemp("selected"), parts=3)


def engines(spark, folder, **selected):
    found = SparkEngine(spark.read.parquet(folder), **selected), DuckEngine(folder, **selected)
    for engine in found:
        engine._salt = "5a17"
    return found


def test_every_expression_is_the_same_for_every_row(spark, folder):
    numbers = [text for text in DERIVED if "'" not in text and text not in ("t", "g.lower()")]
    columns = {f"c{at}": text for at, text in enumerate([*CONDITIONS, *numbers])}
    keys = [Grid(name, Bounds(-1, 2), 7) for name in columns]
    cluster, machine = (
        [told(each) for each in engine.marginals([[key] for key in keys], ROWS)]
        for engine in engines(spark, folder, columns=columns)
    )
    assert cluster == machine
    assert sum(any(counts) for _, counts, _ in machine) > len(columns) - 4


@pytest.mark.parametrize("unit", [ROWS, CAPPED], ids=repr)
def test_filters_of_sessions_and_charts_count_the_same_rows(spark, folder, unit):
    half = Grid("ratio", Bounds(-1, 2), 7)
    asked = [lambda engine: engine.counts([*KEYS, half], unit)]
    if unit == ROWS:
        asked.append(lambda engine: engine.counts([], unit))
        asked.append(lambda engine: engine.masses(PLANE, USERS, Weight("n", 2.0)))
        asked.append(lambda engine: engine.gram(MOMENTS, USERS))
    else:
        asked.append(lambda engine: engine.occupied("g", unit))
    cluster, machine = engines(spark, folder, where="x > -5", columns=COLUMNS)
    for ask in asked:
        found = told(ask(cluster.restrict(WHERE))), told(ask(machine.restrict(WHERE)))
        assert found[0] == found[1] != told(ask(machine))


def test_a_session_that_shares_weights_among_fewer_rows_does_so_on_a_cluster(spark, folder):
    cluster, machine = engines(spark, folder, where=WHERE)
    assert told(cluster.counts(KEYS, USERS)) == told(machine.counts(KEYS, USERS))
    own = engines(spark, folder)[1].restrict(WHERE)
    assert told(own.counts(KEYS, USERS)) != told(machine.counts(KEYS, USERS))


def test_parts_of_dates_are_read_on_the_clocks_of_the_session(spark):
    zone, key = spark.conf.get("spark.sql.session.timeZone"), "spark.sql.session.timeZone"
    try:
        spark.conf.set(key, "America/New_York")
        noon = spark.sql("SELECT TIMESTAMP '2026-07-01 12:00:00' AS t, 0.5 AS x")
        counts = [
            told(SparkEngine(noon).restrict(f"t.hour == {hour}").counts(KEYS, ROWS))[1]
            for hour in (12, 16)
        ]
        derived = SparkEngine(noon, where="t >= '2026-07-01T12:00'").counts(KEYS, ROWS)
    finally:
        spark.conf.set(key, zone)
    assert [sum(each) for each in counts] == [1, 0]  # it is 16 o'clock in UTC
    assert sum(told(derived)[1]) == 1

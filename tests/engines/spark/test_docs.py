"""The Python on the page 'From laptop to cluster' runs, and draws the same charts everywhere."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sfumato.engines.spark.sums import RowSums, SelectedRows
from sfumato.engines.sums import Counts
from sfumato.testing import checkins, seeded

PAGE = Path(__file__).parents[3] / "docs" / "cluster.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
HERE = [block for block in BLOCKS if "spark" not in block]
THERE = [block for block in BLOCKS if "spark" in block]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What blocks that need no cluster define, in a folder with a table."""
    pq.write_table(checkins(people=300), tmp_path / "visits.parquet")
    monkeypatch.chdir(tmp_path)
    found = {}
    first, *others = HERE
    run([first], found)
    drawn = found["charts"]

    def charts(visits):
        with seeded(1):
            return [release.to_dict() for release in drawn(visits)]

    found["charts"] = charts
    found["on_a_laptop"] = charts("visits.parquet")
    run(others, found)
    return found


def run(blocks, names):
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)


def test_limits_on_one_machine_change_no_chart(names):
    assert names["within_limits"] == names["on_a_laptop"]


def test_other_tables_have_other_charts(names):
    assert names["charts"](checkins(people=299)) != names["on_a_laptop"]


def test_the_same_program_draws_the_same_charts_on_a_cluster(spark, tmp_path, names):
    spark.sql("CREATE DATABASE db")
    try:
        spark.read.parquet(str(tmp_path / "visits.parquet")).write.saveAsTable("db.visits")
        names["spark"] = spark
        run(THERE, names)
    finally:
        spark.sql("DROP DATABASE db CASCADE")
    assert names["on_a_cluster"] == names["by_its_name"] == names["on_a_laptop"]


def test_a_sum_travels_in_as_many_bytes_as_the_page_says():
    columns = RowSums(Counts(()), SelectedRows(())).schema
    width = sum(field.type.bit_width for field in columns) // 8
    assert f"| {width} bytes each |" in TEXT

"""A table says what may be spent on reading it, and nothing of what it holds."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.engines.table import Table, is_spark

CANARY = "CANARY-7f3a"


def of_spark(name, module="pyspark.sql.dataframe"):
    """Return an object that looks like one of Spark's, as a subclass, without Spark."""
    return type("Ours", (type(name, (), {"__module__": module}),), {})()


SESSION = of_spark("SparkSession", "pyspark.sql.session")


@pytest.mark.parametrize(
    ("table", "shown"),
    [
        (Table("visits.parquet"), "Table('visits.parquet')"),
        (Table("a.csv", threads=2), "Table('a.csv', threads=2)"),
        (Table(Path("a.csv"), memory_limit="1GB"), "Table('a.csv', memory_limit='1GB')"),
        (Table(["a.csv", Path("b.csv")]), "Table(['a.csv', 'b.csv'])"),
        (Table("a.csv", decimal=","), "Table('a.csv', decimal=',')"),
        (Table([], thousands="'"), """Table([], thousands="'")"""),
        (Table("db.visits", spark=SESSION), "Table('db.visits', spark=<SparkSession>)"),
    ],
)
def test_a_table_shows_its_path_and_its_limits(table, shown):
    assert repr(table) == str(table) == shown


@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({"name": [CANARY]}),
        pa.table({"name": [CANARY]}),
        {"name": [CANARY]},
        [{"name": CANARY}],
        ("a.csv", pd.DataFrame({"name": [CANARY]})),
    ],
    ids=lambda source: type(source).__name__,
)
def test_a_table_shows_no_row(source):
    assert CANARY in str(source)  # which would be shown by any other repr
    table = Table(source, threads=1)
    assert repr(table) == f"Table(<{type(source).__name__}>, threads=1)"
    assert CANARY not in f"{table} {table!r} {[table]}"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Table(Table("a.csv")), "not the source of another"),
        (lambda: Table("visits", spark=SESSION, threads=2), "threads= is for tables on this"),
        (lambda: Table(of_spark("DataFrame"), threads=2), "threads= is for tables on this"),
        (lambda: Table(of_spark("DataFrame"), spark=SESSION), "given by its name"),
        (lambda: Table(Path("a.csv"), spark=SESSION), "given by its name"),
        (lambda: Table(" ", spark=SESSION), "given by its name"),
        (lambda: Table("visits", spark="local[2]"), "and not a str"),
        (lambda: Table("visits", spark=of_spark("DataFrame")), "and not a Ours"),
        (lambda: Table("visits", spark=SESSION, decimal=","), "are for CSV files"),
        (lambda: Table(of_spark("DataFrame"), decimal=","), "are for CSV files"),
        (lambda: Table(pd.DataFrame(), thousands="'"), "are for CSV files"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(wrong, words):
    with pytest.raises(sf.SourceError, match=words) as refused:
        wrong()
    assert str(refused.value).count(". ") >= 2 and str(refused.value).endswith(".")


def test_memory_may_be_limited_on_a_cluster():
    assert Table("visits", spark=SESSION, memory_limit="1GB").memory_limit == "1GB"
    assert Table(of_spark("DataFrame"), memory_limit="1GB").memory_limit == "1GB"


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (Table("data/visits.parquet"), "visits"),
        (Table(Path("visits.csv.gz"), threads=2), "visits"),
        (Table("db.visits", spark=SESSION), "db.visits"),
        (Table(["a.csv", "b.csv"]), "table"),
        (Table("."), "table"),
        (Table(pa.table({"a": [1]})), "table"),
        (Table(of_spark("DataFrame")), "table"),
    ],
)
def test_a_ledger_calls_a_table_by_its_own_name(table, name):
    assert table.name == name


def test_a_table_cannot_be_changed_and_equals_itself_alone():
    table = Table(pd.DataFrame({"a": [1]}))
    with pytest.raises(AttributeError):
        table.threads = 2
    assert table == table and table != Table(table.source)
    assert Table.of(table) is table and Table.of("a.csv").source == "a.csv"


@pytest.mark.parametrize(
    ("thing", "known"),
    [
        (of_spark("DataFrame"), True),
        (of_spark("DataFrame", "pyspark.sql.connect.dataframe"), True),
        (of_spark("DataFrame", "pysparkling.dataframe"), False),
        (of_spark("Series", "pyspark.pandas.series"), False),
        (pd.DataFrame(), False),
        ("pyspark", False),
    ],
)
def test_a_frame_of_spark_is_known_by_its_class(thing, known):
    assert is_spark(thing) == known

"""A table is read by the engine that is where its rows are."""

import subprocess
import sys
import types

import pyarrow as pa
import pytest

import sfumato as sf
from engines.test_table import CANARY, SESSION, of_spark
from sfumato.engines.dispatch import DuckEngine, choose_engine
from sfumato.engines.file_format import USUAL
from sfumato.engines.table import PLAIN

ROWS = pa.table({"age": [1, 2, 3], "person": ["u", "u", "v"]})


@pytest.fixture
def cluster(monkeypatch):
    """Return what the engine of a cluster is asked for, without a cluster."""
    asked = []

    class SparkEngine:
        def __init__(self, frame, **options):
            asked.append((frame, options))

    module = types.ModuleType("sfumato.engines.spark.engine")
    module.SparkEngine = SparkEngine
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return asked


def frame(name="DataFrame", module="pyspark.sql.classic.dataframe", *, streaming=False):
    made = of_spark(name, module)
    made.isStreaming = streaming
    return made


class Session(type(SESSION)):
    """A Spark session that knows one table; a remote one does not look before it must."""

    def __init__(self, *, remote, found=None):
        self.remote, self.found = remote, found

    def table(self, name):
        if name == "db.visits":
            return self.found
        if not self.remote:
            raise RuntimeError(CANARY)
        return type("Unresolved", (), {"schema": property(lambda _: 1 / 0)})()


def test_a_table_on_this_machine_is_read_within_its_limits(cluster, monkeypatch):
    told = []
    create = DuckEngine.__init__
    monkeypatch.setattr(
        DuckEngine, "__init__", lambda *its, **more: (told.append(more), create(*its, **more))[1]
    )
    choose_engine(ROWS)
    choose_engine(sf.Table(ROWS, threads=2, memory_limit="100MB"), print)
    all_rows = {"number_format": PLAIN, "file_format": USUAL, "where": None, "columns": None}
    assert told == [
        {"threads": None, "memory_limit": None, "progress": None, **all_rows},
        {"threads": 2, "memory_limit": "100MB", "progress": print, **all_rows},
    ]
    assert cluster == []


def test_a_frame_of_spark_is_read_by_its_cluster(cluster):
    there = frame()
    choose_engine(there)
    choose_engine(sf.Table(there, memory_limit="2GB"), print)
    assert cluster == [
        (there, {"memory_limit": None, "progress": None, "where": None, "columns": None}),
        (there, {"memory_limit": "2GB", "progress": print, "where": None, "columns": None}),
    ]


@pytest.mark.parametrize("remote", [False, True])
def test_a_name_is_looked_up_in_its_session(cluster, remote):
    there = frame()
    there.schema = None
    choose_engine(sf.Table("db.visits", spark=Session(remote=remote, found=there)))
    assert [found for found, _ in cluster] == [there]


@pytest.mark.parametrize("remote", [False, True])
def test_a_name_that_nobody_knows_is_refused_before_a_ledger_exists(cluster, remote, tmp_path):
    table = sf.Table("db.vistis", spark=Session(remote=remote))
    with pytest.raises(sf.SourceError, match=r"no table 'db\.vistis'") as refused:
        sf.Session(table, budget=1, ledger=tmp_path / "visits.ledger")
    assert CANARY not in str(refused.value)
    assert refused.value.__context__ is None and refused.value.__cause__ is None
    assert list(tmp_path.iterdir()) == [] and cluster == []


def test_whoever_looks_for_a_name_can_be_interrupted(cluster):
    class Slow(type(SESSION)):
        def table(self, name):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose_engine(sf.Table("db.visits", spark=Slow()))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (frame(streaming=True), "is a stream"),
        (frame("DataFrame", "pyspark.pandas.frame"), "to_spark"),
        (sf.Table(frame("DataFrame", "pyspark.pandas.frame")), "to_spark"),
        (frame("Series", "pyspark.pandas.series"), "not a table that sfumato reads"),
        (frame("RDD", "pyspark.core.rdd"), "not a table that sfumato reads"),
        ({"age": [1]}, "not a table that sfumato reads"),
    ],
)
def test_what_is_no_table_is_refused_with_advice(cluster, table, words):
    with pytest.raises(sf.SourceError, match=words) as refused:
        choose_engine(table)
    assert str(refused.value).count(". ") >= 2
    assert cluster == []


@pytest.mark.parametrize("limits", [{"threads": 0}, {"threads": 10**6}, {"memory_limit": "1KB"}])
def test_limits_that_nothing_could_keep_are_refused_before_a_ledger_exists(limits, tmp_path):
    with pytest.raises(sf.SourceError, match="is not valid") as refused:
        sf.Session(sf.Table(ROWS, **limits), budget=1, ledger=tmp_path / "visits.ledger")
    (name,) = limits
    assert str(refused.value).startswith(f"{name}=")
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_described_without_any_engine():
    program = (
        "import sys, sfumato as sf\n"
        "sf.Table('visits.parquet', threads=2)\n"
        "heavy = 'duckdb opendp pyarrow pandas pyspark numpy'.split()\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_table_on_this_machine_is_charted_without_spark():
    program = (
        "import sys, pyarrow as pa, sfumato as sf\n"
        "sf.histplot(pa.table({'age': [1]}), x='age', bounds=(0, 9), budget=1)\n"
        "print('pyspark' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_table_is_charted_by_its_name_on_spark(spark, tmp_path):
    spark.createDataFrame(ROWS.to_pylist()).createOrReplaceTempView("visits_of_three")
    weak = sf.Budget(1e4, weak=True)
    asked = {"domain": {"age": (0, 4)}, "budget": weak, "ledger": tmp_path / "visits.ledger"}
    session = sf.Session(sf.Table("visits_of_three", spark=spark, memory_limit="200MB"), **asked)
    assert session.histplot(x="age", bins=4, budget=weak).counts.tolist() == [0, 1, 1, 1]
    assert session.ledger.table == "visits_of_three"
    with pytest.raises(sf.SourceError, match="no table 'visits_of_four'") as refused:
        sf.Session(sf.Table("visits_of_four", spark=spark), budget=1)
    assert refused.value.__context__ is None
    with pytest.raises(sf.SourceError, match="no table 'a b; c'"):
        sf.histplot(sf.Table("a b; c", spark=spark), x="age", bounds=(0, 4), budget=1)
    with pytest.raises(sf.SourceError, match="is a stream"):
        sf.Session(spark.readStream.format("rate").load(), budget=1)

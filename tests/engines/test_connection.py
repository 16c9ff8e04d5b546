"""Our DuckDB is offline, silent and leaves nothing behind."""

import tempfile
from pathlib import Path

import duckdb
import pytest

from sfumato.engines.connection import Resources, connection, memory


def settings(database, name):
    return database.execute(
        "SELECT value FROM duckdb_settings() WHERE name = ?", [name]
    ).fetchone()[0]


def test_nothing_is_fetched_logged_or_taken_from_python():
    stranger = 1  # noqa: F841
    with connection(Resources(threads=3, memory_limit="100MB")) as database:
        assert settings(database, "threads") == "3"
        assert settings(database, "autoinstall_known_extensions") == "false"
        assert settings(database, "autoload_known_extensions") == "false"
        assert settings(database, "enable_logging") in ("0", "false")
        assert not settings(database, "log_query_path")
        with pytest.raises(duckdb.Error):
            database.sql("SELECT * FROM stranger")
        with pytest.raises(duckdb.Error, match="httpfs"):
            database.sql("FROM 'https://example.org/visits.parquet'")


def test_what_spills_goes_to_a_folder_that_is_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with connection(Resources(threads=1, memory_limit="20MB")) as database:
        folder = Path(settings(database, "temp_directory"))
        assert folder.parent == tmp_path
        database.execute("CREATE TABLE t AS SELECT range AS a, random() AS b FROM range(4000000)")
        assert list(folder.iterdir())
    assert not list(tmp_path.iterdir())


def test_the_folder_is_removed_also_after_a_failure(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError), connection(Resources()):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("limit", "expected"), [("48MB", 48e6), ("1GB", 1e9), ("1.5GiB", 1.5 * 2**30), ("2TB", 2e12)]
)
def test_a_memory_limit_is_read_as_duckdb_reads_it(limit, expected):
    assert memory(Resources(memory_limit=limit)) == pytest.approx(expected, rel=0.02)


def test_no_memory_limit_is_none():
    assert memory(Resources(threads=2)) is None

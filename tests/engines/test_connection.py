"""Our DuckDB is offline, silent and leaves nothing behind."""

import tempfile
from pathlib import Path

import duckdb
import pytest

from sfumato.engines.connection import Resources, checked, connection, memory
from sfumato.errors import SourceError


def settings(database, name):
    return database.execute(
        "SELECT value FROM duckdb_settings() WHERE name = ?", [name]
    ).fetchone()[0]


def test_nothing_is_fetched_logged_or_taken_from_python():
    stranger = 1  # noqa: F841
    with connection(Resources(threads=3, memory_limit="1GB")) as database:
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


@pytest.mark.parametrize(
    ("threads", "limit", "used"), [(3, None, 3), (3, "1GB", 3), (8, "400MB", 3), (8, "20MB", 1)]
)
def test_no_more_threads_work_than_there_is_memory_for(threads, limit, used):
    with connection(Resources(threads, limit)) as database:
        assert settings(database, "threads") == str(used)


def test_no_bar_is_drawn_across_what_is_printed():
    with connection(Resources()) as database:
        assert settings(database, "enable_progress_bar") == "false"


@pytest.mark.parametrize("threads", [0, -1, 2.0, "2", True, 1025, 10**12])
def test_threads_that_nobody_could_use_are_refused(threads):
    with pytest.raises(SourceError, match=f"^threads={threads!r} makes no sense"):
        checked(Resources(threads=threads))


@pytest.mark.parametrize("limit", ["", "1", "much", "0GB", "1KB", "1MB", 10**9])
def test_memory_that_nothing_fits_into_is_refused(limit):
    with pytest.raises(SourceError, match=f"^memory_limit={limit!r} makes no sense"):
        checked(Resources(memory_limit=limit))


@pytest.mark.parametrize("limit", [None, "16MB", "1 GB", "1.5GiB", "50%"])
def test_memory_is_limited_as_duckdb_spells_it(limit):
    assert checked(Resources(2, limit)) == Resources(2, limit)

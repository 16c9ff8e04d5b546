"""Limits are read once, refused early, and leave nothing behind."""

import stat
import tempfile

import pytest

from sfumato.engines.table import (
    Resources,
    check_resources,
    compute_room,
    count_workers,
    make_temporary_folder,
    read_memory_limit,
)
from sfumato.errors import SourceError


def test_what_spills_goes_to_a_private_folder_that_is_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with make_temporary_folder(Resources()) as folder:
        assert folder.parent == tmp_path
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "rows").write_bytes(b"1")
    assert not list(tmp_path.iterdir())


def test_the_folder_is_removed_also_after_a_failure(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError), make_temporary_folder(Resources()):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("limit", "expected"), [("48MB", 48e6), ("1GB", 1e9), ("1.5GiB", 1.5 * 2**30), ("2TB", 2e12)]
)
def test_a_memory_limit_is_read_as_duckdb_reads_it(limit, expected):
    assert read_memory_limit(Resources(memory_limit=limit)) == pytest.approx(expected, rel=0.02)


def test_no_memory_limit_is_none():
    assert read_memory_limit(Resources(threads=2)) is None


@pytest.mark.parametrize(
    ("threads", "limit", "used"), [(3, None, 3), (3, "1GB", 3), (8, "250MB", 3), (8, "20MB", 1)]
)
def test_no_more_threads_work_than_there_is_memory_for(threads, limit, used):
    assert count_workers(Resources(threads, limit)) == used


@pytest.mark.parametrize("limit", ["16MB", "100MB", "3GB", "9TB", None])
@pytest.mark.parametrize("parts", [1, 3, 16])
def test_rows_fill_a_small_part_of_a_limit_and_no_array_beyond_its_own(limit, parts):
    given = Resources(memory_limit=limit)
    found = compute_room(given, parts)
    assert 0 < found.at_once <= min(found.held, 2**26)
    assert 8 * parts * found.held <= (read_memory_limit(given) or 2**32)


@pytest.mark.parametrize("threads", [0, -1, 2.0, "2", True, 1025, 10**12])
def test_threads_that_nobody_could_use_are_refused(threads):
    with pytest.raises(SourceError, match=f"^threads={threads!r} is not valid"):
        check_resources(Resources(threads=threads))


@pytest.mark.parametrize("limit", ["", "1", "much", "0GB", "1KB", "1MB", 10**9])
def test_memory_that_nothing_fits_into_is_refused(limit):
    with pytest.raises(SourceError, match=f"^memory_limit={limit!r} is not valid"):
        check_resources(Resources(memory_limit=limit))


@pytest.mark.parametrize("limit", [None, "16MB", "1 GB", "1.5GiB", "50%"])
def test_memory_is_limited_as_duckdb_spells_it(limit):
    assert check_resources(Resources(2, limit)) == Resources(2, limit)

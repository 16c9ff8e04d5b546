"""A snapshot changes whenever a file does, and knows nothing where nothing is known."""

import os
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from sfumato.engines.snapshot import take_snapshot
from sfumato.engines.table import Table

ROWS = pa.table({"age": [30, 40]})


def snapshot(source):
    return take_snapshot(Table(source))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(ROWS, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("kind", ["file", "folder", "glob", "list"])
def test_files_that_stay_as_they_are_have_one_snapshot(folder, kind):
    source = {
        "file": folder / "a.parquet",
        "folder": folder,
        "glob": f"{folder}/*.parquet",
        "list": [folder / "a.parquet", folder / "b.parquet"],
    }[kind]
    before = snapshot(source)
    assert before is not None and before == snapshot(source)
    with (folder / "a.parquet").open("ab") as file:
        file.write(b"more")
    assert snapshot(source) != before


def change_size(path: Path) -> None:
    os.truncate(path, 10)


def change_time(path: Path) -> None:
    facts = path.stat()
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))


def replace(path: Path) -> None:
    facts, other = path.stat(), path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    other.replace(path)


def add_file(path: Path) -> None:
    pq.write_table(ROWS, path.with_name("c.parquet"))


@pytest.mark.parametrize("change", [change_size, change_time, replace, add_file])
def test_every_change_of_a_folder_is_noticed(folder, change):
    before = snapshot(folder)
    change(folder / "a.parquet")
    assert snapshot(folder) != before


@pytest.mark.parametrize(
    "frame", [ROWS, ROWS.to_batches()[0], ROWS.to_pandas(), pl.DataFrame(ROWS)]
)
def test_a_table_in_memory_is_told_by_being_the_same(frame):
    assert snapshot(frame) is not None
    assert snapshot(frame) == snapshot(frame)


def test_other_frames_are_other_tables():
    frames = [pd.DataFrame({"age": [1]}) for _ in range(2)]
    assert snapshot(frames[0]) != snapshot(frames[1])


def test_of_views_nothing_is_known(folder):
    views = [
        duckdb.sql("SELECT 1 AS age"),
        pl.scan_parquet(folder / "a.parquet"),
        ds.dataset(folder / "a.parquet"),
    ]
    assert [snapshot(view) for view in views] == [None] * 3


def test_what_cannot_be_listed_is_not_told(tmp_path):
    assert snapshot(tmp_path / "nowhere.parquet") is None

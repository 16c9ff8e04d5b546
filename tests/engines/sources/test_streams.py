"""Streams: any object that hands on Arrow batches, and files that are open already."""

from __future__ import annotations

import gc
import io
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import sfumato as sf
from sfumato.engines import spool as spooling
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns, read_blocks
from sfumato.engines.spool import Spool
from sfumato.errors import SourceError

TABLE = pa.table({"age": [5, 15, 25] * 40, "ward": ["A", "B", None] * 40})


class Holder:
    """Hands on a stream as often as it is asked, and is of no library."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


class One:
    """Hands on one array."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return TABLE.combine_chunks().to_batches()[0].__arrow_c_array__(requested_schema)


def scanner() -> Any:
    return ds.dataset(TABLE).scanner()


STREAMS: dict[str, Any] = {
    "holder": Holder,
    "array": One,
    "reader": TABLE.to_reader,
    "scanner": scanner,
    "relation": lambda: duckdb.connect().from_arrow(TABLE),
    "Polars": lambda: pl.from_arrow(TABLE),
    "bytes": lambda: io.BytesIO(as_csv()),
    "letters": lambda: io.StringIO(as_csv().decode()),
}


def as_csv() -> bytes:
    return b"age,ward\n" + b"5,A\n15,B\n25,\n" * 40


@pytest.mark.parametrize("form", STREAMS)
def test_every_stream_is_a_table_that_charts_read_as_often_as_they_must(form: str) -> None:
    session = sf.Session(
        STREAMS[form](),
        domain={"age": (0, 30), "ward": ["A", "B"]},
        budget=sf.Budget(90, weak=True),
    )
    for _ in range(2):
        ages = session.histplot("age", bins=3, budget=10.0, fresh=True)
        assert np.abs(ages.counts - 40).max() < 6
    # A search reads the table twice.
    box = session.boxplot("ward", "age", bounds=sf.private(), budget=10.0)
    assert len(box.boxes) == 2
    alone = sf.quantiles(STREAMS[form](), "age", bounds=sf.private(), budget=10.0)
    assert alone.quantiles.shape == (1, 3)


def test_batches_come_back_as_they_were_with_dictionaries_of_their_own() -> None:
    batches = [
        pa.record_batch({"g": pa.array(words).dictionary_encode(), "n": [1] * len(words)})
        for words in (["A", "B"], ["C", None], [], ["B", "A", "A"])
        if words
    ]
    odd = pa.array([b"\xff", b"A\xed\xa0\x80"], pa.binary()).view(pa.string()).dictionary_encode()
    batches.append(pa.record_batch({"g": odd, "n": [1, 1]}))
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    source = open_table(reader)
    for _ in range(2):
        blocks = [*read_blocks(source, Columns(["g"]), lambda _: None)]
        stored = [block.column("g").cast(pa.binary()).to_pylist() for block in blocks]
        assert stored == [b.column("g").cast(pa.binary()).to_pylist() for b in batches]


def test_the_file_is_private_and_goes_with_the_table() -> None:
    table = sf.Table(TABLE.to_reader())
    release = sf.histplot(table, "age", bounds=(0, 30), budget=1.0)
    kept = table.source
    assert isinstance(kept, Spool)
    path = kept.keep(lambda *_: pytest.fail("it is there already"), "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_uid == os.getuid()
    assert repr(table) == "Table(<RecordBatchReader>)"
    del table, kept, release
    gc.collect()
    assert not path.exists() and not path.parent.exists()


def test_no_row_is_read_before_the_charge() -> None:
    def rows() -> Any:
        pytest.fail("a row was read")
        yield

    reader = pa.RecordBatchReader.from_batches(TABLE.schema, rows())
    session = sf.Session(reader, budget=1.0)
    plan = session.plan(sf.Histogram("age"), bounds=(0, 30), budget=0.5)
    assert plan.cost
    with pytest.raises(sf.BudgetError):
        session.histplot("age", bounds=(0, 30), budget=5.0)


def test_a_stream_that_was_read_is_refused_and_its_table_is_not() -> None:
    for stream in (TABLE.to_reader(), io.BytesIO(as_csv())):
        table = sf.Table(stream)
        for _ in range(2):
            sf.histplot(table, "age", bounds=(0, 30), budget=1.0)
        with pytest.raises(SourceError, match="was read before"):
            sf.histplot(stream, "age", bounds=(0, 30), budget=1.0)
    holder = Holder()
    for _ in range(2):
        assert sf.histplot(holder, "age", bins=[0, 30], budget=10.0).counts.sum() > 60


def test_a_refused_chart_leaves_the_stream_as_it_was() -> None:
    reader = TABLE.to_reader()
    with pytest.raises(sf.DomainError):
        sf.histplot(reader, "age", budget=1.0)
    assert sf.histplot(reader, "age", bins=[0, 30], budget=10.0).counts.sum() > 60


def test_a_stream_that_breaks_says_always_the_same_and_is_not_read_on() -> None:
    def rows() -> Any:
        yield TABLE.to_batches()[0]
        raise ValueError("u17 is ill")

    table = sf.Table(pa.RecordBatchReader.from_batches(TABLE.schema, rows()))
    with pytest.raises(SourceError) as first:
        sf.histplot(table, "age", bounds=(0, 30), budget=1.0)
    assert "u17" not in str(first.value) and first.value.__cause__ is None
    with pytest.raises(SourceError, match="could not be read to its end"):
        sf.histplot(table, "age", bounds=(0, 30), budget=1.0)


@pytest.mark.parametrize("stream", [pa.chunked_array([[1]]), pa.array([1]), pl.Series([1])])
def test_a_column_is_no_table(stream: object) -> None:
    with pytest.raises(SourceError):
        sf.histplot(stream, "age", bounds=(0, 30), budget=1.0)


def test_a_full_disk_says_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spooling.shutil, "copyfileobj", fail)
    with pytest.raises(SourceError, match="The stream could not be read"):
        sf.histplot(io.BytesIO(as_csv()), "age", bounds=(0, 30), budget=1.0)


def test_a_shell_reads_what_is_piped_into_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from sfumato.cli import main

    monkeypatch.chdir(tmp_path)
    words = ["histplot", "-", "--x", "age", "--bounds", "0,30", "--bins", "3", "--epsilon", "9"]
    monkeypatch.setattr(sys, "argv", ["sfumato", *words])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_csv())))
    with suppress(SystemExit):
        main()
    assert "Histogram of age" in capsys.readouterr().out

"""What is a table, and what is refused before anyone looks."""

import gzip
import os
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.hostile import CANARY
from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import SourceError
from sfumato.grid import Grid
from sfumato.privacy.guarantee import PrivacyUnit

TABLE = pa.table({"x": [1.0, 2.0], "g": ["A", "B"]})


def rows(table):
    return int(DuckEngine(table).counts([], PrivacyUnit.rows()).reveal())


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"x": [1]}, "dict"),
        ([], "list"),
        ([{"x": 1}], "list"),
        (np.zeros(3), "ndarray"),
        (None, "NoneType"),
        (3, "int"),
        (b"visits.csv", "bytes"),
        (pa.array([1]), "Array"),
    ],
)
def test_what_is_no_table_is_refused_by_its_type(table, named):
    with pytest.raises(SourceError, match=f"A \\w*{named} is not a table"):
        DuckEngine(table)


def test_a_batch_is_a_table():
    assert rows(TABLE.to_batches()[0]) == 2


@pytest.mark.parametrize(
    "path", ["missing.csv", "missing/*.parquet", "missing", "", "~nobody-here/x.csv", "a\0b.csv"]
)
def test_a_path_without_files_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError):
        DuckEngine(path)


def test_an_address_is_refused():
    with pytest.raises(SourceError, match="does not use the network"):
        DuckEngine("https://example.org/visits.parquet")
    with pytest.raises(SourceError, match="does not use the network"):
        DuckEngine("s3://bucket/visits.parquet")


def test_a_file_that_may_not_be_read_is_refused_with_its_name(tmp_path):
    path = tmp_path / "visits.parquet"
    path.write_bytes(b"PAR1 this is not Parquet")
    with pytest.raises(SourceError, match=r"visits\.parquet"):
        DuckEngine(path)


def test_files_of_another_kind_or_of_two_kinds_are_refused(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("x,g\n1,A\n")
    (tmp_path / "c.xlsx").write_bytes(b"")
    for paths in ([tmp_path / "a.parquet", tmp_path / "b.csv"], tmp_path / "c.xlsx"):
        with pytest.raises(SourceError, match="all Parquet"):
            DuckEngine(paths)


def test_a_folder_holds_its_parts_and_no_hidden_files(tmp_path):
    folder = tmp_path / "visits.parquet"
    (folder / "2026").mkdir(parents=True)
    (folder / "odd.parquet").mkdir()
    (folder / "_temporary").mkdir()
    pq.write_table(TABLE, folder / "part-0.parquet")
    pq.write_table(TABLE, folder / "2026" / "part-1.PARQUET")
    pq.write_table(TABLE, folder / ".hidden.parquet")
    pq.write_table(TABLE, folder / "_temporary" / "part-2.parquet")
    (folder / "_SUCCESS").write_text("")
    assert rows(folder) == rows(str(folder)) == 4


def test_a_pattern_finds_no_hidden_copies_unless_it_names_them(tmp_path):
    for place in ("2026", "_temporary/0", ".staging"):
        (tmp_path / place).mkdir(parents=True)
        pq.write_table(TABLE, tmp_path / place / "part-0.parquet")
    assert rows(f"{tmp_path}/**/*.parquet") == rows(f"{tmp_path}/*/*.parquet") == 2
    assert rows(f"{tmp_path}/_temporary/*/*.parquet") == 2


def test_a_folder_behind_a_link_is_not_left_out_in_silence(tmp_path):
    folder = tmp_path / "visits"
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir()
    pq.write_table(TABLE, folder / "part-0.parquet")
    assert rows(folder) == 2
    (folder / CANARY).symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(SourceError, match="link to another folder") as refused:
        DuckEngine(folder)
    assert CANARY not in str(refused.value)


def test_times_of_96_bits_are_those_that_were_written(tmp_path):
    path = tmp_path / "t.parquet"
    times = pa.array([datetime(year, 6, 1) for year in (1, 1500, 2026, 9999)], pa.timestamp("us"))
    pq.write_table(pa.table({"t": times}), path, use_deprecated_int96_timestamps=True)
    grid = Grid("t", Bounds.of((datetime(1, 1, 1), datetime(9999, 12, 31))), 10)
    counts = DuckEngine(path).counts([grid], PrivacyUnit.rows()).reveal()
    assert counts.tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]


def test_a_folder_of_csv_files_is_a_table_whatever_else_explains_it(tmp_path):
    (tmp_path / "2026").mkdir()
    (tmp_path / "one.csv").write_text("x,g\n1,A\n")
    (tmp_path / "2026" / "two.CSV.GZ").write_bytes(gzip.compress(b"x,g\n1,A\n2,B\n"))
    (tmp_path / "_committed.csv").write_text("x\n")
    (tmp_path / "README.txt").write_text("Visits, by year.\n")
    (tmp_path / "codebook.pdf").write_bytes(b"")
    assert rows(tmp_path) == 3
    pq.write_table(TABLE, tmp_path / "2026" / "three.parquet")
    with pytest.raises(SourceError, match="all Parquet"):
        DuckEngine(tmp_path)
    (tmp_path / "one.csv").unlink()
    (tmp_path / "2026" / "two.CSV.GZ").unlink()
    assert rows(tmp_path) == 2


@pytest.mark.parametrize("name", ["README.txt", "_part-0.csv", ".part-0.csv.crc", "visits.csv.bz2"])
def test_a_folder_without_data_is_refused(name, tmp_path):
    (tmp_path / name).write_text("x\n1\n")
    with pytest.raises(SourceError, match="There is no file at"):
        DuckEngine(tmp_path)


def test_no_path_is_not_the_folder_one_is_in(tmp_path, monkeypatch):
    (tmp_path / "visits.csv").write_text("x\n1\n")
    monkeypatch.chdir(tmp_path)
    assert rows(".") == 1
    with pytest.raises(SourceError, match="There is no file at ''"):
        DuckEngine("")


def test_a_folder_that_cannot_be_listed_is_not_left_out(tmp_path, monkeypatch):
    for place in ("open", CANARY):
        (tmp_path / place).mkdir()
        (tmp_path / place / "visits.csv").write_text("x\n1\n")
    assert rows(tmp_path) == 2
    listed = os.scandir

    def forbidden(path):
        if str(path).endswith(CANARY):
            raise PermissionError(path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", forbidden)
    with pytest.raises(SourceError, match="The path could not be read") as caught:
        DuckEngine(tmp_path)
    assert CANARY not in str(caught.value)


def test_a_file_named_twice_is_refused(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    pq.write_table(TABLE, tmp_path / "b.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "a.parquet")
    for paths in (
        [tmp_path / "a.parquet", str(tmp_path / "a.parquet")],
        [f"{tmp_path}/a.parquet", f"{tmp_path}/[ab].parquet"],
        f"{tmp_path}/*.parquet",
    ):
        with pytest.raises(SourceError, match="named more than once"):
            DuckEngine(paths)


def test_a_file_with_two_names_in_the_file_system_is_one_file(tmp_path):
    (tmp_path / "one.csv").write_text("a\n1\n")
    (tmp_path / "two.csv").hardlink_to(tmp_path / "one.csv")
    with pytest.raises(SourceError, match="named more than once"):
        DuckEngine(f"{tmp_path}/*.csv")


def test_globs_reach_into_folders(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    pq.write_table(TABLE, tmp_path / "a" / "one.parquet")
    pq.write_table(TABLE, tmp_path / "a" / "b" / "two.parquet")
    assert rows(f"{tmp_path}/**/*.parquet") == 4
    assert rows(f"{tmp_path}/a/*.parquet") == 2


def test_a_name_that_looks_like_a_pattern_is_a_name_first(tmp_path):
    for name in ("visits[1].parquet", "visits1.parquet"):
        pq.write_table(TABLE, tmp_path / name)
    (tmp_path / "v[1]*.csv").write_text("x\n1\n")
    (tmp_path / "v1z.csv").write_text("x\n1\n2\n3\n")
    assert rows(tmp_path / "visits[1].parquet") == 2
    assert rows(tmp_path / "v[1]*.csv") == 1


@pytest.mark.parametrize("name", ["it's.csv", 'quo"te.csv', "sp ace.csv", "ünï.csv", "semi;.csv"])
def test_names_with_quotes_and_spaces_are_names(name, tmp_path):
    (tmp_path / name).write_text("x\n1\n")
    assert rows(tmp_path / name) == 1


@pytest.mark.parametrize("name", ['a"b', "a'b", "a b", "ä", "select", "a.b", "^a$", "#1", "*"])
def test_any_column_name_is_a_name(name, tmp_path):
    from engines.forms import FORMS

    table = pa.table({"other": ["1", "2", "3"], name: ["A", "B", "B"], "u": ["1", "1", "2"]})
    for form in FORMS:
        folder = tmp_path / form.replace(" ", "-").replace(",", "")
        folder.mkdir()
        engine = DuckEngine(FORMS[form](table, folder))
        assert list(engine.schema().columns)[1] == name
        exact = engine.occupied(name, PrivacyUnit.users("u", max_rows=2))
        assert exact.reveal_labels() == ("A", "B"), form


def test_columns_that_differ_only_in_case_are_two(tmp_path):
    from engines.forms import FORMS

    table = pa.table({"a": ["A", "A"], "A": ["B", "C"], "u": ["1", "2"]})
    for form in FORMS:
        if form.startswith("DuckDB"):
            continue
        folder = tmp_path / form.replace(" ", "-").replace(",", "")
        folder.mkdir()
        engine = DuckEngine(FORMS[form](table, folder))
        assert engine.occupied("a", PrivacyUnit.rows()).reveal_labels() == ("A",), form
        assert engine.occupied("A", PrivacyUnit.rows()).reveal_labels() == ("B", "C"), form

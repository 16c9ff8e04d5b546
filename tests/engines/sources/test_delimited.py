"""CSV files are read by one rule, and a record that is well written moves no other."""

import csv
import gzip
import os
import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.hostile import CANARY
from sfumato.domain import Bounds
from sfumato.engines.duck import DuckEngine
from sfumato.engines.sources import delimited
from sfumato.engines.sources.delimited import DelimitedFiles
from sfumato.engines.sources.parts import parts_at
from sfumato.engines.sources.records import LONGEST
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid
from sfumato.privacy.unit import PrivacyUnit

PIECES = [b"a", b"1", b" ", b",", b",", b",", b"\n", b"\n", b"\r\n", b"\r", b'"', b'""', b"\xff"]
PIECES += [b"\x00", b"\\", b"'", b"#", b'"x,y"', b'"l\nm"', "é".encode(), b"\xef\xbb\xbf", b";"]


def read(path, *columns):
    source = DelimitedFiles(parts_at(path))
    names = columns or tuple(source.kinds)
    batches = [batch for batch, _ in source.batches(Columns(names))]
    columns = [[text.cast(pa.binary()) for text in batch.columns] for batch in batches]
    rows = (row for batch in columns for row in zip(*map(pa.Array.to_pylist, batch), strict=True))
    return [tuple(text and text.decode(errors="replace") for text in row) for row in rows]


def file(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_first_line_tells_the_separator(separator, tmp_path):
    lines = [["first name", "b"], ["1", "x"], ["", "y"]]
    path = file(tmp_path, "\n".join(map(separator.join, lines)))
    assert read(path) == [("1", "x"), (None, "y")]
    assert list(DuckEngine(path).schema().columns.items()) == [
        ("first name", "text"),
        ("b", "text"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_marks_and_line_ends_are_no_data(mark, end, tmp_path):
    path = file(tmp_path, mark + f"a,b{end or chr(10)}1,2{end}".encode())
    assert read(path, "a", "b") == [("1", "2")]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst", "t.tsv.gz", "T.CSV"])
def test_packed_files_are_unpacked(name, tmp_path):
    content = b"a\tb\n1\t2\n"
    if name.endswith("gz"):
        content = gzip.compress(content)
    if name.endswith("zst"):
        content = pa.compress(content, "zstd", asbytes=True)
    assert read(file(tmp_path, content, name)) == [("1", "2")]


PACK = {".gz": gzip.compress, ".zst": lambda plain: pa.compress(plain, "zstd", asbytes=True)}


@pytest.mark.parametrize("ending", PACK)
def test_files_packed_in_several_pieces_are_read_to_their_end(ending, tmp_path):
    pack, rows = PACK[ending], b"1,a\n" * 2**20
    pieces = [b"x,y\n", rows, b"", b"2,b", b"\n3,c\n", b""]  # one ends where a chunk does
    path = file(tmp_path, b"".join(map(pack, pieces)), f"t.csv{ending}")
    assert read(path, "x")[2**20 :] == [("2",), ("3",)]


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("missing", [1, 8, 2**15])
def test_a_packed_file_that_is_cut_short_is_an_error_and_no_short_table(missing, ending, tmp_path):
    generator = random.Random(0)
    rows = "".join(f"{generator.random()},{CANARY}\n" for _ in range(2**16))
    whole = PACK[ending](b"x,y\n" + rows.encode())
    engine = DuckEngine(file(tmp_path, whole, f"t.csv{ending}"))
    assert engine.counts([], PrivacyUnit.rows()).reveal() == 2**16
    engine = DuckEngine(file(tmp_path, whole[:-missing], f"t.csv{ending}"))
    with pytest.raises(SourceError, match="could not be read") as caught:
        engine.counts([], PrivacyUnit.rows())
    assert CANARY not in str(caught.value)
    assert caught.value.__context__ is None


def test_many_files_are_not_held_open(tmp_path):
    resource = pytest.importorskip("resource")
    for part in range(300):
        file(tmp_path, f"x\n{part % 10}\n", f"{part}.csv")
    spare = os.open(os.devnull, os.O_RDONLY)
    os.close(spare)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (spare + 50, limits[1]))
    try:
        exact = DuckEngine(tmp_path).counts([Grid("x", Bounds(0, 10), 10)], PrivacyUnit.rows())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert exact.reveal().tolist() == [30] * 10


def test_quotes_hold_separators_quotes_and_line_breaks(tmp_path):
    content = 'a,"b,c"\n"1,5","say ""hi"""\n"two\r\nlines",\n"5"" pipe",""\n'
    expected = [("1,5", 'say "hi"'), ("two\r\nlines", None), ('5" pipe', None)]
    assert read(file(tmp_path, content), "a", "b,c") == expected


ROWS = ("", "1,2\n", "CANARY-7f3a,2\n", '1,"CANARY-7f3a"\n', '1,""\n"CANARY-7f3a",2\n', '1,"\n')


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("names", ['a,"b\n', '5" pipe,b\n', 'a,"\n', "a,b\r", "a\rb,c\n"])
def test_names_never_reach_into_the_data(names, rows, tmp_path):
    with pytest.raises(SourceError, match="does not begin with the names of its columns") as caught:
        DuckEngine(file(tmp_path, names + rows.replace("\n", "\r" if "\n" not in names else "\n")))
    assert "CANARY" not in str(caught.value)


def test_quotes_in_names_are_names(tmp_path):
    assert read(file(tmp_path, '"5"" pipe",b\n1,2\n'), '5" pipe') == [("1",)]
    assert read(file(tmp_path, '"5"" pipe",b\r\n1,2\r\n'), '5" pipe', "b") == [("1", "2")]


def test_bytes_that_are_not_unicode_below_the_names_do_not_matter_at_opening(tmp_path):
    assert read(file(tmp_path, b"a,b\n\xff,2\n3,4\n")) == [("\ufffd", "2"), ("3", "4")]


def test_a_column_without_a_name_has_the_empty_one(tmp_path):
    assert read(file(tmp_path, ",a\n0,x\n"), "", "a") == [("0", "x")]


def test_kinds_are_never_guessed_from_values(tmp_path):
    values = ["1", "007", "true", "2026-01-01", "NULL", "NA", "nan", "{}", "1e5", " x "]
    assert read(file(tmp_path, "a\n" + "\n".join(values))) == [(value,) for value in values]


def test_malformed_lines_are_left_out_and_stop_nobody(tmp_path):
    good = b"1,2,3\n"
    lines = [b"1,2\n", b"1,2,3,4\n", b"1\r2,2,3\n", b"\n", b"x" * (LONGEST + 9) + b",2,3\n"]
    content = b"a,b,c\n" + good + good.join(lines) + good
    assert read(file(tmp_path, content)) == [("1", "2", "3")] * 6
    assert read(file(tmp_path, b'a,b,c\n1,2,3\n"open,2,3\n4,5,6\n')) == [("1", "2", "3")]


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))
def test_no_bytes_are_an_error(tmp_path, content):
    path = file(tmp_path, b"a,b,c\n" + content)
    assert all(len(row) == 3 for row in read(path))


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(
    rows=st.lists(
        st.tuples(*[st.text("ab,;\n\r\"'\\ \t|#é\U0001f600", max_size=6)] * 3), max_size=8
    ),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    separator=st.sampled_from(delimited.SEPARATORS),
)
def test_what_a_proper_writer_wrote_is_read_back(tmp_path, rows, quoting, end, separator):
    path = tmp_path / "proper.csv"
    if quoting == csv.QUOTE_MINIMAL:  # which forgets that \r must be quoted, too
        rows = [tuple(field.replace("\r", "") for field in row) for row in rows]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=end)
        writer.writerows([("a", "b", "c"), *rows])
    assert read(path) == [tuple(field or None for field in row) for row in rows]


@pytest.mark.slow
def test_quoted_line_breaks_survive_files_of_many_buffers(tmp_path):
    generator = random.Random(0)
    path = tmp_path / "long.csv"
    text = "line\n" * 40
    with path.open("w") as stream:
        stream.write("a,b\n")
        for number in range(400_000):
            stream.write(f'{number % 10},"{text[: generator.randrange(200)]}"\n')
    assert path.stat().st_size > 32 * 2**20  # many chunks
    exact = DuckEngine(path).counts([Grid("a", Bounds(0, 10), 10)], PrivacyUnit.rows())
    assert exact.reveal().tolist() == [40_000] * 10


@pytest.mark.parametrize("size", [2**20, 2**25 + 2**20])
def test_a_long_record_is_left_out_and_moves_no_other(size, tmp_path):
    """DuckDB loses its place in a record that is longer than its buffer."""
    rows = b"".join(b"%d,x\n" % (number % 10) for number in range(5000))
    path = file(tmp_path, b"a,b\n" + rows + b'5,"' + b"7,x\n" * (size // 4) + b'"\n' + rows)
    exact = DuckEngine(path).counts([Grid("a", Bounds(0, 10), 10)], PrivacyUnit.rows())
    assert exact.reveal().tolist() == [1000] * 10


def test_a_carriage_return_within_a_field_makes_no_second_row(tmp_path):
    assert read(file(tmp_path, b"a\nx\ry\rz\nw\n")) == [("w",)]
    assert read(file(tmp_path, b'a\n"x\ry\rz"\nw\n')) == [("x\ry\rz",), ("w",)]


def test_several_files_are_one_table(tmp_path):
    paths = [file(tmp_path, f"a,b\n{n},x\n", f"{n}.csv") for n in range(3)]
    assert DuckEngine(paths).counts([], PrivacyUnit.rows()).reveal() == 3
    assert DuckEngine(f"{tmp_path}/*.csv").counts([], PrivacyUnit.rows()).reveal() == 3


@pytest.mark.parametrize("other", ["a,c\n1,2\n", "b,a\n1,2\n", "a;b\n1;2\n"])
def test_files_that_begin_differently_are_refused(other, tmp_path):
    file(tmp_path, "a,b\n1,2\n", "one.csv")
    file(tmp_path, other, "two.csv")
    with pytest.raises(SourceError, match="different lines"):
        DuckEngine(f"{tmp_path}/*.csv")


@pytest.mark.parametrize("content", [b"", b"\n1,2\n", b"\xef\xbb\xbf", b" \n"])
def test_a_file_without_names_is_refused(content, tmp_path):
    with pytest.raises(SourceError, match="names of its columns"):
        DuckEngine(file(tmp_path, content))


def test_names_that_repeat_or_are_not_unicode_are_refused(tmp_path):
    with pytest.raises(SourceError, match="more than one column 'a'"):
        DuckEngine(file(tmp_path, "a,b,a\n1,2,3\n"))
    with pytest.raises(SourceError, match="could not be read"):
        DuckEngine(file(tmp_path, "naïve\n".encode("latin-1")))
    with pytest.raises(SourceError, match="could not be read"):
        DuckEngine(file(tmp_path, b"not packed", "t.csv.gz"))

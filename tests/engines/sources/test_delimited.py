"""CSV files are read by one rule, and a record that is well written moves no other."""

import csv
import gzip
import io
import os
import random
import re
from functools import partial
from itertools import chain, product

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.hostile import CANARY
from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources import delimited
from sfumato.engines.sources.delimited import LONGEST, DelimitedFiles, split_records
from sfumato.engines.sources.files import list_files
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid
from sfumato.privacy.guarantee import PrivacyUnit

PIECES = [b"a", b"1", b" ", b",", b",", b",", b"\n", b"\n", b"\r\n", b"\r", b'"', b'""', b"\xff"]
PIECES += [b"\x00", b"\\", b"'", b"#", b'"x,y"', b'"l\nm"', "é".encode(), b"\xef\xbb\xbf", b";"]


def read(path, *columns, errors="replace"):
    source = DelimitedFiles(list_files(path))
    names = columns or tuple(source.kinds)
    batches = [batch for batch, _ in source.batches(Columns(names))]
    columns = [[text.cast(pa.binary()) for text in batch.columns] for batch in batches]
    rows = (row for batch in columns for row in zip(*map(pa.Array.to_pylist, batch), strict=True))
    way = {"encoding": "latin-1"} if errors == "latin-1" else {"errors": errors}
    return [tuple(text and text.decode(**way) for text in row) for row in rows]


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


MARK = b"\xef\xbb\xbf"
FEW = [b"a", b",", b"\n", b"\r", b'"', b"\x00", b"\xef", b"\xbb", MARK]
NASTY = [*FEW, b" ", b'""', b"\x1a", b"\\", b"\xc2\x85", b"\xbf", b"\xff\xfe", b"\xfe\xff"]


def written(records, folder, fields, name="table.csv"):
    names = ",".join(f"c{index}" for index in range(fields))
    return file(folder, names.encode() + b"\n" + b"".join(records), name)


def chunks_of(monkeypatch, size):
    monkeypatch.setattr(delimited, "split_records", partial(split_records, chunk=size))


@pytest.mark.parametrize("fields", [1, 2])
def test_records_read_together_are_those_read_alone(fields, tmp_path, monkeypatch):
    """Of all bytes, and of all pairs of nasty ones, in pieces that begin with any of them."""
    starts = [bytes([letter]) for letter in range(256)] + [*map(b"".join, product(FEW, FEW))]
    records = [start + b",x"[: 2 * fields - 2] + b"\n" for start in starts]
    records = [record for record in records if record.count(b'"') % 2 == 0]
    expected = [row for each in records for row in read(written([each], tmp_path, fields))]
    assert len(expected) > 256
    together = written(records, tmp_path, fields)
    for size in (1, 3, 50, 2**22):
        chunks_of(monkeypatch, size)
        assert read(together) == expected


FIELD = rb'(?:"(?:[^"]|"")*"|[^",\r\n]*)'


def fields_of(record, fields):
    """Return a record's fields as Python reads them, or nothing where it is not well written."""
    if not re.fullmatch(b",".join([FIELD] * fields) + rb"\r?\n", record) or record in (
        b"\n",
        b"\r\n",
    ):
        return []
    (row,) = csv.reader([record.decode("latin-1")])
    return [tuple(field or None for field in row)]


@pytest.mark.parametrize("fields", [1, 2])
def test_all_short_records_are_read_as_a_reader_of_one_line_reads_them(
    fields, tmp_path, monkeypatch
):
    texts = map(b"".join, chain.from_iterable(product(FEW, repeat=n) for n in range(4)))
    records = [text + b"\n" for text in texts if b"\n" not in text and text.count(b'"') % 2 == 0]
    expected = [row for each in records for row in fields_of(each, fields)]
    path = written(records, tmp_path, fields)
    for size in (1, 9, 2**22):
        chunks_of(monkeypatch, size)
        assert read(path, errors="latin-1") == expected


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(
    records=st.lists(
        st.lists(st.sampled_from(NASTY) | st.binary(max_size=40), max_size=6).map(b"".join),
        max_size=12,
    ),
    size=st.integers(1, 60),
    last=st.sampled_from([b"", b"\n"]),
)
def test_no_record_moves_another(tmp_path, records, size, last):
    records = [record + b"\n" for record in records if record.count(b'"') % 2 == 0]
    expected = [row for each in records for row in read(written([each], tmp_path, 2))]
    path = written([b"".join(records).removesuffix(b"\n") + last], tmp_path, 2)
    with pytest.MonkeyPatch.context() as patch:
        chunks_of(patch, size)
        assert read(path) == expected


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_a_byte_order_mark_is_no_data_where_a_file_begins_and_nowhere_else(ending, tmp_path):
    pack = PACK.get(ending, bytes)
    content = MARK + b'"a",b\n' + MARK + b"1,2\n"
    for part in range(2):
        file(tmp_path, pack(content), f"{part}.csv{ending}")
    assert read(f"{tmp_path}/*.csv{ending}", "a", "b") == [("\ufeff1", "2")] * 2


class Watched(io.FileIO):
    """A file that tells how far it was read."""

    farthest = 0

    def read(self, size=-1, /):
        found = super().read(size)
        Watched.farthest = max(Watched.farthest, self.tell())
        return found


@pytest.mark.parametrize(("ending", "most"), [("", 4), (".gz", 2**16), (".zst", 2**16)])
def test_no_more_than_the_first_line_is_asked_for_before_a_charge(ending, most, tmp_path):
    rows = random.Random(0).randbytes(2**20)
    path = file(tmp_path, PACK.get(ending, bytes)(b"a,b\n" + rows), f"t.csv{ending}")
    Watched.farthest = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(path), "open", lambda self, mode, buffering: Watched(self))
        source = DelimitedFiles(list_files(path))
    assert list(source.kinds) == ["a", "b"]
    assert 4 <= Watched.farthest <= most


@pytest.mark.parametrize("ending", PACK)
def test_the_first_line_may_be_packed_in_several_pieces(ending, tmp_path):
    pieces = map(PACK[ending], [b"", b"a", b"", b",", b"b\r\n1", b",2\n"])
    assert read(file(tmp_path, b"".join(pieces), f"t.csv{ending}"), "a", "b") == [("1", "2")]


@pytest.mark.parametrize("rows", [b"", b"\n1,2\n"])
def test_a_first_line_that_is_too_long_is_refused(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST", 100)
    assert read(file(tmp_path, b"a" * 99 + b"\n1\n")) == [("1",)]
    with pytest.raises(SourceError, match="names of its columns"):
        DelimitedFiles(list_files(file(tmp_path, b"a," + b"b" * 100 + rows)))


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

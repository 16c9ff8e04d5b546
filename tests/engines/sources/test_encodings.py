"""CSV files in every encoding that is known by name, with bytes that mean nothing in it."""

from __future__ import annotations

import codecs
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines import file_format
from sfumato.engines.columns import read_identities
from sfumato.engines.file_format import ENCODINGS, FileFormat, Transcoder
from sfumato.engines.sources.delimited import Layout, split_records
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns, read_blocks
from sfumato.errors import SourceError
from sfumato.testing import seeded

WIDE = ("utf-16", "utf-16-le", "utf-16-be")
NARROW = [encoding for encoding in ENCODINGS if encoding not in (*WIDE, "utf-8")]


def transcode(data: bytes, encoding: str, size: int = 1000) -> bytes:
    reader, found = Transcoder(BytesIO(data).read, encoding), b""
    while more := reader.read(size):
        found += more
    return found


def split(data: bytes, encoding: str, size: int) -> list[bytes]:
    read = FileFormat(encoding).open(BytesIO(data).read)
    return b"".join(split_records(read, Layout(",", 2), chunk=size)).split(b"\n")[:-1]


@pytest.mark.parametrize("encoding", NARROW)
def test_letters_that_part_records_mean_themselves_whatever_stands_before(encoding: str) -> None:
    assert transcode(b'",;\t|:\r\n09az', encoding) == b'",;\t|:\r\n09az'
    for lead in range(128, 256):
        for second in (b"", b"\xa1", b"\x30", b"\x8f"):
            found = transcode(bytes([lead]) + second + b"\nA", encoding)
            assert found.endswith(b"\nA"), (lead, second)


def test_an_encoding_with_a_state_would_be_noticed() -> None:
    # Its second letters swallow what follows, until another sequence ends it.
    assert not transcode(b"\x1b$B!!\nA", "iso2022_jp").endswith(b"\nA")


HOSTILE = st.binary(max_size=12).map(lambda data: data.translate(None, b'\n\r",'))


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "gb18030", "shift_jis", "euc_jp", "big5"]
)
@settings(max_examples=60)
@given(records=st.lists(HOSTILE, max_size=6), size=st.integers(1, 40))
def test_no_bytes_are_an_error_or_move_another_record(
    encoding: str, records: list[bytes], size: int
) -> None:
    lines = [b"1," + record + b"\n" for record in records]
    alone = [split(b"n,v\n" + line, encoding, 1000) for line in lines]
    assert split(b"n,v\n" + b"".join(lines), encoding, size) == [one for (one,) in alone]


PAIRS = st.lists(st.binary(min_size=2, max_size=2), max_size=8).map(
    lambda units: b"".join(
        unit for unit in units if unit.decode("utf-16-le", "replace") not in tuple('\n\r",')
    )
)


@settings(max_examples=60)
@given(records=st.lists(PAIRS, max_size=6), size=st.integers(1, 40))
def test_halves_of_letters_stay_in_their_record(records: list[bytes], size: int) -> None:
    comma, feed = "1,".encode("utf-16-le"), "\n".encode("utf-16-le")
    lines = [comma + record + feed for record in records]
    header = "n,v\n".encode("utf-16-le")
    alone = [split(header + line, "utf-16-le", 1000) for line in lines]
    assert split(header + b"".join(lines), "utf-16-le", size) == [one for (one,) in alone]


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "utf-16-le"])
def test_people_whose_names_hold_bytes_that_mean_nothing_stay_apart(
    encoding: str, tmp_path: Path
) -> None:
    check_people(encoding, tmp_path)


def check_people(encoding: str, tmp_path: Path) -> None:
    lost = [b"\x81", b"\x8d", b"\x8f", b"\x81\x81", b"\xff", b"\x00\xdc", b"\x01\xdc", b"\x00\xd8"]
    wide = encoding in WIDE
    names = [name for name in lost if len(name) == 2] if wide else lost
    comma, feed, head = (text.encode(encoding) for text in ("x,", "\n", "v,who\n"))
    path = tmp_path / "people.csv"
    path.write_bytes(head + b"".join(comma + name + feed for name in names))
    source = open_table(path, file_format=FileFormat(encoding))
    blocks = read_blocks(source, Columns(["who"]), lambda _: None)
    whose = [each for block in blocks for each in read_identities(block.column("who")).to_pylist()]
    assert len(set(whose)) == len(names)


def test_a_line_feed_taken_by_half_a_letter_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The last line of a file is where Python's own decoder takes it.
    lines = b"n,v\n1,\x800\n"
    assert split(lines, "gb18030", 1000) == [b"1,\xed\xb2\x800"]
    assert transcode(lines, "gb18030").endswith(b"0\n")
    codecs.register_error("taken", lambda lost: ("?", getattr(lost, "end")))  # noqa: B009
    monkeypatch.setattr(file_format, "_ESCAPE", "taken")
    monkeypatch.setattr(file_format, "_EAST", ())
    assert not transcode(lines, "gb18030").endswith(b"\n")


@pytest.mark.parametrize("encoding", ["gb18030", "euc_jp", "shift_jis", "big5"])
@pytest.mark.parametrize("half", [b"\xef1", b"\x81", b"\x8f", b"\x8f\xa1", b"\xef1\xef"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_half_a_letter_in_quotes_takes_neither_the_quote_nor_other_records(
    encoding: str, half: bytes, size: int
) -> None:
    cut, others = b'1,"' + half + b'"\n', b"2,a\n3,b\n"
    found = split(b"n,v\n" + cut + others, encoding, size)
    assert found == [*split(b"n,v\n" + cut, encoding, 1000), b"2,a", b"3,b"]
    assert len(found) == 3


def test_a_line_longer_than_a_record_is_cut_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_format, "_LONGEST_LINE", 2**21 + 5)
    long = b'1,"' + b"\x81\x30\x81\x30" * (2**19 + 9) + b'"\n'
    assert split(b"n,v\n" + long + b"2,a\n", "gb18030", 1000) == [b"2,a"]


def test_people_made_one_by_a_common_sign_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(file_format, "_ESCAPE", "replace")
    with pytest.raises(AssertionError):
        check_people("cp1252", tmp_path)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "UTF-16", "utf-16-be", "gb18030"])
def test_charts_of_an_encoded_file_are_those_of_its_letters(encoding: str, tmp_path: Path) -> None:
    text = "stadt;größe\n" + "Köln;1,5\nBad Tölz;1.234,5\n" * 50
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    table = sf.Table(
        tmp_path / "a.csv", encoding=encoding, delimiter=";", decimal=",", thousands="."
    )
    with seeded(1):
        towns = sf.histplot(table, "stadt", order=["Köln", "Bad Tölz"], budget=100.0 / 10)
    sizes = sf.histplot(table, "größe", bins=[0, 2, 2000], budget=10.0)
    assert np.abs(towns.counts - 50).max() < 5 and np.abs(sizes.counts - 50).max() < 5


@pytest.mark.parametrize("end", [b"", b"\xd8", b"\x0a", b"\x00", b"\x00\xd8", b"\xff\xfe"])
def test_a_file_that_is_cut_off_is_read_to_its_end(end: bytes, tmp_path: Path) -> None:
    rows = "v,g\n" + "1,A\r\n" * 20
    (tmp_path / "cut.csv").write_bytes(codecs.BOM_UTF16_LE + rows.encode("utf-16-le") + end)
    source = open_table(tmp_path / "cut.csv", file_format=FileFormat("utf-16"))
    found = sum(b.num_rows for b in read_blocks(source, Columns(["v", "g"]), lambda _: None))
    assert found == 20


@pytest.mark.parametrize(
    "encoding", ["utf-7", "iso2022_jp", "idna", "rot13", "cp037", "", None, "x" * 99]
)
def test_an_encoding_that_is_not_known_is_refused(encoding: str | None) -> None:
    with pytest.raises(SourceError, match="encoding"):
        sf.Table("a.csv", encoding=encoding)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("delimiter", ["", '"', "\n", "ab", "a", "0", "é", 3])
def test_a_delimiter_that_is_not_known_is_refused(delimiter: str) -> None:
    with pytest.raises(SourceError, match="delimiter"):
        sf.Table("a.csv", delimiter=delimiter)


def test_only_files_of_text_have_an_encoding() -> None:
    frame = pd.DataFrame({"a": [1]})
    for said in ({"encoding": "latin-1"}, {"delimiter": ";"}, {"dates": {"a": "%Y"}}):
        with pytest.raises(SourceError, match="are for CSV files"):
            sf.Table(frame, **said)  # pyright: ignore[reportArgumentType]
        with pytest.raises(SourceError, match=r"CSV|Parquet|could not be read|no file"):
            sf.histplot(sf.Table("a.parquet", **said), "a", bounds=(0, 1), budget=1.0)  # pyright: ignore[reportArgumentType]

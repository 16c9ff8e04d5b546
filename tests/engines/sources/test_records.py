"""Records are cut by quotes and line feeds alone, wherever the chunks of a file end."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.sources import delimited as records
from sfumato.engines.sources.delimited import Layout, split_records

FIELDS = 2
LETTERS = st.lists(st.sampled_from([b"a", b",", b'"', b"\n", b"\r", b'"\n', b"\r\n"]), max_size=60)


def cut(content: bytes, chunk: int) -> bytes:
    return b"".join(split_records(io.BytesIO(content).read, Layout(",", FIELDS), chunk=chunk))


def oracle(content: bytes, longest: int) -> bytes:
    """Cut records letter by letter."""
    found, record, quoted = [], b"", False
    for index in range(len(content)):
        letter = content[index : index + 1]
        record += letter
        quoted ^= letter == b'"'
        if letter == b"\n" and not quoted:
            found.append(record)
            record = b""
    if record and not quoted:
        found.append(record + b"\n")
    return b"".join(record for record in found[1:] if kept(record, longest))


FIELD = rb'(?:"(?:[^"]|"")*"|[^",\r\n]*)'
RECORD = re.compile(rb"%b,%b\r?\n" % (FIELD, FIELD))


def kept(record: bytes, longest: int) -> bool:
    return RECORD.fullmatch(record) is not None and len(record) <= longest


@pytest.mark.parametrize("longest", [5, 12, 1000])
@given(content=LETTERS.map(b"".join), chunk=st.integers(1, 70))
def test_records_are_those_found_letter_by_letter(longest, content, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "LONGEST", longest)
        assert cut(content, chunk) == oracle(content, longest)


@given(content=LETTERS.map(b"".join), chunk=st.integers(1, 70))
def test_cutting_at_every_line_feed_would_be_noticed(content, chunk):
    quoted = b'h,h\n"a\nb",c\n' + content.replace(b'"', b"")
    assert cut(quoted, chunk).startswith(b'"a\nb",c\n')


@given(before=st.integers(0, 5), after=st.integers(0, 5), text=st.text('ab,"\r\n', max_size=30))
def test_a_record_that_is_well_written_moves_no_other(before, after, text):
    own = b'"' + text.replace('"', '""').encode() + b'",x\n'
    with_it = cut(b"h,h\n" + b"1,a\n" * before + own + b"2,b\n" * after, chunk=7)
    assert with_it == b"1,a\n" * before + own + b"2,b\n" * after

"""Dates in text, by a format that is declared: each text is read by itself, and none fails."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines.file_format import DateFormat
from sfumato.engines.text_dates import read_dates
from sfumato.errors import SourceError

FORMATS = [
    "%d/%m/%Y %H:%M",
    "%Y-%m-%d",
    "%m/%d/%y",
    "%d %b %Y",
    "%B %d, %Y %I:%M %p",
    "%Y%m%d%H%M%S",
    "%Y-%j",
    "%Y-%m-%dT%H:%M:%S.%f%z",
    "%Y",
    "%d.%m.%Y 100%%",
]


def oracle(text: str, written: str) -> datetime | None:
    try:
        found = datetime.strptime(text.strip(" \t"), written)
    except (ValueError, OverflowError):
        return None
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def read(texts: list[str | None], written: str) -> list[datetime | None]:
    return read_dates(pa.array(texts, pa.string()), DateFormat(written)).to_pylist()


@pytest.mark.parametrize("written", FORMATS)
@settings(max_examples=60)
@given(
    moments=st.lists(
        st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 30)), min_size=1, max_size=8
    )
)
def test_dates_are_read_as_python_reads_them(written: str, moments: list[datetime]) -> None:
    texts = [moment.replace(tzinfo=UTC).strftime(written) for moment in moments]
    assert read([*texts], written) == [oracle(text, written) for text in texts]


NEARLY = st.one_of(
    st.text("0123456789/:- .TZ+ampJanFeb\0\n", max_size=20),
    st.from_regex(r"[0-4][0-9]/[0-1][0-9]/[0-9]{4} [0-2][0-9]:[0-9]{2}", fullmatch=True),
)


@settings(max_examples=150)
@given(texts=st.lists(NEARLY, min_size=1, max_size=8))
def test_what_is_nearly_a_date_is_read_together_as_alone_and_as_python_does(
    texts: list[str],
) -> None:
    written = "%d/%m/%Y %H:%M"
    found = read([*texts], written)
    assert found == [read([text], written)[0] for text in texts]
    known = [oracle(text, written) for text in texts]
    assert [each for each, python in zip(found, known, strict=True) if each != python] == []


@pytest.mark.parametrize("written", FORMATS)
def test_no_bytes_are_an_error(written: str) -> None:
    hostile = [b"\xff", b"\xed\xa0\x80", b"", b"\x00", b"03/02/2026\xff04:05", b"0" * 9000, None]
    texts = pa.array(hostile, pa.binary()).view(pa.string())
    assert read_dates(texts, DateFormat(written)).null_count == len(hostile)


def test_edges_of_the_calendar() -> None:
    texts = ["29/02/2024 00:00", "29/02/2023 00:00", "31/04/2024 00:00", "00/01/2024 00:00"]
    assert [each is None for each in read([*texts], "%d/%m/%Y %H:%M")] == [False, True, True, True]
    assert read(["0000-01-01", "0001-01-01", "9999-12-31"], "%Y-%m-%d") == [
        None,
        datetime(1, 1, 1),
        datetime(9999, 12, 31),
    ]
    assert read(["2023-366", "2024-366"], "%Y-%j") == [None, datetime(2024, 12, 31)]
    assert read(["1 MAY 2024"], "%d %b %Y") == [datetime(2024, 5, 1)]


@pytest.mark.parametrize(
    "written",
    [
        "",
        "%H:%M",
        "%Y %Y",
        "%Q %Y",
        "%Y %",
        "%m %b %Y",
        "%d %Y",
        "%Y %I:%M",
        "%Y %p",
        "%j %d %m %Y",
        3,
        None,
        "%c",
        "%Y%y",
    ],
)
def test_a_format_that_leaves_something_open_is_refused(written: Any) -> None:
    with pytest.raises(SourceError, match="format of dates"):
        DateFormat(written)


def test_a_column_of_dates_has_the_kind_of_time(tmp_path: Path) -> None:
    rows = "".join(f"{day:02}/03/2026 12:{day:02}\n" for day in range(1, 29)) * 20 + "soon\n"
    (tmp_path / "visits.csv").write_text("when\n" + rows)
    table = sf.Table(tmp_path / "visits.csv", dates={"when": "%d/%m/%Y %H:%M"})
    bounds = (datetime(2026, 3, 1), datetime(2026, 4, 1))
    release = sf.histplot(table, "when", bounds=bounds, budget=10.0)
    assert abs(release.counts.sum() - 560) < 30
    assert "2026" in str(release.to_frame())
    with pytest.raises(SourceError, match="no column 'then'"):
        sf.histplot(
            sf.Table(tmp_path / "visits.csv", dates={"then": "%Y"}),
            "when",
            bounds=bounds,
            budget=1.0,
        )
    with pytest.raises(SourceError, match="dates"):
        sf.Table("a.csv", dates=["when"])  # pyright: ignore[reportArgumentType]

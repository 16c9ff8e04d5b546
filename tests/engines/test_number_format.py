"""Numbers in a CSV file are read as they are said to be written, each field by itself."""

import math
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.domain import Bounds, Categories
from sfumato.engines.columns import (
    NumberText,
    find_kind,
    find_positions,
    read_identities,
    read_labels,
    read_numbers,
)
from sfumato.engines.dispatch import choose_engine
from sfumato.engines.table import NumberFormat
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

GERMAN = NumberFormat(",", ".")
MARKS = [".", ",", "'", "\u2019", "_", " ", "\u00a0", "\u2009", "\u202f"]
FORMATS = [
    NumberFormat(decimal, thousands)
    for decimal in ".,"
    for thousands in (None, *MARKS)
    if decimal != thousands
]


def column(texts, number_format=GERMAN):
    stored = pa.array(
        [text if text is None or isinstance(text, bytes) else text.encode() for text in texts],
        pa.binary(),
    ).view(pa.string())
    return pa.ExtensionArray.from_storage(NumberText(number_format), stored)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("1.234,5", 1234.5),
            ("1234,5", 1234.5),
            ("1.234.567", 1234567),
            ("12,", 12),
            (",5", 0.5),
        ],
        *[(" -1.234,5e-3\n", -1.2345), ("+999", 999), ("0", 0), ("0,25", 0.25), ("007", 7)],
        *[("999.999", 999999), ("1.000.000,0", 1e6), ("INF", math.inf), ("-Infinity", -math.inf)],
        *[("1e400", math.inf), ("1.234E1", 12340), ("nan", None), (None, None), ("", None)],
        *[("1.5", None), ("1.23", None), ("1.2345", None), ("12.34,5", None), ("1234.567", None)],
        *[("0.123", None), ("012.345", None), (".123", None), ("1..234", None), ("1.234.", None)],
        *[("1,234,5", None), ("1,234.5", None), ("1,2.345", None), ("1.", None), (",", None)],
        *[("1e5,5", None), ("1e1.000", None), ("1 234,5", None), ("1'234,5", None)],
        *[(b"1.234,5\xff", None), (b"\xff", None), ("١", None), ("1,5\x00", None), ("--1", None)],
    ],
)
def test_a_number_with_decimal_commas_and_points_between_thousands(text, value):
    expected = [math.nan if value is None else value]
    assert np.array_equal(read_numbers(column([text])), expected, equal_nan=True)
    # A neighbour that cannot be read must not change how this one is.
    beside = read_numbers(column([text, "Montag", b"\xe2\xa0", None]))
    assert np.array_equal(beside, [*expected, *[math.nan] * 3], equal_nan=True)


def oracle(text, number_format):
    """Read a text letter by letter, by the rule as the docstring of a Table puts it."""
    text = text.strip(" \t\n\v\f\r")
    sign, bare = (text[:1], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if bare.lower() in ("inf", "infinity", "nan"):
        return float(text)
    mantissa, _, exponent = (
        part or "" for part in re.fullmatch(r"([^eE]*)([eE])?(.*)", bare, re.S).groups()
    )
    whole, mark, decimals = mantissa.partition(number_format.decimal)
    groups = whole.split(number_format.thousands) if number_format.thousands else [whole]
    if len(groups) > 1:
        fits = groups[0][:1] != "0" and 1 <= len(groups[0]) <= 3
        if not fits or any(len(group) != 3 for group in groups[1:]):
            return math.nan
    digits = (
        "".join(groups)
        + decimals
        + exponent.removeprefix(exponent[:1] if exponent[:1] in "+-" else "")
    )
    if not all(letter in "0123456789" for letter in digits) or not "".join(groups) + decimals:
        return math.nan
    try:
        return float(
            f"{sign}{''.join(groups)}{'.' if mark else ''}{decimals}{bare[len(mantissa) :]}"
        )
    except ValueError:
        return math.nan


WRITTEN = st.text("0123456789.,' +-eE_\u00a0", max_size=10) | st.builds(
    "{}{}{}".format,
    st.integers(-(10**9), 10**9).map("{:,}".format),
    st.sampled_from([",", ".", ""]),
    st.integers(0, 9999),
)


@given(st.lists(WRITTEN, max_size=8), st.sampled_from(FORMATS))
def test_every_text_is_read_by_the_rule_and_together_as_alone(texts, number_format):
    texts = [text.replace(",", number_format.thousands or ",") for text in texts] + texts
    expected = [oracle(text, number_format) for text in texts]
    assert np.array_equal(read_numbers(column(texts, number_format)), expected, equal_nan=True)


@given(st.lists(st.binary(max_size=6) | WRITTEN | st.none(), max_size=8), st.sampled_from(FORMATS))
def test_no_bytes_are_an_error_or_move_another(texts, number_format):
    together = read_numbers(column(texts, number_format))
    alone = [read_numbers(column([text], number_format))[0] for text in texts]
    assert np.array_equal(together, alone, equal_nan=True)


def test_the_format_touches_numbers_alone():
    texts = ["1.234,5", "1234,5", "true", None, b"\xff"]
    written, bare = column(texts), column(texts).storage
    assert find_kind(written.type) == "text"
    assert read_identities(written).equals(read_identities(bare))
    assert read_labels(written).equals(read_labels(bare))
    for wanted in (Categories(("1234,5", "1.234,5")), Categories((True, False))):
        assert find_positions(written, wanted).tolist() == find_positions(bare, wanted).tolist()
    assert find_positions(written, Categories((7, 1234.5))).tolist() == [1, 1, -1, -1, -1]


def test_a_type_keeps_its_format():
    for dtype in map(NumberText, FORMATS):
        again = NumberText.__arrow_ext_deserialize__(pa.string(), dtype.__arrow_ext_serialize__())
        assert again.number_format == dtype.number_format


@pytest.mark.parametrize(
    "marks",
    [
        *[{"decimal": ""}, {"decimal": "·"}, {"decimal": "1"}, {"decimal": ",,"}, {"decimal": 0}],
        *[{"thousands": mark} for mark in ("", "0", '"', "-", "+", "e", "\n", "..", ";", 3)],
        *[{"thousands": "."}, {"decimal": ",", "thousands": ","}],
    ],
)
def test_marks_that_make_no_sense_are_refused(marks):
    with pytest.raises(sf.SourceError) as refused:
        sf.Table("prices.csv", **marks)
    assert "Write decimal=','" in str(refused.value)


def written(folder, rows, name="prices.csv"):
    path = folder / name
    path.write_text("price;shop\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_is_read_in_its_format(tmp_path):
    rows = ["1.234,5;1.234", "1234,5;1.234", "1234.5;1.234", "nichts;1234", '"999,9";', "-5,5;x"]
    path = written(tmp_path, rows)
    grid, shops = Grid("price", Bounds(0, 2000), 2), Labels("shop", Categories(("1.234", "1234")))

    def counts(**marks):
        return choose_engine(sf.Table(path, **marks)).counts([grid, shops], PrivacyUnit.rows())

    assert counts(decimal=",", thousands=".").reveal().tolist() == [[0, 0], [2, 0]]
    assert counts(decimal=",").reveal().tolist() == [[0, 0], [1, 0]]
    assert counts().reveal().tolist() == [[0, 0], [1, 0]]
    users = PrivacyUnit.users("shop", max_rows=5)
    engine = choose_engine(sf.Table(path, decimal=",", thousands="."))
    assert engine.counts([grid], users).reveal().tolist() == [1, 2]


def test_other_tables_are_refused_before_a_charge(tmp_path):
    sf.testing.city(10).to_pandas().to_parquet(tmp_path / "people.parquet")
    with pytest.raises(sf.SourceError, match="are for CSV files"):
        sf.Session(sf.Table(tmp_path, decimal=","), domain={"age": (0, 100)}, budget=1)
    assert sf.Session(sf.Table(tmp_path), domain={"age": (0, 100)}, budget=1)

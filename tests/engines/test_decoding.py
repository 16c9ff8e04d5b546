"""However rows are stored, each is read alone."""

import random

import numpy as np
import pyarrow as pa
import pytest

from sfumato.domain import Categories
from sfumato.engines.columns import (
    LONGEST_TEXT,
    find_kind,
    find_positions,
    read_identities,
    read_labels,
    read_numbers,
    shorten_text,
    texts_fit,
)

LONG = b"a" * (LONGEST_TEXT + 1)
TEXTS = [b"1", b" 2 ", b"x", b"", b"true", b"1e999", b"nan", b"\xff", b"\xed\xa0\x80", None]
TEXTS += [LONG, b"5" + b" " * LONGEST_TEXT, b"A" * 257, "é".encode() * 256, b"1\0"]
FIXED = [
    *(pa.int8(), pa.uint64(), pa.int64(), pa.float16(), pa.float32(), pa.float64()),
    *(pa.decimal128(5, 2), pa.decimal128(38, 30), pa.decimal128(9, -3), pa.decimal256(70, 5)),
    *(pa.decimal32(5, 1), pa.decimal64(12, 3), pa.date32(), pa.date64(), pa.timestamp("s")),
    *(pa.timestamp("ms", "UTC"), pa.timestamp("us"), pa.timestamp("ns", "+02:00")),
]
WRITTEN = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]
READINGS = {
    "numbers": (("number", "text", "flag", "time"), read_numbers),
    "texts": (
        ("text",),
        lambda rows: find_positions(rows, Categories(("1", "x", "", LONG.decode()))),
    ),
    "levels": (("number", "text"), lambda rows: find_positions(rows, Categories((1, 2, 0.5)))),
    "flags": (("flag", "text"), lambda rows: find_positions(rows, Categories((True, False)))),
    "labels": (("text",), read_labels),
    "people": (("number", "text", "flag", "time", "bytes"), read_identities),
}


def stored(dtype, chance):
    """Return some rows of a type: any bytes at all, or odd texts."""
    rows = chance.randint(1, 8)
    if dtype in FIXED:
        valid = chance.choice([None, pa.py_buffer(chance.randbytes(1))])
        bits = pa.py_buffer(chance.randbytes(dtype.bit_width // 8 * rows))
        return pa.Array.from_buffers(dtype, rows, [valid, bits])
    texts = pa.array(chance.choices(TEXTS, k=rows), pa.large_binary())
    texts = texts.view(pa.large_string()) if find_kind(dtype) == "text" else texts
    return texts.cast(pa.binary()).view(dtype) if dtype == pa.string() else texts.cast(dtype)


def plain(rows, chance):
    return rows.slice(chance.randint(0, len(rows) - 1))


def in_a_dictionary(rows, chance):
    """Repeat rows, some of which are missing, by a dictionary that some point beyond."""
    places = chance.choices([None, -3, *range(len(rows) + 2)], k=9)
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), rows, safe=False)


def in_runs(rows, chance):
    ends = pa.array(np.cumsum(chance.choices([1, 2, 3], k=len(rows))))
    dtype = pa.run_end_encoded(ends.type, rows.type)
    # Unlike `from_arrays`, which looks at the values.
    runs = pa.Array.from_buffers(dtype, ends[-1].as_py(), [None], children=[ends, rows])
    return runs.slice(chance.randint(0, 1))


def in_runs_of_a_dictionary(rows, chance):
    return in_runs(in_a_dictionary(rows, chance), chance)


@pytest.mark.parametrize("form", [plain, in_a_dictionary, in_runs, in_runs_of_a_dictionary])
@pytest.mark.parametrize("dtype", [*FIXED, *WRITTEN], ids=str)
def test_rows_read_together_are_rows_read_alone(dtype, form):
    chance = random.Random(f"{dtype} {form.__name__}")
    for _ in range(8):
        rows = form(stored(dtype, chance), chance)
        for kinds, read in READINGS.values():
            if find_kind(dtype) in kinds:
                alone = [listed(read(rows.slice(place, 1))) for place in range(len(rows))]
                assert listed(read(rows)) == [each for (each,) in alone]


def listed(found):
    """Return what was read, with one word for every NaN."""
    return ["nan" if each != each else each for each in found.tolist()]


def test_a_long_text_stays_another_than_all_others():
    digest = shorten_text(LONG)
    others = [LONG[:-1], LONG + b"a", digest, b"." * LONGEST_TEXT, LONG[:-1] + b"b"]
    assert len({shorten_text(text) for text in [LONG, *others]}) == 6
    assert len(digest) > LONGEST_TEXT
    assert shorten_text(LONG[:-1]) == LONG[:-1]


def test_people_with_long_names_are_told_apart_by_digests():
    names = pa.array([LONG, LONG + b"b", LONG, b"short", None])
    one, other, again, short, nobody = read_identities(names).to_pylist()
    assert one == again == shorten_text(LONG)
    assert one != other
    assert (short, nobody) == (b"short", None)


def test_a_text_as_long_as_may_be_is_read_and_one_longer_is_not():
    texts = [" " * (LONGEST_TEXT - 1) + "5", " " * LONGEST_TEXT + "5"]
    assert np.isnan(read_numbers(pa.array(texts))).tolist() == [False, True]
    assert find_positions(pa.array(texts), Categories(tuple(texts))).tolist() == [0, -1]
    flags = [" " * (LONGEST_TEXT - 4) + "true", " " * LONGEST_TEXT + "true"]
    assert find_positions(pa.array(flags), Categories((True,))).tolist() == [0, -1]


WORD = pa.array(["x" * 1000, "y"])
REPEATED = {
    "plain": pa.array(["x" * 1000] * 5),
    "views": pa.array(["x" * 1000] * 5, pa.string_view()),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([0] * 5), WORD),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([5, 9]), WORD).slice(0, 5),
    "bytes": pa.array([b"x" * 1000] * 5),
}


@pytest.mark.parametrize("form", REPEATED)
def test_texts_are_as_large_as_they_are_when_each_row_has_its_own(form):
    assert texts_fit(REPEATED[form], 5000)
    assert not texts_fit(REPEATED[form], 4999)
    assert texts_fit(REPEATED[form].slice(0, 2), 2000)


def test_words_that_no_row_has_take_no_room():
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1, None]), WORD)
    assert texts_fit(unused, 2)
    assert texts_fit(pa.array([1, 2, 3]).dictionary_encode(), 0)

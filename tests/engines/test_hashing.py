"""Numbers by a key are those of plain integers, on every engine and in every piece."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import oracle
from sfumato.engines import people as hashing
from sfumato.engines.people import hash_values, mix_bits

KINDS = {
    "bytes": (st.binary(max_size=80), pa.large_binary()),
    "short bytes": (st.binary(max_size=80), pa.binary()),
    "points": (st.binary(min_size=12, max_size=12), pa.binary(12)),
    "whole": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "unsigned": (st.integers(0, 2**64 - 1), pa.uint64()),
    "narrow": (st.integers(-128, 127), pa.int8()),
    "floats": (st.floats(allow_nan=False), pa.float64()),
    "flags": (st.booleans(), pa.bool_()),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), key=st.text(max_size=3))
def test_numbers_are_those_of_plain_integers(kind, data, key):
    values, dtype = KINDS[kind]
    some = data.draw(st.lists(values, max_size=20))
    found = hash_values(pa.array(some, dtype), key).tolist()
    assert found == [oracle.hashed(value, key) for value in some]


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=30), st.integers(0, 5))
def test_slices_and_pieces_make_no_difference(texts, start):
    whole = pa.array(texts, pa.large_binary())
    expected = hash_values(whole, "key")[start:].tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "_FEW", 7)
        assert hash_values(whole.slice(start), "key").tolist() == expected


def test_texts_with_zeros_behind_them_and_other_keys_have_other_numbers():
    texts = pa.array([b"", b"\0", b"\0\0", b"a", b"a\0"])
    assert len({*hash_values(texts, "one").tolist(), *hash_values(texts, "other").tolist()}) == 9
    # The empty text has the same number by every key, which tells it from the others all the same.


def test_whole_numbers_keep_apart_when_they_are_mixed():
    numbers = np.arange(100_000, dtype=np.uint64)
    assert np.unique(mix_bits(numbers)).size == numbers.size


@given(st.permutations(range(6)))
def test_a_key_spreads_people_whatever_they_are_called(order):
    letters = "".join("abcdef"[place] for place in order)
    people = pa.array([f"{letters}{number}"[::-1] for number in range(3200)]).cast(pa.binary())
    buckets = np.bincount((hash_values(people, "key") >> np.uint64(59)).astype(int), minlength=32)
    assert 40 < buckets.min() <= buckets.max() < 200

"""Everyone has one company and one number, and nobody shares it."""

import hashlib
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.domain import Bounds
from sfumato.engines import people
from sfumato.engines.columns import read_identities
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.people import PEOPLE_PARTITIONS, number_people, partition_people, read_persons
from sfumato.grid import Grid
from sfumato.privacy.guarantee import SHARED_STEPS, PrivacyUnit

KINDS = {
    "texts": (st.text(max_size=12), pa.string()),
    "bytes": (st.binary(max_size=12), pa.binary()),
    "whole": (st.integers(-(2**63), 2**63 - 1) | st.integers(-99, 99), pa.int64()),
    "unsigned": (st.integers(0, 2**64 - 1) | st.integers(2**63 - 99, 2**63 + 99), pa.uint64()),
    "short": (st.integers(-128, 127), pa.int8()),
    "floats": (st.floats(allow_nan=False), pa.float64()),
    "flags": (st.booleans(), pa.bool_()),
    "narrow floats": (st.floats(allow_nan=False, width=32), pa.float32()),
    "decimals": (st.integers(0, 2**64 - 1).map(Decimal), pa.decimal128(20, 0)),
    "cents": (st.decimals(-99, 99, places=2), pa.decimal128(10, 2)),
    "days": (st.dates(), pa.date32()),
    "midnights": (st.dates(), pa.date64()),
    "times": (st.datetimes(), pa.timestamp("us")),
    "seconds": (st.integers(-(2**33), 2**33), pa.timestamp("s", "UTC")),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_equal_people_share_a_company_wherever_they_stand(kind, data):
    values, dtype = KINDS[kind]
    people = data.draw(st.lists(values, min_size=1, max_size=30))
    found = partition_people(read_identities(pa.array(people, dtype)))
    assert found.max() < PEOPLE_PARTITIONS
    for person, company in zip(people, found.tolist(), strict=True):
        assert partition_people(read_identities(pa.array([person], dtype))).tolist() == [company]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_people_of_a_company_have_numbers_of_their_own(kind, data):
    values, dtype = KINDS[kind]
    people = data.draw(st.lists(values, min_size=1, max_size=30))
    whose = read_identities(pa.array(people, dtype))
    company = partition_people(whose)
    for index in np.unique(company):
        mine = whose.filter(pa.array(company == index))
        numbers, how_many = number_people([mine.slice(0, 1), mine.slice(1), mine][: 1 + len(mine)])
        names = [*mine.slice(0, 1).to_pylist(), *mine.slice(1).to_pylist(), *mine.to_pylist()]
        pairs = set(zip(names, numbers.tolist(), strict=False))
        assert len(pairs) == len({name for name, _ in pairs}) == len({n for _, n in pairs})
        assert 0 <= numbers.min() <= numbers.max() < how_many


def test_numbers_near_each_other_are_counted_from_the_lowest():
    numbers, how_many = number_people([pa.array([64, 96]), pa.array([64, 160])])
    assert (numbers.tolist(), how_many) == ([0, 1, 0, 3], 4)
    numbers, how_many = number_people([pa.array([2**40, 0]), pa.array([2**40, 32])])
    assert (numbers.tolist(), how_many) == ([0, 1, 0, 2], 3)


def test_a_company_is_no_crowd():
    ordinary = {
        "counted": pa.array(range(32_000)),
        "counted by 17": pa.array(range(0, 17 * 32_000, 17)),
        "texts": pa.array([f"user-{index:06}" for index in range(32_000)]),
        "addresses": pa.array([f"name{index}@example.org" for index in range(32_000)]),
        "floats": pa.array(np.sqrt(np.arange(32_000))),
    }
    for name, ids in ordinary.items():
        sizes = np.bincount(partition_people(read_identities(ids)), minlength=PEOPLE_PARTITIONS)
        assert sizes.max() < 3_200, name


def test_minus_zero_is_zero():
    zeros = read_identities(pa.array([-0.0, 0.0, math.ulp(0.0)]))
    assert len(set(partition_people(zeros)[:2].tolist())) == 1


def test_numbers_that_leave_different_remainders_are_different_people():
    numbers, how_many = number_people([pa.array([5, 6, 5, 37])])
    assert (len(set(numbers.tolist())), how_many) == (3, 3)


LENGTHS = [0, 1, 63, 64, 65, 1000, 2**20]


def test_identities_of_any_length_take_64_bytes_and_stay_apart():
    texts = [mark * length for length in LENGTHS for mark in ("a", "b")]
    # Also from what stands for a long one: nobody may take another's place.
    texts += [hashlib.sha512(text.encode()).hexdigest()[:63] for text in texts]
    short = read_persons(pa.array([*texts, None, *texts]))
    assert short[len(texts)].as_py() is None
    found = short.drop_null().to_pylist()
    assert max(map(len, found)) == 64
    assert len(set(found)) == len(set(texts))
    assert found[: len(texts)] == found[len(texts) :]
    assert found[:6] == [b"", b"", b"a", b"b", b"a" * 63, b"b" * 63]


def test_only_who_knows_the_digest_of_a_long_identity_could_pretend_to_have_it():
    long = b"x" * 70
    digest = hashlib.sha512(long).digest()
    assert len(set(read_persons(pa.array([long, digest, digest[:63]])).to_pylist())) == 3


def test_a_long_identity_on_every_row_is_not_written_out(monkeypatch):
    rows = 2**12  # a gibibyte, if each were written out
    words = pa.array(["x" * 2**18, "y"], pa.large_string())
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), words)
    written = []
    monkeypatch.setattr(
        people, "read_identities", lambda ids: written.append(len(ids)) or read_identities(ids)
    )
    found = read_persons(column)
    assert (written, len(found)) == ([2], rows)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=20)
@given(data=st.data())
def test_coded_identities_are_those_that_are_not(kind, data):
    values, dtype = KINDS[kind]
    whose = pa.array(data.draw(st.lists(values | st.none(), max_size=20)), dtype)
    assert read_persons(whose.dictionary_encode()).equals(read_persons(whose))


def test_a_row_that_points_beyond_the_words_is_nobodys():
    places = pa.array([0, 1, 7, -1, 1], pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.array(["a", "b"]), safe=False)
    table = pa.table({"u": column, "x": [1.0] * 5})
    counted = DuckEngine(table).counts([Grid("x", Bounds(0, 2), 1)], PrivacyUnit.users("u"))
    assert counted.reveal().tolist() == [2 * SHARED_STEPS]

"""Rows come in blocks of bounded size, and are the same however they are cut."""

import numpy as np
import pyarrow as pa
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources import source as blocks
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.engines.sources.source import Columns
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

WORDS = pa.array(["A", "B", "C" * 5000])
PLACES = pa.array(np.arange(999) % 3)
TABLE = pa.table(
    {
        "x": np.arange(999) / 999,
        "g": pa.DictionaryArray.from_arrays(PLACES, WORDS),
        "r": pa.RunEndEncodedArray.from_arrays(pa.array([333, 666, 999]), WORDS),
    }
)


def test_long_texts_come_in_small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "LARGEST", 50_000)
    stream = blocks.read_blocks(ArrowTable(TABLE), Columns(["g", "r"]), lambda _: None)
    found = list(stream)
    assert sum(block.num_rows for block in found) == 999
    for block in found:
        for column in block.columns:
            assert sum(map(len, column.to_pylist())) <= 50_000
    assert max(block.num_rows for block in found) > 1


@pytest.mark.parametrize("unit", [PrivacyUnit.rows(), PrivacyUnit.users("r", max_rows=7)])
def test_how_rows_are_cut_shows_in_nothing(unit, monkeypatch):
    keys = [Grid("x", Bounds(0, 1), 3), Labels("g", Categories(("A", "B", "C" * 5000)))]

    def ask():
        engine = DuckEngine(TABLE)
        engine._salt = "salt"
        return engine.counts(keys, unit).reveal().tolist()

    whole = ask()
    monkeypatch.setattr(blocks, "LARGEST", 1)
    assert ask() == whole


def test_texts_that_would_fill_three_gibibytes_are_read_from_the_one_that_is_stored():
    """In 32 bits these texts have no place, and Arrow's decoder of runs would end the process."""
    long = pa.array(["x" * 70_000, "A"])
    rows = 40_000
    table = pa.table(
        {
            "g": pa.DictionaryArray.from_arrays(pa.array(np.arange(rows) // (rows - 9)), long),
            "u": pa.RunEndEncodedArray.from_arrays(pa.array([rows - 9, rows]), long),
        }
    )
    engine = DuckEngine(table, threads=1)
    assert engine.counts([Labels("g", Categories(("A",)))], PrivacyUnit.rows()).reveal() == 9
    assert engine.occupied("u", PrivacyUnit.rows()).reveal_labels() == ("A",)

"""Every source streams each row once, whole or in parts."""

from collections import Counter

import pytest

from engines.forms import FORMS
from engines.hostile import hostile
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns, cut_evenly

TABLE = hostile(1000)
SPLITTING = ["Arrow table", "Parquet folder", "Parquet row groups", "pandas", "CSV list"]
SPLITTING += ["Parquet partitions", "CSV partitions", "CSV folder, packed"]


def texts(sources):
    columns = Columns(["g", "t"], repetitive=["g"])
    batches = [batch for source in sources for batch, _ in source.batches(columns)]
    assert all(batch.schema.names == ["g", "t"] for batch in batches)
    rows = (row.values() for batch in batches for row in batch.to_pylist())
    return Counter((group, text or None) for group, text in rows)  # CSV has no empty text


def opened(form, folder):
    if form == "CSV list":
        folders = [folder / str(part) for part in range(4)]
        for part, place in enumerate(folders):
            place.mkdir()
            FORMS["CSV"](TABLE.slice(250 * part, 250), place)
        return open_table([place / "table.csv" for place in folders])
    return open_table(FORMS[form](TABLE, folder))


@pytest.mark.parametrize("form", [*FORMS, "CSV list"])
def test_the_parts_of_a_table_hold_each_row_once(form, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.engines.sources.source.BLOCK", 16)  # so that few rows are many
    source = opened(form, tmp_path)
    expected = Counter((row["g"], row["t"] or None) for row in TABLE.to_pylist())
    assert texts([source]) == expected
    for parts in (1, 2, 3, 100):
        split = source.split(parts)
        assert 1 <= len(split) <= parts
        assert texts(split) == expected
    if form in SPLITTING:
        assert len(source.split(2)) == 2


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7])
@pytest.mark.parametrize("parts", [1, 2, 6, 9])
def test_runs_cover_everything_once_and_evenly(count, parts):
    cut = cut_evenly(count, parts)
    assert [item for run in cut for item in range(count)[run]] == list(range(count))
    lengths = [run.stop - run.start for run in cut]
    assert max(lengths) - min(lengths) <= 1
    assert 1 <= len(cut) <= parts

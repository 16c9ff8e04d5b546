"""Generated tables in Parquet, written in parts: the first few parts are a smaller table."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

BLOCK = 250_000  # rows that stand together in a file
ROWS_EACH = 10  # of one person
WARD, USER = "ward", "user"
WARDS = 10
NUMBERS = ("x", "lon", "lat", "a", "b")
BYTES_A_ROW = 64  # on disk, a little more than the numbers need

_SCATTER = 7919  # a prime, so that a person's rows lie far apart
_PLACES = 500


def part_paths(folder: Path, sizes: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the files that hold the first rows together, by how many there are."""
    files = [str(folder / f"part-{index}.parquet") for index in range(len(sizes))]
    return {size: tuple(files[: index + 1]) for index, size in enumerate(sizes)}


def write_parts(folder: Path, sizes: Sequence[int]) -> None:
    """Write tables of rising sizes, of which each holds the one before.

    A table of n rows has n/10 people, whichever part of it they stand in.
    """
    files = part_paths(folder, sizes)[sizes[-1]]
    for file, (start, stop) in zip(files, pairwise((0, *sizes)), strict=True):
        people = {USER: max(1, stop // ROWS_EACH)}
        write(Path(file), range(start, stop), wards={WARD: WARDS}, people=people)


def write(path: Path, rows: range, *, wards: dict[str, int], people: dict[str, int]) -> None:
    """Write rows with columns of so many categories, and of so many people, under their names."""
    names = [*NUMBERS, *wards, *people]
    kinds = [pa.float64()] * len(NUMBERS) + [pa.string()] * len(wards) + [pa.int64()] * len(people)
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    with pq.ParquetWriter(path, schema, use_dictionary=[*wards]) as writer:
        for start in range(rows.start, rows.stop, BLOCK):
            index = np.arange(start, min(start + BLOCK, rows.stop))
            columns = [*numbers(index), *(_texts(index, count) for count in wards.values())]
            columns += [pa.array(index * _SCATTER % count) for count in people.values()]
            writer.write_table(pa.table(columns, schema=schema), BLOCK)


def numbers(index: NDArray[np.int64]) -> list[pa.Array]:
    """Return correlated numbers, one in a hundred missing from the first column."""
    generator = np.random.default_rng(int(index[0]))
    centres = np.random.default_rng(0).normal(0, 1, (2, _PLACES))
    place = (generator.random(index.size) ** 3 * _PLACES).astype(int)
    *apart, shared = generator.standard_normal((6, index.size))
    x = 50 + 10 * (apart[0] + shared)
    lon = -74 + 0.1 * (centres[0, place] + 0.15 * apart[1])
    lat = 40.7 + 0.08 * (centres[1, place] + 0.15 * apart[2])
    missing = generator.random(index.size) < 0.01
    others = (lon, lat, apart[3] + shared, apart[4] - shared)
    return [pa.array(x, mask=missing), *map(pa.array, others)]


def labels(count: int) -> list[str]:
    """Return so many categories."""
    return [f"ward {number:04}" for number in range(count)]


def room_for(folder: Path, rows: int) -> None:
    """Refuse before anything is written if the disk could not hold so many rows twice.

    People are grouped on disk where memory is short, which takes up to as much again.
    """
    need, free = 2 * rows * BYTES_A_ROW / 1e9, shutil.disk_usage(folder).free / 1e9
    if free < need:
        raise SystemExit(f"{rows:,} rows need {need:.0f} GB on disk, and {free:.0f} are free.")


def _texts(index: NDArray[np.int64], count: int) -> pa.Array:
    codes = pa.array((index * _SCATTER // 97 % count).astype(np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array(labels(count))).cast(pa.string())

"""CSV files: where a piece, a record or a file begins and ends."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size

_SHARP = 10  # the ε at which noise on a count is 0 but for one time in ten thousand
_PIECE = 2**22
_MARK = "\ufeff"


def _counts(table: object, **asked: Any) -> Any:
    release = sf.histplot(table, x="x", bounds=(0, 3), bins=3, budget=_SHARP, **asked)
    return np.asarray(release.to_frame()["count"])


def _written(folder: str, lines: list[str]) -> Path:
    path = Path(folder) / "rows.csv"
    path.write_text("\n".join(["g,x,u", *lines, ""]), encoding="utf-8")
    return path


def _marks(size: Size) -> str:
    """Remove the first of rows that begin with a mark, in one piece or in several."""
    pieces = {"fast": 1, "full": 5}[size]
    long = f"{_MARK}A,{{}},{'u' * 1000}"  # each piece of a file begins with another row
    rows = [long.format(0.5 + row % 3) for row in range((pieces - 1) * _PIECE // 1000)]
    rows += [f"{_MARK}A,{0.5 + row},u{row}" for row in range(3)]
    moved = 0
    for asked in ({"hue": "g", "hue_order": ["A"]}, {"unit": "g"}):
        with tempfile.TemporaryDirectory() as folder:
            whole = _counts(_written(folder, rows), **asked)
            fewer = _counts(_written(folder, rows[1:]), **asked)
        moved = max(moved, round(float(np.abs(whole - fewer).sum())))
    if moved > 1:
        raise ReproducedError(f"one row moves counts by {moved}")
    return f"one row moves counts by {moved}"


class _Watched(io.FileIO):
    """A file that tells how far it was read."""

    farthest = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(-1 if size is None else size)
        _Watched.farthest = max(_Watched.farthest, self.tell())
        return found


def _names(size: Size) -> str:
    """Open a session on a file of several mebibytes, and ask how far it was read."""
    del size
    _Watched.farthest = 0
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, ["A,1,u"] * 2**19)
        with patch.object(type(path), "open", lambda self, *_, **__: _Watched(self)):
            sf.Session(path, domain={"x": (0, 3)}, budget=1)
    if _Watched.farthest > len("g,x,u\n"):
        raise ReproducedError(f"{_Watched.farthest:,} bytes are read before a charge")
    return f"the first line, {_Watched.farthest} bytes"


def _commas(size: Size) -> str:
    """Chart a column of numbers with decimal commas, as it is declared."""
    del size
    with tempfile.TemporaryDirectory() as folder:
        path = _written(folder, ['A,"1.000.000e-6",u', 'A,"1,5",u'] * 50)
        counted = _counts(sf.Table(path, decimal=",", thousands=".")).sum()
    if counted < 90:
        raise ReproducedError(f"{counted:.0f} of 100 rows are counted")
    return 'all rows count with sf.Table(path, decimal=",", thousands=".")'


FINDS: tuple[Find, ...] = (
    Find(
        name="rows of a CSV file that begin with a byte order mark",
        gravity="critical",
        was="one row moved 2 counts, in 20 MiB 6; ε ≥ 1.80 at ε = 1",
        attempt=_marks,
    ),
    Find(
        name="rows read with the names of a CSV file, before the charge",
        gravity="minor",
        was="a mebibyte",
        attempt=_names,
    ),
    Find(
        name="decimal commas and separated thousands in a CSV file",
        gravity="misleads",
        was="noise was drawn and charged, and no row counted",
        attempt=_commas,
    ),
)

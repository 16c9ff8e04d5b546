"""A table whose every value can be recognised, and a second one that is counted alike.

The two tables have the same counts in every public cell of the charts that are asked for, and no
text, no person and no number in common. Whatever differs between what is written of one and of the
other was never meant to be written.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import sfumato as sf
from artefacts.searching import Search
from sfumato.catalogue import Roles

ROWS = 360
WARDS = ("Nord", "Süd")
TEAMS = ("Früh", "Spät")
_FIRST, _LAST, _EPOCH = datetime(1987, 1, 1), datetime(1989, 1, 1), datetime(1970, 1, 1)
DOMAIN = sf.Domain(
    wait=(0, 240),
    code=(0, 10**15),
    lon=(-74.3, -73.7),
    lat=(40.5, 40.9),
    pulse=(30, 220),
    pressure=(60, 260),
    sugar=(2, 30),
    moment=(_FIRST, _LAST),
    load=(0, 8),
    ward=list(WARDS),
    team=list(TEAMS),
)
ROLES = Roles(
    domain=DOMAIN,
    number="wait",
    another="code",
    whole="wait",
    day="moment",
    group="ward",
    other="team",
    weight="load",
    east="lon",
    north="lat",
    columns=("pulse", "pressure", "sugar"),
    person="person",
    rows=ROWS,
)
_FINEST = 2**34
_MOMENTS = 2**22
_NUMBERS = ("wait", "code", "lon", "lat", "pulse", "pressure", "sugar", "load")


@dataclass(frozen=True)
class Canaries:
    """How the texts of one of the two tables begin, and how far its numbers lie off the other's.

    Parameters
    ----------
    mark
        What every text of the table contains.
    person
        What every name of a user begins with.
    folder, file
        Where the table lies, which is nobody's business.
    shift
        By what part of a fine cell all numbers are moved.
    """

    mark: str
    person: str
    folder: str
    file: str
    shift: float

    def columns(self) -> dict[str, list[Any]]:
        """Return people with several rows, wards nobody listed, and numbers of all digits."""
        dice = Random(20)
        spots = [[dice.random() for _ in range(9)] for _ in range(ROWS)]
        columns: dict[str, list[Any]] = {
            "person": [f"{self.person}-{row // 3:03d}" for row in range(ROWS)],
            "ward": [self._ward(row) for row in range(ROWS)],
            "team": [TEAMS[row // 3 % 2] for row in range(ROWS)],
            "note": [f"{self.mark} {row}" for row in range(ROWS)],
            "moment": [_moment(spot[8], self.shift) for spot in spots],
        }
        for place, name in enumerate(_NUMBERS):
            columns[name] = [_number(name, spot[place], self.shift) for spot in spots]
        return columns

    def table(self) -> pa.Table:
        """Return the columns as a table."""
        return pa.table(self.columns())

    def write(self, home: Path, *, ending: str = ".parquet") -> Path:
        """Write the table into a folder of its own below `home`."""
        folder = home / self.folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.file}{ending}"
        if ending == ".csv":
            columns = self.columns()
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([[*columns], *zip(*columns.values(), strict=True)])
        else:
            parquet.write_table(self.table(), path)
        return path

    @property
    def search(self) -> Search:
        """What of this table must be found nowhere."""
        columns = self.columns()
        moments: list[datetime] = columns["moment"]
        texts = (
            ("a text", self.mark),
            ("a person", self.person),
            ("the table's folder", self.folder),
            ("the table's file", self.file),
            *(("a moment", f"{moment:%H:%M:%S.%f}") for moment in moments[:3]),
        )
        numbers = [float(number) for name in _NUMBERS for number in columns[name]]
        micros = [float((moment - _EPOCH) // timedelta(microseconds=1)) for moment in moments]
        return Search(texts, (*numbers, *micros))

    def _ward(self, row: int) -> str:
        return f"{self.mark}{row}" if row % 40 == 7 else WARDS[row % 2]


ONE = Canaries("QjxŽlutýKůň‽𝄞", "zwölfboxkämpfer", "geheimeŒuvres", "krankenakten0815", 0.0)
OTHER = Canaries("VykФъŋØrre⁂𝄢", "heizölrückstoß", "tresorraumÆther", "patientenliste4711", 0.4)


def _number(name: str, spot: float, shift: float) -> float:
    """Return a number of all digits, off the ends of every cell that charts may count it in."""
    bounds = DOMAIN.bounds(name)
    # The odd part keeps the last digits from being zeros.
    inside = 0.3 + shift + spot / 7
    number = bounds.lower + (int(spot * _FINEST) + inside) / _FINEST * bounds.width
    return float(round(number)) if name == "code" else number


def _moment(spot: float, shift: float) -> datetime:
    place = (int(spot * _MOMENTS) + 0.31 + shift + spot / 9) / _MOMENTS
    return _FIRST + timedelta(microseconds=int(place * (_LAST - _FIRST).total_seconds() * 10**6))

"""Neighbouring tables that are chosen to hurt: a crowd, and one unit more.

All tables have the columns of `Row`, whatever is charted of them. Public facts are in `DOMAIN`:
numbers from 0 to 8, wards A and B. The crowd keeps to them; the one who joins need not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from sfumato.domain import Domain
from sfumato.privacy.guarantee import PrivacyUnit

DOMAIN = Domain(x=(0, 8), y=(0, 8), ward=["A", "B"])

ROWS = PrivacyUnit.rows()
USERS = PrivacyUnit.users("who")
CAPPED = PrivacyUnit.users("who", max_rows=3)
UNITS = (ROWS, USERS, CAPPED)

MANY = 40
"""How many rows a person has who has far more than count."""

ONE = "z"
"""The name of whoever joins the crowd."""


@dataclass(frozen=True)
class Row:
    """One row of a table; None is NULL."""

    x: float | None = 4.0
    y: float | None = 4.0
    ward: str | None = "A"
    who: str | None = ONE


@dataclass(frozen=True)
class Pair:
    """Two neighbouring tables: a crowd, and the same crowd with one unit more.

    Parameters
    ----------
    person
        All rows of the unit that joins.
    instead
        What is there while the unit is not, where neighbours replace one row by another.
    whole
        Whether numbers are stored as 64-bit integers.
    """

    name: str
    crowd: tuple[Row, ...]
    person: tuple[Row, ...]
    instead: tuple[Row, ...] = ()
    whole: bool = False

    def rows(self, joined: bool) -> tuple[Row, ...]:
        """Return the rows of the table with the unit, or of the one without."""
        return self.crowd + (self.person if joined else self.instead)

    def table(self, joined: bool, copies: int = 1) -> pa.Table:
        """Return a table with so many copies of the rows, each of people of its own.

        The copy is named in the column ``copy``, as text from "0" on, and ``copy_ward`` names the
        ward as well: "0A". A chart by copies is as many charts of the rows, each of which holds
        one unit more, or does not.
        """
        rows, every = self.rows(joined), range(copies)
        number = pa.int64() if self.whole else pa.float64()
        text = pa.string()
        return pa.table(
            {
                "who": pa.array(_copied([row.who for row in rows], every), text),
                "copy": pa.array([str(copy) for copy in every for _ in rows], text),
                "ward": pa.array([row.ward for row in rows] * copies, text),
                "copy_ward": pa.array(_copied([row.ward for row in rows], every), text),
                "x": pa.array([row.x for row in rows] * copies, number),
                "y": pa.array([row.y for row in rows] * copies, number),
            }
        )


def _copied(names: Sequence[str | None], copies: Sequence[int]) -> list[str | None]:
    return [None if name is None else f"{copy}{name}" for copy in copies for name in names]


def crowd(*places: float, ward: str = "A") -> tuple[Row, ...]:
    """Return people with one row each, at these places of both columns."""
    return tuple(Row(x, x, ward, f"c{ward}{index}") for index, x in enumerate(places))


def at(x: float | None, ward: str | None = "A", who: str | None = ONE) -> Row:
    """Return a row at one place of both columns."""
    return Row(x, x, ward, who)


FEW = crowd(1, 3, 4, 6)
TIES = crowd(4, 4, 4, 4)

_FARTHEST = 1.7e308
_INTEGERS = -(2**63), 2**63 - 1

_STRANGE: dict[str, tuple[Row, ...]] = {
    "far above the bounds": (at(1e12),),
    "far below the bounds": (at(-1e12),),
    "at the upper bound": (at(8.0),),
    "at the lower bound": (at(0.0),),
    "beside the upper bound": (at(math.nextafter(8.0, 0)),),
    "the largest float": (at(_FARTHEST),),
    "infinite": (at(math.inf),),
    "NaN": (at(math.nan),),
    "NULL": (at(None),),
    "in an unlisted category": (at(4.0, "C"),),
    "in no category": (at(4.0, None),),
    "alone in its group": (at(4.0, "B"),),
}
"""What one unit may add to a crowd, whether it is a row or a person with one row."""

_MANY: dict[str, tuple[Row, ...]] = {
    "a person with many rows": (at(8.0),) * MANY,
    "a person in all groups": (at(8.0, "A"), at(8.0, "B")) * (MANY // 2),
    "a person at both ends": (at(0.0), at(8.0)) * (MANY // 2),
    "a person partly NULL": (at(8.0), at(None), at(math.nan), at(4.0, None)) * (MANY // 4),
    "a person partly unlisted": (at(8.0), at(8.0, "C")) * (MANY // 2),
    "a person in every bin": tuple(at(float(x), ward) for x in range(9) for ward in "AB"),
}
"""What a person of several rows may add."""

Choose = Callable[[Pair], bool]


def nasty(unit: PrivacyUnit) -> tuple[Pair, ...]:
    """Return all pairs of the library that are neighbours for a unit."""
    people = _STRANGE if unit.column is None else _STRANGE | _MANY
    pairs = [Pair(name, FEW, rows) for name, rows in people.items()]
    pairs += [
        Pair("one more of a tie", TIES, (at(4.0),)),
        Pair("apart from a tie", TIES, (at(8.0),)),
        Pair("alone in the table", (), (at(8.0),)),
        Pair("alone in the table, and NULL", (), (at(None),)),
        Pair("the least integer", FEW, (at(_INTEGERS[0]),), whole=True),
        Pair("the largest integer", FEW, (at(_INTEGERS[1]),), whole=True),
    ]
    if unit.column is not None:
        pairs += [
            replace(Pair("of nobody", FEW, (at(8.0, who=None),) * MANY)),
        ]
    return tuple(pairs)


def pair(name: str, unit: PrivacyUnit) -> Pair:
    """Return one pair of the library."""
    return next(pair for pair in nasty(unit) if pair.name == name)

"""Neighbouring tables: one of them has all rows of one unit more (for Hypothesis)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from sfumato.privacy.guarantee import PrivacyUnit
from silence.columns import CANARY, GROUPS, NUMERIC, TEXTUAL, VALUES, Kind

ODD_NAME = 'odd, "name"\n\x1b[31m'
"""A name that a column has, which no message may be broken by."""


@dataclass(frozen=True)
class Pair:
    """A table with a unit, the same without it, and the types of their columns."""

    with_it: pa.Table
    without: pa.Table
    kinds: Mapping[str, str]


@st.composite
def pairs(draw: Any, unit: PrivacyUnit, most: int = 7) -> Pair:
    """Draw two tables of one schema that nothing but one unit's rows tells apart.

    The rows of the unit stand anywhere among the others, and hold anything.
    """
    others = draw(st.integers(0, most))
    own = 1 if unit.column is None else draw(st.integers(1, 4))
    kinds = {**_kinds(draw), "u": draw(st.sampled_from(_IDENTITIES))}
    values = {name: draw(kind.rows(own + others)) for name, kind in kinds.items() if name != "u"}
    values["u"] = _people(draw, kinds["u"], others, own)
    order: Sequence[int] = draw(st.permutations(range(own + others)))
    kept = [row for row in order if row >= own]
    names = {name: kind.name for name, kind in kinds.items()}
    return Pair(_table(kinds, values, order), _table(kinds, values, kept), names)


def _kinds(draw: Any) -> dict[str, Kind]:
    # Most columns can be charted, or no chart would ever be measured.
    usual = st.sampled_from([*NUMERIC, *TEXTUAL])
    kinds: dict[str, Kind] = {name: draw(usual) for name in ("x", "y", "z", "w")}
    if draw(st.integers(0, 3)) == 0:
        kinds[draw(st.sampled_from(["x", "y", "w"]))] = draw(VALUES)
    return kinds | {"g": draw(GROUPS), ODD_NAME: draw(VALUES)}


def _table(
    kinds: Mapping[str, Kind], values: Mapping[str, Sequence[Any]], rows: Sequence[int]
) -> pa.Table:
    columns = {name: [values[name][row] for row in rows] for name in kinds}
    return pa.table({name: kind.build(columns[name]) for name, kind in kinds.items()})


def _identity(name: str, dtype: pa.DataType, stored: pa.DataType, *mine: object) -> Kind:
    """Return a type of ids, whose values are those that only the unit may have."""
    return Kind(
        name,
        st.sampled_from(mine),
        lambda ids: pa.array(ids, stored, from_pandas=False).view(dtype),
    )


_ENDS = (-(2**63), 2**63 - 1)
_IDENTITIES = [
    _identity("text", pa.string(), pa.binary(), CANARY.encode(), b"\xff"),
    _identity("binary", pa.binary(), pa.binary(), b"", b"\x00"),
    _identity("int64", pa.int64(), pa.int64(), *_ENDS),
    _identity("nanoseconds", pa.timestamp("ns"), pa.int64(), *_ENDS),
    _identity("double", pa.float64(), pa.float64(), 5e-324, float("inf")),
]


def _people(draw: Any, kind: Kind, others: int, own: int) -> list[Any]:
    """Draw whose rows are whose: the first ones are one person's, and nobody else's."""
    mine = draw(kind.values)
    ordinary = [b"p1", b"p2"] if isinstance(mine, bytes) else [1, 2]
    ids = st.one_of(st.none(), st.sampled_from(ordinary))
    return [mine] * own + draw(st.lists(ids, min_size=others, max_size=others))

"""Neighbouring tables whose charts may take unlike times: a usual pair, and four bad ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.catalogue import Roles

DOMAIN = sf.Domain(
    dict.fromkeys(("lon", "lat", "pulse", "sugar", "salt"), (0, 1)),
    ward=["A", "B"],
    team=["A", "B"],
    wait=(0, 240),
)
ROLES = Roles(
    domain=DOMAIN,
    number="wait",
    another="pulse",
    whole="wait",
    day="salt",  # dates are numbers by the time that they are counted
    group="ward",
    other="team",
    weight="sugar",
    east="lon",
    north="lat",
    columns=("pulse", "sugar", "salt"),
    person="person",
    rows=1,
)
_UNIFORM = ("lon", "lat", "pulse", "sugar", "salt")


@dataclass(frozen=True)
class Neighbours:
    """A table, and the same one with one unit more.

    Parameters
    ----------
    by_person
        Whether the unit is a person; a row otherwise.
    """

    name: str
    by_person: bool
    without: pa.Table
    with_one: pa.Table

    def unit(self, *, capped: bool) -> sf.PrivacyUnit:
        """Return whom the charts protect; `capped` where a method asks for a number of rows."""
        if not self.by_person:
            return sf.PrivacyUnit.rows()
        return sf.PrivacyUnit.users("person", max_rows=10 if capped else None)


def neighbours(rows: int, many: int) -> tuple[Neighbours, ...]:
    """Return all pairs; the crowd has `rows` rows, and a person with very many has `many`."""
    crowd = _crowd(rows)
    alike = crowd | {name: np.full(rows, crowd[name][0]) for name in ("wait", *_UNIFORM)}
    far = {"wait": np.array([239.9]), **{name: np.array([0.999]) for name in _UNIFORM}}
    near = crowd | {name: crowd[name] / 50 for name in ("wait", *_UNIFORM)}
    nobody = {name: column[:0] for name, column in crowd.items()}
    flood = {name: np.resize(column, many) for name, column in crowd.items()}
    return (
        _pair("usual", crowd, {name: column[:1] for name, column in crowd.items()}),
        _pair("outlier", near, _one(crowd) | far),
        _pair("ties", alike, _one(crowd) | far),
        _pair("nobody", nobody, _one(crowd)),
        _pair("many rows", crowd, flood | {"person": np.full(many, "z")}, by_person=True),
    )


def _crowd(rows: int) -> dict[str, np.ndarray]:
    spread = np.random.default_rng(5)
    return {
        "person": np.array([f"p{row // 2}" for row in range(rows)]),
        "ward": np.array(["A", "B"])[spread.integers(0, 2, rows)],
        "wait": np.clip(spread.gamma(4, 15, rows), 0, 240),
        **{name: np.clip(spread.normal(0.4, 0.15, rows), 0, 1) for name in _UNIFORM},
        "team": np.array(["A", "B"])[spread.integers(0, 2, rows)],
    }


def _one(crowd: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: column[:1] for name, column in crowd.items()} | {"person": np.array(["z"])}


def _pair(
    name: str, crowd: dict[str, np.ndarray], unit: dict[str, np.ndarray], *, by_person: bool = False
) -> Neighbours:
    joined = {column: np.concatenate([crowd[column], unit[column]]) for column in crowd}
    return Neighbours(name, by_person, pa.table(crowd), pa.table(joined))

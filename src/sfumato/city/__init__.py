"""Velatura: an invented city to draw, the same on every machine. Nobody lives there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def city(people: int = 20_000) -> pa.Table:
    """Return the people of the city, one row per person.

    Columns: person_id, age, sex, district, sector, occupation, income, commute_minutes, moved_in,
    health, heart_rate, systolic, diastolic, glucose, cholesterol and bmi. Some values are missing.

    Examples
    --------
    >>> city(people=1000).num_rows
    1000
    """
    from sfumato.city.people import invent_people

    return invent_people(people).table()


def checkins(people: int = 20_000) -> pa.Table:
    """Return where the same people went in one year; some never did, some hundreds of times.

    Columns: person_id, lon, lat, place and time (UTC). The city lies on an island that no map of
    the Atlantic has, within ``lon=(-30.10, -29.90)`` and ``lat=(44.94, 45.06)``.

    Examples
    --------
    >>> checkins(people=100).column_names
    ['person_id', 'lon', 'lat', 'place', 'time']
    """
    from sfumato.city.places import draw_visits

    return draw_visits(people)


def districts() -> dict[str, Any]:
    """Return the districts of the city as GeoJSON, for maps of regions.

    Examples
    --------
    >>> [feature["properties"]["name"] for feature in districts()["features"]][:2]
    ['Lantern', 'Saltgate']
    """
    from sfumato.city.outlines import outline_districts

    return outline_districts()


def save(folder: Path, people: int) -> dict[str, Path]:
    """Write what city hall, the streets and the hospital know, and return where the tables are.

    The map of districts lies beside them, as ``districts.geojson``.
    """
    from pyarrow import parquet

    from sfumato.city.people import MEASUREMENTS

    everyone = city(people)
    patients = everyone.select(["person_id", "health", *MEASUREMENTS])
    tables = {"people": everyone, "checkins": checkins(people), "patients": patients}
    for name, table in tables.items():
        parquet.write_table(table, folder / f"{name}.parquet")
    (folder / "districts.geojson").write_text(json.dumps(districts()), encoding="utf-8")
    return {name: folder / f"{name}.parquet" for name in tables}

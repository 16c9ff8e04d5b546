"""The crowds of the experiments: cities, photographs and mixtures, each known by its name.

Check-ins are those of Gowalla and Foursquare users in the United States, gaze samples those of
SALICON. They are not part of this repository: the environment variable SFUMATO_DATA names a folder
with the files in `FILES`. Mixtures are drawn anew for every run.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from heatmaps.crowd import Crowd, crowd
from heatmaps.mixture import mixture

CHECKINS = {
    "gowalla": "gowalla_us_visits.parquet",
    "foursquare": "foursquare_us_checkins.parquet",
}
GAZE = "salicon_gaze.parquet"
FILES = (*CHECKINS.values(), GAZE)

WEST, EAST, SOUTH, NORTH, SIDE = -135.0, -60.0, 0.0, 50.0, 300
"""The paper's box around the continental United States, and its cells along each side."""

MOST = 30
"""How many of the busiest cells are used."""


def missing() -> list[str]:
    """Return the files that are not there."""
    folder = os.environ.get("SFUMATO_DATA")
    return [name for name in FILES if not folder or not (Path(folder) / name).is_file()]


def drawn(place: str, users: int, generator: np.random.Generator) -> Crowd:
    """Return people of a place, as many as asked for."""
    if place.startswith("mixture"):
        return mixture(place, users, generator)
    source, _, name = place.partition(" ")
    found = gaze()[name] if source == "salicon" else city(source, name)
    return found.sample(generator, users)


def busiest(users: int) -> tuple[list[str], int]:
    """Return the busiest cells with at least so many people, and how many there are in all."""
    cells = checkins_by_cell()
    enough = cells[cells["users"] >= users].sort_values("visits", ascending=False)
    names = [f"{source} {x},{y}" for source, x, y in enough.index]
    return names[:MOST], len(names)


def photographs(users: int) -> list[str]:
    """Return the photographs that at least so many people looked at."""
    return [f"salicon {name}" for name, seen in gaze().items() if seen.users >= users]


@cache
def checkins() -> pd.DataFrame:
    """Return all check-ins in the box, with the cell each lies in and its place within."""
    tables: list[pd.DataFrame] = []
    for source, name in CHECKINS.items():
        table = pd.read_parquet(Path(os.environ["SFUMATO_DATA"]) / name)
        count = table["count"] if "count" in table else np.ones(len(table), dtype=np.int64)
        tables.append(table[["user", "lon", "lat"]].assign(source=source, count=count))
    table = pd.concat(tables, ignore_index=True)
    across = (table["lon"] - WEST) / (EAST - WEST) * SIDE
    up = (table["lat"] - SOUTH) / (NORTH - SOUTH) * SIDE
    table = table.assign(across=np.floor(across), up=np.floor(up), x=across % 1, y=up % 1)
    within = table["across"].between(0, SIDE - 1) & table["up"].between(0, SIDE - 1)
    return table[within].astype({"across": int, "up": int})


@cache
def checkins_by_cell() -> pd.DataFrame:
    """Return how many people and visits each cell has."""
    grouped = checkins().groupby(["source", "across", "up"])
    return grouped.agg(users=("user", "nunique"), visits=("count", "sum"))


@cache
def city(source: str, name: str) -> Crowd:
    """Return the people of one cell."""
    across, up = map(int, name.split(","))
    table = checkins()
    there = (table["source"] == source) & (table["across"] == across) & (table["up"] == up)
    found = table[there]
    return crowd(*(np.asarray(found[name]) for name in ("user", "x", "y", "count")))


@cache
def gaze() -> dict[str, Crowd]:
    """Return who looked where, for each photograph of 640 × 480 pixels; y grows downward."""
    table = pd.read_parquet(Path(os.environ["SFUMATO_DATA"]) / GAZE)
    seen: dict[str, Crowd] = {}
    for image, found in table.groupby("image"):
        user, x, y = (np.asarray(found[name]) for name in ("user", "x", "y"))
        once = np.ones(len(user), dtype=np.int64)
        seen[str(image)] = crowd(user, (x - 0.5) / 640, (y - 0.5) / 480, once)
    return seen

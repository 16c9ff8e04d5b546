"""What an engine must answer, in slow and plain Python."""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta

import numpy as np

from sfumato.grid import Edges, Labels, shape
from sfumato.plane import interleave

SALT = "5a17"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NUMBER = re.compile(
    r"[ \t\n\v\f\r]*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)[ \t\n\v\f\r]*",
    re.ASCII | re.IGNORECASE,
)


def number(value):
    """Return the float a value counts as, or None where it is counted nowhere."""
    match value:
        case None:
            return None
        case str():
            read = float(value) if NUMBER.fullmatch(value) else math.nan
        case datetime():
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            read = float((aware - EPOCH) // timedelta(microseconds=1))
        case date():
            read = float((value - EPOCH.date()) // timedelta(microseconds=1))
        case _:
            read = float(value)
    return None if math.isnan(read) else read


def cell(value, key):
    """Return the cell of one value along one key, or None."""
    if isinstance(key, Labels):
        return _category(value, key.categories)
    read = number(value)
    if read is None:
        return None
    read = min(max(read, key.bounds.lower), key.bounds.upper)
    edges = key.edges
    if isinstance(key, Edges) and not edges[0] <= read <= edges[-1]:
        return None
    return min(bisect_right(edges, read) - 1, key.cells - 1)


def _category(value, categories):
    if categories.kind == "text":
        read = value
    elif categories.kind == "flag" and isinstance(value, str):
        read = {"true": True, "false": False}.get(value.strip(" \t\n\v\f\r").lower())
    else:
        read = number(value)
    return categories.values.index(read) if read in categories.values else None


def flat(row, keys):
    """Return the flat cell of a row, or None."""
    places = [cell(row[key.column], key) for key in keys]
    if None in places:
        return None
    return int(np.ravel_multi_index(places, shape(keys))) if keys else 0


def counts(rows, keys, unit, salt=SALT):
    """Count like an engine."""
    total = Counter()
    if unit.column is None:
        total.update(place for row in rows if (place := flat(row, keys)) is not None)
    else:
        people = defaultdict(Counter)
        for row in rows:
            person = row[unit.column]
            if person is not None and person == person:
                people[person][flat(row, keys)] += 1
        for person, places in people.items():
            total.update(_contribution(person, places, unit, salt))
    answer = np.zeros(math.prod(shape(keys)), dtype=np.int64)
    for place, amount in total.items():
        answer[place] = amount
    return answer.reshape(shape(keys))


def _contribution(person, places, unit, salt):
    if unit.shared:
        share = 2**30 // sum(places.values())
        return {place: n * share for place, n in places.items() if place is not None}
    left, taken = unit.max_rows, {}
    places = {place: n for place, n in places.items() if place is not None}
    for place in sorted(places, key=lambda place: _order(salt, place, person)):
        taken[place] = min(left, places[place])
        left -= taken[place]
    return taken


def _order(salt, place, person):
    return hashlib.md5(f"{salt}|{place}|{person}".encode()).hexdigest()


def masses(rows, plane, unit, weight=None):
    """Sum like an engine: a dict from the codes of cells to what they weigh."""
    total = Counter()
    people = defaultdict(list)
    for row in rows:
        place, steps = code(row, plane), 1 if weight is None else weighed(row, weight)
        person = row[unit.column] if unit.column else None
        if unit.column is None:
            total[place] += steps
        elif person is not None and person == person:
            people[person].append((place, steps))
    for parts in people.values():
        whole = sum(steps for _, steps in parts)
        for place, steps in parts:
            total[place] += 2**30 * steps // whole if whole else 0
    return {place: amount for place, amount in total.items() if place is not None and amount}


def code(row, plane):
    """Return the Morton code of a row's cell, or None."""
    places = []
    for grid in (plane.x, plane.y):
        read = number(row[grid.column])
        beyond = read is not None and not grid.bounds.lower <= read <= grid.bounds.upper
        lost = beyond and plane.outside == "drop"
        places.append(None if lost else cell(row[grid.column], grid))
    return None if None in places else int(interleave(*map(np.array, places)))


def weighed(row, weight):
    """Return what a row weighs, in steps."""
    read = number(row[weight.column])
    return 0 if read is None else math.floor(min(max(read, 0), weight.most) * weight.steps)

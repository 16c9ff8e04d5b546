"""What an engine must answer, in slow and plain Python."""

from __future__ import annotations

import hashlib
import math
import re
import struct
from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np

from sfumato.addend import Member
from sfumato.grid import Edges, Labels, shape
from sfumato.lattice import REACH, SHARES, DistanceCells, Projection
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


def point(row, lattice):
    """Return the point of the lattice a row is moved to, or None."""
    found = []
    middles, factors = lattice.middles.tolist(), lattice.factors.tolist()
    facts = zip(lattice.columns, lattice.bounds, middles, factors, strict=True)
    for column, bounds, middle, factor in facts:
        read = number(row[column])
        if read is None:
            return None
        steps = round((min(max(read, bounds.lower), bounds.upper) - middle) * factor)
        found.append(min(max(steps, -REACH), REACH))
    return tuple(found)


def score(row, key):
    """Return a row's projection or distance, or None."""
    place = point(row, key.lattice)
    if place is None:
        return None
    apart = [here - start for here, start in zip(place, key.origin, strict=True)]
    if isinstance(key, Projection):
        return _along(apart, key.vector) * key.lattice.unit
    squares = [_along(apart, vector) ** 2 for vector in key.vectors]
    squares = squares or [step * step for step in apart]
    return math.sqrt(sum(squares)) * key.lattice.unit


def _along(apart, vector):
    return sum(step * part for step, part in zip(apart, vector, strict=True)) / REACH


def placed(row, key):
    """Return the cell of a row along one key, or None."""
    if isinstance(key, Projection):
        return cell(score(row, key), key.grid)
    return cell(score(row, key), key.ladder) if isinstance(key, DistanceCells) else _one(row, key)


def _one(row, key):
    return cell(row[key.column], key)


def cell(value, key):
    """Return the cell of one value along one key, or None."""
    if isinstance(key, Labels):
        return _part(value, key) if key.part else _category(value, key.categories)
    read = number(value)
    if read is None or (key.drop and not key.bounds.lower <= read <= key.bounds.upper):
        return None
    read = min(max(read, key.bounds.lower), key.bounds.upper)
    edges = key.edges
    if isinstance(key, Edges) and not edges[0] <= read <= edges[-1]:
        return None
    return min(bisect_right(edges, read) - 1, key.cells - 1)


def _part(value, key):
    if value is None or not datetime(1, 1, 2) <= value < datetime(9999, 12, 31):
        return None
    local = value.replace(tzinfo=UTC).astimezone(ZoneInfo(key.zone or "UTC"))
    parts = {
        "hour of day": local.hour,
        "weekday": local.weekday(),
        "month of year": local.month - 1,
    }
    return parts[key.part]


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
    places = [placed(row, key) for key in keys]
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
            total.update(contribution(person, places, unit, salt))
    answer = np.zeros(math.prod(shape(keys)), dtype=np.int64)
    for place, amount in total.items():
        answer[place] = amount
    return answer.reshape(shape(keys))


def contribution(person, places, unit, salt=SALT):
    """Return what one person adds to each cell, given how many rows it has there."""
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
    whose = _octets(str(person) if isinstance(person, int) else person)
    where = np.array(place, dtype="<i4").tobytes() if isinstance(place, tuple) else place
    return mixed(hashed(whose, f"{salt} person") + hashed(where, f"{salt} cell"))


def _octets(person):
    octets = person.encode() if isinstance(person, str) else person
    long = isinstance(octets, bytes) and len(octets) >= 64
    return hashlib.sha512(octets).digest() if long else octets


def hashed(value, key):
    """Return the number that bytes, an integer or a float has by a key, in Python's integers."""
    by = _secret_numbers(key)
    if isinstance(value, bytes):
        return mixed(sum((octet + 1) * by[place] for place, octet in enumerate(value)))
    whole = struct.unpack("<q", struct.pack("<d", value))[0] if isinstance(value, float) else value
    return mixed(whole * by[0] + by[1])


@cache
def _secret_numbers(key):
    numbers = struct.unpack("<4096Q", hashlib.shake_128(key.encode()).digest(8 * 4096))
    return [number | 1 for number in numbers]


def mixed(number):
    """Mix the bits of a number, modulo 2⁶⁴."""
    number %= 2**64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ (number >> shift)) * factor % 2**64
    return number ^ (number >> 31)


def outer(place, moments):
    """Return a row with its constant, in whole numbers."""
    apart = [here - start for here, start in zip(place, moments.origin, strict=True)]
    length = math.sqrt(sum(step * step for step in apart))
    ratio = moments.reach / max(length, moments.radius)
    return [moments.constant, *(round(step * ratio) for step in apart)]


def gram(rows, moments, unit, salt=SALT):
    """Sum outer products like an engine, in Python's integers."""
    total = [[0] * moments.size for _ in range(moments.size)]
    for place, weight in _weighed_points(rows, moments, unit, salt).items():
        line = outer(place, moments)
        for row, first in zip(total, line, strict=True):
            for index, second in enumerate(line):
                row[index] += weight * first * second
    return total


def _weighed_points(rows, moments, unit, salt):
    total, people = Counter(), defaultdict(Counter)
    for row in rows:
        person = row[unit.column] if unit.column else 0
        if person is not None and person == person:
            people[person][point(row, moments.lattice)] += 1
    for person, places in people.items():
        if unit.column is None:
            taken = places
        elif unit.shared:
            share = SHARES // sum(places.values())
            taken = {place: n * share for place, n in places.items()}
        else:
            taken = contribution(person, places, unit, salt)
        total.update({place: n for place, n in taken.items() if place is not None})
    return total


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
    for axis in (plane.x, plane.y):
        read = number(row[axis.column])
        beyond = read is not None and not axis.bounds.lower <= read <= axis.bounds.upper
        places.append(None if beyond and plane.outside == "drop" else cell(read, axis))
    return None if None in places else int(interleave(*map(np.array, places)))


def weighed(row, weight):
    """Return what a row weighs, in steps."""
    read = number(row[weight.column])
    return 0 if read is None else math.floor(min(max(read, 0), weight.most) * weight.steps)


def sums(rows, keys, addend, unit, salt=SALT):
    """Sum by groups like an engine, in Python's integers."""
    total, people = Counter(), defaultdict(Counter)
    for row in rows:
        person = row[unit.column] if unit.column else 0
        if person is not None and person == person:
            people[person][_split(row, keys, addend)] += 1
    for person, places in people.items():
        if unit.column is None:
            taken = places
        elif unit.shared:
            share = SHARES // sum(places.values())
            taken = {place: n * share for place, n in places.items()}
        else:
            taken = contribution(person, places, unit, salt)
        total.update({place: n for place, n in taken.items() if place is not None})
    answer = [[0, 0] for _ in range(math.prod(shape(keys)))]
    for place, weight in total.items():
        cell_, steps = divmod(place, addend.steps + 1)
        answer[cell_][0] += weight * (addend.steps - steps)
        answer[cell_][1] += weight * steps
    return answer


def _split(row, keys, addend):
    where = flat(row, keys)
    if isinstance(addend, Member):
        found = placed(row, addend.labels)
        steps = None if found is None else addend.steps * (found == addend.level)
    else:
        bounds = addend.bounds[where or 0] if len(addend.bounds) > 1 else addend.bounds[0]
        read = number(row[addend.column])
        if read is not None:
            along = min(max(read, bounds.lower), bounds.upper) - bounds.lower
            read = round(along / bounds.width * addend.steps)
        steps = read
    return None if where is None or steps is None else where * (addend.steps + 1) + steps

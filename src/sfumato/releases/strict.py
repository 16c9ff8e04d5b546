"""Plain JSON values, read as what they were written as or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from sfumato.domain import moment
from sfumato.grid import Grid, Labels
from sfumato.postprocess.noise_law import WIDEST
from sfumato.releases import axes


def integer(value: object) -> int:
    """Read an integer of 64 bits."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**63:
        return value
    raise ValueError("A released number is an integer of 64 bits.")


def number(value: object) -> float:
    """Read a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ValueError("A number is finite.")


def flag(value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError("A flag is true or false.")


def grid(plain: Mapping[str, Any]) -> Grid:
    """Read equal cells between bounds."""
    key = axes.read(plain)
    if isinstance(key, Grid):
        return key
    raise ValueError("Values lie on a grid.")


def labels(plain: Mapping[str, Any] | None) -> Labels | None:
    """Read categories, if there are any."""
    key = axes.read(plain)
    if isinstance(key, Labels | None):
        return key
    raise ValueError("Groups have categories.")


def share(value: object, *, none: bool = False) -> float:
    """Read a number between 0 and 1; 0 itself only where there may be none."""
    read = number(value)
    if 0 < read < 1 or (none and read == 0):
        return read
    raise ValueError("A share lies between 0 and 1.")


def spacing(value: object) -> float | None:
    """Read a number above 0, if there is one."""
    if value is None or number(value) > 0:
        return None if value is None else number(value)
    raise ValueError("A step is above 0.")


def scale(value: object) -> float:
    """Read the scale of noise that can have been added."""
    read = number(value)
    if 0 < read <= WIDEST:
        return read
    raise ValueError("Noise has a scale above 0, and one that 64 bits can hold.")


def place(value: object, on: Grid) -> float:
    """Read a value of the column a grid is made for; a moment is one that a calendar holds."""
    read = number(value)
    if on.bounds.time:
        moment(read)
    return read


Word = TypeVar("Word", bound=str)


def choice(value: object, words: tuple[Word, ...]) -> Word:
    """Read one of a few words."""
    for word in words:
        if value == word:
            return word
    raise ValueError("A word is one of those that are known.")

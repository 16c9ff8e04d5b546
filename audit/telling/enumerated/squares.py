"""Surveys of a map: every transcript of a method that looks where it seems heavy.

A tiny universe: one to three units of weight 2 on a map of 16 cells, seen through a method that
chooses: it measures two quarters, and looks into the one that seems heavier. Every answer within a
window is enumerated, with its exact probability under each of two neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

Squares = list[tuple[int, int]]
Follow = Callable[[tuple[int, ...]], Squares]
"""From what was answered of the quarters to the squares that are asked for next."""

Masses = dict[int, int]

LEVELS, WEIGHT, SCALE = 2, 2, 4.0
QUARTERS: Squares = [(1, 0), (1, 3)]
_WINDOW = range(-3, 6)


def factor(mass: int, answer: int, scale: float) -> float:
    """The chance of an answer."""
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(answer - mass)


def mass(cells: Masses, level: int, code: int) -> int:
    """What lies in a square."""
    return sum(weight for cell, weight in cells.items() if cell >> 2 * (LEVELS - level) == code)


def transcripts(follow: Follow) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Yield the squares with their answers, of every run of a method."""
    for answers in product(_WINDOW, repeat=2):
        first = tuple((*square, answer) for square, answer in zip(QUARTERS, answers, strict=True))
        chosen = follow(answers)
        for deeper in product(range(-1, 4), repeat=len(chosen)):
            yield first + tuple(
                (*square, answer) for square, answer in zip(chosen, deeper, strict=True)
            )


def heaviest(answers: tuple[int, ...]) -> Squares:
    """Look into the heavier quarter."""
    return [(2, 0), (2, 1)] if answers[0] >= answers[1] else [(2, 12)]


def largest_loss(follow: Follow) -> float:
    """Return the largest log ratio over neighbours and transcripts."""
    return max(
        abs(_ratio(together(table), together([*table, extra]), answers))
        for table in TABLES
        for extra in PEOPLE
        for answers in transcripts(follow)
    )


PEOPLE: list[Masses] = [{0: 2}, {0: 1, 12: 1}, {1: 2}, {15: 1}, {12: 2}, {0: 1, 1: 1}]
TABLES: list[list[Masses]] = [[], [{0: 2}], [{0: 1, 15: 1}, {12: 2}]]


def together(people: list[Masses]) -> Masses:
    """Return the masses of all people."""
    cells: Masses = {}
    for person in people:
        for cell, weight in person.items():
            cells[cell] = cells.get(cell, 0) + weight
    return cells


def _ratio(fewer: Masses, more: Masses, answers: tuple[tuple[int, int, int], ...]) -> float:
    return sum(
        math.log(
            factor(mass(fewer, level, code), answer, SCALE)
            / factor(mass(more, level, code), answer, SCALE)
        )
        for level, code, answer in answers
    )

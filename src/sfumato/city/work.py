"""What the people of the city do all day, and how long it takes them to get there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SECTORS: dict[str, tuple[str, ...]] = {
    "harbour": ("docker", "crane driver", "pilot", "customs clerk", "shipwright"),
    "steelworks": ("smelter", "welder", "machinist", "electrician", "foreman"),
    "offices": ("clerk", "accountant", "programmer", "lawyer", "architect"),
    "shops": ("shop assistant", "grocer", "baker", "florist", "bookseller"),
    "health": ("nurse", "carer", "physician", "pharmacist", "midwife"),
    "schools": ("teacher", "lecturer", "caretaker", "librarian", "researcher"),
    "kitchens": ("cook", "waiter", "barista", "brewer", "confectioner"),
    "transport": ("tram driver", "courier", "mechanic", "dispatcher", "ferryman"),
    "city hall": ("administrator", "gardener", "firefighter", "surveyor", "archivist"),
}
RARE = {
    "lighthouse keeper": 1,
    "glass harpist": 2,
    "bell founder": 3,
    "falconer": 5,
    "cartographer": 12,
    "clockmaker": 30,
}
"""Occupations so rare that the name alone could tell who it is, and how many people have them."""

# How likely each sector is in each district: Saltgate has the harbour, Ironmoor the works.
_LIKELY = np.array(
    [
        [2, 1, 8, 5, 4, 7, 9, 2, 3],
        [11, 2, 4, 5, 3, 2, 5, 4, 2],
        [2, 0.5, 13, 3, 6, 4, 1, 1, 4],
        [4, 12, 2, 5, 4, 2, 4, 6, 2],
        [2, 1, 5, 5, 7, 5, 2, 3, 4],
        [3, 3, 9, 4, 6, 6, 2, 4, 3],
    ]
)
_DISTANCE = np.array([12.0, 18.0, 21.0, 24.0, 27.0, 38.0])

Texts = NDArray[np.object_]


@dataclass(frozen=True)
class Work:
    """Sector, occupation (empty for those without) and minutes to get there (NaN)."""

    sector: Texts
    occupation: Texts
    commute: NDArray[np.float64]


def work(
    district: NDArray[np.int64], age: NDArray[np.int64], generator: np.random.Generator
) -> Work:
    """Give three adults in four something to do."""
    employed = (age >= 18) & (age < 67) & (generator.random(len(age)) < 0.76)
    sector = _drawn(_LIKELY[district], generator)
    rank = _drawn(np.tile([10.0, 7.0, 5.0, 3.0, 1.6], (len(age), 1)), generator)
    names = np.array(list(SECTORS), dtype=object)
    jobs = np.array(list(SECTORS.values()), dtype=object)
    occupation = np.where(employed, jobs[sector, rank], "")
    _rename(occupation, generator.permutation(np.flatnonzero(employed)))
    return Work(
        sector=np.where(employed, names[sector], ""),
        occupation=occupation,
        commute=np.where(employed, _commutes(district, generator), np.nan),
    )


def _drawn(likely: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw one column per row, with the likelihoods of that row."""
    steps = np.cumsum(likely, axis=1)
    draws = generator.random(len(likely)) * steps[:, -1]
    return (steps < draws[:, None]).sum(axis=1)


def _rename(occupation: Texts, workers: NDArray[np.int64]) -> None:
    for name, holders in RARE.items():
        occupation[workers[:holders]] = name
        workers = workers[holders:]


def _commutes(district: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Minutes as people tell them: most round to five, many of those to a quarter of an hour."""
    minutes = _DISTANCE[district] * np.exp(0.5 * generator.normal(size=len(district)))
    candour = generator.random(len(district))
    step = np.select([candour < 0.15, candour < 0.65], [1, 5], 15)
    step[minutes < 8] = np.minimum(step[minutes < 8], 5)
    return np.clip(np.round(minutes / step) * step, 1, 180)

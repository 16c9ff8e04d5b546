"""The people of the invented city: who they are, how they are built, where they work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SEXES = ("female", "male", "other")


@dataclass(frozen=True)
class District:
    """One part of the city: its share of the people, their ages and their incomes.

    `ages` is a density over `_AGE_KNOTS`; `income` is a yearly median; `built` is the year from
    which on most people moved in.
    """

    name: str
    share: float
    ages: tuple[float, ...]
    income: float
    spread: float
    built: int


_AGE_KNOTS = (0, 12, 20, 28, 40, 55, 68, 80, 92, 103)

DISTRICTS = (
    District("Lantern", 0.20, (4, 3, 14, 18, 10, 6, 4, 2.5, 0.8, 0), 27_000, 0.55, 1990),
    District("Saltgate", 0.17, (8, 7, 9, 12, 11, 9, 7, 4, 1, 0), 31_000, 0.60, 1975),
    District("Ochre Hill", 0.10, (6, 8, 6, 5, 10, 15, 12, 7, 2, 0), 74_000, 0.62, 1970),
    District("Ironmoor", 0.20, (12, 11, 11, 12, 11, 9, 5, 2.5, 0.6, 0), 28_000, 0.42, 1980),
    District("Vesper", 0.13, (4, 4, 4, 5, 7, 12, 16, 14, 5, 0), 37_000, 0.50, 1960),
    District("Larkfield", 0.20, (18, 14, 6, 10, 18, 8, 4, 2, 0.5, 0), 45_000, 0.45, 2012),
)


@dataclass(frozen=True)
class Inhabitants:
    """Everyone, as arrays of equal length; NaN and empty texts are missing values."""

    district: Integers
    age: Integers
    sex: Integers
    income: Floats
    moved_in: NDArray[np.datetime64]
    work: Employment
    body: Body

    def identities(self) -> pa.Array:
        """Return one text per person."""
        import pyarrow as pa

        return pa.array([f"p{number:06d}" for number in range(len(self.age))], pa.string())

    def table(self) -> pa.Table:
        """Return one row per person."""
        import pyarrow as pa

        columns = {
            "person_id": self.identities(),
            "age": pa.array(self.age, pa.int16()),
            "sex": _take_names(SEXES, self.sex),
            "district": _take_names([district.name for district in DISTRICTS], self.district),
            "sector": _mark_missing(self.work.sector),
            "occupation": _mark_missing(self.work.occupation),
            "income": pa.array(self.income, pa.float64(), from_pandas=True),
            "commute_minutes": pa.array(self.work.commute, pa.float64(), from_pandas=True),
            "moved_in": pa.array(self.moved_in, pa.date32()),
            "health": _take_names([profile.name for profile in PROFILES], self.body.profile),
        }
        for name, values in zip(MEASUREMENTS, self.body.measured, strict=True):
            columns[name] = pa.array(values, pa.float64(), from_pandas=True)
        return pa.table(columns)


@lru_cache(maxsize=2)
def invent_people(people: int) -> Inhabitants:
    """Invent this many people, always the same ones."""
    generator = np.random.default_rng(1503)
    shares = np.array([district.share for district in DISTRICTS])
    district = generator.choice(len(DISTRICTS), people, p=shares / shares.sum())
    age = _ages(district, generator)
    sex = _sexes(age, generator)
    job = draw_employment(district, age, generator)
    return Inhabitants(
        district=district,
        age=age,
        sex=sex,
        income=_incomes(district, age, job.sector != "", generator),
        moved_in=_moves(district, age, generator),
        work=job,
        body=draw_bodies(age, sex, generator),
    )


def _ages(district: Integers, generator: np.random.Generator) -> Integers:
    years = np.arange(_AGE_KNOTS[-1])
    ages = np.zeros(len(district), dtype=np.int64)
    for index, place in enumerate(DISTRICTS):
        density = np.interp(years, _AGE_KNOTS, place.ages)
        here = district == index
        ages[here] = generator.choice(years, here.sum(), p=density / density.sum())
    return ages


def _sexes(age: Integers, generator: np.random.Generator) -> Integers:
    """Women outlive men; a few people are neither."""
    female = np.interp(age, (0, 60, 80, 100), (0.488, 0.505, 0.58, 0.72))
    sex = (generator.random(len(age)) > female).astype(np.int64)
    sex[generator.random(len(age)) < 0.008] = 2
    return sex


def _incomes(
    district: Integers, age: Integers, works: NDArray[np.bool_], generator: np.random.Generator
) -> Floats:
    """Lognormal within a district, highest at fifty, with a few who own half the harbour."""
    median = np.array([place.income for place in DISTRICTS])[district]
    spread = np.array([place.spread for place in DISTRICTS])[district]
    career = np.interp(age, (18, 26, 38, 50, 62, 70, 103), (0.45, 0.8, 1.1, 1.2, 1.1, 0.75, 0.65))
    incomes = median * career * np.exp(spread * generator.normal(size=len(age)))
    incomes[~works] *= 0.7
    rich = (
        generator.random(len(age)) < np.array([place.spread for place in DISTRICTS])[district] / 40
    )
    incomes[rich] *= 1 + generator.pareto(1.4, rich.sum())
    silent = generator.random(len(age)) < 0.05
    return np.where((age < 18) | silent, np.nan, np.round(incomes, -1))


def _moves(
    district: Integers, age: Integers, generator: np.random.Generator
) -> NDArray[np.datetime64]:
    """Most people came recently, nobody before they were born, few before a district was built."""
    years = generator.gamma(1.3, np.where(age < 35, 4.0, 11.0))
    built = np.array([place.built for place in DISTRICTS])[district]
    longest = np.minimum(
        age + generator.random(len(age)), 2026 - built + 5 * generator.random(len(age))
    )
    days = np.round(np.minimum(years, longest) * 365.25).astype(np.int64)
    return np.datetime64("2025-12-31", "D") - days


def _take_names(names: list[str] | tuple[str, ...], index: Integers) -> pa.Array:
    import pyarrow as pa

    return pa.array(list(names), pa.string()).take(pa.array(index))


def _mark_missing(texts: NDArray[np.object_]) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts, pa.string(), mask=texts == "")


MEASUREMENTS = ("heart_rate", "systolic", "diastolic", "glucose", "cholesterol", "bmi")


@dataclass(frozen=True)
class HealthProfile:
    """A kind of health: how common it is at each age, and its typical measurements."""

    name: str
    common: tuple[float, ...]
    typical: tuple[float, ...]


_AGES = (0, 14, 25, 45, 65, 85, 103)

PROFILES = (
    HealthProfile("well", (1, 1, 0.72, 0.66, 0.48, 0.36, 0.34), (70, 120, 76, 91, 186, 24.0)),
    HealthProfile("athletic", (0, 0, 0.24, 0.14, 0.05, 0.01, 0.0), (52, 111, 67, 83, 160, 21.5)),
    HealthProfile(
        "hypertension", (0, 0, 0.03, 0.13, 0.30, 0.42, 0.45), (77, 158, 99, 103, 214, 27.5)
    ),
    HealthProfile("diabetes", (0, 0, 0.01, 0.07, 0.17, 0.21, 0.21), (83, 139, 84, 171, 236, 32.5)),
)

# Spread within a cloud, and how much each measurement follows the two things that vary in everyone.
_SPREAD = np.array([7.0, 8.5, 6.0, 9.0, 24.0, 2.6])
_FOLLOWS = np.array([[0.3, 0.7, 0.75, 0.1, 0.1, 0.3], [0.2, 0.1, 0.1, 0.6, 0.5, 0.7]])


@dataclass(frozen=True)
class Body:
    """The profile of each person, and six rows of measurements; NaN where none was made."""

    profile: NDArray[np.int64]
    measured: Floats


def draw_bodies(
    age: NDArray[np.int64], sex: NDArray[np.int64], generator: np.random.Generator
) -> Body:
    """Examine everyone but the fifth who never came."""
    profile = _profiles(age, generator)
    typical = np.array([kind.typical for kind in PROFILES])[profile].T
    shared = _FOLLOWS.T @ generator.normal(size=(2, len(age)))
    own = np.sqrt(1 - (_FOLLOWS**2).sum(axis=0))[:, None] * generator.normal(size=typical.shape)
    measured: Floats = typical + _SPREAD[:, None] * (shared + own) + _by_age_and_sex(age, sex)
    measured = np.round(measured, 1)
    measured[:, generator.random(len(age)) < 0.18] = np.nan
    measured[generator.random(measured.shape) < 0.03] = np.nan
    return Body(profile, measured)


def _profiles(age: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    common = np.array([np.interp(age, _AGES, profile.common) for profile in PROFILES])
    steps = np.cumsum(common, axis=0)
    return (steps < generator.random(len(age)) * steps[-1]).sum(axis=0)


def _by_age_and_sex(age: NDArray[np.int64], sex: NDArray[np.int64]) -> Floats:
    years = (age - 45.0) / 10
    child = np.clip(16.0 - age, 0, 16)
    male = np.select([sex == 0, sex == 1], [-0.5, 0.5], 0.0)
    return np.array(
        [
            2.2 * child - 2.0 * male,
            1.6 * years - 1.2 * child + 4.0 * male,
            0.6 * years - 1.1 * child + 3.0 * male,
            1.0 * years + 2.0 * male,
            3.0 * years - 1.5 * child - 6.0 * male,
            0.25 * years - 0.4 * child + 0.6 * male,
        ]
    )


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
class Employment:
    """Sector, occupation (empty for those without) and minutes to get there (NaN)."""

    sector: Texts
    occupation: Texts
    commute: NDArray[np.float64]


def draw_employment(
    district: NDArray[np.int64], age: NDArray[np.int64], generator: np.random.Generator
) -> Employment:
    """Give three adults in four something to do."""
    employed = (age >= 18) & (age < 67) & (generator.random(len(age)) < 0.76)
    sector = _draw_columns(_LIKELY[district], generator)
    rank = _draw_columns(np.tile([10.0, 7.0, 5.0, 3.0, 1.6], (len(age), 1)), generator)
    names = np.array(list(SECTORS), dtype=object)
    jobs = np.array(list(SECTORS.values()), dtype=object)
    occupation = np.where(employed, jobs[sector, rank], "")
    _assign_rare_occupations(occupation, generator.permutation(np.flatnonzero(employed)))
    return Employment(
        sector=np.where(employed, names[sector], ""),
        occupation=occupation,
        commute=np.where(employed, _commutes(district, generator), np.nan),
    )


def _draw_columns(likely: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw one column per row, with the likelihoods of that row."""
    steps = np.cumsum(likely, axis=1)
    draws = generator.random(len(likely)) * steps[:, -1]
    return (steps < draws[:, None]).sum(axis=1)


def _assign_rare_occupations(occupation: Texts, workers: NDArray[np.int64]) -> None:
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

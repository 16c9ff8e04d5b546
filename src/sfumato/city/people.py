"""Who lives in the city: age, household money, work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.city.body import MEASUREMENTS, PROFILES, Body, body
from sfumato.city.work import Work, work

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
    work: Work
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
            "sex": _texts(SEXES, self.sex),
            "district": _texts([district.name for district in DISTRICTS], self.district),
            "sector": _or_missing(self.work.sector),
            "occupation": _or_missing(self.work.occupation),
            "income": pa.array(self.income, pa.float64(), from_pandas=True),
            "commute_minutes": pa.array(self.work.commute, pa.float64(), from_pandas=True),
            "moved_in": pa.array(self.moved_in, pa.date32()),
            "health": _texts([profile.name for profile in PROFILES], self.body.profile),
        }
        for name, values in zip(MEASUREMENTS, self.body.measured, strict=True):
            columns[name] = pa.array(values, pa.float64(), from_pandas=True)
        return pa.table(columns)


@lru_cache(maxsize=2)
def inhabitants(people: int) -> Inhabitants:
    """Invent this many people, always the same ones."""
    generator = np.random.default_rng(1503)
    shares = np.array([district.share for district in DISTRICTS])
    district = generator.choice(len(DISTRICTS), people, p=shares / shares.sum())
    age = _ages(district, generator)
    sex = _sexes(age, generator)
    job = work(district, age, generator)
    return Inhabitants(
        district=district,
        age=age,
        sex=sex,
        income=_incomes(district, age, job.sector != "", generator),
        moved_in=_moves(district, age, generator),
        work=job,
        body=body(age, sex, generator),
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


def _texts(names: list[str] | tuple[str, ...], index: Integers) -> pa.Array:
    import pyarrow as pa

    return pa.array(list(names), pa.string()).take(pa.array(index))


def _or_missing(texts: NDArray[np.object_]) -> pa.Array:
    import pyarrow as pa

    return pa.array(texts, pa.string(), mask=texts == "")

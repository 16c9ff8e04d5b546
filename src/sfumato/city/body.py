"""What the doctors of the city measure: four kinds of people, each a cloud of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MEASUREMENTS = ("heart_rate", "systolic", "diastolic", "glucose", "cholesterol", "bmi")


@dataclass(frozen=True)
class Profile:
    """A kind of health: how common it is at each age, and its typical measurements."""

    name: str
    common: tuple[float, ...]
    typical: tuple[float, ...]


_AGES = (0, 14, 25, 45, 65, 85, 103)

PROFILES = (
    Profile("well", (1, 1, 0.72, 0.66, 0.48, 0.36, 0.34), (70, 120, 76, 91, 186, 24.0)),
    Profile("athletic", (0, 0, 0.24, 0.14, 0.05, 0.01, 0.0), (52, 111, 67, 83, 160, 21.5)),
    Profile("hypertension", (0, 0, 0.03, 0.13, 0.30, 0.42, 0.45), (77, 158, 99, 103, 214, 27.5)),
    Profile("diabetes", (0, 0, 0.01, 0.07, 0.17, 0.21, 0.21), (83, 139, 84, 171, 236, 32.5)),
)

# Spread within a cloud, and how much each measurement follows the two things that vary in everyone.
_SPREAD = np.array([7.0, 8.5, 6.0, 9.0, 24.0, 2.6])
_FOLLOWS = np.array([[0.3, 0.7, 0.75, 0.1, 0.1, 0.3], [0.2, 0.1, 0.1, 0.6, 0.5, 0.7]])


@dataclass(frozen=True)
class Body:
    """The profile of each person, and six rows of measurements; NaN where none was made."""

    profile: NDArray[np.int64]
    measured: Floats


def body(age: NDArray[np.int64], sex: NDArray[np.int64], generator: np.random.Generator) -> Body:
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

"""The tables of the demonstration: whom each protects, what it may spend, what is public in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit

TableName = Literal["people", "checkins", "patients"]

DISTRICTS = ["Lantern", "Saltgate", "Ochre Hill", "Ironmoor", "Vesper", "Larkfield"]
PLACES = [
    "shop", "cafe", "office", "restaurant", "bar", "school", "station", "park", "quay", "museum",
]  # fmt: skip
BODY = {
    "heart_rate": (30, 200),
    "systolic": (70, 230),
    "diastolic": (40, 140),
    "glucose": (40, 260),
    "cholesterol": (80, 360),
    "bmi": (10, 60),
}
HEALTH = ["well", "athletic", "hypertension", "diabetes"]


@dataclass(frozen=True)
class Subject:
    """One table of the city: whom it protects, what may be spent, what is public about it."""

    unit: PrivacyUnit
    budget: Budget
    domain: Domain


SUBJECTS: dict[TableName, Subject] = {
    "people": Subject(
        PrivacyUnit.rows(),
        Budget(epsilon=2, delta=1e-6),
        Domain(
            age=(0, 104),
            sex=["female", "male", "other"],
            district=DISTRICTS,
            health=HEALTH,
            income=(0, 150_000),
            commute_minutes=(0, 90),
            glucose=(60, 220),
            systolic=(80, 200),
            moved_in=(date(1985, 1, 1), date(2026, 1, 1)),
        ),
    ),
    "checkins": Subject(
        PrivacyUnit.users("person_id"),
        Budget(epsilon=1),
        Domain(
            lon=(-30.10, -29.90),
            lat=(44.94, 45.06),
            place=PLACES,
            time=(date(2025, 1, 1), date(2026, 1, 1)),
        ),
    ),
    "patients": Subject(
        PrivacyUnit.rows(),
        Budget(epsilon=1, delta=1e-6, reserve=0),
        Domain(health=HEALTH, **BODY),
    ),
}

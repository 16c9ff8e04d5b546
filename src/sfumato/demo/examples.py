"""Every chart of the demonstration, in one list. A new chart adds an entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from sfumato.charts.chart import Chart
from sfumato.charts.histogram import Histogram
from sfumato.domain import Domain, private
from sfumato.privacy.budget import Budget
from sfumato.privacy.unit import PrivacyUnit

Section = Literal["people", "streets", "price"]
TableName = Literal["people", "checkins"]

DISTRICTS = ["Lantern", "Saltgate", "Ochre Hill", "Ironmoor", "Vesper", "Larkfield"]
PLACES = [
    "shop", "cafe", "office", "restaurant", "bar", "school", "station", "park", "quay", "museum",
]  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """One table of the city: whom it protects, what may be spent, what is public about it."""

    unit: PrivacyUnit
    budget: Budget
    domain: Domain


@dataclass(frozen=True)
class Example:
    """One chart, its price, and what to look for in it."""

    name: str
    title: str
    story: str
    section: Section
    table: TableName
    chart: Chart[Any, Any]
    epsilon: float


SUBJECTS: dict[TableName, Subject] = {
    "people": Subject(
        PrivacyUnit.rows(),
        Budget(epsilon=2, delta=1e-6),
        Domain(
            age=(0, 105),
            sex=["female", "male"],
            district=DISTRICTS,
            health=["well", "athletic", "hypertension", "diabetes"],
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
}

_VOICES = (
    ("A whisper", 0.002, "The shape is gone, and so is the risk."),
    ("A word", 0.02, "A demographer would smile already."),
    ("A sentence", 0.2, "As good as the truth, for a fifteenth of the budget."),
)

EXAMPLES = (
    Example(
        "map",
        "A city drawn by where people go",
        "The market, the radial streets, the river and its bridges, the bay in the south. Someone "
        "who checked in five hundred times counts no more than someone who did once.",
        "streets",
        "checkins",
        Histogram(x="lon", y="lat", bins=(64, 52)),
        0.5,
    ),
    Example(
        "year",
        "One week in June, nobody slept",
        "Five days a bar, and no holiday was declared: the festival rises out of the noise.",
        "streets",
        "checkins",
        Histogram(x="time", bins=73),
        0.2,
    ),
    Example(
        "places",
        "Where a year goes",
        "Each person spreads one unit over all their visits, so these are shares of lives, not of "
        "check-ins.",
        "streets",
        "checkins",
        Histogram(x="place", stat="proportion"),
        0.1,
    ),
    Example(
        "age",
        "Women outlive men",
        "Two outlines that part at seventy. The third sex of the register was left out by its "
        "declaration: a group that small would be noise.",
        "people",
        "people",
        Histogram(x="age", hue="sex", bins=21),
        0.2,
    ),
    Example(
        "health",
        "Six districts, six kinds of health",
        "The young keep fit in Lantern, the old take pills in Vesper. One charge pays for all "
        "eighteen bars, because each person stands in one of them at most.",
        "people",
        "people",
        Histogram(x="district", hue="health", hue_order=["athletic", "hypertension", "diabetes"]),
        0.2,
    ),
    Example(
        "income",
        "What people earn",
        "A density: its area is one. Whoever earns more than the declared end is counted in the "
        "last bin, so the richest man in town cannot be seen from here.",
        "people",
        "people",
        Histogram(x="income", stat="density", bins=30),
        0.2,
    ),
    Example(
        "commute",
        "Nobody commutes seventeen minutes",
        "Asked how long it takes, people round: to five, to a quarter, to half an hour.",
        "people",
        "people",
        Histogram(x="commute_minutes", bins=90),
        0.2,
    ),
    Example(
        "clouds",
        "Three clouds in the blood",
        "Sugar against pressure. Hatched cells could be noise alone; the three clouds could not.",
        "people",
        "people",
        Histogram(x="glucose", y="systolic", bins=(32, 24)),
        0.3,
    ),
    Example(
        "arrivals",
        "Around 2010 they built Larkfield",
        "When those moved in who live there now, year by year, beside a district that was always "
        "there. Dates are numbers too.",
        "people",
        "people",
        Histogram(x="moved_in", hue="district", bins=41, hue_order=["Vesper", "Larkfield"]),
        0.1,
    ),
    Example(
        "occupations",
        "There is one lighthouse keeper",
        "You will not find the keeper here. These occupations were not declared but searched for "
        "privately, and one that few people have is never shown.",
        "people",
        "people",
        Histogram(x="occupation", order=private(delta=1e-7)),
        0.5,
    ),
    *(
        Example(
            f"price-{place}",
            f"{voice}, ε = {epsilon}",
            story,
            "price",
            "people",
            Histogram(x="age", bins=21),
            epsilon,
        )
        for place, (voice, epsilon, story) in enumerate(_VOICES, start=1)
    ),
)

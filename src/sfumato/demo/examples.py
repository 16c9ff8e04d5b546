"""The tables and charts of the demonstration. A new chart adds an entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from sfumato.catalogue import like
from sfumato.charts.chart import Chart
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.city import districts
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
        Budget(epsilon=4, delta=1e-6),
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


Section = Literal["streets", "people", "groups", "bodies", "price"]


@dataclass(frozen=True)
class DemoChart:
    """One chart, its cost, and what to look for in it.

    Parameters
    ----------
    delta
        The part of the cost that Gaussian noise needs; none where noise is pure.
    view
        How its figure is drawn, where a release has several.
    """

    name: str
    title: str
    story: str
    section: Section
    table: TableName
    chart: Chart[Any, Any]
    epsilon: float
    delta: float = 0.0
    view: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def budget(self) -> Budget:
        """The cost."""
        return Budget(self.epsilon, self.delta)

    @property
    def lively(self) -> bool:
        """Whether it has a page of its own, to pan and zoom."""
        return isinstance(self.chart, Heatmap)


_VOICES = (
    ("A whisper", 0.002, "The shape is gone, and so is the risk."),
    ("A word", 0.02, "A demographer would smile already."),
    ("A sentence", 0.2, "As good as the truth, for a tenth of what this table may spend."),
)

EXAMPLES = (
    DemoChart(
        "map",
        "A city drawn by where people go",
        "The round old town, the streets that leave it on all sides, the river as a gap, the bay "
        "in the south. Someone who checked in five hundred times counts no more than someone who "
        "did once. Where it is grey, noise could have drawn it alone.",
        "streets",
        "checkins",
        like("heatmap", x="lon", y="lat"),
        0.45,
    ),
    DemoChart(
        "boroughs",
        "Six districts, and everyone goes to one",
        "People per square kilometre, by the map of city hall. Each check-in is looked up by "
        "itself in public polygons; whoever goes everywhere is a sixth of a person in each.",
        "streets",
        "checkins",
        like("choropleth-density", x="lon", y="lat", regions=districts(), aspect=None),
        0.04,
    ),
    DemoChart(
        "year",
        "One week in June, nobody slept",
        "Five days a bar, and no holiday was declared: the festival rises out of the noise.",
        "streets",
        "checkins",
        like("histplot-days", x="time", bins=73),
        0.15,
    ),
    DemoChart(
        "places",
        "Where a year goes",
        "Each person spreads one unit over all their visits, so these are shares of lives, not of "
        "check-ins.",
        "streets",
        "checkins",
        like("histplot-share", x="place"),
        0.05,
    ),
    DemoChart(
        "seasons",
        "Parks belong to summer",
        "The first box is the narrowest: half of a year in the park lies between late spring and "
        "early autumn. Whoever goes daily moves its edges no more than whoever went once.",
        "streets",
        "checkins",
        like(
            "boxplot-days",
            x="time",
            y="place",
            order=["park", "bar", "office", "school", "shop"],
        ),
        0.3,
    ),
    DemoChart(
        "age",
        "Women outlive men",
        "Two outlines that part at seventy. The third sex of the register was left out on "
        "purpose: bars that small would be noise.",
        "people",
        "people",
        like("histplot-hues", x="age", hue="sex", bins=21, hue_order=["female", "male"]),
        0.1,
    ),
    DemoChart(
        "health",
        "Six districts, six kinds of health",
        "The young keep fit in Lantern, the old take pills in Vesper. One charge pays for all "
        "eighteen bars, because each person stands in one of them at most.",
        "people",
        "people",
        like(
            "histplot-groups",
            x="district",
            hue="health",
            hue_order=["athletic", "hypertension", "diabetes"],
        ),
        0.1,
    ),
    DemoChart(
        "income",
        "What people earn",
        "A density: its area is one. Whoever earns more than the declared end is counted in the "
        "last bin, so the richest man in town cannot be seen from here.",
        "people",
        "people",
        like("histplot-density", x="income", bins=30),
        0.1,
    ),
    DemoChart(
        "commute",
        "Nobody commutes seventeen minutes",
        "Asked how long it takes, people round: to five, to a quarter, to half an hour.",
        "people",
        "people",
        like("histplot-bins", x="commute_minutes", bins=90),
        0.05,
    ),
    DemoChart(
        "clouds",
        "Three clouds in the blood",
        "Sugar against pressure. Hatched cells could be noise alone; the three clouds could not.",
        "people",
        "people",
        like("histplot-plane", x="glucose", y="systolic", bins=(32, 24)),
        0.2,
    ),
    DemoChart(
        "arrivals",
        "Around 2010 they built Larkfield",
        "When those moved in who live there now, year by year, beside a district that was always "
        "there. Dates are numbers too.",
        "people",
        "people",
        like(
            "histplot-day-hues",
            x="moved_in",
            hue="district",
            bins=41,
            hue_order=["Vesper", "Larkfield"],
        ),
        0.1,
    ),
    DemoChart(
        "occupations",
        "There is one lighthouse keeper",
        "You will not find the keeper here. These occupations were not declared but searched for "
        "privately, and one that few people have is never shown.",
        "people",
        "people",
        like("histplot-search", x="occupation"),
        0.45,
    ),
    DemoChart(
        "sexes",
        "A district of young people",
        "Bars of counts, and one charge for all of them. In a session the same counts as a "
        "histogram would cost nothing more.",
        "people",
        "people",
        like(
            "countplot-hue",
            x="district",
            hue="sex",
            order=DISTRICTS,
            hue_order=["female", "male"],
            where=None,
        ),
        0.05,
    ),
    DemoChart(
        "earners",
        "The hill earns most",
        "Means of what a district's people earn. Incomes were clipped where noise and bias are "
        "smallest together, and the caption says where.",
        "people",
        "people",
        like(
            "barplot-hue",
            x="district",
            y="income",
            hue="sex",
            order=DISTRICTS,
            hue_order=["female", "male"],
            where=None,
        ),
        0.1,
    ),
    DemoChart(
        "hearts",
        "Pressure, point by point",
        "The same kind of means as points. The thinner the error bar, the more people it is of.",
        "people",
        "people",
        like("pointplot", x="health", y="systolic", hue=None),
        0.05,
    ),
    DemoChart(
        "years",
        "A line through the years",
        "Mean incomes by the year in which people moved in, with a band for the noise.",
        "people",
        "people",
        like("lineplot-cycle", x="moved_in", y="income", bins=20),
        0.05,
    ),
    DemoChart(
        "nobody",
        "Two thousand people who are nobody",
        "Points, as in any scatter plot, but drawn from a noisy density. Each stands where someone "
        "may be, and none where someone is known to be.",
        "people",
        "people",
        like("scatterplot", x="age", y="income"),
        0.1,
    ),
    DemoChart(
        "joint",
        "Age, pressure, and both",
        "The density in the middle, and the sums of its cells above and beside it: one charge.",
        "people",
        "people",
        like("jointplot", x="age", y="systolic"),
        0.1,
    ),
    DemoChart(
        "pressure",
        "Eight boxes, and four that are not drawn",
        "Men's hearts push a little harder in every state of health. Of the third sex there are "
        "too few data, and the picture says so. One charge pays for all "
        "twelve.",
        "groups",
        "people",
        like("boxplot-hue", x="health", y="systolic", hue="sex", step=0.1),
        0.3,
    ),
    DemoChart(
        "pay",
        "Up on Ochre Hill",
        "The poorer quarter of Ochre Hill ends about where the richer quarter of Lantern begins. "
        "What stands beyond a whisker is a count; nobody's income is a dot.",
        "groups",
        "people",
        like("boxplot-across", x="income", y="district"),
        0.15,
    ),
    DemoChart(
        "minutes",
        "Larkfield pays in minutes",
        "How many minutes bring one in ten to work, a quarter, half of them, and so on. Nine in "
        "ten from Lantern are there before half of Larkfield is.",
        "groups",
        "people",
        like(
            "quantiles-hues",
            x="commute_minutes",
            q=(0.1, 0.25, 0.5, 0.75, 0.9),
            hue="district",
            hue_order=["Lantern", "Vesper", "Larkfield"],
            step=1,
        ),
        0.15,
    ),
    DemoChart(
        "spread",
        "The whole of three quarters",
        "How incomes are spread in three quarters, from one measurement. It would also draw their "
        "cumulated shares, nested boxes and bins, and tell any quantile, for nothing more.",
        "groups",
        "people",
        like(
            "violinplot-order",
            x="district",
            y="income",
            order=["Ochre Hill", "Lantern", "Larkfield"],
            where=None,
        ),
        0.15,
    ),
    DemoChart(
        "shares",
        "Two ways to work",
        "How many are there within so many minutes. The band holds the whole curve, and the two "
        "part early.",
        "groups",
        "people",
        like(
            "ecdfplot-hue",
            x="commute_minutes",
            hue="district",
            hue_order=["Lantern", "Larkfield"],
            where=None,
        ),
        0.15,
    ),
    DemoChart(
        "pays",
        "Most of the pay is on the left",
        "A smooth density of incomes. How smooth follows from the noise, which is why the tail is "
        "flat, and grey where nobody could tell.",
        "groups",
        "people",
        like("kdeplot", x="income"),
        0.15,
    ),
    DemoChart(
        "nests",
        "Far into the tails",
        "Boxes between ever rarer incomes, as far out as noise lets anybody tell.",
        "groups",
        "people",
        like(
            "boxenplot-order",
            x="district",
            y="income",
            order=["Saltgate", "Ironmoor", "Vesper"],
            where=None,
        ),
        0.15,
    ),
    DemoChart(
        "ages",
        "Ages, measured once",
        "One measurement of the ages of all. Any bins, any quantile and any of the pictures beside "
        "are drawn from it, for nothing more.",
        "groups",
        "people",
        like("distribution", x="age"),
        0.15,
    ),
    DemoChart(
        "squares",
        "Everything against everything",
        "Three pairs and three distributions from one charge, and they agree: the sums of each "
        "pair are the distributions on the diagonal. Pressure and sugar rise, each for some.",
        "bodies",
        "patients",
        like("pairplot", columns=["systolic", "glucose", "bmi"]),
        0.1,
        1e-6,
    ),
    DemoChart(
        "bodies",
        "Four clouds, and not one dot",
        "Six measurements of each patient, seen from where they differ most. Pressure pulls to one "
        "side, sugar to the other, and the athletic lie among the well, far from both. In other "
        "score plots each dot is somebody. Here directions, frame and clouds all carry noise.",
        "bodies",
        "patients",
        like("scoreplot-hue", columns=list(BODY), hue="health"),
        0.8,
        1e-6,
        {"loadings": 6},
    ),
    DemoChart(
        "pairs",
        "What rises together",
        "Correlations of all pairs, from noisy sums of products. Pressure comes in pairs. Where a "
        "cell is grey, noise could have made it alone, and columns lost in it would be named.",
        "bodies",
        "patients",
        like("corrplot", columns=list(BODY)),
        0.3,
        1e-6,
    ),
    DemoChart(
        "directions",
        "Six measurements, two that matter",
        "More than half of what tells patients apart lies along one direction, and a second, at "
        "right angles, tells sugar from pressure. The others are too alike at this cost: noise "
        "could have turned them into each other, and the picture says so.",
        "bodies",
        "patients",
        like("pca", columns=list(BODY)),
        0.4,
        1e-6,
    ),
    *(
        DemoChart(
            f"price-{place}",
            f"{voice}, ε = {epsilon}",
            story,
            "price",
            "people",
            like("histplot-bins", x="age", bins=21),
            epsilon,
        )
        for place, (voice, epsilon, story) in enumerate(_VOICES, start=1)
    ),
)

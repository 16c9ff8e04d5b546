"""The boxplot paper's case study: prices of Airbnb listings in New York City, 2019.

Two inquiries at ε = 1 each. Each divides its ε among its charts by the number of their boxes, so
that charts which cut the table into smaller groups get more. Prices by borough, by room type and
by both have 5, 3 and 15 boxes; prices by the least number of nights, and by that and the room
type, have 2 and 6. Listings are protected, as in the paper; ``--hosts`` protects hosts with all
their listings instead. The noise is real, so every run draws other figures. They go to
``lab/out``.

The listings are not part of this repository. The environment variable SFUMATO_DATA names a folder
with ``airbnb_nyc_2019.parquet``.

    python lab/case_study.py
    python lab/case_study.py --hosts
    python lab/case_study.py --beside       # draws the true boxplots too, which nobody may publish
"""

from __future__ import annotations

import argparse
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import sfumato as sf

mpl.use("agg")
_pyplot = cast(Any, plt)  # its annotations are partial

OUT = Path(__file__).parent / "out"
BOROUGHS = ["Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"]
ROOMS = ["Entire home/apt", "Private room", "Shared room"]
NIGHTS = ["low", "high"]
DOMAIN = sf.Domain(price=(0, 500), borough=BOROUGHS, room=ROOMS, nights=NIGHTS)
CATEGORIES = {"borough": BOROUGHS, "room": ROOMS, "nights": NIGHTS}


@dataclass(frozen=True)
class Chart:
    """Prices by one column, or by two."""

    x: str
    hue: str | None = None

    @property
    def boxes(self) -> int:
        """How many boxes it has."""
        return len(CATEGORIES[self.x]) * (len(CATEGORIES[self.hue]) if self.hue else 1)

    @property
    def title(self) -> str:
        """What it shows."""
        return f"price by {self.x}" + (f" and {self.hue}" if self.hue else "")


INQUIRIES = {
    "boroughs": [Chart("borough"), Chart("room"), Chart("borough", "room")],
    "nights": [Chart("nights"), Chart("room", "nights")],
}


def listings(path: Path) -> pd.DataFrame:
    """Return the paper's 40,738 listings: below 500 dollars, and for fewer than 10 nights."""
    found = pd.read_parquet(path).query("price < 500 and minimum_nights < 10")
    names = {"host_id": "host", "neighbourhood_group": "borough", "room_type": "room"}
    nights = np.where(found["minimum_nights"] <= 3, "low", "high")
    return found.rename(columns=names).assign(nights=nights)


def shares(charts: list[Chart]) -> list[float]:
    """Return the ε of each chart: its share of the boxes, rounded down to six digits."""
    total = sum(chart.boxes for chart in charts)
    return [math.floor(Fraction(10**6 * chart.boxes, total)) / 10**6 for chart in charts]


def draw_true(ax: Any, table: pd.DataFrame, chart: Chart) -> None:
    """Draw the boxplots of the true prices, as Matplotlib does."""
    columns = [chart.x, chart.hue] if chart.hue else [chart.x]
    groups = list(product(*(CATEGORIES[column] for column in columns)))
    chosen = [
        table.loc[(table[columns] == group).all(axis=1), "price"].to_numpy() for group in groups
    ]
    ax.boxplot(chosen, flierprops={"markersize": 1})
    names = [", ".join(group) for group in groups]
    ax.set_xticks(range(1, len(groups) + 1), names, rotation=30, ha="right", fontsize=7)
    ax.set_title("not private: " + chart.title)


def study(name: str, session: sf.Session, table: pd.DataFrame, *, beside: bool) -> Path:
    """Release the charts of one inquiry, print them and draw them."""
    charts = INQUIRIES[name]
    figure, axes = _pyplot.subplots(
        1 + beside,
        len(charts),
        figsize=(sum(3 + 0.5 * chart.boxes for chart in charts), 5 * (1 + beside)),
        width_ratios=[3 + 0.5 * chart.boxes for chart in charts],
        squeeze=False,
        layout="constrained",
    )
    for place, (chart, epsilon) in enumerate(zip(charts, shares(charts), strict=True)):
        release = session.boxplot(x=chart.x, hue=chart.hue, y="price", step=1, budget=epsilon)
        print(f"\n{chart.title}, ε = {epsilon:g}\n{release.to_frame().to_string(index=False)}")
        release.plot(ax=axes[0][place])
        if beside:
            draw_true(axes[1][place], table, chart)
    path = OUT / f"case-study-{name}{'-beside' if beside else ''}.png"
    figure.savefig(path, dpi=110)
    _pyplot.close(figure)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description="Repeat the boxplot paper's case study.")
    parser.add_argument("--hosts", action="store_true", help="protect hosts, not listings")
    parser.add_argument("--beside", action="store_true", help="draw the true boxplots too")
    asked = parser.parse_args()
    path = Path(os.environ.get("SFUMATO_DATA", ""), "airbnb_nyc_2019.parquet")
    if not path.is_file():
        print("Left out: SFUMATO_DATA names no folder with airbnb_nyc_2019.parquet.")
        return
    OUT.mkdir(exist_ok=True)
    table = listings(path)
    unit = sf.PrivacyUnit.users("host") if asked.hosts else sf.PrivacyUnit.rows()
    session = sf.Session(table, unit=unit, domain=DOMAIN, budget=sf.Budget(epsilon=2))
    for name in INQUIRIES:
        print(f"\ndrawn: {study(name, session, table, beside=asked.beside)}")
    print(session.ledger.spent)


if __name__ == "__main__":
    main()

"""Draw the pictures of the README and the site, from the synthetic city."""

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

import sfumato as sf

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Release two charts of the city and draw them side by side."""
    mpl.use("agg")
    ages = sf.histplot(
        sf.testing.city(),
        x="age",
        bounds=(0, 100),
        hue="sex",
        hue_order=["female", "male"],
        budget=0.5,
    )
    streets = sf.histplot(
        sf.testing.checkins(),
        x="lon",
        y="lat",
        bounds={"lon": (-30.1, -29.9), "lat": (44.94, 45.06)},
        bins=(48, 36),
        unit="person_id",
        budget=1.0,
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.2), layout="constrained")
    ages.plot(ax=left)
    streets.plot(ax=right)
    figure.savefig(IMAGES / "charts.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()

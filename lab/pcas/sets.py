"""The tables of the comparison, with public bounds for every column.

Bounds are round numbers that someone who knows what is measured, not the table, would declare;
columns are then measured in halves of their ranges. Four tables are not part of this repository:
the environment variable SFUMATO_DATA names a folder with the files in `FILES`. Breast cancer and
digits come with scikit-learn (the dependency group `lab`), and mixtures are drawn here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ranges = dict[str, tuple[float, float]]

FILES = {
    "gau_g": "dppca_gau_g.parquet",
    "Dry Bean": "dry_bean.parquet",
    "pendigits": "pendigits.parquet",
    "Adult": "dppca_adult.parquet",
}
SHIPPED = ("breast cancer", "digits")
NAMES = (*FILES, *SHIPPED)

GAUSSIAN: Ranges = {f"V{number}": (-15.0, 15.0) for number in range(1, 21)}
PEN: Ranges = {f"{axis}{number}": (0.0, 100.0) for number in range(8) for axis in "xy"}
PIXELS: Ranges = {f"pixel_{row}_{column}": (0.0, 16.0) for row in range(8) for column in range(8)}
ADULT: Ranges = {
    "age": (0.0, 100.0),
    "education_num": (0.0, 20.0),
    "capital_gain": (0.0, 100_000.0),
    "capital_loss": (0.0, 5_000.0),
    "hours_per_week": (0.0, 100.0),
}
BEANS: Ranges = {
    "Area": (0.0, 300_000.0),
    "Perimeter": (0.0, 2_000.0),
    "MajorAxisLength": (0.0, 800.0),
    "MinorAxisLength": (0.0, 500.0),
    "AspectRatio": (1.0, 3.0),
    "Eccentricity": (0.0, 1.0),
    "ConvexArea": (0.0, 300_000.0),
    "EquivDiameter": (0.0, 600.0),
    "Extent": (0.5, 1.0),
    "Solidity": (0.9, 1.0),
    "roundness": (0.4, 1.0),
    "Compactness": (0.6, 1.0),
    "ShapeFactor1": (0.0, 0.012),
    "ShapeFactor2": (0.0, 0.004),
    "ShapeFactor3": (0.4, 1.0),
    "ShapeFactor4": (0.9, 1.0),
}
CELLS: Ranges = {
    "mean radius": (5.0, 30.0),
    "mean texture": (5.0, 40.0),
    "mean perimeter": (40.0, 200.0),
    "mean area": (0.0, 2_500.0),
    "mean smoothness": (0.05, 0.2),
    "mean compactness": (0.0, 0.4),
    "mean concavity": (0.0, 0.5),
    "mean concave points": (0.0, 0.25),
    "mean symmetry": (0.1, 0.35),
    "mean fractal dimension": (0.04, 0.1),
    "radius error": (0.0, 3.0),
    "texture error": (0.0, 5.0),
    "perimeter error": (0.0, 25.0),
    "area error": (0.0, 600.0),
    "smoothness error": (0.0, 0.035),
    "compactness error": (0.0, 0.15),
    "concavity error": (0.0, 0.4),
    "concave points error": (0.0, 0.06),
    "symmetry error": (0.0, 0.08),
    "fractal dimension error": (0.0, 0.03),
    "worst radius": (5.0, 40.0),
    "worst texture": (10.0, 50.0),
    "worst perimeter": (50.0, 250.0),
    "worst area": (0.0, 4_500.0),
    "worst smoothness": (0.05, 0.25),
    "worst compactness": (0.0, 1.2),
    "worst concavity": (0.0, 1.5),
    "worst concave points": (0.0, 0.3),
    "worst symmetry": (0.1, 0.7),
    "worst fractal dimension": (0.05, 0.25),
}
RANGES = dict(zip(NAMES, (GAUSSIAN, BEANS, PEN, ADULT, CELLS, PIXELS), strict=True))
GROUPS = {"gau_g": "group", "Dry Bean": "Class", "pendigits": "digit"}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with public bounds, and the group of each row where there are groups.

    Parameters
    ----------
    values
        Rows × columns, in the columns' own units.
    """

    name: str
    values: Floats
    bounds: Ranges
    groups: NDArray[np.str_] | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.bounds)

    @cached_property
    def scaled(self) -> Floats:
        """The rows as both methods see them: clipped, from the middle, in halves of the ranges."""
        lower, upper = np.array(list(self.bounds.values())).T
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        return (self.values.clip(lower, upper) - middle) / half

    @property
    def group_names(self) -> list[str]:
        """The groups, in order."""
        return [] if self.groups is None else np.unique(self.groups).tolist()

    def frame(self) -> pd.DataFrame:
        """Return the table as a user would have it."""
        found = pd.DataFrame(self.values, columns=self.columns)
        return found if self.groups is None else found.assign(group=self.groups)


def missing() -> dict[str, str]:
    """Return the tables that cannot be had here, each with the reason."""
    folder = os.environ.get("SFUMATO_DATA")
    absent = {
        name: f"no {file} in the folder that SFUMATO_DATA names"
        for name, file in FILES.items()
        if not folder or not (Path(folder) / file).is_file()
    }
    if find_spec("sklearn") is None:
        absent |= dict.fromkeys(SHIPPED, "scikit-learn is not installed (pip install scikit-learn)")
    return absent


@cache
def table(name: str) -> Table:
    """Return one of the named tables."""
    if name in SHIPPED:
        return _shipped(name)
    found = pd.read_parquet(Path(os.environ["SFUMATO_DATA"]) / FILES[name])
    groups = found[GROUPS[name]].astype(str).to_numpy(np.str_) if name in GROUPS else None
    return Table(name, _numbers(found, RANGES[name]), RANGES[name], groups)


def _shipped(name: str) -> Table:
    shipped: Any = import_module("sklearn.datasets")
    load = shipped.load_digits if name == "digits" else shipped.load_breast_cancer
    found = load(as_frame=True)
    groups = np.asarray(found.target_names)[found.target].astype(np.str_)
    return Table(name, _numbers(found.data, RANGES[name]), RANGES[name], groups)


def _numbers(found: pd.DataFrame, bounds: Ranges) -> Floats:
    return found[list(bounds)].to_numpy(np.float64)


CENTRES = np.array([[0.9, 0.9], [-10.3, 0.5], [7.4, 1.2], [0.7, 3.1], [1.2, -5.7]])
SPREADS = np.array([1.1, 1.1, 2.5, 2.5, 3.1])
"""Where the groups of gau_g lie along its first two components, and how wide each is."""


def mixture(size: int, columns: int = 20) -> Table:
    """Return five Gaussian groups like those of gau_g, in a random plane of many columns."""
    generator = np.random.default_rng([size, columns])
    groups = np.arange(size) % len(CENTRES)
    plane = np.linalg.qr(generator.normal(size=(columns, 2)))[0]
    noise = SPREADS[groups, None] * generator.normal(size=(size, columns))
    bounds: Ranges = {f"V{number}": (-15.0, 15.0) for number in range(1, columns + 1)}
    names = np.array([f"group{number + 1}" for number in groups])
    return Table(f"mixture of {size}", CENTRES[groups] @ plane.T + noise, bounds, names)


def available() -> Sequence[str] | None:
    """Return the tables that are here; say which are not, and None where that is not allowed."""
    absent = missing()
    for name, reason in absent.items():
        print(f"{name}: {reason}.")
    if absent and os.environ.get("SKIP_DATA") != "1":
        print("Set SKIP_DATA=1 to run without them.")
        return None
    return [name for name in NAMES if name not in absent]

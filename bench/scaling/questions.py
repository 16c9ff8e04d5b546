"""The four charts, as questions to engines, and the least that an engine could do instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import sfumato as sf
from scaling.tables import NUMBERS, USER, WARD, WARDS, labels
from sfumato.catalogue import like

CHARTS = ("histogram", "boxplot", "heatmap", "pca")
UNITS = ("rows", "users")
GROUPED = ("histogram", "boxplot")
Kind = Literal["chart", "beside", "verbs"]

PASSES = {"histogram": 1, "boxplot": 1, "heatmap": 1, "pca": 4}
"""How often a chart reads its columns; what does not fit in memory a map reads once more."""

WHOLE_BUDGET = sf.Budget(epsilon=8.0, delta=1e-5)
BUDGETS = dict.fromkeys(CHARTS, sf.Budget(epsilon=1.0)) | {"pca": sf.Budget(1.0, 1e-6)}
BOUNDS: dict[str, tuple[float, float]] = {
    "x": (0, 100),
    "lon": (-74.4, -73.6),
    "lat": (40.4, 41.0),
    "a": (-6, 6),
    "b": (-6, 6),
}


@dataclass(frozen=True)
class Question:
    """A chart to be asked of an engine, and how often.

    Parameters
    ----------
    engine
        ``memory`` or ``parquet``, both DuckDB's, or ``spark``.
    paths
        The Parquet files that hold the table; ``memory`` loads them first.
    by, groups
        The column of categories, and how many it has. A boxplot always has one; a histogram
        only where it is not the usual one.
    limit
        The memory limit of the engine.
    runs
        How often to ask; the least of all counts.
    kind
        To time the ``chart``; the bare aggregate and the bound of memory ``beside`` it; or the
        ``verbs`` that it asks of the engine, and what follows them.
    times
        How often every unit is to stand in the table whose sums are given, to time what follows.
    """

    engine: str
    chart: str
    unit: str
    paths: tuple[str, ...]
    by: str = WARD
    groups: int = WARDS
    person: str = USER
    limit: str | None = None
    runs: int = 1
    kind: Kind = "chart"
    times: tuple[int, ...] = (1,)

    @classmethod
    def of(cls, told: dict[str, Any]) -> Question:
        """Read a question that was told in JSON, which has lists where we have tuples."""
        lists: dict[str, Any] = {name: tuple(told[name]) for name in ("paths", "times")}
        return cls(**(told | lists))

    @property
    def name(self) -> str:
        """What is asked, in words."""
        return f"{self.chart} by {self.unit} on {self.engine}"

    @property
    def privacy_unit(self) -> sf.PrivacyUnit:
        users = self.unit == "users"
        return sf.PrivacyUnit.users(self.person) if users else sf.PrivacyUnit.rows()

    @property
    def domain(self) -> sf.Domain:
        return sf.Domain(**BOUNDS, **{self.by: labels(self.groups)})

    @property
    def asked(self) -> Any:
        """The chart."""
        match self.chart:
            case "histogram":
                if self._hue is None:
                    return like("histplot-bins", x="x", bins=20)
                return like("histplot-hue", x="x", bins=20, hue=self._hue)
            case "boxplot":
                return like("boxplot-fence", x=self.by, y="x")
            case "heatmap":
                return like("heatmap", x="lon", y="lat")
            case _:
                return like("pca", columns=NUMBERS)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of numbers that must be read."""
        columns = {"heatmap": ("lon", "lat"), "pca": NUMBERS}.get(self.chart, ("x",))
        return columns if self.unit == "rows" else (*columns, self.person)

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of categories that must be read."""
        grouped = self.chart == "boxplot" or (self.chart == "histogram" and self._hue is not None)
        return (self.by,) if grouped else ()

    @property
    def _hue(self) -> str | None:
        return None if self.by == WARD else self.by

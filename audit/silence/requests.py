"""Requests of the catalogue, of which some ask for what there is not (for Hypothesis)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from sfumato import catalogue
from sfumato.catalogue import Roles
from sfumato.charts import kinds
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.ledger import Ledger
from sfumato.private_search import private
from sfumato.releases.release import Release
from sfumato.session import Session
from silence.neighbours import ODD_NAME

BOUNDS = {"x": (0, 8), "y": (-4, 4), "z": (0, 1), "w": (0, 3)}
GROUPS = {"g": ["A", "B"], "u": ["p1"], ODD_NAME: ["A", "\x1b[31m"]}
PURE, APPROXIMATE = Budget(epsilon=2), Budget(epsilon=2, delta=1e-6)
ROLES = Roles(
    domain=Domain({**BOUNDS, **GROUPS}),
    number="x",
    another="y",
    whole="x",
    day="z",  # any column may have dates in it
    group="g",
    other=ODD_NAME,
    weight="w",
    east="x",
    north="y",
    columns=("x", "y", "z"),
    person="u",
    rows=7,
)
UNITS = (PrivacyUnit.rows(), ROLES.users, ROLES.few)
CHARTS = {chart.verb: chart for chart in kinds.CHARTS}


@dataclass(frozen=True)
class Request:
    """A chart with its arguments, what is declared and who is protected."""

    method: str
    arguments: Mapping[str, Any]
    domain: Mapping[str, Any]
    unit: PrivacyUnit
    total: Any = field(default=Budget(epsilon=3, delta=1e-5))
    size: int | None = None

    def of(self, table: object) -> Callable[[], tuple[Ledger, Callable[[], Release]]]:
        """Return how to open a session of a table, and to ask it."""
        options = {name: value for name, value in self.arguments.items() if name != "budget"}
        budget = self.arguments["budget"]

        def opened() -> tuple[Ledger, Callable[[], Release]]:
            kept: dict[str, Any] = {"budget": self.total, "size": self.size}
            session = Session(table, unit=self.unit, domain=self.domain, **kept)
            chart = CHARTS[self.method]
            return session.ledger, lambda: session.release(chart(**options), budget=budget)

        return opened


_BUDGETS = (0.5, 1e-300, 0, -1, math.nan, math.inf, "1", None, 1e9, 2.5, PURE, APPROXIMATE)
_COLUMN = ("g", "nowhere", "u", ODD_NAME, "", None, 3, "x\x00")
_HUE = ("x", "u", ODD_NAME)
_ORDER: tuple[Any, ...] = (
    ["B", "A"],
    ["A"],
    [],
    ["A", "A"],
    ["Z"],
    "A",
    private(delta=1e-8),
    [1, "A"],
)
_COLUMNS: tuple[Any, ...] = (["x"], [], ["x", "x"], ["x", "g"], ["x", "nowhere"], "xy", None)
_SEARCHED = (private(), private(share=0.9), (0, 1), "x", private(within=(0, 1)))
_STEP = (0, -1, 0.001, 1e-320, "x")
_SCALE = ({"x": 1}, {"x": 1, "y": 0, "z": 1}, "x", private(share=0.9))

_ODD: dict[str, dict[str, tuple[Any, ...]]] = {
    "histplot": {
        "x": _COLUMN,
        "y": ("y", "x", "g"),
        "hue": _HUE,
        "bins": (1, 0, -1, True, 1e9, [0, 1, 5], [5, 1], "x", (2, 3), math.nan, 10**9),
        "stat": ("median", None),
        "order": _ORDER,
        "hue_order": _ORDER,
    },
    "boxplot": {
        "y": _COLUMN,
        "x": ("x", "y"),
        "hue": _HUE,
        "order": _ORDER,
        "hue_order": _ORDER,
        "method": ("best", None),
        "bounds": _SEARCHED,
        "whis": (0, -1, math.nan, 1e9, "x"),
        "step": _STEP,
        "buffer": (0, -1, math.nan, 1e6, "x"),
        "orient": ("v", "h", "z"),
    },
    "quantiles": {
        "x": _COLUMN,
        "q": ([], [0, 1], [0.9, 0.1], [math.nan], "x", [0.1] * 7),
        "hue": _HUE,
        "hue_order": _ORDER,
        "method": ("best",),
        "bounds": _SEARCHED,
        "step": _STEP,
        "neighbours": ("replace", "other"),
        "n": (0, -1, 1.5, "x", 2**40),
    },
    "countplot": {"x": _COLUMN, "hue": _HUE, "order": _ORDER, "stat": ("density", "median")},
    "distribution": {
        "x": _COLUMN,
        "hue": _HUE,
        "hue_order": _ORDER,
        "by": _HUE,
        "by_order": _ORDER,
        "bounds": _SEARCHED,
        "step": _STEP,
    },
    "barplot": {
        "x": ("x", "u", "nowhere", ODD_NAME),
        "y": _COLUMN,
        "hue": _HUE,
        "estimator": ("median", "proportion", "count", "mode"),
        "bins": (1, 0, True, [0, 1, 5], [5, 1], "x", "month", math.nan),
        "clip": ("bounds", "best"),
        "order": _ORDER,
        "levels": _ORDER,
        "bounds": _SEARCHED,
    },
    "heatmap": {
        "x": ("g", "nowhere", "u", ODD_NAME, None),
        "y": ("x", "g", "nowhere"),
        "resolution": (1, 0, -1, 2**21, "x", True),
        "method": ("best",),
        "decoder": ("lp", "best"),
        "top": (0, 0.1, 2, math.nan, "x"),
        "width": (0, 1, True, 10**9),
        "decay": (0, 1, math.nan),
        "levels": (0, 1, 99, "x"),
        "weight": ("x", "g"),
        "outside": ("keep",),
        "origin": ("left",),
        "aspect": ("map", "wide"),
    },
    "scatterplot": {
        "x": ("g", "nowhere", "u", ODD_NAME, None),
        "y": ("x", "g", "nowhere"),
        "hue": _HUE,
        "hue_order": _ORDER,
        "outside": ("keep",),
    },
    "jointplot": {
        "x": ("g", "nowhere", "u", ODD_NAME, None),
        "y": ("x", "g", "nowhere"),
        "hue": _HUE,
        "hue_order": _ORDER,
        "outside": ("keep",),
    },
    "pairplot": {"columns": _COLUMNS, "hue": _HUE, "hue_order": _ORDER},
    "choropleth": {
        "x": _COLUMN,
        "y": ("y", "x", "g", "nowhere"),
        "regions": ("nowhere.geojson", 3, None, {}, ("x",), ROLES.regions[:1], b"{"),
        "name": (None, "", 3),
        "stat": ("density", "mean"),
        "aspect": ("map", "wide"),
        "value": ("x", "g", "u", "nowhere", ODD_NAME),
        "estimator": ("sum", "median", "proportion", "count"),
        "clip": ("bounds", "best"),
        "levels": _ORDER,
        "col": _HUE,
        "col_order": _ORDER,
    },
    "corrplot": {"columns": _COLUMNS, "scale": _SCALE},
    "pca": {"columns": _COLUMNS, "n_components": (0, 99, True, "x"), "scale": _SCALE},
    "scoreplot": {
        "columns": _COLUMNS,
        "axes": ((1, 1), (1, 9), (0, 1), "x", 1),
        "bins": (0, 999, "x"),
        "hue": _HUE,
        "hue_order": _ORDER,
        "method": ("best",),
        "split": ("halves", (0.5, 0.5), (1, 0, 0), "x"),
        "scale": _SCALE,
    },
}
"""What no sound request has, or has only with something else."""

METHODS = tuple(_ODD)
_DECLARED: tuple[Any, ...] = (
    (8, 0), (0, math.nan), (-1e308, 1e308), (0, 5e-324), "x", [], ["A"], (0, "1"), None, (0, 1, 2),
)  # fmt: skip


@cache
def sound(method: str) -> tuple[catalogue.Request, ...]:
    """Return the requests of the catalogue for one kind of chart."""
    return tuple(each for each in catalogue.requests(ROLES) if each.verb == method)


@cache
def _components() -> Release:
    """Return components that somebody released before."""
    table = pa.table({name: [0.5, 0.1, 0.3] for name in ROLES.columns})
    session = Session(table, domain=BOUNDS, budget=Budget(epsilon=3, delta=1e-5))
    return session.pca(columns=ROLES.columns, budget=APPROXIMATE)


@st.composite
def requests(draw: Any, method: str) -> Request:
    """Draw a request for one kind of chart: most are sound, in others up to two things are odd."""
    asked = draw(st.sampled_from(sound(method)))
    arguments: dict[str, Any] = {**asked.options, "budget": asked.budget(2)}
    if asked.components is not None:
        arguments["pca"] = _components()
    odd = {**_ODD[method], "budget": _BUDGETS}
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
        name = draw(st.sampled_from([*odd]))
        arguments[name] = draw(st.sampled_from(odd[name]))
    domain: dict[str, Any] = {**BOUNDS, **GROUPS}
    if draw(st.integers(0, 11)) == 11:
        domain[draw(st.sampled_from(["x", "y", "g"]))] = draw(st.sampled_from(_DECLARED))
    unit = draw(st.sampled_from([asked.unit, *UNITS]))
    return Request(method, arguments, domain, unit, size=asked.size)

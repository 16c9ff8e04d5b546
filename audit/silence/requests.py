"""Requests for charts: most are sound, and some ask for what there is not (for Hypothesis)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from sfumato.asking import private
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.ledger import Ledger
from sfumato.releases.release import Release
from sfumato.session import Session
from silence.neighbours import ODD_NAME

BOUNDS = {"x": (0, 8), "y": (-4, 4), "z": (0, 1), "w": (0, 3)}
GROUPS = {"g": ["A", "B"], "u": ["p1"], ODD_NAME: ["A", "\x1b[31m"]}
PURE, APPROXIMATE = Budget(epsilon=2), Budget(epsilon=2, delta=1e-6)
UNITS = (PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2))


@dataclass(frozen=True)
class Request:
    """A call of a session's method, with what is declared and who is protected."""

    method: str
    arguments: Mapping[str, Any]
    domain: Mapping[str, Any]
    unit: PrivacyUnit
    total: Any = field(default=Budget(epsilon=3, delta=1e-5))

    def of(self, table: object) -> Callable[[], tuple[Ledger, Callable[[], Release]]]:
        """Return how to open a session of a table, and to ask it."""

        def opened() -> tuple[Ledger, Callable[[], Release]]:
            session = Session(table, unit=self.unit, domain=self.domain, budget=self.total)
            return session.ledger, lambda: getattr(session, self.method)(**self.arguments)

        return opened


@dataclass(frozen=True)
class Choice:
    """Values of one argument: those that a sound request may have, and those that it may not."""

    usual: tuple[Any, ...]
    odd: tuple[Any, ...] = ()


def _some(usual: Any, *odd: Any) -> Choice:
    return Choice((usual,), odd)


_BUDGET = Choice((PURE, APPROXIMATE), (0.5, 1e-300, 0, -1, math.nan, math.inf, "1", None, 1e9, 2.5))
_LOOSE = _some(APPROXIMATE, PURE, 0.5, Budget(epsilon=1e-9, delta=1e-9), None)
_COLUMN = Choice(("x", "y"), ("g", "nowhere", "u", ODD_NAME, "", None, 3, "x\x00"))
_HUE = Choice((None, "g"), ("x", "u", ODD_NAME))
_ORDER = _some(None, ["B", "A"], ["A"], [], ["A", "A"], ["Z"], "A", private(delta=1e-8), [1, "A"])
_COLUMNS = _some(["x", "y", "z"], ["x"], [], ["x", "x"], ["x", "g"], ["x", "nowhere"], "xy", None)
_BOXES = ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")

_ARGUMENTS: dict[str, dict[str, Choice]] = {
    "histplot": {
        "x": _COLUMN,
        "y": _some(None, "y", "x", "g"),
        "hue": _HUE,
        "bins": _some(4, 1, 0, -1, True, 1e9, [0, 1, 5], [5, 1], "x", (2, 3), math.nan, 10**9),
        "stat": Choice(("count", "density", "proportion"), ("median", None)),
        "order": _ORDER,
        "hue_order": _ORDER,
        "budget": _BUDGET,
    },
    "boxplot": {
        "y": _COLUMN,
        "x": Choice((None, "g"), ("x", "y")),
        "method": Choice(_BOXES, ("best", None)),
        "bounds": _some(None, private(), private(share=0.9), (0, 1), "x"),
        "whis": _some(1.5, 0, -1, math.nan, 1e9, "x"),
        "step": Choice((None, 1), (0, -1, 0.001, 1e-320, "x")),
        "budget": _BUDGET,
    },
    "quantiles": {
        "x": _COLUMN,
        "q": Choice(((0.25, 0.5), 0.5), ([], [0, 1], [0.9, 0.1], [math.nan], "x", [0.1] * 7)),
        "hue": _HUE,
        "method": Choice(("joint", "jointexp", "approx", "single", "unbounded", None), ("best",)),
        "bounds": _some(None, private(), (0, 1)),
        "budget": _BUDGET,
    },
    "heatmap": {
        "x": _some("x", "g", "nowhere", "u", ODD_NAME, None),
        "y": _some("y", "x", "g", "nowhere"),
        "resolution": Choice((4, (2, 3)), (1, 0, -1, 2**21, "x", True)),
        "method": Choice(("adaptive", "pyramid", "laplace", "dense"), ("best",)),
        "weight": Choice((None, "w"), ("x", "g")),
        "outside": Choice(("drop", "edge"), ("keep",)),
        "budget": _BUDGET,
    },
    "pca": {
        "columns": _COLUMNS,
        "n_components": Choice((None, 1, 2), (0, 99, True, "x")),
        "scale": Choice((None, private()), ({"x": 1}, {"x": 1, "y": 0, "z": 1}, "x")),
        "budget": _LOOSE,
    },
    "scoreplot": {
        "columns": _COLUMNS,
        "bins": Choice((3, (2, 3)), (0, 999, "x")),
        "hue": _HUE,
        "method": Choice(("haar", "additive", "sparse"), ("best",)),
        "axes": _some((1, 2), (1, 1), (1, 9), (0, 1), "x", 1),
        "budget": _LOOSE,
    },
}
METHODS = tuple(_ARGUMENTS)
_ODD: tuple[Any, ...] = (
    (8, 0), (0, math.nan), (-1e308, 1e308), (0, 5e-324), "x", [], ["A"], (0, "1"), None, (0, 1, 2),
)  # fmt: skip


@st.composite
def requests(draw: Any, method: str) -> Request:
    """Draw a request for one kind of chart: most are sound, in others up to two things are odd."""
    choices = _ARGUMENTS[method]
    arguments = {name: draw(st.sampled_from(choice.usual)) for name, choice in choices.items()}
    oddities = draw(st.sampled_from([0, 0, 0, 0, 1, 2]))
    for _ in range(oddities):
        name = draw(st.sampled_from([name for name, choice in choices.items() if choice.odd]))
        arguments[name] = draw(st.sampled_from(choices[name].odd))
    domain: dict[str, Any] = {**BOUNDS, **GROUPS}
    if draw(st.integers(0, 11)) == 11:
        domain[draw(st.sampled_from(["x", "y", "g"]))] = draw(st.sampled_from(_ODD))
    return Request(method, arguments, domain, draw(st.sampled_from(UNITS)))

"""Every chart by every method, as something that can be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import sfumato as sf
from clocks.neighbours import DOMAIN, Neighbours
from sfumato.releases.release import Release
from sfumato.session import Session

Ask = Callable[[], Release]


@dataclass(frozen=True, eq=False)
class Timed:
    """A chart and a method, with the other options of the chart."""

    verb: str
    method: str | None
    options: dict[str, Any]
    delta: float = 0.0

    def asks(self, pair: Neighbours) -> tuple[Ask, Ask]:
        """Return what releases the chart of either table, the one without the unit first."""
        return self._ask(pair, pair.without), self._ask(pair, pair.with_one)

    def _ask(self, pair: Neighbours, table: pa.Table) -> Ask:
        session = Session(
            sf.Table(table, threads=1),
            unit=pair.unit(capped=self.method == "sparse"),
            domain=DOMAIN,
            budget=sf.Budget(epsilon=1e6, delta=0.5, weak=True),
        )
        named = {} if self.method is None else {"method": self.method}
        budget = sf.Budget(epsilon=1, delta=self.delta)
        return lambda: getattr(session, self.verb)(**self.options, **named, budget=budget)


_MAP = {"x": "lon", "y": "lat", "resolution": 64}
_BODY = ("pulse", "sugar", "salt")
_BOXES = ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")
_QUANTILES = ("joint", "approx", "jointexp", "single", "unbounded")
_MAPS = ("adaptive", "pyramid", "laplace", "dense")
_SCORES = ("haar", "additive", "sparse", "pyramid")

CHARTS = (
    Timed("histplot", None, {"x": "wait", "bins": 20, "hue": "ward"}),
    *(Timed("boxplot", method, {"x": "ward", "y": "wait"}) for method in _BOXES),
    *(Timed("quantiles", method, {"x": "wait"}) for method in _QUANTILES),
    *(Timed("heatmap", method, _MAP, 1e-6 if method == "dense" else 0.0) for method in _MAPS),
    Timed("pca", None, {"columns": _BODY}, 1e-6),
    *(Timed("scoreplot", method, {"columns": _BODY, "bins": 16}, 1e-6) for method in _SCORES),
)
"""All that is timed."""

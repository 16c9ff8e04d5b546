"""Every chart by every method, as it is asked for in Python and in a shell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import sfumato as sf
from artefacts.canaries import DOMAIN
from sfumato.asking import Private
from sfumato.domain import Categories, moment
from sfumato.releases.release import Release
from sfumato.session import Session

_GROUPS = {"x": "order", "hue": "hue_order"}


@dataclass(frozen=True)
class Request:
    """A chart, its options, whom it protects and what it may spend."""

    verb: str
    options: dict[str, Any]
    unit: str | None = None
    delta: float = 0.0
    shown: bool = False  # stands for its kind in the tests, which draw pictures of few

    @property
    def name(self) -> str:
        """What the request is called: a word for each thing that sets it apart."""
        words = [self.options.get("method"), self.options.get("decoder")]
        words += [name for name, value in self.options.items() if isinstance(value, Private)]
        words += ["moments"] if self.options.get("x") == "moment" else []
        words += ["plane"] if self.verb == "histplot" and "y" in self.options else []
        words += ["hue"] if self.verb in ("histplot", "quantiles") and "hue" in self.options else []
        return "-".join([self.verb, *filter(None, words)])

    @property
    def budget(self) -> sf.Budget:
        """What the chart may spend."""
        return sf.Budget(epsilon=4, delta=self.delta, weak=True)

    def release(self, table: object, ledger: Path | None = None) -> Release:
        """Ask for the chart in Python."""
        limit = sf.Budget(epsilon=100, delta=0.1, weak=True)
        kept: dict[str, Any] = {"budget": limit, "ledger": ledger, "name": "declared"}
        session = Session(table, unit=_unit(self.unit), domain=DOMAIN, **kept)
        return getattr(session, self.verb)(**self.options, budget=self.budget)

    def words(self, table: str) -> list[str]:
        """Return what to type in a shell."""
        return [self.verb, table, *self._asked(), *self._declared(), *self._paid()]

    def _asked(self) -> Iterator[str]:
        for name, value in self.options.items():
            if not isinstance(value, Private):
                several = cast(
                    "tuple[object, ...]", value if isinstance(value, tuple) else (value,)
                )
                spelled = ",".join(map(str, several))
                yield from (f"--{name.replace('_', '-')}", spelled)

    def _declared(self) -> Iterator[str]:
        for name in ("x", "y", "hue"):
            column = self.options.get(name)
            if column and isinstance(DOMAIN.fact(column), Categories):
                order = self.options.get(_GROUPS[name])
                listed = ",".join(map(str, DOMAIN.categories(column).values))
                spelled = f"private:{order.delta}" if isinstance(order, Private) else listed
                yield from (f"--{_GROUPS[name].replace('_', '-')}", spelled)
            elif column and isinstance(self.options.get("bounds"), Private):
                yield from ("--bounds", f"private:{self.options['bounds'].share}")
            elif column:
                yield from _bounds(column)
        for column in self.options.get("columns", ()):
            yield from _bounds(column)

    def _paid(self) -> Iterator[str]:
        yield from ("--epsilon", "4", "--weak")
        if self.delta:
            yield from ("--delta", str(self.delta))
        if self.unit:
            yield from ("--unit", self.unit)


def _unit(spelled: str | None) -> sf.PrivacyUnit:
    if spelled is None:
        return sf.PrivacyUnit.rows()
    column, _, rows = spelled.partition(":")
    return sf.PrivacyUnit.users(column, max_rows=int(rows) if rows else None)


def _bounds(column: str) -> tuple[str, str]:
    bounds = DOMAIN.bounds(column)
    ends = [bounds.lower, bounds.upper]
    if bounds.time:
        return "--bounds", f"{column}={','.join(f'{moment(end):%Y-%m-%d}' for end in ends)}"
    return "--bounds", f"{column}={','.join(f'{end:g}' for end in ends)}"


_BODY = ("pulse", "pressure", "sugar")
_MAP = {"x": "lon", "y": "lat", "resolution": 16}
_SCORES = {"columns": _BODY, "bins": 8}

REQUESTS = (
    Request("histplot", {"x": "code", "bins": 20, "hue": "ward"}, shown=True),
    Request("histplot", {"x": "moment", "bins": 17}, "person:3"),
    Request("histplot", {"x": "lon", "y": "lat", "bins": 8}, "person"),
    Request("histplot", {"x": "ward", "order": sf.private(delta=1e-3)}, delta=1e-2),
    *(
        Request("boxplot", {"x": "ward", "y": "wait", "method": method}, shown=method == "fence")
        for method in ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")
    ),
    Request("boxplot", {"y": "wait", "bounds": sf.private(share=0.2)}, "person"),
    *(
        Request("quantiles", {"x": "wait", "method": method}, shown=method == "joint")
        for method in ("joint", "approx", "jointexp", "single", "unbounded")
    ),
    Request("heatmap", {**_MAP, "method": "adaptive"}, "person", shown=True),
    Request("heatmap", {**_MAP, "method": "pyramid", "decoder": "lp"}, "person"),
    Request("heatmap", {**_MAP, "method": "pyramid", "decoder": "bayes"}, "person"),
    Request("heatmap", {**_MAP, "method": "laplace"}, "person"),
    Request("heatmap", {**_MAP, "method": "dense"}, "person", delta=1e-5),
    Request("pca", {"columns": _BODY}, "person", delta=1e-5, shown=True),
    *(
        Request(
            "scoreplot",
            {**_SCORES, "hue": "ward", "method": method},
            "person:3" if method == "sparse" else "person",
            delta=1e-5,
            shown=method == "haar",
        )
        for method in ("haar", "additive", "sparse", "pyramid")
    ),
)
"""Every chart by every method, and every search for what was not declared."""


def named(name: str) -> Request:
    """Return the request of this name."""
    return next(request for request in REQUESTS if request.name == name)

"""Every request of the catalogue, as something that can be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

import sfumato as sf
from clocks.neighbours import DOMAIN, ROLES, Neighbours
from sfumato.catalogue import Request, requests
from sfumato.releases.release import Release
from sfumato.session import Session

Ask = Callable[[], Release]


@dataclass(frozen=True, eq=False)
class Timed:
    """A request, asked of neighbours."""

    request: Request

    @property
    def named(self) -> tuple[str, str]:
        """The chart, and what sets the request apart."""
        verb, _, rest = self.request.name.partition("-")
        return verb, rest or "–"

    def unit(self, pair: Neighbours) -> sf.PrivacyUnit:
        """Return whom the request protects: what has a threshold asks for a number of rows.

        A map and pairs take no number of rows: with a threshold they can only be asked for rows.
        """
        searched = {"order", "hue_order", "by_order"} & self.request.searches.keys()
        if searched and isinstance(self.request.chart.question, sf.Heatmap | sf.Pairplot):
            return sf.PrivacyUnit.rows()
        return pair.unit(capped=bool(searched) or self.request.method == "sparse")

    def asks(self, pair: Neighbours) -> tuple[Ask, Ask]:
        """Return what releases the chart of either table, the one without the unit first."""
        return self._ask(pair, pair.without), self._ask(pair, pair.with_one)

    def _ask(self, pair: Neighbours, table: pa.Table) -> Ask:
        session = Session(
            sf.Table(table, threads=1),
            unit=self.unit(pair),
            domain=DOMAIN,
            budget=sf.Budget(epsilon=1e6, delta=0.5, weak=True),
        )
        return lambda: self.request.release(session, self.request.budget(1))


# Where the number of rows is public, no table has a row more than another.
CHARTS = tuple(Timed(request) for request in requests(ROLES) if request.size is None)
"""All that is timed."""


def timed(name: str) -> Timed:
    """Return the request of this name."""
    return next(each for each in CHARTS if each.request.name == name)

"""`Tiles`: many maps in one, where every cell has noise of its own.

By ``method="laplace"`` no cell has to do with another. A map of many tiles, each with the rows of
one pair and people of its own, is as many maps, each of which holds one unit more, or does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.charts.heatmap.chart import Heatmap
from sfumato.domain import Domain
from sfumato.testing import measure_planned
from telling.case import Draws
from telling.heat.drawing import HEAVIEST, RESOLUTION, Map, cell
from telling.laws import Floats, laplace_says
from telling.overhearing import Maps, Overhearing
from telling.pairs import Pair

SIDE = 16
"""How many tiles a side."""

_WIDTH = 8
_WHOLE = Domain(x=(0, SIDE * _WIDTH), y=(0, SIDE * _WIDTH), weight=(0, HEAVIEST))


@dataclass(frozen=True)
class Tiled:
    """The rows of a pair, which must keep to its bounds, once on every tile."""

    pair: Pair

    def table(self, joined: bool, copies: int) -> pa.Table:
        """Return all rows of all tiles."""
        del copies
        rows = self.pair.table(joined)
        return pa.concat_tables([_moved(rows, tile) for tile in range(SIDE**2)])


def _moved(rows: pa.Table, tile: int) -> pa.Table:
    down, across = divmod(tile, SIDE)
    people = [f"{tile} {who}" for who in rows.column("who").to_pylist()]
    moved = {
        "who": pa.array(people, pa.string()),
        "x": pc.add(rows.column("x"), float(across * _WIDTH)),  # pyright: ignore
        "y": pc.add(rows.column("y"), float(down * _WIDTH)),  # pyright: ignore
    }
    return pa.table({**dict(zip(rows.column_names, rows.columns, strict=True)), **moved})


@dataclass(frozen=True)
class Tiles(Map):
    """A map of many tiles of one pair."""

    domain = _WHOLE

    @property
    def chart(self) -> Heatmap:
        """What is asked: as many cells on every tile as `Map` has."""
        return Heatmap("x", "y", resolution=SIDE * RESOLUTION, method="laplace", **self.options)

    def draw(self, joined: bool, releases: int) -> Draws:
        """Return what the cells of each tile say, and the one of the unit's first row."""
        chart, plan, engine = self.chart, self.plan, Overhearing(Tiled(self.pair), joined)
        row = self.pair.person[0]
        place = cell(plan.plane.y, row.y), cell(plan.plane.x, row.x)
        seen: list[Floats] = []
        with engine.listening():
            while sum(map(len, seen)) < releases:
                engine.forget()
                measure_planned(chart, engine, plan)
                (asked,) = engine.surveys[-1].asked
                true = Maps(*engine.answers[-1], plan.plane.levels).true(asked)
                steps, *both = map(_by_tile, (asked.steps, *true))
                says = laplace_says(steps, asked.scale, *both)
                there = steps[:, place[0] * RESOLUTION + place[1]]
                seen.append(np.stack([says, there / asked.scale], axis=1))
        return np.concatenate(seen)


def _by_tile(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of a map, row by row, as one line for each tile."""
    tiles = cells.reshape(SIDE, RESOLUTION, SIDE, RESOLUTION).swapaxes(1, 2)
    return tiles.reshape(SIDE**2, RESOLUTION**2)

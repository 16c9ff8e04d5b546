"""Heatmaps under attack: the auditor sees every square that was asked for on the way to a map.

Where squares are chosen by earlier answers it sees these as well, and so more than is released.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sfumato.privacy.budget import Budget
from telling.breaking import less_noise
from telling.case import Case, Trials, Twin
from telling.heat.broken import (
    full_price_each_level,
    noise_on_occupied,
    rows_weigh_one,
    weights_half_as_heavy,
)
from telling.heat.drawing import HEAVIEST, Map, Weighing
from telling.heat.tiles import Tiles
from telling.pairs import FEW, MANY, ROWS, USERS, Pair, Row, at, nasty

OWN_CELL = Pair("in a cell of its own", FEW, (Row(7.0, 1.0),))
ALONE = Pair("alone in the table", (), (Row(7.0, 1.0),))
IN_A_CROWD = Pair("in the cell of all others", (at(5.0, who="c"),) * 9, (at(5.0),))
PILED = Pair("a person with many rows on one spot", FEW, (Row(7.0, 1.0),) * MANY)
EVERYWHERE = Pair(
    "a person in every cell",
    FEW,
    tuple(Row(x + 0.5, y + 0.5) for x in range(8) for y in range(8)),
)

_WEIGHTS = (0.0, -5.0, 1e12, math.inf, math.nan, None)

_DEEP = {"width": 1, "decoder": "bayes"}
"""All three levels of so small a map, and no linear program."""

_FEW = Trials(300, 500)
_LONG = Trials(0, 6000)
_MANY = Trials(2000, 30_000)


def cases() -> tuple[Case, ...]:
    """Return all cases of heatmaps."""
    return (*_tiled(), *_paths(), *_library(), *_harsh(), *_weighed(), *_delta())


def _tiled() -> list[Case]:
    """A unit with all its weight in one cell loses ε there."""
    halved = Twin("half the noise", less_noise, 6000)
    bare = Twin("noise only where someone is", noise_on_occupied, 2000)
    whole = Twin("each row weighs as much as its person", rows_weigh_one, 2000)
    half = Twin("a weight taken for half of it", weights_half_as_heavy, 6000)
    heaviest = Weighing("of the largest weight", FEW, (Row(7.0, 1.0),), weight=HEAVIEST)
    weighed = Tiles(heaviest, ROWS, options={"weight": "weight"})
    return [
        Tiles(OWN_CELL, ROWS).case(_MANY, halved, bare, tight=True),
        Tiles(PILED, USERS).case(_MANY, whole, tight=True),
        weighed.case(_MANY, half, tight=True),
        *(
            Tiles(each, USERS).case(_MANY, tight=True, routine=False)
            for each in (OWN_CELL, ALONE, IN_A_CROWD)
        ),
    ]


def _paths() -> list[Case]:
    """And on every square that leads to the cell, where squares of several sizes are measured."""
    dear = Twin("each level at full price", full_price_each_level, 4000)
    budget = Budget(4.0)
    return [
        Map(OWN_CELL, ROWS, "dense", budget=budget).case(_LONG, tight=True, routine=False),
        Map(OWN_CELL, USERS, "pyramid", budget=budget).case(_LONG, tight=True, routine=False),
        Map(OWN_CELL, USERS, "adaptive", budget=budget).case(_LONG, tight=True, routine=False),
        Map(OWN_CELL, USERS, "adaptive").case(_FEW, dear, routine=False),
        Map(OWN_CELL, USERS, "pyramid", _DEEP, Budget(1.5)).case(_FEW, dear, routine=False),
    ]


def _library() -> list[Case]:
    """All pairs of the library, on the method that shows every cell; rows beyond count or not."""
    return [
        Map(each, unit, options={"outside": outside}).case(_FEW, routine=False)
        for unit in (ROWS, USERS)
        for each in nasty(unit)
        for outside in (("edge",) if "bounds" not in each.name else ("edge", "drop"))
    ]


def _harsh() -> list[Case]:
    """The pairs that hurt a map most, by every other method and decoder."""
    drawn = [
        Map(each, unit, method)
        for method in ("dense", "pyramid", "adaptive")
        for unit, pairs in ((ROWS, (IN_A_CROWD,)), (USERS, (ALONE, PILED, EVERYWHERE)))
        for each in pairs
    ]
    drawn += [
        Map(ALONE, ROWS, "pyramid", {"decoder": "bayes"}),
        Map(OWN_CELL, ROWS, options={"top": 0.1}),
        Map(OWN_CELL, USERS, "adaptive", decoded=True),
    ]
    bare = Twin("noise only where someone is", noise_on_occupied, 224)
    alone = [
        Map(ALONE, ROWS, method, budget=Budget(1.0)) for method in ("dense", "pyramid", "adaptive")
    ]
    return [
        *(each.case(Trials(192, 500), bare) for each in alone),
        *(each.case(_FEW, routine=False) for each in drawn),
    ]


def _weighed() -> list[Case]:
    """Weights at the lower end of what is declared, beyond both ends, and none at all."""
    light = Weighing("", FEW, (Row(7.0, 1.0),))
    drawn = [
        Map(replace(light, name=f"of weight {weight}", weight=weight), unit)
        for unit in (ROWS, USERS)
        for weight in _WEIGHTS
    ]
    drawn += [Map(replace(light, name=PILED.name, person=PILED.person), USERS)]
    return [replace(each, options={"weight": "weight"}).case(_FEW, routine=False) for each in drawn]


def _delta() -> list[Case]:
    """A budget with δ buys noise by its ρ; Laplace noise of that ρ loses less than is promised."""
    return [
        Map(OWN_CELL, unit, method, budget=Budget(1.0, 0.05, weak=True)).case(_FEW, routine=False)
        for method in ("laplace", "dense", "pyramid", "adaptive")
        for unit in (ROWS, USERS)
    ]

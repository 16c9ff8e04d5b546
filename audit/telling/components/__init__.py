"""Principal components and score plots under attack: one far outlier against a tight cloud.

The auditor sees every number on the way to a release, and adds up how much each of them says for
one table and against the other.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sfumato.privacy.budget import Budget
from sfumato.private_search import Private
from telling.breaking import less_noise
from telling.case import Case, Trials, Twin
from telling.components.broken import (
    counts_of_a_row,
    distance_from_the_data,
    scale_from_the_data,
    sums_of_a_row,
    threshold_one_lower,
)
from telling.components.cells import Cells
from telling.components.scores import CLOUD, Scores, Window
from telling.components.sums import Components, Directions, Scales
from telling.heat.broken import full_price_each_level
from telling.pairs import CAPPED, MANY, ROWS, USERS, Pair, Row


def far(ward: str = "A") -> Row:
    """A row of someone who is beyond all bounds."""
    return Row(1e6, 1e6, ward)


OUTLIER = Pair("far above the bounds", CLOUD, (far(),))
OWN_GROUP = Pair("far away, in a group of its own", CLOUD, (far("B"),))
SHARED = Pair("a person far away in both groups", CLOUD, (far("A"), far("B")) * (MANY // 2))
PILED = Pair("a person with many rows far away", CLOUD, (far("B"),) * MANY)
FARTHEST = {ROWS: OWN_GROUP, USERS: SHARED, CAPPED: PILED}
"""What hurts each unit most."""

SCATTERED = Pair(
    "a person with rows in all directions",
    CLOUD,
    tuple(Row(4 + 1e3 * math.sin(i), 4 + 1e3 * math.cos(i), "AB"[i % 2]) for i in range(MANY)),
)
_STRANGE = (
    Pair("alone in the table", (), (far(),)),
    Pair("in the cloud", CLOUD, (Row(4.0, 4.0),)),
    Pair("NaN", CLOUD, (Row(math.nan, 1e6),)),
    Pair("NULL", CLOUD, (Row(1e6, None),)),
    Pair("infinite", CLOUD, (Row(math.inf, -math.inf),)),
    Pair("in no category", CLOUD, (Row(1e6, 1e6, None),)),
)

FEW = CLOUD[:3]

WIDE = Budget(4.0, 0.1, weak=True)
"""A δ that can be seen, for a small one would have to be seen first."""

NARROW = Budget(1.0, 0.1, weak=True)
BROKEN = Budget(1.0, 0.3, weak=True)
"""For what is broken: with more to lose, more releases would have to be drawn."""


def cases() -> tuple[Case, ...]:
    """Return all cases of components and score plots."""
    return (*_parts(), *_components(), *_scores(), *_alone())


def _parts() -> list[Case]:
    """Sums and cells alone, of a unit that moves them by all that their noise is for.

    Of what ρ-zCDP is converted to at one δ, Gaussian noise can lose about three quarters.
    """
    halved = Twin("half the noise", less_noise, 6000)
    sums = Twin("noise for a row of a person's", sums_of_a_row, 1200)
    cells = Twin("noise for a row of a person's", counts_of_a_row, 2500)
    early = Twin("a threshold one lower", threshold_one_lower, 10_000)
    lone, shared, piled = (replace(each, crowd=FEW) for each in FARTHEST.values())
    # With this noise a threshold of 4 shows a row with a chance of 0.0225, and one of 3 with 0.11.
    opening = Budget(2.0, 0.01, weak=True)
    frame = Twin("a frame from the data", distance_from_the_data, 220)
    scale = Twin("a scale from the data", scale_from_the_data, 220)
    return [
        Scales(OUTLIER, ROWS, Budget(1.0)).case(Trials(220, 4000), scale),
        Scales(SHARED, USERS, Budget(1.0)).case(Trials(0, 4000), routine=False),
        Scales(SCATTERED, CAPPED, Budget(1.0)).case(Trials(0, 4000), routine=False),
        Window(OUTLIER, ROWS, Budget(1.0)).case(Trials(220, 4000), frame),
        Window(SHARED, USERS, Budget(1.0)).case(Trials(0, 4000), routine=False),
        Window(SCATTERED, CAPPED, Budget(1.0)).case(Trials(0, 4000), routine=False),
        Directions(OUTLIER, ROWS, WIDE).case(Trials(0, 8000), routine=False),
        Directions(SHARED, USERS, WIDE).case(Trials(0, 4000), routine=False),
        Directions(PILED, CAPPED, BROKEN).case(Trials(400, 4000), sums),
        Cells(lone, ROWS, WIDE).case(Trials(0, 100_000), tight=True, routine=False),
        Cells(shared, USERS, WIDE).case(Trials(0, 30_000), routine=False),
        Cells(piled, CAPPED, NARROW, "haar").case(Trials(1500, 10_000), cells),
        Cells(lone, ROWS, BROKEN).case(Trials(4000, 30_000), halved),
        Cells(piled, CAPPED, NARROW).case(Trials(0, 30_000), cells, routine=False),
        Cells(lone, ROWS, opening, "sparse", 0.023).case(Trials(4000, 100_000), early),
        Cells(piled, CAPPED, opening, "sparse", 0.026).case(Trials(3000, 30_000)),
    ]


def _components() -> list[Case]:
    """Whole releases.

    Not all of the price can be lost at once: the outlier moves no median as far as is paid for.
    """
    from_data = Twin("a radius from the data", distance_from_the_data, 220)
    drawn = [Components(pair, unit, NARROW) for unit, pair in FARTHEST.items() if unit.column]
    drawn += [Components(OUTLIER, ROWS, NARROW, Private(0.1))]
    strange = [Components(each, ROWS, NARROW) for each in _STRANGE]
    return [
        Components(OUTLIER, ROWS, NARROW).case(Trials(200, 500), from_data),
        Components(OUTLIER, ROWS, WIDE).case(Trials(0, 3000), routine=False),
        *(each.case(Trials(0, 500), routine=False) for each in drawn),
        *(each.case(Trials(0, 300), routine=False) for each in strange),
    ]


def _scores() -> list[Case]:
    """Every way to fill a frame that is found first, around components that are public."""
    eighth = Twin("an eighth of the noise", lambda: less_noise(1 / 8), 400)
    dear = Twin("each level at full price", full_price_each_level, 6000)
    every = [
        Scores(FARTHEST[unit], unit, NARROW, method, hue)
        for method in ("additive", "haar", "pyramid", "sparse")
        for unit in FARTHEST
        for hue in (None, "ward")
        if not (method == "sparse" and unit.shared)  # which is refused
    ]
    strange = [
        Scores(each, unit, NARROW, "haar", "ward")
        for unit in (ROWS, USERS)
        for each in (*_STRANGE, *((SCATTERED,) if unit.column else ()))
    ]
    return [
        Scores(OUTLIER, ROWS, NARROW).case(Trials(300, 3000)),
        Scores(OUTLIER, ROWS, NARROW, "pyramid").case(Trials(250, 1000), eighth),
        Scores(PILED, CAPPED, NARROW, "sparse", "ward").case(Trials(250, 1000)),
        Scores(OUTLIER, ROWS, BROKEN, "pyramid").case(Trials(0, 1000), dear, routine=False),
        *(each.case(Trials(0, 400), routine=False) for each in (*every, *strange)),
    ]


def _alone() -> list[Case]:
    """Score plots that pay for their components too: all that is released, from the centre on."""
    from_data = Twin("a radius and a frame from the data", distance_from_the_data, 220)
    every = [
        Scores(pair, unit, NARROW, method, "ward", alone=True)
        for unit, pair in FARTHEST.items()
        for method in ("haar", "sparse")
        if not (method == "sparse" and unit.shared)
    ]
    return [
        Scores(OUTLIER, ROWS, NARROW, alone=True).case(Trials(0, 800), from_data, routine=False),
        *(each.case(Trials(0, 300), routine=False) for each in every),
    ]

"""The shuffle protocol under attack: the auditor sees all messages, in the order they come out.

Two participants are honest, as few as may be, or eight. Whoever else takes part works for the
auditor, who also knows what all honest ones hold but one. Of that one it asks whether they hold
anything at all: that they take part is public.
"""

from __future__ import annotations

import math

from telling.case import Case, Trials, Twin
from telling.pairs import MANY, Pair, Row, at
from telling.shuffled.broken import all_draw, half_the_noise, rounded_up, unshuffled, unsplit
from telling.shuffled.drawing import Shuffled

KNOWN = (at(1.0, who="c"),)
POINT = Pair("a point of one's own", KNOWN, (Row(7.0, 1.0),))
CROWDED = Pair("points where the other is", KNOWN, (at(1.0),) * MANY)
EVERYWHERE = Pair("points in all quarters", KNOWN, tuple(Row(x, y) for x in (1, 7) for y in (1, 7)))
NOWHERE = Pair("points beyond the window", KNOWN, (at(1e12), at(None), at(math.nan)))
PARTLY = Pair("most points beyond the window", KNOWN, (at(1.0), at(1e12), at(None)))


def cases() -> tuple[Case, ...]:
    """Return all cases of the shuffle protocol."""
    few, some, many = Trials(400, 4000), Trials(0, 4000), Trials(1500, 16_000)
    halved = Twin("half the noise", half_the_noise, 3000)
    upward = Twin("each quarter rounded up", rounded_up, 2000)
    whole = Twin("each number sent as it is", unsplit, 3000)
    ordered = Twin("messages in their order", unshuffled, 600)
    drawn = Twin("noise from all who take part", all_draw, 4000)
    return (
        Shuffled(POINT).case(many, halved, tight=True),
        Shuffled(EVERYWHERE, scaling=1).case(few, upward),
        # The part of the noise that one participant draws alone hides hardly anything.
        Shuffled(POINT, scaling=16, epsilon=1.0, honest=8).case(
            some, whole, ordered, routine=False
        ),
        Shuffled(POINT, others=4).case(some, drawn, routine=False),
        *(Shuffled(each).case(some, routine=False) for each in (CROWDED, NOWHERE, PARTLY)),
    )

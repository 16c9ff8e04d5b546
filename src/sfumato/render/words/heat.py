"""What a place of a density says."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sfumato.figure import Clouds, Figure, Heat, Panel, percent
from sfumato.render.heat import sample
from sfumato.render.scale import marks_of
from sfumato.render.text import number
from sfumato.render.words.places import between
from sfumato.render.words.reading import Reading, cleaned, panel_of

_MOST_PLACES = 24
_FEWEST_PLACES = 6

DOUBT = " (could be noise)"


def places_aside(figure: Figure) -> int:
    """Return at how many places a side a density is read aloud and listed: fewer if it has others.

    Examples
    --------
    >>> places_aside(Figure("", (), ""))
    24
    """
    count = len(marks_of(figure, Heat)) + len(marks_of(figure, Clouds))
    return max(_FEWEST_PLACES, int(_MOST_PLACES / math.sqrt(max(1, count))))


def heat_readings(figure: Figure, panel: Panel, heat: Heat) -> Iterator[Reading]:
    """Read a density at a few places, row by row."""
    taken = sample(heat, places_aside(figure))
    for place in taken.places:
        left, right, low, high = taken.ends(heat, place)
        middle = [(panel.x.label, between(panel.x, left, right))]
        middle.append((panel.y.label, between(panel.y, low, high)))
        said = [(heat.label, number(place.value))]
        if heat.coverage:
            doubt = DOUBT if place.low <= 0 else ""
            interval = f"{number(place.low)} to {number(place.high)}"
            said = [(heat.label, number(place.value) + doubt)]
            said.append((f"{percent(heat.coverage)} (noise)", interval))
        yield Reading(cleaned([*panel_of(figure, panel), *middle]), cleaned(said))

"""What groups in a plane say: where each is, how much of it others share, and which way is what."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Arrows, Axis, Clouds, Dots, Figure, Heat, Outline, Panel, percent
from sfumato.render.text import number
from sfumato.render.words.places import between, decimals
from sfumato.render.words.reading import Reading, cleaned, estimate, panel_of, sure

Array = NDArray[np.float64]
Pairs = list[tuple[str, str]]

NOWHERE = "nowhere"


def cloud_readings(figure: Figure, panel: Panel, clouds: Clouds) -> Iterator[Reading]:
    """Read a group at a time: where it is densest, and which other lies most where it does."""
    shared = overlaps(clouds)
    for group, name in enumerate(clouds.series):
        peak = densest(panel, clouds, group)
        axes = (f"densest at {panel.x.label}", panel.y.label)
        said = list(zip(axes, peak or (NOWHERE, NOWHERE), strict=True))
        if len(clouds.series) > 1:
            said.append(("overlaps most with", _nearest(clouds, shared, group)))
        yield Reading(cleaned(_of(figure, panel, name)), cleaned(said))


def outline_readings(figure: Figure, panel: Panel, outline: Outline) -> Iterator[Reading]:
    """Read how far the smallest region reaches that holds a share of a group."""
    where = [*_of(figure, panel, outline.series), ("share inside", percent(outline.share))]
    corners = [corner for path in outline.paths for corner in path]
    said = [
        (axis.label, _reach([corner[side] for corner in corners]))
        for side, axis in enumerate((panel.x, panel.y))
    ]
    yield Reading(cleaned(where), cleaned(said))


def dot_readings(figure: Figure, panel: Panel, dots: Dots) -> Iterator[Reading]:
    """Read how many points there are; where each lies says nothing about anybody."""
    where = _of(figure, panel, dots.series)
    yield Reading(cleaned(where), cleaned([("points drawn from the density", f"{len(dots.x)}")]))


def arrow_readings(figure: Figure, panel: Panel, arrows: Arrows) -> Iterator[Reading]:
    """Read the arrows from the longest to the shortest."""
    known = sure(arrows.coverage)
    for place, length in by_length(arrows):
        where = [*panel_of(figure, panel), ("arrow", arrows.label[place])]
        said = [("length", brief(length))]
        for axis, ends in ((panel.x, arrows.x), (panel.y, arrows.y)):
            said.append((axis.label + known, estimate(axis, ends, place, arrows.coverage)))
        yield Reading(cleaned(where), cleaned(said))


def densest(panel: Panel, mark: Clouds | Heat, group: int = 0) -> tuple[str, str] | None:
    """Print the middle of the place where a density is highest, unless it is zero everywhere."""
    value = np.array(mark.value[group] if isinstance(mark, Clouds) else mark.value)
    if not value.size or value.max() <= 0:
        return None
    row, column = divmod(int(value.argmax()), value.shape[1])
    rows, columns = value.shape
    return _middle(panel.x, mark.x, column, columns), _middle(panel.y, mark.y, row, rows)


def overlaps(clouds: Clouds) -> Array:
    """Return how much of two groups lies in the same place, for each pair: 1 is all of both.

    Every group counts as one whole here, however many people it has.
    """
    value = np.array(clouds.value, dtype=float).reshape(len(clouds.series), -1)
    whole = value.sum(axis=1, keepdims=True)
    parts = value / np.where(whole > 0, whole, 1.0)
    return np.array([np.minimum(part, parts).sum(axis=1) for part in parts])


def by_length(arrows: Arrows) -> list[tuple[int, float]]:
    """Return place and length of every arrow, the longest first."""
    x, y = arrows.origin
    tips = zip(arrows.x.value, arrows.y.value, strict=True)
    lengths = [math.hypot(across - x, up - y) for across, up in tips]
    return sorted(enumerate(lengths), key=lambda pair: -pair[1])


def brief(value: float) -> str:
    """Print a number to two digits.

    Examples
    --------
    >>> brief(0.1234), brief(12.34)
    ('0.12', '12')
    """
    return number(float(f"{value:.2g}"))


def _of(figure: Figure, panel: Panel, name: str) -> Pairs:
    return [*panel_of(figure, panel), *([(figure.legend, name)] if name else [])]


def _nearest(clouds: Clouds, shared: Array, group: int) -> str:
    others = [place for place in range(len(clouds.series)) if place != group]
    other = max(others, key=lambda place: float(shared[group, place]))
    return f"{clouds.series[other]} ({percent(float(shared[group, other]))})"


def _reach(ends: list[float]) -> str:
    if not ends:
        return NOWHERE
    low, high = min(ends), max(ends)
    digits = decimals((high - low) / 50) if high > low else 2
    return f"{number(round(low, digits))} to {number(round(high, digits))}"


def _middle(axis: Axis, window: tuple[float, float], place: int, count: int) -> str:
    width = (window[1] - window[0]) / count
    low = window[0] + place * width
    return between(axis, low, low + width)

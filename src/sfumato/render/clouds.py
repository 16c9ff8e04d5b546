"""Groups laid over each other: their colours and lines, for every renderer alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Clouds
from sfumato.render import theme
from sfumato.render.png import Colours

Array = NDArray[np.float64]

_DENSEST = 0.62  # opacity of a group where it is densest
_FOREMOST = 2.0  # how clearly a mixture shows the group that is densest in it
_DASHED = (4.0, 1.6)  # of the line's width: lines and gaps, of all but the first groups


def pixels(clouds: Clouds, colours: Sequence[str]) -> Colours:
    """Return the picture of all groups together, row by row from the lowest y.

    Where groups meet, their colours mix as light does, the denser group's first; and the more
    there is of any, the less the paper shows through.

    Parameters
    ----------
    colours
        One for each group, such as ``"#0072b2"``.

    Examples
    --------
    >>> halves = Clouds((0, 2), (0, 1), ("a", "b"), (((1.0, 0.0),), ((0.0, 0.25),)))
    >>> pixels(halves, ["#ff0000", "#0000ff"]).tolist()
    [[[255, 0, 0, 158], [0, 0, 255, 79]]]
    """
    value = np.clip(np.array(clouds.value, dtype=np.float64), 0, 1)
    opacity = _DENSEST * np.sqrt(value)
    weight = value**_FOREMOST
    light = np.array([theme.channels(colour) for colour in colours], dtype=np.float64) ** 2
    mixed = np.tensordot(weight, light, axes=(0, 0))
    total = weight.sum(axis=0)[..., np.newaxis]
    seen = np.sqrt(np.divide(mixed, total, out=np.zeros_like(mixed), where=total > 0))
    covered = 1 - np.prod(1 - opacity, axis=0)
    return np.rint(np.dstack([seen, 255 * covered])).astype(np.uint8)


def line_width(share: float) -> float:
    """Return the width, in points, of the line around a share of a group: the core's is wider.

    Examples
    --------
    >>> line_width(0.5) > line_width(0.9)
    True
    """
    return 1.7 - share


def line_colour(index: int, ink: str = theme.INK) -> str:
    """Return the colour of the lines around a group, by its place in the legend.

    Dashed lines are nearer to ink than their groups: some of those are too pale for broken ones.

    Examples
    --------
    >>> line_colour(0), line_colour(7)
    ('#0072b2', '#6553a5')
    """
    return theme.mix(theme.series_colour(index), ink, 0.4 if dashes(index) else 0.0)


def dashes(index: int) -> tuple[float, ...]:
    """Return lines and gaps, in widths of the line, for the place of a group in the legend.

    The first groups have solid lines, and none here. Those after them have dashed ones, so that
    many groups can be told apart by more than their colours.

    Examples
    --------
    >>> dashes(0), dashes(7)
    ((), (4.0, 1.6))
    """
    return _DASHED if index >= theme.SOLID else ()

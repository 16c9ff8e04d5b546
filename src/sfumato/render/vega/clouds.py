"""Groups laid over each other as one picture, and an unseen grid that says how dense each is."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Clouds
from sfumato.render import theme
from sfumato.render.clouds import pixels
from sfumato.render.scale import series
from sfumato.render.text import clean, shorten
from sfumato.render.vega.axis import Spec
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.picture import picture, upright
from sfumato.render.vega.places import MOST_LIVELY, MOVE, cell_ends, formula, table
from sfumato.render.vega.tooltip import tooltip
from sfumato.render.words.heat import places_aside

_SAID = "% of the densest place"


def cloud_layers(canvas: Canvas, clouds: Clouds) -> list[tuple[int, Spec]]:
    """Return all groups together, layer by layer, each with its depth."""
    names = series(canvas.figure)
    colours = [theme.series_colour(names.index(name) if name else 0) for name in clouds.series]
    drawn = upright(canvas, pixels(clouds, colours))
    return [(0, picture(canvas, clouds, drawn)), (3, _touch(canvas, clouds))]


def _touch(canvas: Canvas, clouds: Clouds) -> Spec:
    """Cover what is not empty by unseen rectangles that say their numbers when pointed at."""
    most = MOST_LIVELY if canvas.lively else places_aside(canvas.figure)
    taken = _sampled(clouds, most)
    _, rows, columns = taken.shape
    row, column = np.nonzero(taken.any(axis=0))
    groups = [f"group{place}" for place in range(len(clouds.series))]
    counted = [row.tolist(), column.tolist(), *taken[:, row, column].tolist()]
    numbers = table(("row", "column", *groups), counted, digits=3)
    panel = canvas.panel
    names = (clean(panel.x.label), clean(panel.y.label), _SAID)
    pairs = list(zip(names, ("across", "up", "density"), strict=True))
    words = " + '; ' + ".join(f"{json.dumps(name + ' ')} + datum.{field}" for name, field in pairs)
    return {
        "data": numbers["data"],
        "transform": [
            *numbers["transform"],
            *cell_ends(panel.x, clouds.x, columns, ("column", "left", "right", "across")),
            *cell_ends(panel.y, clouds.y, rows, ("row", "low", "high", "up")),
            formula("density", _densities(clouds, groups)),
            formula("words", words),
        ],
        "mark": {"type": "rect", "opacity": 0, **canvas.cut},
        "encoding": {
            **canvas.box(),
            "description": {"field": "words"},
            "tooltip": tooltip(pairs),
        },
        **({"params": [MOVE]} if canvas.lively else {}),
    }


def _sampled(clouds: Clouds, most: int) -> NDArray[np.int64]:
    """Return densities in percent of the highest, at evenly spaced places."""
    value = np.rint(100 * np.array(clouds.value, dtype=float)).astype(np.int64)
    _, rows, columns = value.shape
    up, across = min(most, rows), min(most, columns)
    middle = [
        (2 * np.arange(count) + 1) * whole // (2 * count)
        for count, whole in ((up, rows), (across, columns))
    ]
    return value[:, middle[0]][:, :, middle[1]]


def _densities(clouds: Clouds, groups: list[str]) -> str:
    """Return a formula that lists the groups found at a place, each with how dense it is there."""
    names = [shorten(name, theme.LONGEST_SERIES) for name in clouds.series]
    said = [
        f"(datum.{group} ? {json.dumps(f', {name} '.replace(',  ', ', '))} + datum.{group} : '')"
        for name, group in zip(names, groups, strict=True)
    ]
    return f"slice({' + '.join(said)}, 2)"

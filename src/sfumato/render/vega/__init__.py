"""Figures as Vega-Lite: plain JSON with the released numbers in it, and nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sfumato.figure import Figure
from sfumato.render.description import spoken, summary
from sfumato.render.vega.axis import CONFIG, SCHEMA, WIDTH
from sfumato.render.vega.panel import caption_title, heading, stacked

VERSION = "5.20"
"""What vl-convert is asked for: Vega-Lite 5 is what notebooks and publishing tools still read."""


def vega(figure: Figure) -> dict[str, Any]:
    """Return a Vega-Lite specification that needs no other file."""
    titled = {"title": heading(figure), "vconcat": stacked(figure, lively=True), **_apart()}
    return {
        "$schema": SCHEMA,
        **_described(figure),
        "config": deepcopy(CONFIG),
        "title": caption_title(figure),
        "vconcat": [titled],
        **_apart(),
    }


def bare(figure: Figure, *, width: int = WIDTH, lively: bool = False) -> dict[str, Any]:
    """Return the picture alone, for a page that prints title and caption as its own text.

    A `lively` density can be panned and zoomed where a script draws it, once on a page.
    """
    config = {**deepcopy(CONFIG), "padding": 2}
    views = stacked(figure, width, lively=lively)
    return {
        "$schema": SCHEMA,
        **_described(figure),
        "config": config,
        "vconcat": views,
        **_apart(),
    }


def _described(figure: Figure) -> dict[str, str]:
    """Return what a screen reader says of the picture, where its marks alone do not tell."""
    return {"description": spoken(figure)} if summary(figure) else {}


def _apart() -> dict[str, Any]:
    """Keep legends with their panels; a shared one would rise above the title."""
    channels = ("color", "fill", "stroke", "strokeDash")
    return {"resolve": {"legend": dict.fromkeys(channels, "independent")}}

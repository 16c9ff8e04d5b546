"""Figures as Vega-Lite: plain JSON with the released numbers in it, and nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sfumato.figure import Figure
from sfumato.render.description import describe_aloud, summarise
from sfumato.render.text import clean
from sfumato.render.vega.axis import CONFIG, SCHEMA
from sfumato.render.vega.panel import caption_title, heading, stack_panels

VERSION = "5.20"
"""What vl-convert is asked for: Vega-Lite 5 is what notebooks and publishing tools still read."""


def build_vega(figure: Figure) -> dict[str, Any]:
    """Return a Vega-Lite specification that needs no other file."""
    titled = {
        "title": heading(figure),
        "vconcat": stack_panels(figure, lively=True),
        **_keep_legends_apart(),
    }
    return {
        "$schema": SCHEMA,
        **_describe_picture(figure),
        "config": deepcopy(CONFIG),
        "usermeta": {"caption": clean(figure.caption)},
        "title": caption_title(figure),
        "vconcat": [titled],
        **_keep_legends_apart(),
    }


def build_bare_vega(
    figure: Figure, *, width: int | None = None, lively: bool = False
) -> dict[str, Any]:
    """Return the picture alone, for a page that prints title and caption as its own text.

    A `lively` density can be panned and zoomed where a script draws it, once on a page.
    """
    config = {**deepcopy(CONFIG), "padding": 2}
    views = stack_panels(figure, width, lively=lively)
    return {
        "$schema": SCHEMA,
        **_describe_picture(figure),
        "config": config,
        "vconcat": views,
        **_keep_legends_apart(),
    }


def _describe_picture(figure: Figure) -> dict[str, str]:
    """Return what a screen reader says of the picture, where its marks alone do not tell."""
    return {"description": describe_aloud(figure)} if summarise(figure) else {}


def _keep_legends_apart() -> dict[str, Any]:
    """Keep legends with their panels; a shared one would rise above the title."""
    channels = ("color", "fill", "stroke", "strokeDash")
    return {"resolve": {"legend": dict.fromkeys(channels, "independent")}}

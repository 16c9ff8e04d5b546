"""How a figure is to be drawn, in the words that people know from seaborn and Matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Parameter
from typing import Any, Literal, TypedDict, cast, get_type_hints

from sfumato.errors import ReleaseError, Worded, abbreviate
from sfumato.figure import CaptionLength, Figure, Look
from sfumato.render.logarithmic import LogScale, make_logarithmic
from sfumato.render.palette import Palette, choose_colours, choose_ramp
from sfumato.render.scale import list_coloured, list_series

Caption = Literal[False, True, "short", "full"]


class Looks(TypedDict, total=False):
    """What every way to draw can be told: it changes the picture, and no number in it.

    Parameters
    ----------
    title
        What stands above the picture; what was asked, if left out. An empty text for none.
    figsize
        Width and height in inches.
    dpi
        Points per inch of a picture file.
    palette
        The colours of groups: a name that Matplotlib or seaborn knows, a list of colours, or a
        dict of colours by category.
    cmap
        The colours of a scale of numbers: a name, a list of colours or a Matplotlib colour map.
    caption
        ``"full"`` says what protects whom and what the picture's signs mean, ``"short"`` what
        protects whom, ``False`` no more than ε and the unit. If left out, as much as there is room
        for. Files hold the whole caption in any case.
    log_scale
        Logarithmic axes: ``True`` for the values, or a pair for x and y.
    """

    title: str | None
    figsize: tuple[float, float] | None
    dpi: float | None
    palette: Palette | None
    cmap: Any
    caption: Caption | None
    log_scale: LogScale | None


_CAPTIONS = 'caption=False, caption="short" or caption="full"'
NAMES = tuple(get_type_hints(Looks))
LOOKS = tuple(
    Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    for name, annotation in get_type_hints(Looks).items()
)
"""All that every way to draw can be told, as signatures show it."""

_WHY = "Nothing was charged: drawing is free."
_LENGTHS: dict[object, CaptionLength] = {
    False: "least",
    True: "full",
    "short": "short",
    "full": "full",
}


def dress(figure: Figure, looks: Mapping[str, Any]) -> Figure:
    """Return a figure with its look, or refuse what cannot be drawn."""
    chosen = {name: value for name, value in looks.items() if value is not None}
    unknown = next((name for name in chosen if name not in NAMES), None)
    if unknown is not None:
        raise TypeError(f"figure() got an unexpected keyword argument {unknown!r}")
    title = _read_title(chosen["title"]) if "title" in chosen else figure.title
    shown = make_logarithmic(figure, chosen.get("log_scale", False))
    return replace(shown, title=title, look=_read_look(figure, chosen))


def _read_look(figure: Figure, chosen: Mapping[str, Any]) -> Look:
    palette, cmap = chosen.get("palette"), chosen.get("cmap")
    names = list_series(figure)
    coloured = bool(list_coloured(figure))
    # Where colour can mean one thing only, both words mean that.
    series = palette if palette is not None or coloured else cmap
    scale = cmap if cmap is not None or names else palette
    return Look(
        size=_read_size(chosen["figsize"]) if "figsize" in chosen else None,
        dpi=_read_dpi(chosen["dpi"]) if "dpi" in chosen else None,
        colours=() if series is None else choose_colours(series, names),
        ramp=() if scale is None or not coloured else choose_ramp(scale),
        caption=_read_caption(chosen["caption"]) if "caption" in chosen else None,
    )


def _read_title(title: object) -> str:
    if isinstance(title, str):
        return title
    raise ReleaseError(f"A title is a text, not {type(title).__name__}.", _WHY, 'Pass title="…".')


def _read_size(size: object) -> tuple[float, float]:
    sides = list(cast("Sequence[object]", size)) if isinstance(size, Sequence) else []
    numbers = [float(side) for side in sides if isinstance(side, int | float)]
    if len(sides) == len(numbers) == 2 and all(0.5 <= side <= 100 for side in numbers):
        return numbers[0], numbers[1]
    raise ReleaseError(
        "figsize is a width and a height between 0.5 and 100 inches.",
        _WHY,
        ("Pass ", Worded("figsize=(6, 4)", in_shell="--figsize 6,4"), "."),
    )


def _read_dpi(dpi: object) -> float:
    if isinstance(dpi, int | float) and math.isfinite(dpi) and 20 <= dpi <= 2400:
        return float(dpi)
    advice = ("Pass ", Worded("dpi=300", in_shell="--dpi 300"), ".")
    raise ReleaseError("dpi is a number between 20 and 2400.", _WHY, advice)


def _read_caption(caption: object) -> CaptionLength:
    if isinstance(caption, bool | str) and caption in _LENGTHS:
        return _LENGTHS[caption]
    raise ReleaseError(
        f"A caption of the length {abbreviate(repr(caption))} is not known.",
        "ε and the unit stay on the figure in any case.",
        ("Pass ", Worded(_CAPTIONS, in_shell="--caption none, short or full"), "."),
    )

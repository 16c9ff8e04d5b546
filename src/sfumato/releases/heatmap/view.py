"""How a density is drawn: how many cells, how smooth, and over which picture."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.grid import Grid
from sfumato.render.plane import Colours, encode_png, make_data_address

Background = str | Path | NDArray[Any]
"""The path of a PNG or JPEG file, or an array of rows from the top: grey, or red, green, blue."""

_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


def read(background: Background | None) -> str:
    """Return a background as a data address; an empty text for none.

    Of a file only the colours are kept: a camera also writes where and when a picture was taken.
    """
    if background is None:
        return ""
    picture = _decoded(Path(background)) if isinstance(background, str | Path) else background
    return make_data_address(encode_png(_colours(picture)))


def _decoded(path: Path) -> NDArray[Any]:
    from PIL import Image, ImageOps

    content = _content(path)
    with suppress(Exception):  # a damaged picture can fail in as many ways as it has parts
        image = Image.open(BytesIO(content), formats=("PNG", "JPEG"))
        return np.asarray(ImageOps.exif_transpose(image).convert("RGBA"))
    raise ReleaseError(
        "The background picture is damaged, or too large.",
        "The map would have no background.",
        "Save the picture again, or give it as an array.",
    )


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if content.startswith(_SIGNATURES):
        return content
    raise ReleaseError(
        f"There is no PNG or JPEG picture at {str(path)!r}.",
        "The map would have no background.",
        "Check the path, or give the picture as an array.",
    )


def _colours(picture: NDArray[Any]) -> Colours:
    array = np.asarray(picture)
    layers = array[..., np.newaxis] if array.ndim == 2 else array
    if layers.ndim != 3 or 0 in layers.shape or layers.shape[2] not in (1, 3, 4):
        raise ReleaseError(
            "A background is an array of rows and columns, grey or with three or four colours.",
            "Another shape says nothing about where the window lies.",
            "Give an array of shape (rows, columns, 3).",
        )
    if layers.dtype.kind == "f":
        layers = np.rint(255 * np.clip(np.nan_to_num(layers), 0, 1))
    layers = np.clip(layers, 0, 255).astype(np.uint8)
    seen = np.repeat(layers, 3, axis=2) if layers.shape[2] == 1 else layers[..., :3]
    opacity = layers[..., 3:] if layers.shape[2] == 4 else np.full_like(layers[..., :1], 255)
    return np.concatenate([seen, opacity], axis=2)


Length = float | timedelta
Resolution = int | tuple[int, int]
"""Cells along both sides, or columns and rows."""

Smooth = Length | tuple[Length, Length]
"""A standard deviation in the units of the data, or one for x and one for y."""

MOST = 4096
"""Cells along a side of a picture."""


def cells_of(resolution: Resolution | None, x: Grid, y: Grid) -> tuple[int, int]:
    """Return columns and rows."""
    asked = (x.cells, y.cells) if resolution is None else _pair(resolution)
    columns, rows = asked if len(asked) == 2 else (0, 0)
    if _counted(columns) and _counted(rows):
        return cast(int, columns), cast(int, rows)
    raise ReleaseError(
        f"An array has from 1 to {MOST} cells along a side.",
        "The release itself holds all cells.",
        "Write to_array(resolution=512).",
    )


def lengths_of(smooth: Smooth, x: Grid, y: Grid) -> tuple[float, float]:
    """Return the standard deviations along x and y, in the units of the data."""
    pair = _pair(smooth)
    lengths = tuple(
        each / timedelta(microseconds=1) if isinstance(each, timedelta) else each for each in pair
    )
    if len(lengths) == 2 and all(map(_length, lengths)):
        # Filters wider than the window all even it out; the cap keeps numbers finite.
        across, up = (float(cast(float, length)) for length in lengths)
        return min(across, 100 * x.bounds.width), min(up, 100 * y.bounds.width)
    raise ReleaseError(
        "smooth must be a number not below zero, or a pair of them for x and y.",
        "It is the width of a filter in the units of the data.",
        "Write smooth=0.01, or smooth=0 for no filter.",
    )


def widths_of(smooth: Smooth, x: Grid, y: Grid, cells: tuple[int, int]) -> tuple[float, float]:
    """Return the standard deviations along x and y, in cells."""
    across, up = lengths_of(smooth, x, y)
    return across / x.bounds.width * cells[0], up / y.bounds.width * cells[1]


def _pair(spelling: object) -> tuple[object, ...]:
    if isinstance(spelling, tuple | list):
        return tuple(cast(list[object], spelling))
    return spelling, spelling


def _counted(cells: object) -> bool:
    return isinstance(cells, int) and not isinstance(cells, bool) and 1 <= cells <= MOST


def _length(length: object) -> bool:
    if not isinstance(length, int | float) or isinstance(length, bool):
        return False
    return math.isfinite(length) and length >= 0

"""A picture that a density is laid over: a file's content or an array, as a data address."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError
from sfumato.render.plane import Colours, address, png

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
    return address(png(_colours(picture)))


def _decoded(path: Path) -> NDArray[Any]:
    from PIL import Image, ImageOps

    content = _content(path)
    with suppress(Exception):  # a damaged picture can fail in as many ways as it has parts
        image = Image.open(BytesIO(content), formats=("PNG", "JPEG"))
        return np.asarray(ImageOps.exif_transpose(image).convert("RGBA"))
    raise ReleaseError(
        "The background picture is damaged, or too large.",
        "The density would be drawn over nothing.",
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
        "The density would be drawn over nothing.",
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

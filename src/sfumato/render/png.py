"""Pictures as PNG, and as addresses that hold the picture itself."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.uint8]
"""Red, green, blue and opacity of every point, row by row from the top."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUE_COLOUR_WITH_OPACITY = 6
_DIFFERENCE_FROM_ABOVE = 2


def png(colours: Colours) -> bytes:
    """Return the content of a PNG file; the same colours give the same bytes.

    Examples
    --------
    >>> png(np.zeros((2, 3, 4), dtype=np.uint8))[1:4]
    b'PNG'
    """
    rows, columns, _ = colours.shape
    header = struct.pack(">IIBBBBB", columns, rows, 8, _TRUE_COLOUR_WITH_OPACITY, 0, 0, 0)
    # Neighbouring rows of a smooth picture are nearly alike, and zeros are short.
    above = np.concatenate([np.zeros_like(colours[:1]), colours[:-1]])
    differences = (colours - above).reshape(rows, -1)
    filters = np.full((rows, 1), _DIFFERENCE_FROM_ABOVE, dtype=np.uint8)
    lines = np.concatenate([filters, differences], axis=1).tobytes()
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(*chunk) for chunk in chunks)


def address(content: bytes) -> str:
    """Return a data address of a PNG or JPEG file.

    Examples
    --------
    >>> address(png(np.zeros((2, 3, 4), dtype=np.uint8)))[:27]
    'data:image/png;base64,iVBOR'
    """
    kind = "png" if content.startswith(_SIGNATURE) else "jpeg"
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

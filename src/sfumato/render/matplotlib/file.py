"""Pictures as files: the same figure gives the same bytes, with no date and no host in them."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import hashlib
import warnings
from io import BytesIO
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure as MatplotlibFigure

from sfumato.figure import Figure
from sfumato.render import theme
from sfumato.render.matplotlib import PictureKind
from sfumato.render.matplotlib.drawing import draw
from sfumato.render.matplotlib.shape import natural_size
from sfumato.render.text import clean

_DPI = 200
_METADATA: dict[PictureKind, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_STYLE: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": list(theme.FONTS[:-1]),
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def picture(figure: Figure, kind: PictureKind, size: tuple[float, float] | None) -> bytes:
    """Draw a figure on a page of its own, in our style whatever the user's may be."""
    salt = hashlib.sha256(repr(figure).encode("utf-8", "replace")).hexdigest()[:16]
    style = ["default", {**_STYLE, "svg.hashsalt": salt}]
    with matplotlib.style.context(style), warnings.catch_warnings():
        # A letter the font lacks is drawn as a box; the picture says so, a warning need not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        page = MatplotlibFigure(figsize=size or natural_size(figure))
        draw(figure, page.add_axes((0, 0, 1, 1)))
        buffer = BytesIO()
        metadata = {**_METADATA[kind], "Title": clean(figure.title)}
        page.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()
